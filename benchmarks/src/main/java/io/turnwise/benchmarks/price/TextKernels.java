package io.turnwise.benchmarks.price;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;

/** Loops over bytes and characters. */
public class TextKernels {
  private TextKernels() {}

  public static class FnvHash extends Kernel {
    private final byte[] bytes = bytes(64 * 1024);

    @Benchmark
    public int compute() {
      int hash = 0x811C9DC5;
      for (byte next : bytes) hash = (hash ^ next & 0xFF) * 0x01000193;
      return hash;
    }
  }

  public static class Crc extends Kernel {
    private final byte[] bytes = bytes(64 * 1024);
    private final int[] table = new int[256];

    public Crc() {
      for (int i = 0; i < table.length; i++) {
        int crc = i;
        for (int bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ ((crc & 1) == 0 ? 0 : 0xEDB88320);
        table[i] = crc;
      }
    }

    @Benchmark
    public int compute() {
      int crc = -1;
      for (int i = 0; i < bytes.length; i++) crc = crc >>> 8 ^ table[(crc ^ bytes[i]) & 0xFF];
      return ~crc;
    }
  }

  public static class StringBuilding extends Kernel {
    private final String[] words = {"alpha", "be", "gamma delta", "", "epsilon"};

    @Benchmark
    public String compute() {
      var text = new StringBuilder();
      for (int i = 0; i < 2_000; i++) {
        text.append(words[i % words.length]).append(',').append(i);
        if (text.length() > 4_000) text.setLength(0);
      }
      return text.toString();
    }
  }

  public static class StringSearch extends Kernel {
    private final String text = "the quick brown fox jumps over the lazy dog ".repeat(400);
    private final String wanted = "the lazy doc";

    @Benchmark
    public int compute() {
      int best = 0;
      for (int at = 0; at + wanted.length() <= text.length(); at++) {
        int same = 0;
        while (same < wanted.length() && text.charAt(at + same) == wanted.charAt(same)) same++;
        if (same == wanted.length()) return at;
        best = Math.max(best, same);
      }
      return -best;
    }
  }

  /** A parser by recursive descent, as people write them. */
  public static class JsonParse extends Kernel {
    private final String text =
        "["
            + "{\"id\": 17, \"name\": \"Ada Lovelace\", \"tags\": [\"a\", \"b\\n\", true, null], \"size\": -12.5}, "
                .repeat(60)
            + "{}]";

    @Benchmark
    public Object compute() {
      return new Parser(text).value();
    }

    private static final class Parser {
      private final String text;
      private int at;

      Parser(String text) {
        this.text = text;
      }

      Object value() {
        skipSpace();
        char first = text.charAt(at);
        return switch (first) {
          case '{' -> object();
          case '[' -> array();
          case '"' -> string();
          case 't', 'f', 'n' -> word();
          default -> number();
        };
      }

      private Map<String, Object> object() {
        Map<String, Object> members = new HashMap<>();
        at++;
        skipSpace();
        while (text.charAt(at) != '}') {
          skipSpace();
          String name = string();
          skipSpace();
          at++; // the colon
          members.put(name, value());
          skipSpace();
          if (text.charAt(at) == ',') at++;
        }
        at++;
        return members;
      }

      private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        at++;
        skipSpace();
        while (text.charAt(at) != ']') {
          elements.add(value());
          skipSpace();
          if (text.charAt(at) == ',') at++;
        }
        at++;
        return elements;
      }

      private String string() {
        var content = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
          char next = text.charAt(at);
          if (next == '\\') {
            at++;
            next = text.charAt(at) == 'n' ? '\n' : text.charAt(at);
          }
          content.append(next);
        }
        at++;
        return content.toString();
      }

      private String word() {
        int start = at;
        while (at < text.length() && Character.isLetter(text.charAt(at))) at++;
        return text.substring(start, at);
      }

      private Double number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        return Double.valueOf(text.substring(start, at));
      }

      private void skipSpace() {
        while (at < text.length() && text.charAt(at) <= ' ') at++;
      }
    }
  }

  public static class EditDistance extends Kernel {
    private final String a = "preemption without a changed virtual machine ".repeat(4);
    private final String b = "perception with one changed visual marine ".repeat(4);

    @Benchmark
    public int compute() {
      int[] previous = new int[b.length() + 1];
      int[] current = new int[b.length() + 1];
      for (int j = 0; j < previous.length; j++) previous[j] = j;
      for (int i = 1; i <= a.length(); i++) {
        current[0] = i;
        for (int j = 1; j <= b.length(); j++) {
          int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
          current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
        }
        int[] swap = previous;
        previous = current;
        current = swap;
      }
      return previous[b.length()];
    }
  }
}
