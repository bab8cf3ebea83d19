import java.util.ArrayList;
import java.util.List;
import scala.collection.immutable.LazyList$;
import scala.collection.immutable.Range$;
import scala.collection.immutable.Vector;
import scala.math.BigInt;
import scala.math.BigInt$;
import scala.util.Random;

/** Scala's collections, which are towers of traits and closures. */
public class ScalaCollections {
  public static String run() {
    List<Object> results = new ArrayList<>();
    var range = Range$.MODULE$.inclusive(1, 300);
    Vector<Object> vector = range.toVector();
    results.add(vector.map(n -> (Object) ((Integer) n * 7919 % 1009)).mkString(" "));
    results.add(vector.filter(n -> (Integer) n % 3 == 0).grouped(11).map(it -> it.mkString("/")).mkString(";"));
    results.add(vector.foldLeft(BigInt$.MODULE$.apply(1), (product, n) -> product.$times(BigInt$.MODULE$.apply((Integer) n))));
    results.add(vector.sliding(4, 9).toList().reverse().mkString("|"));
    results.add(vector.groupBy(n -> (Integer) n % 13).toList().sortBy(it -> it._1(), new scala.math.Ordering<Object>() {
      @Override public int compare(Object a, Object b) { return Integer.compare((Integer) a, (Integer) b); }
    }).mkString("\n"));
    results.add(LazyList$.MODULE$.iterate(() -> (Object) 27, n -> (Integer) n % 2 == 0 ? (Integer) n / 2 : 3 * (Integer) n + 1).takeWhile(n -> (Integer) n != 1).mkString(","));
    var random = new Random(42);
    for (int i = 0; i < 50; i++) results.add(random.nextInt(1000));
    results.add(BigInt$.MODULE$.apply(2).pow(521).$minus(BigInt$.MODULE$.apply(1)).isProbablePrime(20));
    return String.join("\n", results.stream().map(Object::toString).toList());
  }
}
