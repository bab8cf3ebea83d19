package io.turnwise.agent.weaver;

import static org.assertj.core.api.Assertions.assertThat;

import io.turnwise.weaving.Redirected;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The table and the class it leads to know each other by name alone: here they meet. */
class RedirectTableTest {
  @Test
  void everyEntryHasItsMethodAndStandsForOneOfTheJdk() throws Exception {
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (var type : RedirectTable.USER.entries().entrySet()) {
      Class<?> owner = Class.forName(type.getKey().replace('/', '.'));
      for (Map.Entry<MethodKey, RedirectTable.Entry> entry : type.getValue().entrySet()) {
        MethodKey called = entry.getKey();
        String instead = entry.getValue().method();
        MethodType expected = standIn(owner, called);
        if (instead == null) continue;
        try {
          Method method = Redirected.class.getMethod(instead, expected.parameterArray());
          assertThat(method.getReturnType()).as("%s", method).isEqualTo(expected.returnType());
          assertThat(Modifier.isStatic(method.getModifiers())).isTrue();
          found++;
        } catch (NoSuchMethodException e) {
          missing.add(e.getMessage());
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(60);
  }

  /** The type of what stands in; fails if the JDK has no such method. */
  private static MethodType standIn(Class<?> owner, MethodKey called) throws Exception {
    MethodType type = MethodType.fromMethodDescriptorString(called.descriptor(), null);
    if (called.isConstructor()) {
      Constructor<?> constructor = owner.getConstructor(type.parameterArray());
      return type.changeReturnType(constructor.getDeclaringClass());
    }
    Method method = owner.getMethod(called.name(), type.parameterArray());
    assertThat(method.getReturnType()).as("%s", method).isEqualTo(type.returnType());
    return Modifier.isStatic(method.getModifiers()) ? type : type.insertParameterTypes(0, owner);
  }

  /** Nothing is there that no call can be led to. */
  @Test
  void everyMethodStandsForSomething() {
    List<String> used = new ArrayList<>();
    RedirectTable.USER
        .entries()
        .forEach((_, calls) -> calls.forEach((_, entry) -> used.add(entry.method())));
    RedirectTable.USER
        .watched()
        .forEach((_, watches) -> watches.forEach(watch -> used.add(watch.method())));
    for (Method method : Redirected.class.getDeclaredMethods())
      if (Modifier.isPublic(method.getModifiers())) assertThat(used).contains(method.getName());
  }

  /** A name that the JDK does not have would never be seen. */
  @Test
  void everythingThatIsWatchedIsThere() throws Exception {
    List<String> missing = new ArrayList<>();
    for (var type : RedirectTable.USER.watched().entrySet()) {
      Class<?> owner = Class.forName(type.getKey().replace('/', '.'));
      List<String> members = new ArrayList<>();
      for (Constructor<?> constructor : owner.getDeclaredConstructors())
        members.add(
            "<init>"
                + MethodType.methodType(void.class, constructor.getParameterTypes())
                    .toMethodDescriptorString());
      for (Method method : owner.getMethods())
        members.add(
            method.getName()
                + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                    .toMethodDescriptorString());
      for (Field field : owner.getFields())
        members.add(field.getName() + field.getType().descriptorString());
      for (RedirectTable.Watch watch : type.getValue())
        if (members.stream().noneMatch(member -> member.startsWith(watch.begin())))
          missing.add(type.getKey() + " " + watch.begin());
    }
    assertThat(missing).isEmpty();
  }
}
