package io.turnwise.agent.weaver;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

  /**
   * Before a call that stays as it is.
   *
   * @param method what is called
   * @param begin how the name and the descriptor of what is watched begin
   */
  record Watch(RedirectKind kind, String method, String begin) {}

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

  /**
   * Calls that stay as they are, and before which another is made: what that is, the kind, the
   * type, and how the method's name and descriptor begin; a dot stands for any. {@code opens} and
   * {@code leaves} are told what is called, {@code iterates} gets the receiver, {@code copies} the
   * last argument.
   */
  private static final String WATCHED =
      """
      opens INPUT_OUTPUT java/io/FileInputStream <init>(
      opens INPUT_OUTPUT java/io/FileOutputStream <init>(
      opens INPUT_OUTPUT java/io/RandomAccessFile <init>(
      opens INPUT_OUTPUT java/io/FileReader <init>(
      opens INPUT_OUTPUT java/io/FileWriter <init>(
      opens INPUT_OUTPUT java/io/PrintWriter <init>(Ljava/lang/String; <init>(Ljava/io/File;
      opens INPUT_OUTPUT java/io/PrintStream <init>(Ljava/lang/String; <init>(Ljava/io/File;
      opens INPUT_OUTPUT java/io/File can createNewFile( createTempFile( delete exists( isDirectory( isFile( isHidden( lastModified( length( list mkdir renameTo( set
      opens INPUT_OUTPUT java/util/Scanner <init>(Ljava/io/File; <init>(Ljava/nio/file/Path;
      opens INPUT_OUTPUT java/util/Formatter <init>(Ljava/lang/String; <init>(Ljava/io/File;
      opens INPUT_OUTPUT java/util/zip/ZipFile <init>(
      opens INPUT_OUTPUT java/util/jar/JarFile <init>(
      opens INPUT_OUTPUT java/nio/file/Files .
      opens INPUT_OUTPUT java/nio/file/FileSystem newWatchService(
      opens INPUT_OUTPUT java/nio/channels/FileChannel open(
      opens INPUT_OUTPUT java/nio/channels/AsynchronousFileChannel open(
      opens INPUT_OUTPUT java/nio/channels/SocketChannel open(
      opens INPUT_OUTPUT java/nio/channels/ServerSocketChannel open(
      opens INPUT_OUTPUT java/nio/channels/DatagramChannel open(
      opens INPUT_OUTPUT java/nio/channels/AsynchronousSocketChannel open(
      opens INPUT_OUTPUT java/nio/channels/AsynchronousServerSocketChannel open(
      opens INPUT_OUTPUT java/nio/channels/Selector open(
      opens INPUT_OUTPUT java/nio/channels/Pipe open(
      opens INPUT_OUTPUT java/net/Socket <init>( connect(
      opens INPUT_OUTPUT java/net/ServerSocket <init>( accept(
      opens INPUT_OUTPUT java/net/DatagramSocket <init>(
      opens INPUT_OUTPUT java/net/MulticastSocket <init>(
      opens INPUT_OUTPUT javax/net/SocketFactory createSocket(
      opens INPUT_OUTPUT javax/net/ssl/SSLSocketFactory createSocket(
      opens INPUT_OUTPUT javax/net/ServerSocketFactory createServerSocket(
      opens INPUT_OUTPUT java/net/URL openStream( openConnection( getContent(
      opens INPUT_OUTPUT java/net/InetAddress getByName( getAllByName( getLocalHost( isReachable(
      opens INPUT_OUTPUT java/net/http/HttpClient send( sendAsync(
      opens INPUT_OUTPUT java/lang/ProcessBuilder start
      opens INPUT_OUTPUT java/lang/Runtime exec(
      opens INPUT_OUTPUT java/lang/System inL console(
      opens INPUT_OUTPUT java/lang/IO readln(
      opens INPUT_OUTPUT io/turnwise/ActorSystem open(
      leaves OUTSIDE java/lang/Thread <init>( ofPlatform( threadId( getId(
      leaves OUTSIDE java/util/concurrent/Executors newFixedThreadPool(I) newCachedThreadPool() newSingleThreadExecutor() newScheduledThreadPool(I) newSingleThreadScheduledExecutor() newWorkStealingPool(
      leaves OUTSIDE java/util/concurrent/ThreadPoolExecutor <init>(IIJLjava/util/concurrent/TimeUnit;Ljava/util/concurrent/BlockingQueue;)
      leaves OUTSIDE java/util/concurrent/ScheduledThreadPoolExecutor <init>(I)
      leaves OUTSIDE java/util/concurrent/ForkJoinPool <init>( commonPool(
      leaves OUTSIDE java/util/concurrent/SubmissionPublisher <init>()
      leaves OUTSIDE javax/crypto/KeyGenerator generateKey(
      leaves OUTSIDE java/security/KeyPairGenerator generateKeyPair( genKeyPair(
      leaves OUTSIDE java/util/Collection parallelStream(
      leaves OUTSIDE java/util/List parallelStream(
      leaves OUTSIDE java/util/Set parallelStream(
      leaves OUTSIDE java/util/stream/Stream parallel(
      leaves OUTSIDE java/util/stream/IntStream parallel(
      leaves OUTSIDE java/util/stream/LongStream parallel(
      leaves OUTSIDE java/lang/Runtime freeMemory( totalMemory(
      leaves OUTSIDE java/lang/management/RuntimeMXBean getUptime( getStartTime(
      leaves OUTSIDE java/lang/management/ThreadMXBean getCurrentThreadCpuTime( getCurrentThreadUserTime(
      iterates IDENTITY java/util/Map keySet() values() entrySet() forEach(
      iterates IDENTITY java/util/HashMap keySet() values() entrySet() forEach(
      iterates IDENTITY java/util/IdentityHashMap keySet() values() entrySet() forEach(
      iterates IDENTITY java/util/WeakHashMap keySet() values() entrySet() forEach(
      iterates IDENTITY java/util/concurrent/ConcurrentMap keySet() values() entrySet() forEach(Ljava/util/function/BiConsumer;
      iterates IDENTITY java/util/concurrent/ConcurrentHashMap keySet() values() entrySet() forEach(Ljava/util/function/BiConsumer;
      iterates IDENTITY java/util/concurrent/ConcurrentHashMap$KeySetView iterator() stream() toArray( forEach( removeIf(
      iterates IDENTITY java/util/Set iterator() stream() toArray( forEach( removeIf(
      iterates IDENTITY java/util/HashSet iterator() stream() toArray( forEach( removeIf(
      iterates IDENTITY java/util/Collection iterator() stream() toArray( forEach( removeIf(
      iterates IDENTITY java/lang/Iterable iterator() forEach(
      iterates IDENTITY java/lang/Object hashCode()
      copies IDENTITY java/util/Objects hashCode(
      copies IDENTITY java/util/ArrayList <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/LinkedList <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/ArrayDeque <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/PriorityQueue <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/LinkedHashSet <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/LinkedHashMap <init>(Ljava/util/Map; putAll(
      copies IDENTITY java/util/concurrent/CopyOnWriteArrayList <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/concurrent/ConcurrentLinkedQueue <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/concurrent/ConcurrentLinkedDeque <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/concurrent/LinkedBlockingQueue <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/concurrent/LinkedBlockingDeque <init>(Ljava/util/Collection; addAll(
      copies IDENTITY java/util/List copyOf( addAll(
      copies IDENTITY java/util/Collection addAll(
      copies IDENTITY java/util/Queue addAll(
      copies IDENTITY java/util/Deque addAll(
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

  private static final String OF_THE_JDKS_CONSTANTS =
      """
      ORDER java/lang/System identityHashCode(Ljava/lang/Object;)I constantHash
      """;

  private static final String OF_THE_JDKS_COLLECTIONS =
      """
      ORDER java/util/ImmutableCollections SALT32L:J 0
      ORDER java/util/ImmutableCollections REVERSE:Z 0
      """;

  /** What code may call that is the user's. */
  static final RedirectTable USER = new RedirectTable(OF_USER_CLASSES, WATCHED);

  /** What waiting in the JDK is made of. */
  static final RedirectTable JDK = new RedirectTable(OF_THE_JDK, "");

  /** What one thread's chances have that no other's do. */
  static final RedirectTable JDK_SEEDS = new RedirectTable(OF_THE_JDKS_SEEDS, "");

  /** By what the constants of enums are hashed. */
  static final RedirectTable JDK_CONSTANTS = new RedirectTable(OF_THE_JDKS_CONSTANTS, "");

  /** From where, and in which direction, immutable sets and maps are gone through. */
  static final RedirectTable JDK_ORDER = new RedirectTable(OF_THE_JDKS_COLLECTIONS, "");

  private final Map<String, Map<MethodKey, Entry>> entries = new HashMap<>();

  private final Map<String, List<Watch>> watches = new HashMap<>();

  private RedirectTable(String lines, String watched) {
    for (String line : lines.split("\n")) {
      String[] parts = line.split(" ");
      String method = parts[3].equals("-") ? null : parts[3];
      entries
          .computeIfAbsent(parts[1], _ -> new HashMap<>())
          .put(member(parts[2]), new Entry(RedirectKind.valueOf(parts[0]), method));
    }
    watched.lines().forEach(this::watch);
  }

  private void watch(String line) {
    String[] parts = line.split(" ");
    List<Watch> ofOwner = new ArrayList<>();
    for (int i = 3; i < parts.length; i++) {
      String begin = parts[i].equals(".") ? "" : parts[i];
      ofOwner.add(new Watch(RedirectKind.valueOf(parts[1]), parts[0], begin));
    }
    watches.merge(
        parts[2],
        ofOwner,
        (some, more) -> {
          some.addAll(more);
          return some;
        });
  }

  /** A method, or a field that is read. */
  @Nullable Watch watch(String owner, MethodKey member) {
    for (Watch watch : watches.getOrDefault(owner, List.of()))
      if ((member.name() + member.descriptor()).startsWith(watch.begin())) return watch;
    return null;
  }

  /** Whether what cannot be redirected can at least be noticed. */
  boolean watches() {
    return !watches.isEmpty();
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
  Map<String, List<Watch>> watched() {
    return watches;
  }

  /** By the type's name. */
  Map<String, Map<MethodKey, Entry>> entries() {
    return entries;
  }
}
