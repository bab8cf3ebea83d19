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
    Vector<Object> vector = Range$.MODULE$.inclusive(1, 300).toVector();
    results.add(vector.filter(n -> (Integer) n % 3 == 0));
    results.add(vector.drop(7).takeRight(40).reverse());
    BigInt product = BigInt$.MODULE$.apply(1);
    results.add(vector.foldLeft(product, (all, n) -> all.$times(BigInt$.MODULE$.apply((int) n))));
    results.add(vector.sliding(4, 9).toList().reverse());
    results.add(vector.grouped(11).toVector());
    results.add(vector.partition(n -> (Integer) n % 13 > 5));
    results.add(vector.span(n -> (Integer) n < 77));
    results.add(vector.combinations(2).take(500).toList());
    results.add(vector.take(6).permutations().drop(300).toList());
    var steps =
        LazyList$.MODULE$.iterate(
            () -> (Object) 27, n -> (Integer) n % 2 == 0 ? (Integer) n / 2 : 3 * (Integer) n + 1);
    results.add(steps.takeWhile(n -> (Integer) n != 1).toList());
    var random = new Random(42);
    for (int i = 0; i < 50; i++) results.add(random.nextInt(1000));
    results.add(BigInt$.MODULE$.apply(2).pow(521).isProbablePrime(20));
    return String.join("\n", results.stream().map(Object::toString).toList());
  }
}
