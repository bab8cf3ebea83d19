package main

import (
	"math"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

type tick struct {
	counts         bool
	intended, sent time.Time
}

// ticks sends to light actors at regular times; they note how late each tick is. It never skips.
type ticks struct {
	mailboxes              []chan tick
	lock                   sync.Mutex
	fromSent, fromIntended []int64
	sent                   int
}

func newTicks(lights, most int) *ticks {
	t := &ticks{}
	for i := 0; i < lights; i++ {
		mailbox := make(chan tick, most)
		t.mailboxes = append(t.mailboxes, mailbox)
		go func() {
			for k := range mailbox {
				now := time.Now()
				if k.counts {
					t.lock.Lock()
					t.fromSent = append(t.fromSent, int64(now.Sub(k.sent)))
					t.fromIntended = append(t.fromIntended, int64(now.Sub(k.intended)))
					t.lock.Unlock()
				}
			}
		}()
	}
	return t
}

func (t *ticks) drive(total, period time.Duration, counts bool) {
	start := time.Now()
	for round := 0; round < int(total/period); round++ {
		intended := start.Add(time.Duration(round) * period)
		time.Sleep(time.Until(intended))
		for _, mailbox := range t.mailboxes {
			if counts {
				t.sent++
			}
			mailbox <- tick{counts, intended, time.Now()}
		}
	}
}

func (t *ticks) handled() int {
	t.lock.Lock()
	defer t.lock.Unlock()
	return len(t.fromSent)
}

func (t *ticks) result() measurement {
	for end := time.Now().Add(2 * time.Second); t.handled() < t.sent && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	sorted := append([]int64(nil), t.fromSent...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	return measurement{n: t.sent, value: percentile(sorted, .99)}.
		withLatencies(t.fromSent, "").
		withLatencies(t.fromIntended, "_intended").
		with("unhandled", float64(t.sent-len(t.fromSent)))
}

func flood(actors int) func(order) measurement {
	const (
		lights  = 7
		period  = 10 * time.Millisecond
		message = 5 * time.Microsecond
	)
	return func(o order) measurement {
		total := o.scaledTime(5*time.Second, 2*period)
		warmUp := o.scaledTime(time.Second, period)
		t := newTicks(lights, int((total+warmUp)/period)+1)
		t.drive(warmUp, period, false)

		coresEach := math.Min(float64(runtime.NumCPU()), float64(actors)) / float64(actors)
		each := int(1.2 * float64(total) * coresEach / float64(message))
		var worked, over int64
		mailboxes := make([]chan struct{}, actors)
		for i := range mailboxes {
			mailbox := make(chan struct{}, each)
			mailboxes[i] = mailbox
			for k := 0; k < each; k++ {
				mailbox <- struct{}{}
			}
		}
		for _, mailbox := range mailboxes {
			go func(mailbox chan struct{}) {
				for range mailbox {
					if atomic.LoadInt64(&over) == 0 {
						for begin := time.Now(); time.Since(begin) < message; {
						}
						atomic.AddInt64(&worked, 1)
					}
				}
			}(mailbox)
		}
		start := time.Now()
		t.drive(total, period, true)
		rate := float64(atomic.LoadInt64(&worked)) / time.Since(start).Seconds()
		atomic.StoreInt64(&over, 1)
		m := t.result().with("busy", float64(actors)).with("flood_msgs_per_s", rate)
		for _, mailbox := range mailboxes {
			close(mailbox)
		}
		for _, mailbox := range t.mailboxes {
			close(mailbox)
		}
		return m
	}
}
