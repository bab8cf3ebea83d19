package io.turnwise.agent.weaver;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The methods and constructors whose calls are redirected, and the static methods that are called
 * instead. These take the same arguments, after the receiver if there is one, and return the same;
 * what stands for a constructor returns the new object. What is read from a static field becomes
 * zero, or is handed to a method that returns what is used instead.
 */
final class RedirectTable {
  /**
   * @param method what is called instead; null when nothing can stand in for it, and the call is
   *     only named in the report; for a field, "0" or a method
   */
  record Entry(RedirectKind kind, @Nullable String method) {}

  /** A line each: kind, type, method and descriptor, and what is called instead. */
  private static final String OF_USER_CLASSES =
      """
      CLOCK java/lang/System nanoTime()J nanoTime
      CLOCK java/lang/System currentTimeMillis()J currentTimeMillis
      CLOCK java/time/Instant now()Ljava/time/Instant; instantNow
      CLOCK java/time/InstantSource system()Ljava/time/InstantSource; instantSource
      CLOCK java/time/Clock systemUTC()Ljava/time/Clock; utcClock
      CLOCK java/time/Clock systemDefaultZone()Ljava/time/Clock; clock
      CLOCK java/time/Clock system(Ljava/time/ZoneId;)Ljava/time/Clock; clock
      CLOCK java/time/Clock tickMillis(Ljava/time/ZoneId;)Ljava/time/Clock; clockOfMillis
      CLOCK java/time/Clock tickSeconds(Ljava/time/ZoneId;)Ljava/time/Clock; clockOfSeconds
      CLOCK java/time/Clock tickMinutes(Ljava/time/ZoneId;)Ljava/time/Clock; clockOfMinutes
      CLOCK java/time/LocalDate now()Ljava/time/LocalDate; localDateNow
      CLOCK java/time/LocalDate now(Ljava/time/ZoneId;)Ljava/time/LocalDate; localDateNow
      CLOCK java/time/LocalTime now()Ljava/time/LocalTime; localTimeNow
      CLOCK java/time/LocalTime now(Ljava/time/ZoneId;)Ljava/time/LocalTime; localTimeNow
      CLOCK java/time/LocalDateTime now()Ljava/time/LocalDateTime; localDateTimeNow
      CLOCK java/time/LocalDateTime now(Ljava/time/ZoneId;)Ljava/time/LocalDateTime; localDateTimeNow
      CLOCK java/time/ZonedDateTime now()Ljava/time/ZonedDateTime; zonedDateTimeNow
      CLOCK java/time/ZonedDateTime now(Ljava/time/ZoneId;)Ljava/time/ZonedDateTime; zonedDateTimeNow
      CLOCK java/time/OffsetDateTime now()Ljava/time/OffsetDateTime; offsetDateTimeNow
      CLOCK java/time/OffsetDateTime now(Ljava/time/ZoneId;)Ljava/time/OffsetDateTime; offsetDateTimeNow
      CLOCK java/time/OffsetTime now()Ljava/time/OffsetTime; offsetTimeNow
      CLOCK java/time/OffsetTime now(Ljava/time/ZoneId;)Ljava/time/OffsetTime; offsetTimeNow
      CLOCK java/time/Year now()Ljava/time/Year; yearNow
      CLOCK java/time/Year now(Ljava/time/ZoneId;)Ljava/time/Year; yearNow
      CLOCK java/time/YearMonth now()Ljava/time/YearMonth; yearMonthNow
      CLOCK java/time/YearMonth now(Ljava/time/ZoneId;)Ljava/time/YearMonth; yearMonthNow
      CLOCK java/time/MonthDay now()Ljava/time/MonthDay; monthDayNow
      CLOCK java/time/MonthDay now(Ljava/time/ZoneId;)Ljava/time/MonthDay; monthDayNow
      CLOCK java/util/Date <init>()V newDate
      CLOCK java/util/GregorianCalendar <init>()V newGregorianCalendar
      CLOCK java/util/Calendar getInstance()Ljava/util/Calendar; calendar
      CLOCK java/util/Calendar getInstance(Ljava/util/TimeZone;)Ljava/util/Calendar; calendar
      CLOCK java/util/Calendar getInstance(Ljava/util/Locale;)Ljava/util/Calendar; calendar
      CLOCK java/util/Calendar getInstance(Ljava/util/TimeZone;Ljava/util/Locale;)Ljava/util/Calendar; calendar
      SLEEP java/lang/Thread sleep(J)V sleep
      SLEEP java/lang/Thread sleep(JI)V sleep
      SLEEP java/lang/Thread sleep(Ljava/time/Duration;)V sleep
      SLEEP java/util/concurrent/TimeUnit sleep(J)V sleep
      TIMER java/util/concurrent/CompletableFuture orTimeout(JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/CompletableFuture; orTimeout
      TIMER java/util/concurrent/CompletableFuture completeOnTimeout(Ljava/lang/Object;JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/CompletableFuture; completeOnTimeout
      TIMER java/util/concurrent/CompletableFuture delayedExecutor(JLjava/util/concurrent/TimeUnit;)Ljava/util/concurrent/Executor; delayedExecutor
      TIMER java/util/concurrent/CompletableFuture delayedExecutor(JLjava/util/concurrent/TimeUnit;Ljava/util/concurrent/Executor;)Ljava/util/concurrent/Executor; delayedExecutor
      TIMER java/util/Timer <init>()V -
      TIMER java/util/Timer <init>(Z)V -
      TIMER java/util/Timer <init>(Ljava/lang/String;)V -
      TIMER java/util/Timer <init>(Ljava/lang/String;Z)V -
      RANDOMNESS java/lang/Math random()D random
      RANDOMNESS java/lang/StrictMath random()D strictRandom
      RANDOMNESS java/util/Random <init>()V newRandom
      RANDOMNESS java/util/SplittableRandom <init>()V newSplittableRandom
      RANDOMNESS java/util/concurrent/ThreadLocalRandom current()Ljava/util/concurrent/ThreadLocalRandom; threadLocalRandom
      RANDOMNESS java/util/concurrent/ThreadLocalRandom nextGaussian()D nextGaussian
      RANDOMNESS java/util/UUID randomUUID()Ljava/util/UUID; randomUuid
      RANDOMNESS java/util/Collections shuffle(Ljava/util/List;)V shuffle
      RANDOMNESS java/security/SecureRandom <init>()V newSecureRandom
      RANDOMNESS java/security/SecureRandom <init>([B)V -
      RANDOMNESS java/security/SecureRandom getInstanceStrong()Ljava/security/SecureRandom; strongSecureRandom
      RANDOMNESS java/security/SecureRandom getInstance(Ljava/lang/String;)Ljava/security/SecureRandom; secureRandom
      RANDOMNESS java/security/SecureRandom getInstance(Ljava/lang/String;Ljava/lang/String;)Ljava/security/SecureRandom; secureRandom
      RANDOMNESS java/security/SecureRandom getInstance(Ljava/lang/String;Ljava/security/Provider;)Ljava/security/SecureRandom; secureRandom
      RANDOMNESS java/security/SecureRandom getInstance(Ljava/lang/String;Ljava/security/SecureRandomParameters;)Ljava/security/SecureRandom; secureRandom
      RANDOMNESS java/security/SecureRandom getInstance(Ljava/lang/String;Ljava/security/SecureRandomParameters;Ljava/lang/String;)Ljava/security/SecureRandom; secureRandom
      RANDOMNESS java/security/SecureRandom getInstance(Ljava/lang/String;Ljava/security/SecureRandomParameters;Ljava/security/Provider;)Ljava/security/SecureRandom; secureRandom
      RANDOMNESS java/util/random/RandomGenerator getDefault()Ljava/util/random/RandomGenerator; defaultRandomGenerator
      RANDOMNESS java/util/random/RandomGenerator of(Ljava/lang/String;)Ljava/util/random/RandomGenerator; randomGenerator
      RANDOMNESS java/util/random/RandomGenerator$StreamableGenerator of(Ljava/lang/String;)Ljava/util/random/RandomGenerator$StreamableGenerator; streamableGenerator
      RANDOMNESS java/util/random/RandomGenerator$SplittableGenerator of(Ljava/lang/String;)Ljava/util/random/RandomGenerator$SplittableGenerator; splittableGenerator
      RANDOMNESS java/util/random/RandomGenerator$JumpableGenerator of(Ljava/lang/String;)Ljava/util/random/RandomGenerator$JumpableGenerator; jumpableGenerator
      RANDOMNESS java/util/random/RandomGenerator$LeapableGenerator of(Ljava/lang/String;)Ljava/util/random/RandomGenerator$LeapableGenerator; leapableGenerator
      RANDOMNESS java/util/random/RandomGenerator$ArbitrarilyJumpableGenerator of(Ljava/lang/String;)Ljava/util/random/RandomGenerator$ArbitrarilyJumpableGenerator; arbitrarilyJumpableGenerator
      RANDOMNESS java/util/random/RandomGeneratorFactory create()Ljava/util/random/RandomGenerator; create
      IDENTITY java/lang/System identityHashCode(Ljava/lang/Object;)I identityHashCode
      """;

