-module(bench_messaging).
-export([pingpong/1, ring/1, fanin/2]).
-import(bench_report, [now_ns/0, per_second/3, check/3, scaled/3]).

pingpong(Order) ->
    Rounds = scaled(2_000_000, 100, Order),
    Me = self(),
    Pong = spawn_link(fun() -> pong(0) end),
    Start = now_ns(),
    spawn_link(fun() -> ping(Pong, Rounds), Me ! done end),
    receive done -> ok end,
    Result = per_second(Rounds, 2 * Rounds, Start),
    Pong ! {stop, Me},
    receive {seen, Seen} -> check(messages_that_pong_received, Rounds, Seen) end,
    Result.

ping(_, 0) -> ok;
ping(Pong, Left) ->
    Pong ! {ping, self()},
    receive pong -> ping(Pong, Left - 1) end.

pong(Seen) ->
    receive
        {ping, From} -> From ! pong, pong(Seen + 1);
        {stop, From} -> From ! {seen, Seen}
    end.

ring(Order) ->
    Nodes = 1_000,
    Hops = scaled(2_000_000, 2 * Nodes + 1, Order),
    Me = self(),
    Ring = [spawn_link(fun() -> receive {next, Next} -> node(Place, Next, Me) end end)
            || Place <- lists:seq(0, Nodes - 1)],
    [Node ! {next, Next} || {Node, Next} <- lists:zip(Ring, tl(Ring) ++ [hd(Ring)])],
    Start = now_ns(),
    hd(Ring) ! Hops,
    Ended = receive {ended_at, Place} -> Place end,
    Result = per_second(Hops, Hops, Start),
    check(place_where_the_token_ended, Hops rem Nodes, Ended),
    [Node ! stop || Node <- Ring],
    Result.

node(Place, Next, Boss) ->
    receive
        stop -> ok;
        0 -> Boss ! {ended_at, Place}, node(Place, Next, Boss);
        Left -> Next ! Left - 1, node(Place, Next, Boss)
    end.

fanin(Producers, Order) ->
    Each = scaled(10_000_000, 10 * Producers, Order) div Producers,
    Total = Each * Producers,
    Me = self(),
    %% A deep mailbox belongs outside the heap, or every collection would walk it.
    Consumer = spawn_opt(fun() -> consume(Total), Me ! done end,
                         [link, {message_queue_data, off_heap}]),
    Start = now_ns(),
    [spawn_link(fun() -> produce(Consumer, Each) end) || _ <- lists:seq(1, Producers)],
    receive done -> ok end,
    per_second(Total, Total, Start).

consume(0) -> ok;
consume(Left) -> receive work -> consume(Left - 1) end.

produce(_, 0) -> ok;
produce(Consumer, Left) -> Consumer ! work, produce(Consumer, Left - 1).
