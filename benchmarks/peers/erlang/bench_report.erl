%% Numbers of a repetition, and how they are printed. A measurement is {N, Value, Details}.
-module(bench_report).
-export([now_ns/0, per_second/3, millis/2, latencies/2, percentile/2]).
-export([measured/3, failed/2, check/3, scaled/3]).

now_ns() -> erlang:monotonic_time(nanosecond).

%% A size, divided by the scale.
scaled(Size, AtLeast, #{scale := Scale}) -> max(AtLeast, Size div Scale).

per_second(N, Operations, Start) -> {N, Operations * 1.0e9 / (now_ns() - Start), []}.

millis(N, Start) -> {N, (now_ns() - Start) / 1.0e6, []}.

%% The details of a list of nanoseconds.
latencies(Nanos, Suffix) ->
    Sorted = list_to_tuple(lists:sort(Nanos)),
    [{Name ++ Suffix, percentile(Sorted, Share)}
     || {Name, Share} <- [{"p50", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1.0}]].

percentile({}, _) -> null;
percentile(Sorted, Share) -> element(max(1, ceil(Share * tuple_size(Sorted))), Sorted).

measured(Order, Unit, {N, Value, Details}) ->
    print([{"peer", maps:get(peer, Order)}, {"workload", maps:get(workload, Order)},
           {"n", N}, {"value", Value}, {"unit", Unit} | Details]).

failed(Order, Reason) ->
    print([{"peer", maps:get(peer, Order)}, {"workload", maps:get(workload, Order)},
           {"failed", Reason}]).

print(Fields) ->
    io:format("{~s}~n", [lists:join(",", [[quoted(Name), ":", json(V)] || {Name, V} <- Fields])]).

json(null) -> "null";
json(Number) when is_integer(Number) -> integer_to_list(Number);
json(Number) when is_float(Number) -> io_lib:format("~.4f", [Number]);
json(Word) -> quoted(Word).

quoted(Word) -> [$", [escaped(C) || C <- Word], $"].

escaped($") -> "\\\"";
escaped($\\) -> "\\\\";
escaped(C) when C < $\s -> $\s;
escaped(C) -> C.

%% Ends the repetition unless the work was really done.
check(_, Same, Same) -> ok;
check(What, Expected, Actual) -> exit({What, {expected, Expected}, {got, Actual}}).
