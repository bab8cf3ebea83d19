%% The workloads of the benchmarks on Erlang processes. Arguments come as name=value; each
%% repetition is printed as a line of JSON.
-module(bench).
-export([start/0]).

start() ->
    Order = order(init:get_plain_arguments()),
    case workload(maps:get(workload, Order)) of
        unknown ->
            bench_report:failed(Order, "erlang has no " ++ maps:get(workload, Order)),
            halt(1);
        {Unit, Run} ->
            End = bench_report:now_ns() + maps:get(budget, Order) * 1_000_000_000,
            repeat(0, Order, Unit, Run, End),
            halt(0)
    end.

order(Arguments) ->
    maps:from_list([argument(string:split(A, "=")) || A <- Arguments]).

argument(["peer", Word]) -> {peer, Word};
argument(["workload", Word]) -> {workload, Word};
argument([Name, Number]) -> {list_to_atom(Name), list_to_integer(Number)}.

workload("pingpong") -> {"msgs/s", fun bench_messaging:pingpong/1};
workload("ring") -> {"hops/s", fun bench_messaging:ring/1};
workload("fanin-8") -> {"msgs/s", fun(O) -> bench_messaging:fanin(8, O) end};
workload("fanin-64") -> {"msgs/s", fun(O) -> bench_messaging:fanin(64, O) end};
workload("ask-actor-seq") -> {"req/s", fun bench_ask:one_by_one/1};
workload("ask-actor-64") -> {"req/s", fun(O) -> bench_ask:window(64, O) end};
workload("ask-actor-blocking") -> {"req/s", fun bench_ask:one_by_one/1};
workload("spawn") -> {"actors/s", fun bench_population:spawns/1};
workload("idle-memory") -> {"heap bytes/actor", fun bench_population:idle_memory/1};
workload("tasks-inside") -> {"tasks/s", fun bench_population:tasks/1};
workload("cpu-util") -> {"tasks/s", fun bench_population:cpu_utilisation/1};
workload("hogs") -> {"ns", fun(O) -> bench_hogs:hogs(two_per_core, O) end};
workload("hogs-64") -> {"ns", fun(O) -> bench_hogs:hogs(64, O) end};
workload("hogs-warm") -> workload("hogs");
workload("hogs-64-warm") -> workload("hogs-64");
workload("long-loop") -> {"ns", fun bench_hogs:long_loop/1};
workload("long-primes") -> {"ns", fun bench_hogs:long_primes/1};
workload("fairness-hogs") -> {"Jain", fun bench_hogs:fairness/1};
workload("anchor-erlang-busy") -> {"worst/mean", fun bench_anchors:busy/1};
workload("anchor-erlang-low") -> {"worst/mean", fun bench_anchors:low/1};
workload("anchor-go-token") -> {"ms/hand-over", fun(O) -> bench_anchors:token(2, O) end};
workload("anchor-go-parallel") ->
    {"ms/hand-over", fun(O) -> bench_anchors:token(one_per_core, O) end};
workload("anchor-go-timer") -> {"ms", fun bench_anchors:timer/1};
workload("anchor-go-hog") -> {"times", fun bench_anchors:hog/1};
workload("fairness-flood1") -> {"ns", fun(O) -> bench_fairness:flood(1, O) end};
workload("fairness-flood4") -> {"ns", fun(O) -> bench_fairness:flood(4, O) end};
workload("timers-churn") -> {"ops/s", fun bench_timers:churn/1};
workload("timers-accuracy") -> {"ns", fun bench_timers:accuracy/1};
workload("skynet") -> {"ms", fun bench_small:skynet/1};
workload("bank") -> {"tx/s", fun bench_small:bank/1};
workload("bank-blocking") -> {"tx/s", fun bench_small:bank/1};
workload("philosophers") -> {"meals/s", fun bench_small:philosophers/1};
workload("sieve") -> {"ms", fun bench_small:sieve/1};
workload("scaling-" ++ Actors) ->
    {"ns/msg", fun(O) -> bench_population:scaling(list_to_integer(Actors), O) end};
workload(_) -> unknown.

%% Every repetition has a process of its own, so that none inherits the garbage of the one before.
%% At least one is reported, even if the budget was spent while warming up.
repeat(Run, #{warmups := Warmups, reps := Reps}, _, _, _) when Run =:= Warmups + Reps -> ok;
repeat(Run, #{warmups := Warmups} = Order, Unit, Workload, End) ->
    Measurement = in_own_process(fun() -> Workload(Order) end, Order),
    Spent = bench_report:now_ns() > End,
    [bench_report:measured(Order, Unit, Measurement) || Run >= Warmups orelse Spent],
    case Spent of
        true -> ok;
        false -> repeat(Run + 1, Order, Unit, Workload, End)
    end.

in_own_process(Work, Order) ->
    {_, Monitor} = spawn_monitor(fun() -> exit({measured, Work()}) end),
    receive
        {'DOWN', Monitor, process, _, {measured, Measurement}} -> Measurement;
        {'DOWN', Monitor, process, _, Reason} ->
            bench_report:failed(Order, lists:flatten(io_lib:format("~0p", [Reason]))),
            halt(1)
    end.
