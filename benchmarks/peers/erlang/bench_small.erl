%% Small programs: a tree of sums, a bank, philosophers, a sieve.
-module(bench_small).
-export([skynet/1, bank/1, philosophers/1, sieve/1]).
-import(bench_report, [now_ns/0, per_second/3, millis/2, check/3, scaled/3]).

skynet(Order) ->
    Leaves = whole_tree(1, scaled(1_000_000, 100, Order)),
    Me = self(),
    Start = now_ns(),
    spawn_link(fun() -> branch(Me, 0, Leaves) end),
    Sum = receive {sum, S} -> S end,
    Result = millis(Leaves, Start),
    check(sum, Leaves * (Leaves - 1) div 2, Sum),
    Result.

%% The largest power of ten that is not larger.
whole_tree(Leaves, Most) when Leaves * 10 > Most -> Leaves;
whole_tree(Leaves, Most) -> whole_tree(Leaves * 10, Most).

branch(Parent, First, 1) -> Parent ! {sum, First};
branch(Parent, First, Leaves) ->
    Me = self(),
    Share = Leaves div 10,
    [spawn(fun() -> branch(Me, First + I * Share, Share) end) || I <- lists:seq(0, 9)],
    Parent ! {sum, lists:sum([receive {sum, S} -> S end || _ <- lists:seq(0, 9)])}.

%% A source waits for its own confirmation by a fresh reference: that is how Erlang programs hold
%% everything else back, and what its selective receive finds without searching the mailbox.
bank(Order) ->
    Accounts = 1_000,
    Opening = 1_000_000_000_000,
    Transfers = scaled(200_000, Accounts, Order),
    Me = self(),
    Teller = spawn_link(fun() ->
        receive {accounts, All} ->
            rand:seed(exsss, 123_456),
            order(All, Accounts, Transfers),
            [receive done -> ok end || _ <- lists:seq(1, Transfers)],
            Me ! done
        end
    end),
    All = [spawn_link(fun() -> account(Teller, Opening) end) || _ <- lists:seq(1, Accounts)],
    Start = now_ns(),
    Teller ! {accounts, list_to_tuple(All)},
    receive done -> ok end,
    Result = per_second(Transfers, Transfers, Start),
    [P ! {close, Me} || P <- All],
    Money = lists:sum([receive {balance, Balance} -> Balance end || _ <- All]),
    check(money_in_all_accounts, Accounts * Opening, Money),
    Result.

order(_, _, 0) -> ok;
order(All, Accounts, Left) ->
    Source = rand:uniform(Accounts * 8 div 10) - 1,
    Destination = Source + max(1, rand:uniform(Accounts - Source) - 1),
    element(Source + 1, All) ! {transfer, rand:uniform(1_000) - 1, element(Destination + 1, All)},
    order(All, Accounts, Left - 1).

account(Teller, Balance) ->
    receive
        {transfer, Amount, Destination} ->
            Reference = make_ref(),
            Destination ! {deposit, Amount, self(), Reference},
            receive {deposited, Reference} -> Teller ! done end,
            account(Teller, Balance - Amount);
        {deposit, Amount, Source, Reference} ->
            Source ! {deposited, Reference},
            account(Teller, Balance + Amount);
        {close, Boss} -> Boss ! {balance, Balance}
    end.

philosophers(Order) ->
    Seats = 20,
    MealsEach = scaled(10_000, 10, Order),
    Meals = Seats * MealsEach,
    Me = self(),
    Arbiter = spawn_link(fun() -> arbiter(#{}, Seats, Meals, 0, Me) end),
    Start = now_ns(),
    [spawn_link(fun() -> philosopher(Arbiter, Seat, MealsEach) end)
     || Seat <- lists:seq(0, Seats - 1)],
    Denied = receive {denied, D} -> D end,
    {N, Value, _} = per_second(Meals, Meals, Start),
    {N, Value, [{"denied", Denied}]}.

arbiter(_, _, 0, Denied, Boss) -> Boss ! {denied, Denied};
arbiter(Taken, Seats, Left, Denied, Boss) ->
    receive
        {hungry, Philosopher, Seat} ->
            Right = (Seat + 1) rem Seats,
            case Taken of
                #{Seat := _} -> Philosopher ! denied, arbiter(Taken, Seats, Left, Denied + 1, Boss);
                #{Right := _} -> Philosopher ! denied, arbiter(Taken, Seats, Left, Denied + 1, Boss);
                _ ->
                    Philosopher ! eat,
                    arbiter(Taken#{Seat => taken, Right => taken}, Seats, Left, Denied, Boss)
            end;
        {fed, Seat} ->
            {taken, Rest} = maps:take(Seat, Taken),
            {taken, Free} = maps:take((Seat + 1) rem Seats, Rest),
            arbiter(Free, Seats, Left - 1, Denied, Boss)
    end.

philosopher(_, _, 0) -> ok;
philosopher(Arbiter, Seat, Left) ->
    Arbiter ! {hungry, self(), Seat},
    receive
        denied -> philosopher(Arbiter, Seat, Left);
        eat -> Arbiter ! {fed, Seat}, philosopher(Arbiter, Seat, Left - 1)
    end.

sieve(Order) ->
    Numbers = scaled(20_000, 200, Order),
    Me = self(),
    Start = now_ns(),
    First = spawn_link(fun() -> first_number(0, Me) end),
    spawn_link(fun() -> [First ! N || N <- lists:seq(2, Numbers)], First ! stop end),
    Found = receive {primes, P} -> P end,
    {N, Value, _} = millis(Numbers, Start),
    Primes = length([C || C <- lists:seq(2, Numbers), is_prime(C, 2)]),
    check(primes, Primes, Found),
    {N, Value, [{"primes", Found}]}.

first_number(Before, Boss) ->
    receive Prime -> filter(Prime, none, Before + 1, Boss) end.

filter(Prime, Next, Count, Boss) ->
    receive
        stop when Next =:= none -> Boss ! {primes, Count};
        stop -> Next ! stop;
        N when N rem Prime =:= 0 -> filter(Prime, Next, Count, Boss);
        N when Next =:= none ->
            New = spawn_link(fun() -> first_number(Count, Boss) end),
            New ! N,
            filter(Prime, New, Count, Boss);
        N -> Next ! N, filter(Prime, Next, Count, Boss)
    end.

is_prime(N, D) when D * D > N -> true;
is_prime(N, D) when N rem D =:= 0 -> false;
is_prime(N, D) -> is_prime(N, D + 1).
