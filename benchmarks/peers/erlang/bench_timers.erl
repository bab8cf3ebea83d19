%% Timers of the runtime itself: erlang:send_after, which sends a message.
-module(bench_timers).
-export([churn/1, accuracy/1]).
-import(bench_report, [now_ns/0, scaled/3, latencies/2, percentile/2]).

-define(NEAREST_MS, 60_000).

churn(Order) ->
    Timers = scaled(1_000_000, 1_000, Order),
    Start = now_ns(),
    Handles = schedule(Timers, Timers, []),
    Scheduled = now_ns(),
    lists:foreach(fun erlang:cancel_timer/1, Handles),
    End = now_ns(),
    receive tick -> exit(a_timer_came) after 0 -> ok end,
    {Timers, 2 * Timers * 1.0e9 / (End - Start),
     [{"schedule_per_s", Timers * 1.0e9 / (Scheduled - Start)},
      {"cancel_per_s", Timers * 1.0e9 / (End - Scheduled)}]}.

schedule(0, _, Handles) -> Handles;
schedule(Left, All, Handles) ->
    Delay = ?NEAREST_MS + (All - Left) * ?NEAREST_MS div All,
    schedule(Left - 1, All, [erlang:send_after(Delay, self(), tick) | Handles]).

%% The unit is a millisecond: what is due in between comes with the next one.
accuracy(Order) ->
    Timers = scaled(10_000, 50, Order),
    start(0, Timers),
    Received = [receive {due, Due} -> now_ns() - Due end || _ <- lists:seq(1, Timers)],
    Early = length([L || L <- Received, L < 0]),
    Nanos = [max(0, L) || L <- Received],
    {Timers, percentile(list_to_tuple(lists:sort(Nanos)), 0.99),
     [{"early", Early} | latencies(Nanos, "")]}.

start(All, All) -> ok;
start(I, All) ->
    Micros = I * 200,
    Due = now_ns() + Micros * 1_000,
    erlang:send_after((Micros + 999) div 1_000, self(), {due, Due}),
    start(I + 1, All).
