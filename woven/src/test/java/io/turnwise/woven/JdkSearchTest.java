package io.turnwise.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Which JDK {@code ./turnwise} takes, and what it does where there is none. The launcher is a copy
 * whose folders of the system lie in this test's, so that it sees no JDK but those made here; and
 * its PATH has only the tools that it needs.
 */
class JdkSearchTest {
  private static final Path LAUNCHER = Path.of("..", "turnwise").toAbsolutePath().normalize();
  private static final String TOOLS =
      "sh,cat,dirname,find,grep,head,id,ln,mkdir,mktemp,mv,readlink,rm,sed,tail";
  private static final String ADVICE =
      "Install one (Debian 13 or newer, Ubuntu: apt-get install openjdk-25-jdk-headless; anywhere:"
          + " sdk install java 25-tem), or point JAVA_HOME at one.";

  @TempDir private static Path tools;
  @TempDir private Path top;
  private final Map<String, String> environment = new HashMap<>();

  /** Not links: of those a temporary folder warns when it is deleted. */
  @BeforeAll
  static void gatherTools() throws IOException {
    for (String name : TOOLS.split(","))
      executable(tools.resolve(name), "#!/bin/sh\nexec " + tool(name) + " \"$@\"\n");
  }

  @BeforeEach
  void bareMachine() throws IOException {
    String script = Files.readString(LAUNCHER);
    String moved =
        script
            .replaceAll("(?<= )/(?=(usr|opt|Library)/)", top + "/")
            .replace(" /etc/os-release", " " + top + "/etc/os-release");
    assertThat(moved).contains(" " + top + "/usr/lib/jvm/*", " " + top + "/Library/Java");
    executable("checkout/turnwise", moved);
    executable("bin/uname", "#!/bin/sh\necho Linux\n");
    executable(
        "maven/bin/mvn",
        """
        #!/bin/sh
        if [ "$1" = -v ]; then echo Apache Maven 3.9.9; else echo "Maven runs on $JAVA_HOME"; fi
        """);
    environment.put("PATH", top.resolve("bin") + ":" + tools);
    environment.put("HOME", top.resolve("home").toString());
    environment.put("MAVEN_HOME", top.resolve("maven").toString());
  }

  // ---- where JDKs are --------------------------------------------------------------------------

