%% Many processes: creating them, keeping them, computing in them, wandering among them.
-module(bench_population).
-export([spawns/1, idle_memory/1, tasks/1, cpu_utilisation/1, scaling/2]).
-import(bench_report, [now_ns/0, per_second/3, check/3, scaled/3, latencies/2]).

%% A count that many processes take down to zero; the last one tells the boss.
countdown(From) ->
    Counter = atomics:new(1, []),
    atomics:put(Counter, 1, From),
    Counter.

count(Counter, Boss) ->
    case atomics:sub_get(Counter, 1, 1) of
        0 -> Boss ! done;
        _ -> ok
    end.

spawns(Order) ->
    Actors = scaled(1_000_000, 100, Order),
    Me = self(),
    Counter = countdown(Actors),
    Start = now_ns(),
    Nanos = create(Actors, fun() -> receive work -> count(Counter, Me) end end, []),
    receive done -> ok end,
    {N, Value, _} = per_second(Actors, Actors, Start),
    {N, Value, latencies(Nanos, "")}.

create(0, _, Nanos) -> Nanos;
create(Left, Body, Nanos) ->
    Before = now_ns(),
    Child = spawn(Body),
    Took = now_ns() - Before,
    Child ! work,
    create(Left - 1, Body, [Took | Nanos]).

idle_memory(Order) ->
    Actors = scaled(1_000_000, 1_000, Order),
    Pause = scaled(300, 2, Order),
    Me = self(),
    Counter = countdown(Actors),
    {MemoryBefore, RssBefore} = footprint(Pause),
    Start = now_ns(),
    Idlers = [begin P = spawn(fun() -> idle(Counter, Me) end), P ! work, P end
              || _ <- lists:seq(1, Actors)],
    receive done -> ok end,
    Built = (now_ns() - Start) / 1.0e9,
    timer:sleep(3 * Pause),
    {Memory, Rss} = footprint(Pause),
    ListOfThem = 16 * length(Idlers),
    [P ! stop || P <- Idlers],
    {Actors, (Memory - MemoryBefore - ListOfThem) / Actors,
     [{"rss_per_actor", (Rss - RssBefore) / Actors}, {"build_s", Built}]}.

idle(Counter, Boss) ->
    receive
        work -> count(Counter, Boss), idle(Counter, Boss);
        stop -> ok
    end.

footprint(Pause) ->
    erlang:garbage_collect(),
    timer:sleep(Pause),
    {erlang:memory(total), resident()}.

resident() ->
    case file:read_file("/proc/self/status") of
        {ok, Status} ->
            {match, [Kilobytes]} =
                re:run(Status, "VmRSS:\\s+(\\d+)", [{capture, all_but_first, list}]),
            list_to_integer(Kilobytes) * 1024;
        _ -> 0
    end.

%% A task is a process that does one thing.
tasks(Order) ->
    Tasks = scaled(10_000_000, 1_000, Order),
    Me = self(),
    Counter = countdown(Tasks),
    Start = now_ns(),
    Nanos = submit(Tasks, fun() -> count(Counter, Me) end, []),
    receive done -> ok end,
    {N, Value, _} = per_second(Tasks, Tasks, Start),
    {N, Value, latencies(Nanos, "")}.

submit(0, _, Nanos) -> Nanos;
submit(Left, Task, Nanos) when Left rem 64 =:= 0 ->
    Before = now_ns(),
    spawn(Task),
    submit(Left - 1, Task, [now_ns() - Before | Nanos]);
submit(Left, Task, Nanos) ->
    spawn(Task),
    submit(Left - 1, Task, Nanos).

cpu_utilisation(Order) ->
    Actors = scaled(10_000, 10, Order),
    Me = self(),
    Counter = countdown(Actors),
    {CpuBefore, _} = statistics(runtime),
    Start = now_ns(),
    [spawn_link(fun() -> receive work -> check(fibonacci, 75025, fibonacci(25)) end,
                         count(Counter, Me) end) ! work || _ <- lists:seq(1, Actors)],
    receive done -> ok end,
    {N, Value, _} = per_second(Actors, Actors, Start),
    Wall = (now_ns() - Start) / 1.0e6,
    {Cpu, _} = statistics(runtime),
    Workers = case maps:get(workers, Order) of
                  0 -> "default";
                  Some -> integer_to_list(Some)
              end,
    Cores = erlang:system_info(logical_processors_available),
    {N, Value, [{"util", (Cpu - CpuBefore) / (Wall * Cores)}, {"workers", Workers}]}.

fibonacci(N) when N < 2 -> N;
fibonacci(N) -> fibonacci(N - 1) + fibonacci(N - 2).

%% Tokens wander among all processes; the table of processes is shared, not copied.
scaling(Size, Order) ->
    Tokens = 1_000,
    Actors = scaled(Size, 10, Order),
    HopsEach = scaled(5_000_000, 10 * Tokens, Order) div Tokens,
    Me = self(),
    Ready = countdown(Actors),
    Body = fun() -> receive go -> count(Ready, Me), wander(table(), Me) end end,
    All = list_to_tuple([spawn(Body) || _ <- lists:seq(1, Actors)]),
    persistent_term:put(?MODULE, All),
    [P ! go || P <- tuple_to_list(All)],
    receive done -> ok end,
    Start = now_ns(),
    [pass(All, Seed, HopsEach) || Seed <- lists:seq(1, Tokens)],
    [receive ended -> ok end || _ <- lists:seq(1, Tokens)],
    Took = now_ns() - Start,
    [P ! stop || P <- tuple_to_list(All)],
    Messages = Tokens * HopsEach,
    {Messages, Took / Messages, [{"actors", Actors}]}.

table() -> persistent_term:get(?MODULE).

wander(All, Boss) ->
    receive
        {_, 1} -> Boss ! ended, wander(All, Boss);
        {State, Left} -> pass(All, State, Left - 1), wander(All, Boss);
        stop -> ok
    end.

%% 32 bits of state: small integers, no heap.
pass(All, State, Left) ->
    Next = (State * 1664525 + 1013904223) band 16#FFFFFFFF,
    element((Next * tuple_size(All)) bsr 32 + 1, All) ! {Next, Left}.
