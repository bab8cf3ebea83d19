package io.turnwise.benchmarks.harness;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder in which the programs of other languages are unpacked and compiled. */
final class Workshop implements AutoCloseable {
  private final Path folder;

  private Workshop(Path folder) {
    this.folder = folder;
  }

  static Workshop open() throws IOException {
    return new Workshop(Files.createTempDirectory("turnwise-bench"));
  }

  /** Copies sources that travel in the jar into a folder of their own and returns it. */
  Path unpack(String language, List<String> files) throws IOException {
    Path target = Files.createDirectories(folder.resolve(language));
    for (String file : files) {
      String resource = "/peers/" + language + "/" + file;
      try (InputStream source = Workshop.class.getResourceAsStream(resource)) {
        if (source == null) {
          throw new FileNotFoundException("this program was built without " + resource);
        }
        Files.copy(source, target.resolve(file));
      }
    }
    return target;
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(Workshop::delete);
    } catch (IOException alreadyGone) {
      throw new UncheckedIOException(alreadyGone);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException inUse) {
      file.toFile().deleteOnExit();
    }
  }
}
