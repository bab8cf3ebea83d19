import clojure.java.api.Clojure;

/** Clojure: its reader, its compiler, persistent structures, lazy sequences, loops that recur. */
public class ClojureForms {
  public static String run() {
    String[] forms = {
      "(defn sieve [n] (loop [i 2 composite #{} primes []] (if (= i n) primes (if (composite i) (recur (inc i) composite primes) (recur (inc i) (into composite (range (* i i) n i)) (conj primes i))))))",
      "(sieve 600)",
      "(defn fib [n] (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))",
      "(map fib (range 18))",
      "(reduce (fn [m w] (update m w (fnil inc 0))) (sorted-map) (re-seq #\"\\w+\" \"the quick brown fox the lazy dog the end\"))",
      "(transduce (comp (filter odd?) (map #(* % %)) (partition-all 4)) conj [] (range 100))",
      "(defmulti area :kind) ", "(defmethod area :square [{s :side}] (* s s))", "(defmethod area :default [_] :none)",
      "(mapv area [{:kind :square :side 3} {:kind :blob}])",
      "(loop [i 0 acc 0N] (if (< i 200) (recur (inc i) (+ acc (*' i i i 1000000007))) acc))",
      "(let [v (vec (range 2000))] (reduce + (subvec (assoc v 77 -5) 50 1500)))",
      "(sort-by (juxt #(mod % 7) -) (range 50))",
      "(take 40 (iterate #(if (even? %) (/ % 2) (inc (* 3 %))) 27))",
      "(doall (for [a (range 1 30) b (range a 30) c (range b 30) :when (= (* c c) (+ (* a a) (* b b)))] [a b c]))",
      "(let [a (int-array (range 1000))] (areduce a i s 0 (+ s (aget a i))))",
      "(try (/ 1 0) (catch ArithmeticException e (.getMessage e)) (finally nil))",
      "(clojure.string/join \",\" (map str (frequencies (clojure.string/upper-case \"mississippi\"))))",
      "(pr-str (read-string \"{:a [1 2.5 \\\"x\\\" #{:k} (quote y)] :b 1/3}\"))",
    };
    var said = new StringBuilder();
    Clojure.var("clojure.core", "require").invoke(Clojure.read("clojure.string"));
    var eval = Clojure.var("clojure.core", "eval");
    var print = Clojure.var("clojure.core", "pr-str");
    var read = Clojure.var("clojure.core", "read-string");
    for (String form : forms) {
      Object value = eval.invoke(read.invoke(form));
      if (!form.startsWith("(def")) said.append(print.invoke(value)).append('\n');
    }
    return said.toString();
  }
}
