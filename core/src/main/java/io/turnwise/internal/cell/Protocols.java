package io.turnwise.internal.cell;

import io.turnwise.Actor;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
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
