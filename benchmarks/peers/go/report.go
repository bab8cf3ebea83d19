package main

import (
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"
)

// measurement is one repetition; details are fields of JSON, ready to print.
type measurement struct {
	n       int
	value   float64
	details []string
}

func perSecond(n, operations int, start time.Time) measurement {
	return measurement{n: n, value: float64(operations) / time.Since(start).Seconds()}
}

func millis(n int, start time.Time) measurement {
	return measurement{n: n, value: float64(time.Since(start)) / 1e6}
}

func (m measurement) with(name string, value float64) measurement {
	m.details = append(m.details, strconv.Quote(name)+":"+number(value))
	return m
}

func (m measurement) withWord(name, word string) measurement {
	m.details = append(m.details, strconv.Quote(name)+":"+strconv.Quote(word))
	return m
}

// withLatencies adds percentiles of durations in nanoseconds.
func (m measurement) withLatencies(nanos []int64, suffix string) measurement {
	sorted := append([]int64(nil), nanos...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	for _, p := range []struct {
		name  string
		share float64
	}{{"p50", .5}, {"p99", .99}, {"p999", .999}, {"max", 1}} {
		m = m.with(p.name+suffix, percentile(sorted, p.share))
	}
	return m
}

func percentile(sorted []int64, share float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	place := int(math.Ceil(share*float64(len(sorted)))) - 1
	if place < 0 {
		place = 0
	}
	return float64(sorted[place])
}

func number(value float64) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "null"
	}
	return strconv.FormatFloat(value, 'f', 4, 64)
}

func report(o order, unit string, m measurement) {
	fields := append([]string{
		`"peer":` + strconv.Quote(o.peer),
		`"workload":` + strconv.Quote(o.workload),
		`"n":` + strconv.Itoa(m.n),
		`"value":` + number(m.value),
		`"unit":` + strconv.Quote(unit),
	}, m.details...)
	fmt.Println("{" + strings.Join(fields, ",") + "}")
}

func fail(o order, reason string) {
	fmt.Printf("{\"peer\":%q,\"workload\":%q,\"failed\":%q}\n", o.peer, o.workload, reason)
	os.Exit(1)
}

// check ends the repetition unless the work was really done.
func check(what string, expected, actual int) {
	if expected != actual {
		panic(fmt.Sprintf("%s: expected %d, got %d", what, expected, actual))
	}
}