  @Test
  void aDefaultThatIsTooOldIsPassedOver() throws Exception {
    environment.put("JAVA_HOME", jdk("usr/lib/jvm/java-17", "17.0.12").toString());
    link("bin/javac", "usr/lib/jvm/java-17/bin/javac");
    link("bin/java", "usr/lib/jvm/java-17/bin/java");
    Path good = jdk("usr/lib/jvm/java-25", "25.0.1");
    assertThat(launch("doctor")).isEqualTo(new Ended(0, found(good, "25.0.1")));
    assertThat(launch("test")).isEqualTo(new Ended(0, "Maven runs on " + good + "\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "usr/lib/jvm/jdk-25",
        "usr/lib64/jvm/jdk-25",
        "usr/java/jdk-25",
        "usr/local/openjdk-25",
        "opt/my-jdk-25",
        "opt/java/25",
        "Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home",
        "opt/homebrew/opt/openjdk@25",
        "home/.sdkman/candidates/java/25-tem",
        "home/.jdks/temurin-25",
        "home/.gradle/jdks/temurin-25",
        "home/.gradle/jdks/temurin-25/jdk-25",
        "home/.asdf/installs/java/temurin-25",
        "home/.local/share/mise/installs/java/25",
        "home/.jabba/jdk/temurin@25",
        "home/.jenv/versions/25",
        "home/.jbang/cache/jdks/25",
        "home/.m2/jdks/jdk-25",
        "home/Library/Java/JavaVirtualMachines/temurin-25.jdk/Contents/Home",
        "home/.cache/turnwise/jdk/usr/lib/jvm/java-25-openjdk-amd64"
      })
  void aJdkIsFoundInTheFoldersOfSystemsAndVersionManagers(String folder) throws Exception {
    jdk("usr/lib/jvm/java-17", "17.0.12");
    Path good = jdk(folder, "25");
    assertThat(launch("doctor")).isEqualTo(new Ended(0, found(good, "25")));
  }

  @ParameterizedTest
  @CsvSource({
    "SDKMAN_DIR, candidates/java/25-tem",
    "ASDF_DATA_DIR, installs/java/25",
    "MISE_DATA_DIR, installs/java/25",
    "JABBA_HOME, jdk/25",
    "JBANG_DIR, cache/jdks/25",
    "XDG_CACHE_HOME, turnwise/jdk/usr/lib/jvm/java-25"
  })
  void aVersionManagerThatWasMovedIsFollowed(String variable, String folder) throws Exception {
    environment.put(variable, top.resolve("elsewhere").toString());
    Path good = jdk("elsewhere/" + folder, "25.0.1");
    assertThat(launch("doctor").said()).startsWith("JDK:    " + good + " ");
  }

  @Test
  void theLowestThatIsNewEnoughIsTakenUnlessAnotherWasChosen() throws Exception {
    Path newest = jdk("usr/lib/jvm/java-27", "27-ea");
    jdk("usr/lib/jvm/java-26", "26.0.1");
    Path lowest = jdk("home/.jdks/temurin-25", "25.0.1");
    assertThat(launch("doctor").said()).isEqualTo(found(lowest, "25.0.1"));
    link("bin/javac", "usr/lib/jvm/java-27/bin/javac");
    assertThat(launch("doctor").said()).isEqualTo(found(newest, "27-ea"));
    environment.put("JAVA_HOME", top.resolve("usr/lib/jvm/java-26").toString());
    assertThat(launch("doctor").said()).contains("java-26 (26.0.1)");
  }

  @Test
  void aRuntimeWithoutACompilerIsNoJdk() throws Exception {
    Files.delete(jdk("usr/lib/jvm/jre-25", "25.0.1").resolve("bin/javac"));
    Files.delete(jdk("usr/lib/jvm/nameless", "25.0.1").resolve("release"));
    assertThat(launch("doctor").status()).isOne();
  }

  // ---- where there is none ---------------------------------------------------------------------

  @Test
  void whereThereIsNoJdkOneSentenceSaysWhatToDo() throws Exception {
    jdk("usr/lib/jvm/java-17", "17.0.12");
    assertThat(launch("test"))
        .isEqualTo(new Ended(1, "turnwise: no JDK 25 or newer found. " + ADVICE + "\n"));
    assertThat(launch("doctor"))
        .isEqualTo(new Ended(1, "JDK:    none from 25 on. " + ADVICE + "\n" + mavenLine()));
  }

  @Test
  void onMacTheSentenceIsAnother() throws Exception {
    executable("bin/uname", "#!/bin/sh\necho Darwin\n");
    assertThat(launch("test").said())
        .isEqualTo(
            "turnwise: no JDK 25 or newer found. Install one (brew install --cask temurin@25, or"
                + " sdk install java 25-tem), or point JAVA_HOME at one.\n");
  }

  @Test
  void aDebianFetchesAPrivateCopyOnceAndInstallsNothing() throws Exception {
    debian("debian", "");
    jdk("usr/lib/jvm/java-17", "17.0.12");
    assertThat(launch("doctor").said())
        .startsWith(
            "JDK:    none from 25 on; the first command that needs one will fetch a private copy\n");
    Path cache = top.resolve("home/.cache/turnwise");
    Path copy = cache.resolve("jdk/usr/lib/jvm/java-25-openjdk-amd64");
    assertThat(launch("test"))
        .isEqualTo(
            new Ended(
                0,
                "No JDK 25 found; fetching a private copy into "
                    + cache.resolve("jdk")
                    + """
                     (once; 350 MB there).
                      1/4 reading the package index
                      2/4 downloading the JDK and the libraries it needs
                      3/4 unpacking
                      4/4 pointing it at its own libraries
                      done
                    """
                    + "Maven runs on "
                    + copy
                    + "\n"));
    try (Stream<Path> left = Files.list(cache)) {
      assertThat(left).as("what is left of the fetching").containsExactly(cache.resolve("jdk"));
    }
    assertThat(Files.readString(top.resolve("asked")))
        .contains("/sources.list", "/lists", "/status", "/cache")
        .contains("download openjdk-25-jdk-headless openjdk-25-jre-headless libc6")
        .doesNotContain("install ");
    assertThat(Files.readString(top.resolve("source")))
        .matches("deb (\\[signed-by=.*] )?mirror:/debian trixie main\n");
    // The paths in it are those of the cache, not of the folder where it was unpacked.
    assertThat(Files.readString(top.resolve("patched")))
        .contains("--set-interpreter " + cache.resolve("jdk/lib/here/ld-linux-fake.so.2"))
        .contains("/../lib:" + cache.resolve("jdk/lib/here") + " ");
    assertThat(Files.readSymbolicLink(copy.resolve("conf")))
        .isEqualTo(cache.resolve("jdk/etc/java-25-openjdk"));

    assertThat(launch("test")).isEqualTo(new Ended(0, "Maven runs on " + copy + "\n"));
    Path better = jdk("usr/lib/jvm/java-25", "25.0.1");
    assertThat(launch("test").said()).isEqualTo("Maven runs on " + better + "\n");
    environment.put("TURNWISE_IGNORE_JDKS", "1");
    assertThat(launch("test").said()).isEqualTo("Maven runs on " + copy + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"update", "download", "unpack", "start"})
  void aFetchThatFailsSaysWhyAndLeavesNothing(String failing) throws Exception {
    debian("debian", failing);
    Ended ended = launch("test");
    assertThat(ended.status()).isOne();
    assertThat(ended.said())
        .contains("  that failed; the last lines of its log were:\n")
        .contains("    " + failing + ": no luck today\n")
        .endsWith("turnwise: no JDK 25 or newer found. " + ADVICE + "\n");
    assertThat(top.resolve("home/.cache/turnwise")).isEmptyDirectory();
  }

  @Test
  void anotherSystemThatHasAptFetchesNothing() throws Exception {
    debian("ubuntu", "");
    assertThat(launch("test"))
        .isEqualTo(new Ended(1, "turnwise: no JDK 25 or newer found. " + ADVICE + "\n"));
  }

  // ---- a machine to search ---------------------------------------------------------------------

  /** What the launcher looks at in a JDK. */
  private Path jdk(String folder, String version) throws IOException {
    executable(folder + "/bin/javac", "#!/bin/sh\n");
    executable(folder + "/bin/java", "#!/bin/sh\n");
    Path home = top.resolve(folder);
    Files.writeString(
        home.resolve("release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  /** Its packages are made when they are unpacked. One step may be made to fail. */
  private void debian(String id, String failing) throws IOException {
    Files.createDirectories(top.resolve("etc"));
    Files.writeString(top.resolve("etc/os-release"), "ID=" + id + "\nVERSION_CODENAME=bookworm\n");
    String fails =
        """
        #!/bin/sh
        fails() { if [ "$1" = FAILING ]; then echo "$1: no luck today"; exit 9; fi; }
        """
            .replace("FAILING", failing.isEmpty() ? "never" : failing);
    executable(
        "bin/apt-get",
        fails
            + """
              case " $* " in
                *" indextargets "*) echo "bookworm main mirror:/debian"; exit ;;
              esac
              printf '%s\\n' "$*" >>TOP/asked
              case " $* " in
                *" update "*) fails update ;;
                *" download "*)
                  fails download
                  cat ../sources.list >TOP/source
                  for package in openjdk-25-jdk-headless libc6 patchelf; do : >"$package.deb"; done ;;
              esac
              """
                .replace("TOP", top.toString()));
    executable(
        "bin/dpkg-deb",
        fails
            + """
              fails unpack
              tree=$3
              case $2 in
                *jdk*)
                  home=$tree/usr/lib/jvm/java-25-openjdk-amd64
                  mkdir -p "$home/bin" "$home/lib"
                  echo 'JAVA_VERSION="25.0.2"' >"$home/release"
                  ln -s /etc/java-25-openjdk "$home/conf"
                  cat TOP/javac >"$home/bin/javac"
                  CHMOD +x "$home/bin/javac" ;;
                *libc6*)
                  mkdir -p "$tree/lib/here"
                  : >"$tree/lib/here/libc.so.6"
                  cat TOP/loader >"$tree/lib/here/ld-linux-fake.so.2"
                  CHMOD +x "$tree/lib/here/ld-linux-fake.so.2" ;;
                *patchelf*) mkdir -p "$tree/usr/bin"; : >"$tree/usr/bin/patchelf" ;;
              esac
              """
                .replace("TOP", top.toString())
                .replace("CHMOD", tool("chmod").toString()));
    executable("javac", fails + "fails start\n");
    executable("loader", "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + top + "/patched\n");
  }

  private void executable(String name, String text) throws IOException {
    executable(top.resolve(name), text);
  }

  private static void executable(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private void link(String name, String to) throws IOException {
    Files.createSymbolicLink(top.resolve(name), top.resolve(to));
  }

  private static Path tool(String name) {
    return Stream.of("/bin", "/usr/bin")
        .map(folder -> Path.of(folder, name))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow(() -> new AssertionError("this machine has no " + name));
  }

  private String found(Path jdk, String version) {
    return "JDK:    " + jdk + " (" + version + ")\n" + mavenLine();
  }

  private String mavenLine() {
    return "Maven:  " + top.resolve("maven/bin/mvn") + " (3.9.9)\n";
  }

  private record Ended(int status, String said) {}

  private Ended launch(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(top.resolve("checkout/turnwise").toString()));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command).directory(top.toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process child = builder.start();
    String said = child.inputReader().readAllAsString();
    return new Ended(child.waitFor(), said);
  }
}
