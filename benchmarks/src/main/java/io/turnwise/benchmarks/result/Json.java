package io.turnwise.benchmarks.result;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON as far as results need it: one flat object of strings, numbers, booleans and nulls, on one
 * line.
 */
public final class Json {

  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Writes an object in the map's order. NaN and infinities become null. */
  public static String write(Map<String, @Nullable Object> fields) {
    StringBuilder out = new StringBuilder("{");
    for (Map.Entry<String, @Nullable Object> field : fields.entrySet()) {
      if (out.length() > 1) {
        out.append(',');
      }
      quote(out, field.getKey());
      out.append(':');
      writeValue(out, field.getValue());
    }
    return out.append('}').toString();
  }

  private static void writeValue(StringBuilder out, @Nullable Object value) {
    switch (value) {
      case null -> out.append("null");
      case Double number -> out.append(decimal(number));
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      default -> quote(out, value.toString());
    }
  }

  /** Four decimals are enough below a thousand, none are needed above. */
  private static String decimal(double number) {
    if (!Double.isFinite(number)) {
      return "null";
    }
    int decimals = Math.abs(number) >= 1000 ? 0 : 4;
    BigDecimal rounded = BigDecimal.valueOf(number).setScale(decimals, RoundingMode.HALF_UP);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  private static void quote(StringBuilder out, String word) {
    out.append('"');
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ') {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  /**
   * Reads one flat object; numbers come back as Double.
   *
   * @throws IllegalArgumentException when it is not one, with the place
   */
  public static Map<String, @Nullable Object> parse(String line) {
    Json reader = new Json(line);
    Map<String, @Nullable Object> fields = reader.object();
    reader.skipSpace();
    if (reader.at < line.length()) {
      throw reader.unexpected("nothing more");
    }
    return fields;
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    expect('{');
    if (!taken('}')) {
      do {
        String name = string();
        expect(':');
        fields.put(name, value());
      } while (taken(','));
      expect('}');
    }
    return fields;
  }

  private @Nullable Object value() {
    skipSpace();
    if (at < text.length() && text.charAt(at) == '"') {
      return string();
    }
    int start = at;
    while (at < text.length() && ",} \t".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> Boolean.TRUE;
      case "false" -> Boolean.FALSE;
      default -> number(word, start);
    };
  }

  private Double number(String word, int start) {
    try {
      return Double.valueOf(word);
    } catch (NumberFormatException notANumber) {
      at = start;
      throw unexpected("a number, a string, true, false or null");
    }
  }

  private String string() {
    expect('"');
    StringBuilder word = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      word.append(c == '\\' ? escaped() : c);
    }
    expect('"');
    return word.toString();
  }

  private char escaped() {
    if (at == text.length()) {
      throw unexpected("an escaped character");
    }
    char c = text.charAt(at++);
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        if (at + 4 > text.length()) {
          throw unexpected("four hexadecimal digits");
        }
        at += 4;
        yield (char) Integer.parseInt(text, at - 4, at, 16);
      }
      default -> c;
    };
  }

  private boolean taken(char wanted) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char wanted) {
    // Inside a string the closing quote is next; elsewhere spaces may come first.
    if (!taken(wanted)) {
      throw unexpected("'" + wanted + "'");
    }
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private IllegalArgumentException unexpected(String wanted) {
    return new IllegalArgumentException("expected " + wanted + " at " + at + " of: " + text);
  }
}
