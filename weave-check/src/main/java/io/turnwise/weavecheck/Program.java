package io.turnwise.weavecheck;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A small program that uses libraries of the corpus on fixed inputs and returns what they made of
 * them. Its source lies under programs/ and is compiled where the check runs.
 */
record Program(String name) {
  /** Those that the file programs/index.txt names. */
  static List<Program> all() throws IOException {
    return resource("index.txt").lines().filter(it -> !it.isBlank()).map(Program::new).toList();
  }

  private static String resource(String file) throws IOException {
    try (InputStream in = Program.class.getResourceAsStream("/programs/" + file)) {
      return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Compiles programs into a new jar. */
  static void compile(List<Program> programs, List<Path> classPath, Path jar) throws IOException {
    Path classes = Files.createTempDirectory("turnwise-programs-");
    try {
      JavaCompiler compiler =
          Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "this JVM has no compiler");
      var said = new StringWriter();
      List<String> options =
          List.of(
              "-proc:none",
              "-nowarn",
              "-d",
              classes.toString(),
              "-cp",
              classPath.stream()
                  .map(Path::toString)
                  .collect(Collectors.joining(File.pathSeparator)));
      List<Source> sources = new ArrayList<>();
      for (Program program : programs)
        sources.add(new Source(program.name(), resource(program.name() + ".java")));
      if (!compiler.getTask(said, null, null, options, null, sources).call())
        throw new IOException("the programs do not compile:\n" + said);
      pack(classes, jar);
    } finally {
      try (Stream<Path> all = Files.walk(classes)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(path);
      }
    }
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (var out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(
            new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Runs it with the classes of that loader; what it throws is a result, too. */
  String run(ClassLoader loader) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      return (String) Class.forName(name, true, loader).getMethod("run").invoke(null);
    } catch (InvocationTargetException e) {
      var text = new StringWriter();
      Objects.requireNonNull(e.getCause()).printStackTrace(new PrintWriter(text));
      return threw(text.toString());
    } catch (ReflectiveOperationException | LinkageError e) {
      return threw(e.toString());
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static final String THREW = "threw ";

  static String threw(String what) {
    return THREW + what;
  }

  static boolean failed(String output) {
    return output.startsWith(THREW);
  }
}
