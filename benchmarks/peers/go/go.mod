module turnwise.io/bench

go 1.19
