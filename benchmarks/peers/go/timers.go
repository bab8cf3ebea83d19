package main

import (
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// timersChurn schedules timers one to two minutes ahead, then stops them all.
func timersChurn(o order) measurement {
	timers := o.scaled(1_000_000, 1_000)
	nearest := 60 * time.Second
	step := nearest / time.Duration(timers)
	var called int64
	callback := func() { atomic.AddInt64(&called, 1) }
	handles := make([]*time.Timer, timers)
	start := time.Now()
	for i := range handles {
		handles[i] = time.AfterFunc(nearest+time.Duration(i)*step, callback)
	}
	scheduled := time.Now()
	for _, handle := range handles {
		handle.Stop()
	}
	end := time.Now()
	if called != 0 {
		panic("a timer came that was stopped")
	}
	rate := func(operations int, took time.Duration) float64 {
		return float64(operations) / took.Seconds()
	}
	return measurement{n: timers, value: rate(2*timers, end.Sub(start))}.
		with("schedule_per_s", rate(timers, scheduled.Sub(start))).
		with("cancel_per_s", rate(timers, end.Sub(scheduled)))
}

// timersAccuracy notes how long after its time each of many timers calls back.
func timersAccuracy(o order) measurement {
	timers := o.scaled(10_000, 50)
	step := 200 * time.Microsecond
	late := make([]int64, timers)
	var done sync.WaitGroup
	done.Add(timers)
	for i := range late {
		i := i
		delay := time.Duration(i) * step
		due := time.Now().Add(delay)
		time.AfterFunc(delay, func() {
			late[i] = int64(time.Since(due))
			done.Done()
		})
	}
	done.Wait()
	early := 0
	for i := range late {
		if late[i] < 0 {
			early++
			late[i] = 0
		}
	}
	sort.Slice(late, func(i, j int) bool { return late[i] < late[j] })
	return measurement{n: timers, value: percentile(late, .99)}.
		with("early", float64(early)).
		withLatencies(late, "")
}
