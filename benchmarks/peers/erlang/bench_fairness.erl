%% Light processes beside others with a deep mailbox.
-module(bench_fairness).
-export([flood/2]).
-export([lights/1, drive/3, collect/1, result/3]). % for others with light processes
-import(bench_report, [now_ns/0, scaled/3, latencies/2, percentile/2]).

-define(LIGHTS, 7).
-define(PERIOD_MS, 10).
-define(MESSAGE_NS, 5_000).

flood(Actors, Order) ->
    Millis = scaled(5_000, 2 * ?PERIOD_MS, Order),
    Lights = lights(?LIGHTS),
    drive(Lights, scaled(1_000, ?PERIOD_MS, Order) div ?PERIOD_MS, warm_up),
    Worked = counters:new(1, []),
    Over = atomics:new(1, []),
    Flooded = [spawn_opt(fun() -> flooded(Worked, Over) end,
                         [link, {message_queue_data, off_heap}]) || _ <- lists:seq(1, Actors)],
    Cores = erlang:system_info(logical_processors_available),
    Each = round(1.2 * Millis * 1.0e6 * min(Cores, Actors) / Actors / ?MESSAGE_NS),
    fill(Each, Flooded),
    Before = counters:get(Worked, 1),
    Start = now_ns(),
    Rounds = Millis div ?PERIOD_MS,
    drive(Lights, Rounds, counts),
    Rate = (counters:get(Worked, 1) - Before) * 1.0e9 / (now_ns() - Start),
    atomics:put(Over, 1, 1),
    Noted = collect(Lights),
    [begin unlink(P), exit(P, kill) end || P <- Flooded],
    result(Noted, Rounds * ?LIGHTS,
           [{"busy", Actors}, {"flood_msgs_per_s", Rate}]).

fill(0, _) -> ok;
fill(Left, Flooded) -> [P ! work || P <- Flooded], fill(Left - 1, Flooded).

flooded(Worked, Over) ->
    receive
        work ->
            case atomics:get(Over, 1) of
                0 -> spin(now_ns() + ?MESSAGE_NS), counters:add(Worked, 1, 1);
                1 -> ok
            end,
            flooded(Worked, Over)
    end.

spin(End) ->
    case now_ns() < End of
        true -> spin(End);
        false -> ok
    end.

lights(Count) -> [spawn_link(fun() -> light([]) end) || _ <- lists:seq(1, Count)].

light(Noted) ->
    receive
        {warm_up, _, _} -> light(Noted);
        {counts, Intended, Sent} ->
            Now = now_ns(),
            light([{Now - Sent, Now - Intended} | Noted]);
        {tell, Boss, Reference} -> Boss ! {Reference, Noted}
    end.

%% Never skips: a late sender catches up.
drive(Lights, Rounds, Kind) -> drive(Lights, 0, Rounds, Kind, now_ns()).

drive(_, Rounds, Rounds, _, _) -> ok;
drive(Lights, Round, Rounds, Kind, Start) ->
    Intended = Start + Round * ?PERIOD_MS * 1_000_000,
    sleep_until(Intended),
    [P ! {Kind, Intended, now_ns()} || P <- Lights],
    drive(Lights, Round + 1, Rounds, Kind, Start).

%% The timer counts in milliseconds.
sleep_until(Time) ->
    case Time - now_ns() of
        Left when Left =< 0 -> ok;
        Left -> timer:sleep(max(1, Left div 1_000_000)), sleep_until(Time)
    end.

%% Asks behind the last tick, and waits a little for those that are still under way.
collect(Lights) ->
    End = now_ns() + 2_000_000_000,
    Asked = [begin R = make_ref(), P ! {tell, self(), R}, R end || P <- Lights],
    lists:append([receive {R, Noted} -> Noted
                  after max(0, (End - now_ns()) div 1_000_000) -> [] end || R <- Asked]).

result(Noted, Sent, Details) ->
    {FromSent, FromIntended} = lists:unzip(Noted),
    Value = percentile(list_to_tuple(lists:sort(FromSent)), 0.99),
    {Sent, Value,
     latencies(FromSent, "") ++ latencies(FromIntended, "_intended")
     ++ [{"unhandled", Sent - length(Noted)} | Details]}.
