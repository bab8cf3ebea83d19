package io.turnwise.agent;

import io.turnwise.agent.weaver.PollForm;
import io.turnwise.agent.weaver.RedirectKind;
import io.turnwise.agent.weaver.RedirectedClass;
import io.turnwise.agent.weaver.SkipReason;
import io.turnwise.agent.weaver.Skipped;
import io.turnwise.agent.weaver.WovenClass;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Collects what becomes of classes, from all threads that load some. */
public final class WeavingLedger {
  private static final int DETAILS = 10_000;

  // All guarded by this; held for a few additions, and by nobody who loads a class meanwhile.
  private long classes;
  private long wovenClasses;
  private long lateClasses;
  private long methods;
  private long wovenMethods;
  private final Map<PollForm, Long> polls = new EnumMap<>(PollForm.class);
  private final Map<RedirectKind, Long> redirected = new EnumMap<>(RedirectKind.class);
  private final Map<SkipReason, Long> skipped = new EnumMap<>(SkipReason.class);
  private final List<Skipped> details = new ArrayList<>();

  /**
   * @param late it was loaded before it was woven
   */
  public synchronized void add(WovenClass result, boolean late) {
    classes++;
    methods += result.methods();
    wovenMethods += result.wovenMethods();
    if (result.bytes() != null) {
      wovenClasses++;
      if (late) lateClasses++;
    }
    result.polls().forEach((form, count) -> polls.merge(form, (long) count, Long::sum));
    result.skipped().forEach(this::add);
  }

  public synchronized void add(RedirectedClass result) {
    result.calls().forEach((kind, count) -> redirected.merge(kind, (long) count, Long::sum));
    result.skipped().forEach(this::add);
  }

  public synchronized void add(Skipped one) {
    skipped.merge(one.reason(), 1L, Long::sum);
    if (details.size() < DETAILS) details.add(one);
  }

  public synchronized WeavingReport report() {
    return new WeavingReport(
        classes,
        wovenClasses,
        lateClasses,
        methods,
        wovenMethods,
        polls,
        redirected,
        skipped,
        details);
  }
}
