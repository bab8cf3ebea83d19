package io.turnwise.faults.trial;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** What the modules beside this one are built into, before it. */
public final class Built {
  private Built() {}

  public static Path jar(String module, String name) throws IOException {
    Path own = here().resolve("../..").normalize(); // of target/classes, or of the jar in target
    Path jar = own.resolveSibling(module).resolve("target").resolve(name);
    if (Files.isRegularFile(jar)) return jar;
    throw new IOException(jar + " is missing; build it with ./turnwise test");
  }

  /** A file for what is to outlive a run, where builds put what they make. */
  public static Path kept(String name) throws IOException {
    return Files.createDirectories(here().resolveSibling("faults")).resolve(name);
  }

  /**
   * A number for the code that runs: of its jar, or of the testkit's beside a folder of classes.
   */
  public static String code() throws IOException {
    Path here = here();
    var sum = new CRC32();
    sum.update(
        Files.readAllBytes(
            Files.isRegularFile(here) ? here : jar("testkit", "turnwise-testkit.jar")));
    return Long.toHexString(sum.getValue());
  }

  private static Path here() throws IOException {
    try {
      return Path.of(Built.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }
}
