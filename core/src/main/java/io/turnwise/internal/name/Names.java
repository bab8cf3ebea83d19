package io.turnwise.internal.name;

/** What an actor or a system may be called: safe in paths, log lines, labels and file names. */
public final class Names {
  static final int MAX_LENGTH = 128;
  private static final String ALLOWED_MARKS = "-_.~+=@:,";

  private Names() {}

  public static String check(String name) {
    return check("Actor name ", name, "; or spawn without a name");
  }

  public static String checkOf(String what, String name) {
    return check(what, name, "");
  }

  private static String check(String what, String name, String orElse) {
    String wrong = problem(name);
    if (wrong != null)
      throw new IllegalArgumentException(
          (name == null ? what.replaceFirst("\\W+$", "") : what + printable(name))
              + " "
              + wrong
              + ". [BAD-NAME]\n  next:  use 1 to "
              + MAX_LENGTH
              + " letters, digits or any of the marks "
              + ALLOWED_MARKS
              + orElse);
    return name;
  }

  private static @org.jspecify.annotations.Nullable String problem(String name) {
    if (name == null) return "is null";
    if (name.isEmpty()) return "is empty";
    if (name.length() > MAX_LENGTH) return "has " + name.length() + " characters";
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!plain && ALLOWED_MARKS.indexOf(c) < 0)
        return "has the character " + shown(c) + " at " + i;
    }
    return name.equals(".") || name.equals("..") ? "is a relative path" : null;
  }

  /** Itself where that can be seen, and always its number. */
  private static String shown(char c) {
    String number = String.format("U+%04X", (int) c);
    return c > ' ' && c <= '~' ? "'" + c + "', " + number + "," : number;
  }

  /** Shortened, and with everything unusual replaced: it goes into a log line. */
  private static String printable(String name) {
    String start = name.length() > 40 ? name.substring(0, 40) + "…" : name;
    return "'" + start.replaceAll("[^\\x20-\\x7E…]", "?") + "'";
  }
}
