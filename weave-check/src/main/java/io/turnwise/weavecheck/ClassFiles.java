package io.turnwise.weavecheck;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** The class files and other files of many jars, as one class path has them: the first wins. */
final class ClassFiles implements Closeable {
  private static final String SUFFIX = ".class";

  private record Place(JarFile jar, JarEntry entry) {}

  private final List<JarFile> jars = new ArrayList<>();
  private final Map<String, List<Place>> places = new HashMap<>();
  private final Map<Path, List<String>> classesOf = new LinkedHashMap<>();

  static ClassFiles of(List<Path> paths) throws IOException {
    var files = new ClassFiles();
    try {
      for (Path path : paths) files.add(path);
    } catch (IOException | RuntimeException e) {
      files.close();
      throw e;
    }
    return files;
  }

  private void add(Path path) throws IOException {
    // As this JVM's release sees it: a class may be there in versions for several.
    var jar = new JarFile(path.toFile(), false, ZipFile.OPEN_READ, Runtime.version());
    jars.add(jar);
    List<String> classes = new ArrayList<>();
    jar.versionedStream()
        .filter(entry -> !entry.isDirectory())
        .forEach(
            entry -> {
              String name = entry.getName();
              List<Place> here = places.computeIfAbsent(name, it -> new ArrayList<>(1));
              here.add(new Place(jar, entry));
              if (here.size() == 1 && isClass(name))
                classes.add(name.substring(0, name.length() - SUFFIX.length()).replace('/', '.'));
            });
    classesOf.put(path, classes);
  }

  private static boolean isClass(String name) {
    return name.endsWith(SUFFIX)
        && !name.endsWith("-info" + SUFFIX)
        && !name.startsWith("META-INF/")
        && !name.startsWith("java/"); // which only the JVM may define
  }

  /** By the names that their places in the jar suggest; without those that an earlier jar has. */
  List<String> classesOf(Path jar) {
    return classesOf.getOrDefault(jar, List.of());
  }

  byte @Nullable [] classFile(String className) {
    List<Place> found = places.get(className.replace('.', '/') + SUFFIX);
    if (found == null) return null;
    Place place = found.getFirst();
    try (InputStream in = place.jar().getInputStream(place.entry())) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where a file of that name is, in the order of the jars. */
  List<URL> urls(String file) {
    return places.getOrDefault(file, List.of()).stream().map(place -> url(place)).toList();
  }

  private static URL url(Place place) {
    try {
      URI jar = Path.of(place.jar().getName()).toUri();
      String entry = new URI(null, null, "/" + place.entry().getRealName(), null).getRawPath();
      return URI.create("jar:" + jar + "!" + entry).toURL();
    } catch (URISyntaxException | MalformedURLException e) {
      throw new IllegalArgumentException("no address can be made of " + place, e);
    }
  }

  @Override
  public void close() throws IOException {
    for (JarFile jar : jars) jar.close();
  }
}
