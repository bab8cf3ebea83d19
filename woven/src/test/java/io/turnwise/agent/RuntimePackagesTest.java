package io.turnwise.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.ActorSystem;
import io.turnwise.testkit.Testkit;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent knows our packages by name alone: here its list meets the modules. */
class RuntimePackagesTest {
  @ParameterizedTest
  @ValueSource(classes = {ActorSystem.class, Testkit.class})
  void noPackageOfTheRuntimeIsWoven(Class<?> ofTheModule) throws Exception {
    Path home = Path.of(ofTheModule.getProtectionDomain().getCodeSource().getLocation().toURI());
    ModuleReference module = ModuleFinder.of(home).findAll().iterator().next();
    // All that have a class, exported or not.
    Set<String> packages = module.descriptor().packages();
    assertThat(packages).contains(ofTheModule.getPackageName()).hasSizeGreaterThan(2);
    WeavingFilter usual = WeavingFilter.usual();
    assertThat(packages)
        .allSatisfy(name -> assertThat(usual.includes(name.replace('.', '/') + "/Some")).isFalse());
  }
}
