package io.turnwise.internal.cell;

import io.turnwise.Actor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Finds out which messages a class of actors handles, where its declaration tells. */
final class Protocols {
  private static final ClassValue<Optional<Class<?>>> KNOWN =
      new ClassValue<>() {
        @Override
        protected Optional<Class<?>> computeValue(Class<?> actor) {
          return Optional.ofNullable(find(actor, Map.of()));
        }
      };

  private Protocols() {}

  /** The class of {@code M} in {@code Actor<M>}, or null: a lambda, say, does not tell. */
  static @Nullable Class<?> of(Class<?> actor) {
    return KNOWN.get(actor).orElse(null);
  }

  /** What lambdas have refused to take: the name of what they take. */
  private static final ClassValue<AtomicReference<@Nullable String>> LEARNT =
      new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable String> computeValue(Class<?> actor) {
          return new AtomicReference<>();
        }
      };

  private static final String CAST_TO = " cannot be cast to class ";

  /** A lambda has refused a message: the JDK says what it would have taken. */
  static void learn(Class<?> actor, Class<?> message, ClassCastException refusal) {
    AtomicReference<@Nullable String> learnt = LEARNT.get(actor);
    String text = refusal.getMessage();
    if (learnt.get() != null || text == null) return;
    String refused = "class " + message.getName() + CAST_TO;
    if (!text.startsWith(refused)) return;
    String rest = text.substring(refused.length());
    int end = rest.indexOf(' ');
    learnt.set(end < 0 ? rest : rest.substring(0, end));
  }

  /** The name of the type that such a lambda takes, if it was learnt. */
  static @Nullable String learnt(Class<?> actor) {
    return LEARNT.get(actor).get();
  }

  /** Whether such a lambda is known to refuse such a message. */
  static boolean refuses(Class<?> actor, Class<?> message) {
    String taken = learnt(actor);
    return taken != null && !isA(message, taken);
  }

  /** By name: the type itself may be another loader's, which it must not be kept for. */
  private static boolean isA(Class<?> type, String name) {
    if (type.getName().equals(name)) return true;
    if (type.isArray() && name.startsWith("[")) return true; // maybe; who is not sure says so
    for (Class<?> each : type.getInterfaces()) if (isA(each, name)) return true;
    Class<?> above = type.getSuperclass();
    return above != null && isA(above, name);
  }

  private static @Nullable Class<?> find(Class<?> type, Map<TypeVariable<?>, Type> bound) {
    for (Type parent : type.getGenericInterfaces()) {
      Class<?> found = look(parent, bound);
      if (found != null) return found;
    }
    Type superclass = type.getGenericSuperclass();
    return superclass == null ? null : look(superclass, bound);
  }

  private static @Nullable Class<?> look(Type parent, Map<TypeVariable<?>, Type> bound) {
    if (parent instanceof ParameterizedType generic
        && generic.getRawType() instanceof Class<?> raw) {
      if (raw == Actor.class) return raw(generic.getActualTypeArguments()[0], bound);
      Map<TypeVariable<?>, Type> inner = new HashMap<>();
      TypeVariable<?>[] names = raw.getTypeParameters();
      for (int i = 0; i < names.length; i++) {
        Type argument = generic.getActualTypeArguments()[i];
        inner.put(
            names[i],
            argument instanceof TypeVariable<?> v && bound.containsKey(v)
                ? bound.get(v)
                : argument);
      }
      return find(raw, inner);
    }
    return parent instanceof Class<?> plain && plain != Object.class ? find(plain, Map.of()) : null;
  }

  private static @Nullable Class<?> raw(Type type, Map<TypeVariable<?>, Type> bound) {
    return switch (type) {
      case Class<?> plain -> plain;
      case ParameterizedType generic -> (Class<?>) generic.getRawType();
      case TypeVariable<?> variable when bound.containsKey(variable) ->
          bound.get(variable) instanceof Class<?> plain ? plain : null;
      case GenericArrayType _ -> null;
      default -> null;
    };
  }
}
