import groovy.lang.GroovyShell;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import org.antlr.v4.tool.Grammar;
import org.antlr.v4.tool.GrammarParserInterpreter;
import org.antlr.v4.tool.LexerGrammar;

/** Eclipse's Java compiler, a parser generator, Groovy. What they write must be the same, byte by byte. */
public class Compilers {
  private static final String SOURCE =
      """
      import java.util.*;
      import java.util.stream.*;
      public class Sample<T extends Comparable<T>> {
        sealed interface Shape permits Circle, Square {}
        record Circle(double r) implements Shape {}
        record Square(double s) implements Shape {}
        static double area(Shape s) { return switch (s) { case Circle c -> Math.PI * c.r() * c.r(); case Square(double d) when d > 3 -> d; case Square q -> q.s() * q.s(); }; }
        T max(List<T> list) { T best = null; for (T t : list) if (best == null || t.compareTo(best) > 0) best = t; return best; }
        static Map<Boolean, List<Integer>> parts(int n) { return IntStream.range(0, n).boxed().collect(Collectors.partitioningBy(i -> i % 2 == 0)); }
        int loops(int n) { int s = 0; outer: for (int i = 0; i < n; i++) { int j = i; do { if (j % 7 == 3) continue outer; s += j--; } while (j > 0); try { s /= i; } catch (ArithmeticException e) { s++; } finally { s ^= 5; } } return s; }
        String text(Object o) { synchronized (this) { return "a" + o + 'c' + 1L; } }
        enum Op { ADD { int of(int a, int b) { return a + b; } }, MUL { int of(int a, int b) { return a * b; } }; abstract int of(int a, int b); }
      }
      """;

  public static String run() throws Exception {
    return ecj() + antlr() + groovy();
  }

  static String ecj() throws Exception {
    Path folder = Files.createTempDirectory("ecj");
    try {
      Path source = Files.writeString(folder.resolve("Sample.java"), SOURCE);
      var out = new StringWriter();
      boolean good = org.eclipse.jdt.core.compiler.batch.BatchCompiler.compile(
          new String[] {"--release", "21", "-g", "-d", folder.toString(), source.toString()}, new PrintWriter(out), new PrintWriter(out), null);
      var said = new StringBuilder("ecj " + good + " " + out.toString().replace(folder.toString(), ""));
      try (var files = Files.list(folder)) {
        for (Path file : files.sorted().toList()) {
          var crc = new CRC32();
          byte[] bytes = Files.readAllBytes(file);
          crc.update(bytes);
          said.append(file.getFileName()).append(' ').append(bytes.length).append(' ').append(crc.getValue()).append('\n');
        }
      }
      return said.toString();
    } finally {
      try (var files = Files.walk(folder)) {
        for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) Files.delete(file);
      }
    }
  }

  static String antlr() throws Exception {
    Grammar grammar = new Grammar(
        "grammar Expr; prog: (stat ';')*; stat: ID '=' expr | expr; expr: expr ('*'|'/') expr | expr ('+'|'-') expr | INT | ID | '(' expr ')'; ID: [a-z]+; INT: [0-9]+; WS: [ \\t\\r\\n]+ -> skip;");
    var text = "a = 1 + 2 * (3 - b) / 4; c * d + e; ".repeat(30);
    var lexer = grammar.createLexerInterpreter(org.antlr.v4.runtime.CharStreams.fromString(text));
    var parser = grammar.createParserInterpreter(new org.antlr.v4.runtime.CommonTokenStream(lexer));
    return parser.parse(grammar.getRule("prog").index).toStringTree(parser) + "\n" + grammar.getATN().states.size() + "\n";
  }

  static String groovy() {
    return String.valueOf(new GroovyShell(Compilers.class.getClassLoader()).evaluate(
        """
        def primes = (2..<500).findAll { n -> (2..<n).every { n % it } }
        def words = 'the quick brown fox jumps over the lazy dog the end'.split(' ')
        def counts = words.countBy { it }.sort { a, b -> b.value <=> a.value ?: a.key <=> b.key }
        def fib; fib = { n -> n < 2 ? n : fib(n - 1) + fib(n - 2) }
        class Node { List kids = []; int sum() { 1 + (kids*.sum().sum() ?: 0) } }
        def tree; tree = { d -> def n = new Node(); if (d) 3.times { n.kids << tree(d - 1) }; n }
        def text = new StringBuilder()
        for (i in 0..20) { if (i % 3 == 0) continue; text << "${i}:${Integer.toString(i, 2)} " }
        int x = 0; while (true) { try { if (x++ > 100) break } finally { x++ } }
        [primes, counts, fib(15), tree(5).sum(), text, x, new groovy.json.JsonSlurper().parseText('{"a": [1, 2, {"b": null}]}')].join('\\n')
        """));
  }
}