  private static final String OF_THE_JDK =
      """
      CLOCK java/lang/System nanoTime()J nanoTime
      CLOCK java/lang/System currentTimeMillis()J currentTimeMillis
      SLEEP java/lang/Thread sleep(JI)V sleep
      POOL java/util/concurrent/CompletableFuture ASYNC_POOL:Ljava/util/concurrent/ForkJoinPool; executor
      """;

  private static final String OF_THE_JDKS_SEEDS =
      """
      RANDOMNESS java/lang/Thread threadId()J threadId
      """;

  private static final String OF_THE_JDKS_COLLECTIONS =
      """
      ORDER java/util/ImmutableCollections SALT32L:J 0
      ORDER java/util/ImmutableCollections REVERSE:Z 0
      """;

  /** What code may call that is the user's. */
  static final RedirectTable USER = new RedirectTable(OF_USER_CLASSES);

  /** What waiting in the JDK is made of. */
  static final RedirectTable JDK = new RedirectTable(OF_THE_JDK);

  /** What one thread's chances have that no other's do. */
  static final RedirectTable JDK_SEEDS = new RedirectTable(OF_THE_JDKS_SEEDS);

  /** From where, and in which direction, immutable sets and maps are gone through. */
  static final RedirectTable JDK_ORDER = new RedirectTable(OF_THE_JDKS_COLLECTIONS);

  private final Map<String, Map<MethodKey, Entry>> entries = new HashMap<>();

  private RedirectTable(String lines) {
    for (String line : lines.split("\n")) {
      String[] parts = line.split(" ");
      String method = parts[3].equals("-") ? null : parts[3];
      entries
          .computeIfAbsent(parts[1], _ -> new HashMap<>())
          .put(member(parts[2]), new Entry(RedirectKind.valueOf(parts[0]), method));
    }
  }

  /** A method's descriptor begins with its parameters, a field's is set apart. */
  private static MethodKey member(String text) {
    int parameters = text.indexOf('(');
    if (parameters > 0)
      return new MethodKey(text.substring(0, parameters), text.substring(parameters));
    int colon = text.indexOf(':');
    return new MethodKey(text.substring(0, colon), text.substring(colon + 1));
  }

  @Nullable Entry find(String owner, MethodKey called) {
    Map<MethodKey, Entry> ofOwner = entries.get(owner);
    return ofOwner == null ? null : ofOwner.get(called);
  }

  /** By the type's name. */
  Map<String, Map<MethodKey, Entry>> entries() {
    return entries;
  }
}
