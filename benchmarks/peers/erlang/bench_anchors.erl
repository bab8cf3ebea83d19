%% The programs by which Erlang and Go test their own fairness.
-module(bench_anchors).
-export([busy/1, low/1, token/2, timer/1, hog/1]).
-import(bench_report, [now_ns/0, scaled/3]).

-define(SHORTEST_MS, 100).

busy(Order) -> classes(normal, Order).

%% 500 with normal and 500 with low priority, as Erlang's own test has it.
low(Order) -> classes(low, Order).

classes(Second, Order) ->
    Size = scaled(500, 4, Order),
    Blocks = atomics:new(2 * Size, []),
    Busy = [spawn_opt(fun() -> receive go -> bench_hogs:hog(Blocks, I, I) end end,
                      [link, {priority, priority(I, Size, Second)}]) || I <- lists:seq(1, 2 * Size)],
    [P ! go || P <- Busy],
    timer:sleep(scaled(2_000, ?SHORTEST_MS, Order)),
    Before = [atomics:get(Blocks, I) || I <- lists:seq(1, 2 * Size)],
    timer:sleep(scaled(10_000, ?SHORTEST_MS, Order)),
    After = [atomics:get(Blocks, I) || I <- lists:seq(1, 2 * Size)],
    Shares = lists:zipwith(fun(A, B) -> A - B end, After, Before),
    [begin unlink(P), exit(P, kill) end || P <- Busy],
    {Normal, Low} = lists:split(Size, Shares),
    Ran = length([ran || Share <- Shares, Share > 0]),
    {2 * Size, min(worst_over_mean(Normal), worst_over_mean(Low)),
     [{"hogs_that_ran", Ran} | [{"low_share", lists:sum(Low) / max(1, lists:sum(Normal))}
                                || Second =:= low]]}.

priority(I, Size, _) when I =< Size -> normal;
priority(_, _, Second) -> Second.

worst_over_mean(Shares) ->
    case lists:sum(Shares) of
        0 -> 0.0;
        Sum -> lists:min(Shares) * length(Shares) / Sum
    end.

%% Loops that hand a token on by spinning.
token(one_per_core, Order) -> token(erlang:system_info(logical_processors_available), Order);
token(Spinners, Order) ->
    HandOvers = scaled(50, 1, Order) * Spinners,
    Token = atomics:new(1, []),
    Start = now_ns(),
    Monitors = [element(2, spawn_monitor(fun() -> spin(Token, Place, Spinners, HandOvers) end))
                || Place <- lists:seq(0, Spinners - 1)],
    [receive {'DOWN', M, process, _, normal} -> ok end || M <- Monitors],
    {HandOvers, (now_ns() - Start) / 1.0e6 / HandOvers, [{"unhandled", 0}]}.

spin(Token, Place, Spinners, Last) ->
    case atomics:get(Token, 1) of
        At when At >= Last -> ok;
        At when At rem Spinners =:= Place ->
            atomics:put(Token, 1, At + 1),
            spin(Token, Place, Spinners, Last);
        _ -> spin(Token, Place, Spinners, Last)
    end.

%% How late a signal is while two senders flood a third process. Those that flood are slowed down
%% by Erlang when the receiver's mailbox grows: that is its own way.
timer(_) ->
    Sink = spawn_link(fun sink/0),
    Senders = [spawn_link(fun() -> flood(Sink) end) || _ <- [1, 2]],
    Due = now_ns() + 20_000_000,
    erlang:send_after(20, self(), signal),
    receive signal -> ok end,
    Late = (now_ns() - Due) / 1.0e6,
    [begin unlink(P), exit(P, kill) end || P <- [Sink | Senders]],
    {1, Late, [{"unhandled", 0}]}.

sink() -> receive _ -> sink() end.

flood(Sink) -> Sink ! work, flood(Sink).

%% A pair that counts to a million a turn, and one that counts to a thousand.
hog(Order) ->
    Totals = atomics:new(2, []),
    Pairs = pair(Totals, 1, 1_000_000) ++ pair(Totals, 2, 1_000),
    timer:sleep(scaled(500, ?SHORTEST_MS, Order)),
    {Hogs0, Lights0} = {atomics:get(Totals, 1), atomics:get(Totals, 2)},
    timer:sleep(scaled(1_000, ?SHORTEST_MS, Order)),
    Hogs = max(1, atomics:get(Totals, 1) - Hogs0),
    Lights = max(1, atomics:get(Totals, 2) - Lights0),
    [begin unlink(P), exit(P, kill) end || P <- Pairs],
    {Hogs + Lights, max(Hogs, Lights) / min(Hogs, Lights),
     [{"hogs_counted", Hogs}, {"lights_counted", Lights}]}.

pair(Totals, Place, CountsTo) ->
    Player = fun() -> receive {partner, P} -> play(Totals, Place, CountsTo, P) end end,
    Pair = [One, Other] = [spawn_link(Player), spawn_link(Player)],
    One ! {partner, Other},
    Other ! {partner, One},
    One ! ball,
    Pair.

play(Totals, Place, CountsTo, Partner) ->
    receive ball -> ok end,
    count(Totals, Place, CountsTo),
    Partner ! ball,
    play(Totals, Place, CountsTo, Partner).

count(_, _, 0) -> ok;
count(Totals, Place, Left) -> atomics:add(Totals, Place, 1), count(Totals, Place, Left - 1).
