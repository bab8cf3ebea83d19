import java.io.StringWriter;
import javax.script.ScriptEngine;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.ScriptableObject;
import org.openjdk.nashorn.api.scripting.NashornScriptEngineFactory;
import org.python.util.PythonInterpreter;

/** Four engines run the same kind of program: Rhino interpreted and compiled, Nashorn, Jython. */
public class Scripts {
  private static final String JAVASCRIPT =
      """
      var out = [];
      function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
      out.push(fib(16));
      var sieve = [], primes = [];
      for (var i = 2; i < 2000; i++) {
        if (sieve[i]) continue;
        primes.push(i);
        for (var j = i * i; j < 2000; j += i) sieve[j] = true;
      }
      out.push(primes.join(' '));
      var words = 'the quick brown fox jumps over the lazy dog the end'.split(/\\s+/), counts = {};
      for (var w in words) counts[words[w]] = (counts[words[w]] || 0) + 1;
      out.push(JSON.stringify(counts));
      out.push(words.sort().map(function (s) { return s.replace(/[aeiou]/g, '*'); }).join(','));
      try { null.x; } catch (e) { out.push('caught ' + (e instanceof TypeError)); }
      outer: for (var a = 0; a < 10; a++) { for (var b = 0; b < 10; b++) { if (a * b == 42) { out.push(a + 'x' + b); break outer; } } }
      out.join('\\n');
      """;

  private static final String PYTHON =
      """
      def sieve(n):
          marks = [True] * n
          for i in range(2, n):
              if marks[i]:
                  yield i
                  for j in range(i * i, n, i):
                      marks[j] = False
      print(list(sieve(1000)))
      print(sorted({w: len(w) for w in 'the quick brown fox'.split()}.items()))
      print(reduce(lambda a, b: a * b, range(1, 60)))
      import re
      print(re.sub(r'(\\w+) (\\w+)', r'\\2 \\1', 'one two three four'))
      class Tree(object):
          def __init__(self, depth):
              self.kids = [Tree(depth - 1) for _ in range(2)] if depth else []
          def count(self):
              return 1 + sum(k.count() for k in self.kids)
      print(Tree(8).count())
      """;

  public static String run() throws Exception {
    var said = new StringBuilder();
    for (boolean interpreted : new boolean[] {true, false}) {
      try (Context context = Context.enter()) {
        context.setInterpretedMode(interpreted);
        ScriptableObject scope = context.initStandardObjects();
        said.append(Context.toString(context.evaluateString(scope, JAVASCRIPT, "script", 1, null))).append('\n');
      }
    }
    ScriptEngine nashorn = new NashornScriptEngineFactory().getScriptEngine(Scripts.class.getClassLoader());
    said.append(nashorn.eval(JAVASCRIPT)).append('\n');
    var properties = new java.util.Properties();
    properties.setProperty("python.import.site", "false");
    properties.setProperty("python.cachedir.skip", "true");
    PythonInterpreter.initialize(new java.util.Properties(), properties, new String[0]);
    try (var python = new PythonInterpreter()) {
      var out = new StringWriter();
      python.setOut(out);
      python.exec(PYTHON);
      said.append(out);
    }
    return said.toString();
  }
}
