%% Processes that never come back from what they do, alone and beside light ones.
-module(bench_hogs).
-export([hogs/2, fairness/1, long_loop/1, long_primes/1]).
-export([hog/3]). % for others with endless loops
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

long_loop(Order) ->
    Rounds = scaled(1_000_000_000, 1_000, Order),
    Rest = Rounds rem 8,
    long_run(fun() -> loop(0, Rounds, 0) end, Rounds div 8 * 28 + Rest * (Rest - 1) div 2).

loop(Rounds, Rounds, Sum) -> Sum;
loop(I, Rounds, Sum) -> loop(I + 1, Rounds, Sum + (I band 7)).

long_primes(Order) ->
    Limit = scaled(1_000_000, 1_000, Order),
    long_run(fun() -> primes(2, Limit, 0) end, any).

primes(Limit, Limit, Found) -> Found;
primes(N, Limit, Found) ->
    case is_prime(N, 2) of
        true -> primes(N + 1, Limit, Found + 1);
        false -> primes(N + 1, Limit, Found)
    end.

is_prime(N, Divisor) when Divisor * Divisor > N -> true;
is_prime(N, Divisor) when N rem Divisor =:= 0 -> false;
is_prime(N, Divisor) -> is_prime(N, Divisor + 1).

%% A ping every millisecond to a light process, beside one that computes.
long_run(Compute, Expected) ->
    [Light] = Lights = bench_fairness:lights(1),
    Boss = self(),
    Start = bench_report:now_ns(),
    spawn_link(fun() -> Boss ! {computed, Compute()} end),
    {Result, Sent} = ping(Light, Start, 0),
    Millis = (bench_report:now_ns() - Start) / 1.0e6,
    Expected =:= any orelse bench_report:check("the computation's result", Expected, Result),
    bench_fairness:result(bench_fairness:collect(Lights), Sent, [{"run_ms", Millis}]).

ping(Light, Start, Round) ->
    Intended = Start + Round * 1_000_000,
    Left = max(0, Intended - bench_report:now_ns()),
    receive
        {computed, Result} when Round > 0 -> {Result, Round}
    after (Left + 999_999) div 1_000_000 ->
        Light ! {counts, Intended, bench_report:now_ns()},
        ping(Light, Start, Round + 1)
    end.
