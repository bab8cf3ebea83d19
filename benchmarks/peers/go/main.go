// The workloads of the benchmarks on goroutines and buffered channels. A channel is a bounded
// mailbox: small where one message is in flight, large where a small one would deadlock.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// order is what this process is to do; it comes as arguments name=value.
type order struct {
	peer, workload                string
	warmups, reps, scale, workers int
	budget                        time.Duration
}

// scaled divides a size by the scale.
func (o order) scaled(size, atLeast int) int {
	if size/o.scale < atLeast {
		return atLeast
	}
	return size / o.scale
}

// scaledTime divides a duration by the scale.
func (o order) scaledTime(d, atLeast time.Duration) time.Duration {
	if d/time.Duration(o.scale) < atLeast {
		return atLeast
	}
	return d / time.Duration(o.scale)
}

// A workload runs one repetition.
type workload struct {
	unit string
	run  func(o order) measurement
}

var workloads = map[string]workload{
	"pingpong":           {"msgs/s", pingPong},
	"ring":               {"hops/s", ring},
	"fanin-8":            {"msgs/s", fanIn(8)},
	"fanin-64":           {"msgs/s", fanIn(64)},
	"ask-actor-seq":      {"req/s", ask(1)},
	"ask-actor-64":       {"req/s", ask(64)},
	"ask-actor-blocking": {"req/s", ask(1)},
	"spawn":              {"actors/s", spawn},
	"idle-memory":        {"heap bytes/actor", idleMemory},
	"tasks-inside":       {"tasks/s", tasks},
	"cpu-util":           {"tasks/s", cpuUtilisation},
	"hogs":               {"ns", hogs(0)},
	"hogs-64":            {"ns", hogs(64)},
	"hogs-warm":          {"ns", hogs(0)},
	"hogs-64-warm":       {"ns", hogs(64)},
	"long-loop":          {"ns", longRun(longLoop, 1_000_000_000)},
	"long-primes":        {"ns", longRun(longPrimes, 1_000_000)},
	"fairness-hogs":      {"Jain", hogFairness},
	"anchor-erlang-busy": {"worst/mean", busy},
	"anchor-go-token":    {"ms/hand-over", token(2)},
	"anchor-go-parallel": {"ms/hand-over", token(0)},
	"anchor-go-timer":    {"ms", timerInAFlood},
	"anchor-go-hog":      {"times", pingPongHog},
	"fairness-flood1":    {"ns", flood(1)},
	"fairness-flood4":    {"ns", flood(4)},
	"timers-churn":       {"ops/s", timersChurn},
	"timers-accuracy":    {"ns", timersAccuracy},
	"skynet":             {"ms", skynet},
	"bank":               {"tx/s", bank(stashingAccount)},
	"bank-blocking":      {"tx/s", bank(waitingAccount)},
	"philosophers":       {"meals/s", philosophers},
	"sieve":              {"ms", sieve},
	"scaling-1000":       {"ns/msg", scaling(1_000)},
	"scaling-10000":      {"ns/msg", scaling(10_000)},
	"scaling-100000":     {"ns/msg", scaling(100_000)},
	"scaling-1000000":    {"ns/msg", scaling(1_000_000)},
}

func main() {
	o := parse(os.Args[1:])
	if o.workers > 0 {
		runtime.GOMAXPROCS(o.workers)
	}
	w, known := workloads[o.workload]
	if !known {
		fail(o, "go has no "+o.workload)
	}
	defer func() {
		if reason := recover(); reason != nil {
			fail(o, fmt.Sprint(reason))
		}
	}()
	end := time.Now().Add(o.budget)
	spent := false
	for run := 0; run < o.warmups+o.reps && !spent; run++ {
		m := w.run(o)
		spent = time.Now().After(end)
		if run >= o.warmups || spent {
			report(o, w.unit, m)
		}
	}
}

func parse(arguments []string) order {
	values := map[string]string{}
	for _, argument := range arguments {
		name, value, _ := strings.Cut(argument, "=")
		values[name] = value
	}
	number := func(name string) int {
		n, err := strconv.Atoi(values[name])
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s must be a number: %q\n", name, values[name])
			os.Exit(2)
		}
		return n
	}
	return order{
		peer:     values["peer"],
		workload: values["workload"],
		warmups:  number("warmups"),
		reps:     number("reps"),
		scale:    number("scale"),
		workers:  number("workers"),
		budget:   time.Duration(number("budget")) * time.Second,
	}
}
