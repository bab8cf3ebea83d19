%% Processes that never come back from what they do, alone and beside light ones.
-module(bench_hogs).
-export([hogs/2, fairness/1]).
-import(bench_report, [scaled/3]).

-define(LIGHTS, 100).
-define(PERIOD_MS, 10).
-define(SHORTEST_MS, 100).
-define(FAIR_HOGS, 8).
-define(STEPS, 100).

hogs(two_per_core, Order) ->
    hogs(2 * erlang:system_info(logical_processors_available), Order);
hogs(Size, Order) ->
    Lights = bench_fairness:lights(?LIGHTS),
    bench_fairness:drive(Lights, scaled(1_000, ?PERIOD_MS, Order) div ?PERIOD_MS, warm_up),
    {Herd, Blocks} = herd(Size),
    timer:sleep(scaled(500, ?SHORTEST_MS, Order)),
    Rounds = scaled(10_000, ?SHORTEST_MS, Order) div ?PERIOD_MS,
    bench_fairness:drive(Lights, Rounds, counts),
    Noted = bench_fairness:collect(Lights),
    Ran = length([ran || Finished <- finished(Size, Blocks), Finished > 0]),
    slaughter(Herd),
    bench_fairness:result(Noted, Rounds * ?LIGHTS, [{"hogs", Size}, {"hogs_that_ran", Ran}]).

fairness(Order) ->
    {Herd, Blocks} = herd(?FAIR_HOGS),
    timer:sleep(scaled(5_000, ?SHORTEST_MS, Order)),
    Shares = finished(?FAIR_HOGS, Blocks),
    slaughter(Herd),
    Sum = lists:sum(Shares),
    Squares = lists:sum([Share * Share || Share <- Shares]),
    {?FAIR_HOGS, Sum * Sum / (?FAIR_HOGS * Squares),
     [{"min_over_max", lists:min(Shares) / lists:max(Shares)}, {"blocks", Sum}]}.

%% All are created before the first begins.
herd(Size) ->
    Blocks = atomics:new(Size, []),
    Herd = [spawn_link(fun() -> receive go -> hog(Blocks, I, I) end end)
            || I <- lists:seq(1, Size)],
    [Hog ! go || Hog <- Herd],
    {Herd, Blocks}.

slaughter(Herd) -> [begin unlink(Hog), exit(Hog, kill) end || Hog <- Herd].

finished(Size, Blocks) -> [atomics:get(Blocks, I) || I <- lists:seq(1, Size)].

%% Numbers stay below 2^31, so that none of them becomes a bignum.
hog(Blocks, I, X) ->
    Y = rounds(X, ?STEPS),
    atomics:add(Blocks, I, 1),
    hog(Blocks, I, Y).

rounds(X, 0) -> X;
rounds(X, Left) -> rounds(steps(X, ?STEPS), Left - 1).

steps(X, 0) -> X;
steps(X, Left) ->
    Y = (X * 1103515245 + 12345) band 16#7FFFFFFF,
    steps(Y bxor (Y bsr 17), Left - 1).
