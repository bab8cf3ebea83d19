package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func spawn(o order) measurement {
	actors := o.scaled(1_000_000, 100)
	nanos := make([]int64, actors)
	left := int64(actors)
	done := make(chan struct{})
	start := time.Now()
	go func() {
		for i := range nanos {
			before := time.Now()
			mailbox := make(chan struct{}, 1)
			go func() {
				<-mailbox
				if atomic.AddInt64(&left, -1) == 0 {
					close(done)
				}
			}()
			nanos[i] = int64(time.Since(before))
			mailbox <- struct{}{}
		}
	}()
	<-done
	return perSecond(actors, actors, start).withLatencies(nanos, "")
}

// footprint is what Go itself counts as in use, and what the system has given.
func footprint(pause time.Duration) (inUse, resident float64) {
	for i := 0; i < 3; i++ {
		debug.FreeOSMemory()
		time.Sleep(pause)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc + stats.StackInuse), residentBytes()
}

func residentBytes() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(status), "\n") {
		if strings.HasPrefix(line, "VmRSS:") {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(line)[1], 64)
			return kilobytes * 1024
		}
	}
	return 0
}

func idleMemory(o order) measurement {
	actors := o.scaled(1_000_000, 1_000)
	pause := o.scaledTime(200*time.Millisecond, 2*time.Millisecond)
	mailboxes := make([]chan struct{}, actors)
	inUseBefore, residentBefore := footprint(pause)
	var handled sync.WaitGroup
	handled.Add(actors)
	start := time.Now()
	for i := range mailboxes {
		mailbox := make(chan struct{}, 1)
		mailboxes[i] = mailbox
		go func() {
			for range mailbox {
				handled.Done()
			}
		}()
		mailbox <- struct{}{}
	}
	handled.Wait()
	built := time.Since(start).Seconds()
	time.Sleep(5 * pause)
	inUse, resident := footprint(pause)
	for _, mailbox := range mailboxes {
		close(mailbox)
	}
	n := float64(actors)
	return measurement{n: actors, value: (inUse - inUseBefore) / n}.
		with("rss_per_actor", (resident-residentBefore)/n).
		with("build_s", built)
}

func tasks(o order) measurement {
	total := o.scaled(10_000_000, 1_000)
	var done int64
	task := func() { atomic.AddInt64(&done, 1) }
	nanos := make([]int64, 0, total/64+1)
	submitted := make(chan struct{})
	start := time.Now()
	go func() {
		for i := 0; i < total; i++ {
			if i%64 == 0 {
				before := time.Now()
				go task()
				nanos = append(nanos, int64(time.Since(before)))
			} else {
				go task()
			}
		}
		close(submitted)
	}()
	<-submitted
	for atomic.LoadInt64(&done) < int64(total) {
		time.Sleep(200 * time.Microsecond)
	}
	m := perSecond(total, total, start).withLatencies(nanos, "")
	check("tasks that ran", total, int(done))
	return m
}

//go:noinline
func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func cpuUtilisation(o order) measurement {
	actors := o.scaled(10_000, 10)
	wrong := int64(0)
	var done sync.WaitGroup
	done.Add(actors)
	cpu, start := cpuTime(), time.Now()
	go func() {
		for i := 0; i < actors; i++ {
			mailbox := make(chan struct{}, 1)
			go func() {
				<-mailbox
				if fibonacci(25) != 75_025 {
					atomic.AddInt64(&wrong, 1)
				}
				done.Done()
			}()
			mailbox <- struct{}{}
		}
	}()
	done.Wait()
	wall := time.Since(start)
	m := perSecond(actors, actors, start)
	check("wrong results", 0, int(wrong))
	workers := "default"
	if o.workers > 0 {
		workers = strconv.Itoa(o.workers)
	}
	return m.
		with("util", float64(cpuTime()-cpu)/(float64(wall)*float64(runtime.NumCPU()))).
		withWord("workers", workers)
}

type wanderer struct {
	state uint64
	left  int
}

// draw takes a linear congruential step; its upper bits choose among bound.
func (w *wanderer) draw(bound int) int {
	w.state = w.state*6364136223846793005 + 1442695040888963407
	return int((w.state >> 32) * uint64(bound) >> 32)
}

func scaling(size int) func(order) measurement {
	const tokens = 1_000
	return func(o order) measurement {
		actors := o.scaled(size, 10)
		hopsEach := o.scaled(5_000_000, 10*tokens) / tokens
		room := narrow
		if actors <= 10_000 {
			room = tokens // all of them may meet in one mailbox
		}
		mailboxes := make([]chan *wanderer, actors)
		for i := range mailboxes {
			mailboxes[i] = make(chan *wanderer, room)
		}
		var done, ready sync.WaitGroup
		done.Add(tokens)
		ready.Add(actors)
		for i := range mailboxes {
			go func(mailbox chan *wanderer) {
				ready.Done()
				for token := range mailbox {
					if token.left--; token.left == 0 {
						done.Done()
					} else {
						mailboxes[token.draw(actors)] <- token
					}
				}
			}(mailboxes[i])
		}
		ready.Wait()
		start := time.Now()
		for seed := 1; seed <= tokens; seed++ {
			token := &wanderer{uint64(seed), hopsEach}
			mailboxes[token.draw(actors)] <- token
		}
		done.Wait()
		took := time.Since(start)
		for _, mailbox := range mailboxes {
			close(mailbox)
		}
		messages := tokens * hopsEach
		return measurement{n: messages, value: float64(took) / float64(messages)}.
			with("actors", float64(actors))
	}
}
