package io.turnwise.faults.weaving;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.JCStress;

/**
 * The program of the child JVM: breaks class files of a library, always the same ones for the same
 * seed, has the JVM link each, and says which it took.
 */
public final class Mutants {
  /** Where the classes are that are broken. */
  static final String VICTIMS = "org.openjdk.jcstress.";

  private static final String TAKEN = "taken: ";
  private static final String CHANGED = "changed: ";
  private static final char YES = '+';
  private static final char NO = '-';

  private Mutants() {}

  /**
   * What the JVM said to each.
   *
   * @param changed how many classes the weaver changed
   */
  record Verdicts(String each, long changed) {
    static Verdicts of(String output) {
      String each = "";
      long changed = 0;
      for (String line : output.lines().toList()) {
        if (line.startsWith(TAKEN)) each = line.substring(TAKEN.length());
        if (line.startsWith(CHANGED)) changed = Long.parseLong(line.substring(CHANGED.length()));
      }
      return new Verdicts(each, changed);
    }

    boolean isTaken(int mutant) {
      return each.charAt(mutant) == YES;
    }
  }

  /** A class file, and what its class is called. */
  private record Victim(String name, byte[] bytes) {}

  public static void main(String[] arguments) throws Exception {
    int mutants = Integer.parseInt(arguments[0]);
    var random = new SplittableRandom(Long.parseLong(arguments[1]));
    List<Victim> victims = victims();
    long before = woven();
    var taken = new StringBuilder(TAKEN);
    for (int i = 0; i < mutants; i++) {
      Victim victim = victims.get(random.nextInt(victims.size()));
      taken.append(isTaken(victim.name, mutate(victim.bytes, random)) ? YES : NO);
    }
    System.out.println(taken);
    System.out.println(CHANGED + (woven() - before));
  }

  private static List<Victim> victims() throws IOException, URISyntaxException {
    Path jar = Path.of(JCStress.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Victim> victims = new ArrayList<>();
    try (var file = new JarFile(jar.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) file.stream()::iterator) {
        String name = entry.getName();
        if (!name.startsWith(VICTIMS.replace('.', '/')) || !name.endsWith(".class")) continue;
        try (InputStream in = file.getInputStream(entry)) {
          String type = name.substring(0, name.length() - ".class".length()).replace('/', '.');
          victims.add(new Victim(type, in.readAllBytes()));
        }
      }
    }
    victims.sort((a, b) -> a.name.compareTo(b.name));
    return victims;
  }

  /** Linked, which includes its verification; not initialised: nothing of it runs. */
  private static boolean isTaken(String name, byte[] bytes) {
    try {
      // To ask for its methods links it.
      var unused = Class.forName(name, false, new OneClass(name, bytes)).getDeclaredMethods();
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false; // whatever else is thrown is not the JVM's answer, and ends the program
    }
  }

  private static byte[] mutate(byte[] original, SplittableRandom random) {
    byte[] bytes = original.clone();
    int at = random.nextInt(10, bytes.length);
    switch (random.nextInt(6)) {
      case 0 -> bytes[at] = (byte) random.nextInt();
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 4), (byte) 0xFF);
      case 3 -> { // a piece of it somewhere else
        int from = random.nextInt(10, bytes.length);
        int length = Math.min(random.nextInt(64), bytes.length - Math.max(at, from));
        System.arraycopy(original, from, bytes, at, length);
      }
      case 4 -> bytes = Arrays.copyOf(bytes, at);
      default -> { // as it is
      }
    }
    return bytes;
  }

  /** How many classes the agent has changed so far; 0 where there is none. */
  private static long woven() throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    var name = new ObjectName("io.turnwise:type=Weaving");
    return beans.isRegistered(name) ? (Long) beans.getAttribute(name, "WovenClasses") : 0;
  }

  /** Defines one class itself, and leaves the others to the loader of this program. */
  private static final class OneClass extends ClassLoader {
    private final String name;
    private final byte[] bytes;
    private @Nullable Class<?> defined;

    OneClass(String name, byte[] bytes) {
      super(Mutants.class.getClassLoader());
      this.name = name;
      this.bytes = bytes;
    }

    @Override
    protected Class<?> loadClass(String wanted, boolean resolve) throws ClassNotFoundException {
      if (!wanted.equals(name)) return super.loadClass(wanted, resolve);
      synchronized (getClassLoadingLock(wanted)) {
        Class<?> now = defined;
        if (now == null) defined = now = defineClass(name, bytes, 0, bytes.length);
        return now;
      }
    }
  }
}
