package io.turnwise.agent;

import io.turnwise.agent.weaver.PollForm;
import io.turnwise.agent.weaver.RedirectKind;
import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.Skipped;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What was woven and what was not, so far.
 *
 * @param classes that the filter let through
 * @param wovenClasses of these, that got a poll
 * @param lateClasses of these, that were loaded before: a call that was running in one then goes on
 *     without polls until it returns
 * @param methods of all these classes, that have code
 * @param wovenMethods of these, that got a poll
 * @param polls by form
 * @param redirected calls that a simulation can answer, by kind; none unless the agent was told to
 * @param skipped classes, methods and calls that stayed as they were, by reason
 * @param details the skipped ones by name: the first ten thousand, and after them the first
 *     thousand hidden classes
 */
public record WeavingReport(
    long classes,
    long wovenClasses,
    long lateClasses,
    long methods,
    long wovenMethods,
    Map<PollForm, Long> polls,
    Map<RedirectKind, Long> redirected,
    Map<SkipReason, Long> skipped,
    List<Skipped> details) {
  /** Programs have tens of thousands of lambdas; the first of them show where they come from. */
  private static final int HIDDEN_NAMES = 1_000;

  public WeavingReport {
    polls = Map.copyOf(polls);
    redirected = Map.copyOf(redirected);
    skipped = Map.copyOf(skipped);
    details = List.copyOf(details);
  }

  public long polls(PollForm form) {
    return polls.getOrDefault(form, 0L);
  }

  public long redirected(RedirectKind kind) {
    return redirected.getOrDefault(kind, 0L);
  }

  public long skipped(SkipReason reason) {
    return skipped.getOrDefault(reason, 0L);
  }

  /** The ledger never hears of them: the JVM makes them without asking. */
  WeavingReport withHidden(List<String> names) {
    if (names.isEmpty()) return this;
    Map<SkipReason, Long> more = new EnumMap<>(SkipReason.class);
    more.putAll(skipped);
    more.put(SkipReason.HIDDEN, (long) names.size());
    List<Skipped> named = new ArrayList<>(details);
    for (String name : names.subList(0, Math.min(names.size(), HIDDEN_NAMES)))
      named.add(new Skipped(name, SkipReason.HIDDEN, ""));
    return new WeavingReport(
        classes, wovenClasses, lateClasses, methods, wovenMethods, polls, redirected, more, named);
  }

  /** For a person, and stable enough to be searched by a script. */
  public String text() {
    var text = new StringBuilder();
    line(text, "classes", classes);
    line(text, "  woven", wovenClasses);
    line(text, "  woven after they were loaded", lateClasses);
    line(text, "methods", methods);
    line(text, "  woven", wovenMethods);
    for (PollForm form : PollForm.values())
      line(text, "polls, " + form.name().toLowerCase(Locale.ROOT), polls(form));
    for (RedirectKind kind : RedirectKind.values())
      if (!redirected.isEmpty())
        line(text, "calls redirected, " + kind.name().toLowerCase(Locale.ROOT), redirected(kind));
    for (SkipReason reason : SkipReason.values())
      if (skipped(reason) > 0)
        line(
            text, "left as it was, " + reason + " (" + reason.explanation() + ")", skipped(reason));
    for (Skipped one : details) {
      text.append(one.reason()).append(' ').append(one.what().replace('/', '.'));
      if (!one.detail().isEmpty()) text.append(": ").append(one.detail());
      text.append('\n');
    }
    return text.toString();
  }

  private static void line(StringBuilder text, String name, long count) {
    text.append(name).append(": ").append(count).append('\n');
  }
}
