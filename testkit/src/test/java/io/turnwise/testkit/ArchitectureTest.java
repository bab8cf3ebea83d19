package io.turnwise.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The shape of the ordinary part of the testkit: what it may know, and what it shows. */
class ArchitectureTest {
  private static final JavaClasses TESTKIT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("/testkit/simulation/"))
          .withImportOption(location -> !location.contains("/testkit/junit/"))
          .importPackages("io.turnwise.testkit");

  /** So that it can be used with any test framework. */
  @Test
  void itNeedsNoTestFramework() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("", "java..", "io.turnwise..", "org.jspecify.annotations..")
        .check(TESTKIT);
  }

  @Test
  void itEntersCoreByOneDoor() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.turnwise.internal.mailbox..",
            "io.turnwise.internal.scheduler..",
            "io.turnwise.internal.timer..",
            "io.turnwise.internal.door..",
            "io.turnwise.internal.weaving..")
        .check(TESTKIT);
  }

  @Test
  void exportedSignaturesShowNoInternalType() {
    var shown =
        TESTKIT.stream()
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .flatMap(
                type ->
                    Stream.concat(type.getMethods().stream(), type.getConstructors().stream())
                        .filter(unit -> unit.getModifiers().contains(JavaModifier.PUBLIC))
                        .flatMap(unit -> unit.getAllInvolvedRawTypes().stream()))
            .map(JavaClass::getPackageName)
            .distinct();
    assertThat(shown).isNotEmpty().noneMatch(name -> name.startsWith("io.turnwise.internal"));
  }
}
