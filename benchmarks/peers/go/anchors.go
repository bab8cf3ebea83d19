package main

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// The programs by which Erlang and Go test their own fairness.

func busy(o order) measurement {
	size := o.scaled(500, 4)
	h := newHerd(2 * size)
	time.Sleep(o.scaledTime(2*time.Second, shortest))
	before := h.finished()
	time.Sleep(o.scaledTime(10*time.Second, shortest))
	shares := h.finished()
	for i := range shares {
		shares[i] -= before[i]
	}
	h.end()
	ran := 0
	for _, share := range shares {
		if share > 0 {
			ran++
		}
	}
	worst := math.Min(worstOverMean(shares[:size]), worstOverMean(shares[size:]))
	return measurement{n: 2 * size, value: worst}.with("hogs_that_ran", float64(ran))
}

func worstOverMean(shares []float64) float64 {
	sum, worst := 0.0, shares[0]
	for _, share := range shares {
		sum += share
		worst = math.Min(worst, share)
	}
	if sum == 0 {
		return 0
	}
	return worst * float64(len(shares)) / sum
}

// token is handed on by loops that spin; 0 of them is one for each core.
func token(loops int) func(order) measurement {
	return func(o order) measurement {
		spinners := loops
		if spinners == 0 {
			spinners = runtime.NumCPU()
		}
		handOvers := o.scaled(50, 1) * spinners
		var at int64
		var all sync.WaitGroup
		start := time.Now()
		for place := 0; place < spinners; place++ {
			all.Add(1)
			go func(place int) {
				defer all.Done()
				for {
					now := int(atomic.LoadInt64(&at))
					if now >= handOvers {
						return
					}
					if now%spinners == place {
						atomic.StoreInt64(&at, int64(now+1))
					}
				}
			}(place)
		}
		all.Wait()
		each := float64(time.Since(start)) / 1e6 / float64(handOvers)
		return measurement{n: handOvers, value: each}.with("unhandled", 0)
	}
}

// timerInAFlood is how late a timer is seen while two senders flood a channel.
func timerInAFlood(o order) measurement {
	flood, over := make(chan int, 100), make(chan struct{})
	for i := 0; i < 2; i++ {
		go func() {
			for {
				select {
				case flood <- 1:
				case <-over:
					return
				}
			}
		}()
	}
	due := time.Now().Add(20 * time.Millisecond)
	timer := time.After(20 * time.Millisecond)
	for {
		select {
		case <-flood:
		case <-timer:
			late := time.Since(due)
			close(over)
			return measurement{n: 1, value: float64(late) / 1e6}.with("unhandled", 0)
		}
	}
}

// pingPongHog has a pair that counts to a million a turn, and one that counts to a thousand.
func pingPongHog(o order) measurement {
	var hogs, lights int64
	over := make(chan struct{})
	pair(&hogs, 1_000_000, over)
	pair(&lights, 1_000, over)
	time.Sleep(o.scaledTime(500*time.Millisecond, shortest))
	hogs0, lights0 := atomic.LoadInt64(&hogs), atomic.LoadInt64(&lights)
	time.Sleep(o.scaledTime(time.Second, shortest))
	ofHogs := math.Max(1, float64(atomic.LoadInt64(&hogs)-hogs0))
	ofLights := math.Max(1, float64(atomic.LoadInt64(&lights)-lights0))
	close(over)
	apart := math.Max(ofHogs, ofLights) / math.Min(ofHogs, ofLights)
	return measurement{n: int(ofHogs + ofLights), value: apart}.
		with("hogs_counted", ofHogs).
		with("lights_counted", ofLights)
}

func pair(total *int64, countsTo int, over chan struct{}) {
	one, other := make(chan struct{}, 1), make(chan struct{}, 1)
	play := func(mine, partners chan struct{}) {
		for {
			select {
			case <-mine:
			case <-over:
				return
			}
			for i := 0; i < countsTo; i++ {
				atomic.AddInt64(total, 1)
			}
			partners <- struct{}{}
		}
	}
	go play(one, other)
	go play(other, one)
	one <- struct{}{}
}
