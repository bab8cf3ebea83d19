package io.turnwise.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import io.turnwise.benchmarks.result.Json;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where and with what a run was made: what a reader must know before comparing two numbers.
 *
 * @param cores processors that the JVM may use
 * @param memoryGigabytes memory of the machine
 * @param processor the processor's name
 * @param system the operating system
 * @param jdk vendor and version
 * @param commit the commit the program was built from, as far as the folder it lies in tells
 */
public record Machine(
    int cores, double memoryGigabytes, String processor, String system, String jdk, String commit) {

  private static final String UNKNOWN = "unknown";

  public static Machine here() {
    OperatingSystemMXBean memory =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        memory.getTotalMemorySize() / (double) (1L << 30),
        processorName().orElse(System.getProperty("os.arch")),
        System.getProperty("os.name") + " " + System.getProperty("os.version"),
        System.getProperty("java.vendor") + " " + Runtime.version(),
        commitOfThisProgram());
  }

  private static Optional<String> processorName() {
    Path file = Path.of("/proc/cpuinfo");
    if (!Files.isReadable(file)) {
      return Optional.empty();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst();
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  private static String commitOfThisProgram() {
    try {
      Path program =
          Path.of(Machine.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      String folder = String.valueOf(program.toAbsolutePath().getParent());
      Optional<String> commit = Tool.run("git", "-C", folder, "rev-parse", "--short=12", "HEAD");
      Optional<String> changes =
          Tool.run("git", "-C", folder, "status", "--porcelain", "--untracked-files=no");
      return commit.orElse(UNKNOWN) + (changes.orElse("").isBlank() ? "" : "+changes");
    } catch (URISyntaxException notAFile) {
      return UNKNOWN;
    }
  }

  public String describe() {
    return "%d cores (%s), %.0f GB, %s, JDK %s, commit %s"
        .formatted(cores, processor, memoryGigabytes, system, jdk, commit);
  }

  /** The line that opens a run in a results file; with gaps where latencies are measured. */
  public String toJson(List<String> command, Optional<MachineGaps> gaps) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("run", String.join(" ", command));
    fields.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    fields.put("commit", commit);
    fields.put("cores", cores);
    fields.put("processor", processor);
    fields.put("memory_gb", memoryGigabytes);
    fields.put("system", system);
    fields.put("jdk", jdk);
    gaps.ifPresent(seen -> fields.putAll(new TreeMap<>(seen.fields())));
    return Json.write(fields);
  }
}
