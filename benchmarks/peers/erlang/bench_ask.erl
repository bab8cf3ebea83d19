%% Questions to a gen_server, with its own time-out.
-module(bench_ask).
-behaviour(gen_server).
-export([one_by_one/1, window/2]).
-export([init/1, handle_call/3, handle_cast/2]).
-import(bench_report, [now_ns/0, per_second/3, check/3, scaled/3]).

-define(TIMEOUT, 30_000).
-define(AT_MOST_NS, 5_000_000_000).

init(State) -> {ok, State}.
handle_call(Payload, _From, State) -> {reply, Payload, State}.
handle_cast(_, State) -> {noreply, State}.

one_by_one(Order) ->
    {ok, Server} = gen_server:start_link(?MODULE, [], []),
    Start = now_ns(),
    Asked = call(Server, 0, scaled(1_000_000, 10, Order), Start + ?AT_MOST_NS),
    Result = per_second(Asked, Asked, Start),
    gen_server:stop(Server),
    Result.

call(_, Most, Most, _) -> Most;
call(Server, Asked, Most, End) ->
    case Asked rem 1024 =:= 0 andalso now_ns() > End of
        true -> Asked;
        false ->
            check(answer, Asked, gen_server:call(Server, Asked, ?TIMEOUT)),
            call(Server, Asked + 1, Most, End)
    end.

%% Keeps a window of questions open and always waits for the oldest.
window(Window, Order) ->
    {ok, Server} = gen_server:start_link(?MODULE, [], []),
    Start = now_ns(),
    Most = scaled(1_000_000, 10 * Window, Order),
    Asked = send(Server, 0, Most, Window, queue:new(), 0, Start + ?AT_MOST_NS),
    Result = per_second(Asked, Asked, Start),
    gen_server:stop(Server),
    Result.

send(Server, Asked, Most, Window, Open, Window, End) ->
    send(Server, Asked, Most, Window, wait(Open), Window - 1, End);
send(Server, Asked, Most, Window, Open, Count, End) ->
    case Asked =:= Most orelse (Asked rem 1024 =:= 0 andalso now_ns() > End) of
        true -> drain(Open), Asked;
        false ->
            Request = {Asked, gen_server:send_request(Server, Asked)},
            send(Server, Asked + 1, Most, Window, queue:in(Request, Open), Count + 1, End)
    end.

wait(Open) ->
    {{value, {Payload, Request}}, Rest} = queue:out(Open),
    {reply, Answer} = gen_server:receive_response(Request, ?TIMEOUT),
    check(answer, Payload, Answer),
    Rest.

drain(Open) ->
    case queue:is_empty(Open) of
        true -> ok;
        false -> drain(wait(Open))
    end.
