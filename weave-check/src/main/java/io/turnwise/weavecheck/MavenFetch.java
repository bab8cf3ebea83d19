package io.turnwise.weavecheck;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Lets Maven find the jars, wherever its settings say that jars come from. */
final class MavenFetch {
  private static final String GOAL =
      "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath";

  private final String maven;

  /**
   * @param maven the command
   */
  MavenFetch(String maven) {
    this.maven = maven;
  }

  /** The artifacts' jars, and nothing that they depend on. */
  Map<Artifact, Path> fetch(List<Artifact> artifacts) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("turnwise-weave-check-");
    Path pom = folder.resolve("pom.xml");
    Path answer = folder.resolve("paths.txt");
    try {
      Files.writeString(pom, pom(artifacts));
      run(
          List.of(
              maven,
              "-B",
              "-q",
              "-ntp",
              "-f",
              pom.toString(),
              GOAL,
              "-Dmdep.outputFile=" + answer));
      return assign(artifacts, Files.readString(answer));
    } finally {
      Files.deleteIfExists(answer);
      Files.deleteIfExists(pom);
      Files.delete(folder);
    }
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.waitFor() != 0)
      throw new IOException("Maven could not fetch the corpus; what it said is above");
  }

  private static Map<Artifact, Path> assign(List<Artifact> artifacts, String paths)
      throws IOException {
    Map<String, Path> byName =
        Arrays.stream(paths.strip().split(File.pathSeparator))
            .map(Path::of)
            .collect(Collectors.toMap(it -> it.getFileName().toString(), it -> it, (a, b) -> a));
    Map<Artifact, Path> found = new LinkedHashMap<>();
    List<String> missing = new ArrayList<>();
    for (Artifact artifact : artifacts) {
      Path path = byName.get(artifact.fileName());
      if (path == null) missing.add(artifact.fileName());
      else found.put(artifact, path);
    }
    if (!missing.isEmpty())
      throw new IOException("Maven did not say where these are: " + String.join(", ", missing));
    return found;
  }

  private static String pom(List<Artifact> artifacts) {
    var text = new StringBuilder();
    text.append("<project>\n  <modelVersion>4.0.0</modelVersion>\n");
    text.append("  <groupId>corpus</groupId><artifactId>corpus</artifactId><version>1</version>\n");
    text.append("  <dependencies>\n");
    for (Artifact it : artifacts)
      text.append(
          """
              <dependency>
                <groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version>
                <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
              </dependency>
          """
              .formatted(it.group(), it.name(), it.version()));
    return text.append("  </dependencies>\n</project>\n").toString();
  }
}
