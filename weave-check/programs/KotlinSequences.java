import java.util.ArrayList;
import java.util.List;
import kotlin.collections.CollectionsKt;
import kotlin.ranges.RangesKt;
import kotlin.sequences.Sequence;
import kotlin.sequences.SequencesKt;
import kotlin.text.StringsKt;

/** Kotlin's standard library: sequences, collections, text. */
public class KotlinSequences {
  public static String run() {
    List<Object> results = new ArrayList<>();
    Sequence<Integer> collatz =
        SequencesKt.generateSequence(27, n -> n == 1 ? null : n % 2 == 0 ? n / 2 : 3 * n + 1);
    results.add(SequencesKt.toList(collatz));
    results.add(SequencesKt.count(SequencesKt.filter(collatz, n -> n % 5 == 0)));
    results.add(SequencesKt.toList(SequencesKt.chunked(collatz, 7)));
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 500; i++) numbers.add(i * 7919 % 1009);
    results.add(CollectionsKt.sortedDescending(numbers));
    results.add(CollectionsKt.windowed(numbers, 5, 50, false));
    results.add(CollectionsKt.zipWithNext(CollectionsKt.distinct(numbers)).size());
    results.add(CollectionsKt.shuffled(numbers, kotlin.random.RandomKt.Random(42)));
    results.add(RangesKt.step(RangesKt.until(3, 400), 7).getLast());
    results.add(StringsKt.split("one, two;three four".repeat(20), new char[] {',', ';', ' '}, false, 0));
    results.add(StringsKt.padStart(StringsKt.reversed("turnwise").toString(), 40, '.'));
    results.add(StringsKt.trimIndent("    a\n      b\n    c\n"));
    results.add(StringsKt.lines("a\r\nb\nc\rd"));
    return String.join("\n", results.stream().map(Object::toString).toList());
  }
}
