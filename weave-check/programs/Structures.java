import com.google.common.base.Joiner;
import com.google.common.base.Splitter;
import com.google.common.collect.*;
import com.google.common.graph.GraphBuilder;
import com.google.common.graph.Graphs;
import com.google.common.hash.Hashing;
import it.unimi.dsi.fastutil.ints.*;
import it.unimi.dsi.fastutil.longs.LongArrays;
import it.unimi.dsi.fastutil.objects.Object2IntAVLTreeMap;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.commons.collections4.trie.PatriciaTrie;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.text.similarity.*;
import org.eclipse.collections.impl.list.mutable.FastList;
import org.jgrapht.alg.shortestpath.DijkstraShortestPath;
import org.jgrapht.alg.spanning.KruskalMinimumSpanningTree;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleWeightedGraph;
import org.roaringbitmap.RoaringBitmap;

/** Collections of several libraries: sorted, hashed, searched, combined. */
public class Structures {
  public static String run() {
    var said = new StringBuilder();
    int[] numbers = IntStream.range(0, 20_000).map(i -> i * 7919 % 10_007 - 500).toArray();
    int[] sorted = numbers.clone();
    IntArrays.radixSort(sorted);
    int[] merged = numbers.clone();
    IntArrays.mergeSort(merged, (a, b) -> Integer.compare(b, a));
    int[] quick = numbers.clone();
    IntArrays.quickSort(quick);
    said.append(Arrays.hashCode(sorted)).append(' ').append(Arrays.hashCode(merged)).append(' ').append(Arrays.equals(sorted, quick)).append('\n');
    long[] longs = Arrays.stream(numbers).asLongStream().map(n -> n * n * n).toArray();
    LongArrays.parallelQuickSort(longs);
    said.append(Arrays.hashCode(longs)).append('\n');
    var counts = new Int2IntOpenHashMap();
    for (int n : numbers) counts.addTo(n & 255, 1);
    said.append(new Int2IntAVLTreeMap(counts)).append('\n');
    var tree = new Object2IntAVLTreeMap<String>();
    for (int i = 0; i < 500; i++) tree.put("k" + numbers[i], i);
    said.append(tree.subMap("k2", "k4")).append('\n');
    RoaringBitmap a = RoaringBitmap.bitmapOf(Arrays.stream(numbers).filter(n -> n > 0).toArray());
    RoaringBitmap b = new RoaringBitmap();
    b.add(1000L, 70_000L);
    b.runOptimize();
    said.append(RoaringBitmap.and(a, b).getCardinality()).append(' ').append(RoaringBitmap.xor(a, b).hashCode()).append(' ').append(a.select(777)).append('\n');
    said.append(Hashing.sipHash24().hashUnencodedChars(said)).append(Hashing.murmur3_128().hashInt(7)).append(Hashing.farmHashFingerprint64().hashUnencodedChars(said)).append('\n');
    said.append(Sets.powerSet(ImmutableSet.of(1, 2, 3, 4)).stream().map(Object::toString).collect(Collectors.joining())).append('\n');
    said.append(Collections2permutations()).append('\n');
    Multimap<Integer, Integer> multimap = TreeMultimap.create();
    for (int n : numbers) multimap.put(Math.floorMod(n, 17), n % 23);
    said.append(multimap).append('\n').append(Splitter.on(',').trimResults().omitEmptyStrings().splitToList(" a, b,,c ".repeat(30))).append('\n');
    var graph = GraphBuilder.directed().<Integer>build();
    for (int i = 0; i < 60; i++) graph.putEdge(i, i * 7 % 60 == i ? (i + 1) % 60 : i * 7 % 60);
    said.append(Graphs.transitiveClosure(graph).edges().size()).append(' ').append(Graphs.hasCycle(graph)).append('\n');
    var weighted = new SimpleWeightedGraph<Integer, DefaultWeightedEdge>(DefaultWeightedEdge.class);
    for (int i = 0; i < 200; i++) weighted.addVertex(i);
    for (int i = 0; i < 1500; i++) {
      int from = i * 31 % 200, to = i * 17 % 199;
      if (from != to && !weighted.containsEdge(from, to)) weighted.setEdgeWeight(weighted.addEdge(from, to), 1 + i % 50);
    }
    said.append(new DijkstraShortestPath<>(weighted).getPathWeight(0, 150)).append(' ').append(new KruskalMinimumSpanningTree<>(weighted).getSpanningTree().getWeight()).append('\n');
    var trie = new PatriciaTrie<Integer>();
    for (int i = 0; i < 300; i++) trie.put(Integer.toString(i * 7919, 36), i);
    said.append(trie.prefixMap("1")).append(FastList.newListWith(5, 3, 9, 1).sortThis().chunk(3)).append('\n');
    said.append(new LevenshteinDistance().apply("preemption", "perception")).append(new JaroWinklerSimilarity().apply("martha", "marhta")).append(new LongestCommonSubsequence().apply("abcbdab", "bdcaba")).append('\n');
    said.append(StringUtils.getLevenshteinDistance("kitten", "sitting")).append(StringUtils.center("x", 30, "ab")).append(StringUtils.difference("i am a machine", "i am a robot")).append(Joiner.on('-').join(Ints()));
    return said.toString();
  }

  static String Collections2permutations() {
    return Collections2.orderedPermutations(Arrays.asList(3, 1, 2, 2)).toString();
  }

  static Iterable<Integer> Ints() { return ContiguousSet.create(Range.closedOpen(3, 90), DiscreteDomain.integers()); }
}
