package io.turnwise.faults.trial;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the modules beside this one are built into, before it. */
public final class Built {
  private Built() {}

  public static Path jar(String module, String name) throws IOException {
    try {
      Path here = Path.of(Built.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path own = here.resolve("../..").normalize(); // of target/classes, or of the jar in target
      Path jar = own.resolveSibling(module).resolve("target").resolve(name);
      if (Files.isRegularFile(jar)) return jar;
      throw new IOException(jar + " is missing; build it with ./turnwise test");
    } catch (URISyntaxException e) {
      throw new IOException(e);
    }
  }
}
