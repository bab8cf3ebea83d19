package io.turnwise;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.properties.HasModifiers;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessibleObject;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import org.junit.jupiter.api.Test;

/** The shape of core: what may know what, and which doors stay shut. */
class ArchitectureTest {
  private static final String DOOR = "io.turnwise.internal.door..";
  private static final String INTERNAL = "io.turnwise.internal..";

  /** Primitive types have no package. */
  private static final String PRIMITIVES = "";

  private static final JavaClasses CORE =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.turnwise");

  @Test
  void coreNeedsOnlyTheJdk() {
    classes()
        .that(not(resideInAPackage(DOOR)))
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(PRIMITIVES, "java..", "io.turnwise..", "org.jspecify.annotations..")
        .check(CORE);
  }

  /** Attaching, instrumentation and management are the door's trade, and nobody else's. */
  @Test
  void onlyTheDoorKnowsWhatIsSpecialToThisJdk() {
    classes()
        .that()
        .resideInAPackage(DOOR)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            PRIMITIVES,
            "java..",
            "javax.management..",
            "jdk..",
            "com.sun.tools.attach..",
            "com.sun.management..",
            "io.turnwise..",
            "org.jspecify.annotations..")
        .allowEmptyShould(true)
        .check(CORE);
    noClasses()
        .that(not(resideInAPackage(DOOR)))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("java.lang.instrument..")
        .check(CORE);
  }

  @Test
  void nobodyTouchesUnsafeOrJdkInternalsByName() {
    noClasses()
        .should()
        .dependOnClassesThat(resideInAnyPackage("sun..", "jdk.internal.."))
        .check(CORE);
  }

  /** Bytes that choose the classes they become are how others were broken into. */
  @Test
  void nobodyUsesJavaSerialization() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java\\.io\\.Object(In|Out)put(Stream|Filter)?(\\$.*)?")
        .check(CORE);
  }

  @Test
  void packagesFormNoCycle() {
    slices().assignedFrom(BY_PACKAGE).should().beFreeOfCycles().check(CORE);
  }

  /** A sealed type may permit an internal class; its users never see that name. */
  @Test
  void exportedSignaturesShowNoInternalType() {
    classes()
        .that(not(resideInAPackage(INTERNAL)))
        .and()
        .arePublic()
        .should(SHOW_NO_INTERNAL_TYPE)
        .check(CORE);
  }

  @Test
  void onlyTheDoorOpensWhatIsClosed() {
    noClasses()
        .that(not(resideInAPackage(DOOR)))
        .should()
        .accessTargetWhere(
            calls(
                "the target opens what is closed",
                "setAccessible",
                "trySetAccessible",
                "privateLookupIn",
                "findClass",
                "defineClass",
                "defineHiddenClass"))
        .check(CORE);
  }

  /** The API finds its engine by name, so that no arrow points from the API to the engine. */
  @Test
  void onlyTheDoorAndTheEngineLinkFindClassesByName() {
    noClasses()
        .that(not(resideInAPackage(DOOR)))
        .and()
        .doNotHaveFullyQualifiedName("io.turnwise.EngineLink")
        .should()
        .accessTargetWhere(calls("the target finds a class by its name", "forName", "loadClass"))
        .check(CORE);
  }

  /** A pool shared with the whole process is a place where others can starve us. */
  @Test
  void nothingRunsOnTheCommonPool() {
    noClasses()
        .should()
        .accessTargetWhere(
            describe(
                "the target runs on the common pool",
                access ->
                    access.getTargetOwner().isEquivalentTo(ForkJoinPool.class)
                            && access.getName().equals("commonPool")
                        || access.getName().equals("parallelStream")
                        || access
                                .getTargetOwner()
                                .isAssignableTo(java.util.concurrent.CompletionStage.class)
                            && access.getName().endsWith("Async")
                            && !takesAnExecutor(access)))
        .check(CORE);
  }

  /** It can be set by anybody at any time. What woven code asks is answered in its stead. */
  @Test
  void nobodyReadsTheCalendarsClockButToShowATimeToPeople() {
    noClasses()
        .that(not(resideInAnyPackage("io.turnwise.weaving..", "io.turnwise.internal.weaving..")))
        .should()
        .accessTargetWhere(
            describe(
                "the target reads the calendar's clock",
                access ->
                    !access.getOrigin().getFullName().contains("LocalActorSystem.openedAt")
                        // which hands what woven code asks on, and reads nothing
                        && !access.getOrigin().getFullName().contains("BootClock.link")
                        && (access.getName().equals("currentTimeMillis")
                                && access.getTargetOwner().isEquivalentTo(System.class)
                            || access.getName().equals("now")
                                && access.getTargetOwner().getPackageName().equals("java.time")
                            || access.getTargetOwner().isAssignableTo(java.time.Clock.class)
                            || access.getTargetOwner().isEquivalentTo(java.util.Date.class))))
        .check(CORE);
  }

  /** A class is named for the thing it is, not for a part in a pattern. */
  @Test
  void namesSayWhatAThingIs() {
    noClasses()
        .should()
        .haveNameMatching(".*[.$]\\w+(Utils?|Helpers?|Managers?|Impl)(\\$.*)?")
        .check(CORE);
    noClasses()
        .should()
        .resideInAnyPackage("..util..", "..utils..", "..common..", "..helper..", "..helpers..")
        .check(CORE);
  }

  private static final SliceAssignment BY_PACKAGE =
      new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
          return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
          return "packages";
        }
      };

  private static DescribedPredicate<JavaAccess<?>> calls(String description, String... names) {
    Set<String> refused = Set.of(names);
    DescribedPredicate<JavaClass> reflective =
        assignableTo(AccessibleObject.class)
            .or(assignableTo(MethodHandles.class))
            .or(assignableTo(MethodHandles.Lookup.class))
            .or(assignableTo(ClassLoader.class))
            .or(assignableTo(Class.class));
    return describe(
        description,
        access -> refused.contains(access.getName()) && reflective.test(access.getTargetOwner()));
  }

  private static boolean takesAnExecutor(JavaAccess<?> access) {
    return access.getTarget() instanceof CodeUnitAccessTarget target
        && target.getRawParameterTypes().stream().anyMatch(t -> t.isEquivalentTo(Executor.class));
  }

  private static final ArchCondition<JavaClass> SHOW_NO_INTERNAL_TYPE =
      new ArchCondition<>("show no internal type") {
        @Override
        public void check(JavaClass type, ConditionEvents events) {
          Set<JavaClass> shown = new HashSet<>();
          type.getSuperclass().ifPresent(it -> shown.addAll(it.getAllInvolvedRawTypes()));
          show(type.getInterfaces(), shown);
          show(type.getTypeParameters(), shown);
          type.getFields().stream()
              .filter(ArchitectureTest::isVisible)
              .forEach(it -> shown.addAll(it.getAllInvolvedRawTypes()));
          type.getCodeUnits().stream()
              .filter(ArchitectureTest::isVisible)
              .forEach(it -> showSignature(it, shown));
          shown.stream()
              .filter(resideInAPackage(INTERNAL))
              .map(it -> type.getName() + " shows the internal type " + it.getName())
              .forEach(text -> events.add(SimpleConditionEvent.violated(type, text)));
        }
      };

  private static void showSignature(JavaCodeUnit unit, Set<JavaClass> shown) {
    shown.addAll(unit.getAllInvolvedRawTypes());
    shown.addAll(unit.getExceptionTypes());
  }

  private static void show(Iterable<? extends JavaType> types, Set<JavaClass> shown) {
    types.forEach(it -> shown.addAll(it.getAllInvolvedRawTypes()));
  }

  /** Synthetic members are the compiler's: no source can name them. */
  private static boolean isVisible(HasModifiers member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return !modifiers.contains(JavaModifier.SYNTHETIC)
        && List.of(JavaModifier.PUBLIC, JavaModifier.PROTECTED).stream()
            .anyMatch(modifiers::contains);
  }
}
