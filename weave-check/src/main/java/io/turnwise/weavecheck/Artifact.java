package io.turnwise.weavecheck;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * A line of corpus.txt.
 *
 * @param language what most of its classes were written in, or made by
 */
record Artifact(String language, String group, String name, String version) {
  static Artifact parse(String line) {
    String[] words = line.strip().split("\\s+");
    String[] parts = words[words.length - 1].split(":");
    if (words.length != 2 || parts.length != 3)
      throw new IllegalArgumentException(
          "corpus.txt has the line \"" + line + "\"; write: LANGUAGE GROUP:NAME:VERSION");
    return new Artifact(words[0], parts[0], parts[1], parts[2]);
  }

  static List<Artifact> corpus() throws IOException {
    try (InputStream in = Artifact.class.getResourceAsStream("/corpus.txt");
        var reader =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8))) {
      return reader
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Artifact::parse)
          .toList();
    }
  }

  /** As Maven's local repository names it. */
  String fileName() {
    return name + "-" + version + ".jar";
  }
}
