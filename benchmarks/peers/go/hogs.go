package main

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

const shortest = 100 * time.Millisecond

// herd is some goroutines that never come back from what they do; each stores how many blocks it
// has finished. A flag that is read once in a block ends them.
type herd struct {
	blocks []int64
	over   int32
}

// newHerd creates all of them before the first begins.
func newHerd(size int) *herd {
	const apart = 8 // a cache line each
	h := &herd{blocks: make([]int64, size*apart)}
	begin := make(chan struct{})
	for i := 0; i < size; i++ {
		go func(counter *int64, x uint64) {
			<-begin
			for finished := int64(1); atomic.LoadInt32(&h.over) == 0; finished++ {
				for round := 0; round < 100; round++ {
					for step := 0; step < 100; step++ {
						x = x*6364136223846793005 + 1442695040888963407
						x ^= x >> 17
					}
				}
				if x == 0 { // keeps the compiler from dropping the loop
					println(x)
				}
				atomic.StoreInt64(counter, finished)
			}
		}(&h.blocks[i*apart], uint64(i+1))
	}
	close(begin)
	return h
}

func (h *herd) finished() []float64 {
	var shares []float64
	for i := 0; i < len(h.blocks); i += 8 {
		shares = append(shares, float64(atomic.LoadInt64(&h.blocks[i])))
	}
	return shares
}

func (h *herd) end() { atomic.StoreInt32(&h.over, 1) }

// hogs measures light goroutines beside a herd; a size of 0 is two for each core.
func hogs(size int) func(order) measurement {
	const (
		lights = 100
		period = 10 * time.Millisecond
	)
	return func(o order) measurement {
		if size == 0 {
			size = 2 * runtime.NumCPU()
		}
		total := o.scaledTime(10*time.Second, shortest)
		warmUp := o.scaledTime(time.Second, period)
		t := newTicks(lights, int((total+warmUp)/period)+1)
		t.drive(warmUp, period, false)
		h := newHerd(size)
		time.Sleep(o.scaledTime(500*time.Millisecond, shortest))
		t.drive(total, period, true)
		m := t.result()
		ran := 0
		for _, share := range h.finished() {
			if share > 0 {
				ran++
			}
		}
		h.end()
		for _, mailbox := range t.mailboxes {
			close(mailbox)
		}
		return m.with("hogs", float64(size)).with("hogs_that_ran", float64(ran))
	}
}

func hogFairness(o order) measurement {
	const size = 8
	h := newHerd(size)
	time.Sleep(o.scaledTime(5*time.Second, shortest))
	shares := h.finished()
	h.end()
	sum, squares, least, most := 0.0, 0.0, shares[0], shares[0]
	for _, share := range shares {
		sum += share
		squares += share * share
		least = math.Min(least, share)
		most = math.Max(most, share)
	}
	return measurement{n: size, value: sum * sum / (size * squares)}.
		with("min_over_max", least/most).
		with("blocks", sum)
}

// longRun sends a ping every millisecond beside one long computation.
func longRun(compute func(size int) int, usual int) func(order) measurement {
	const period = time.Millisecond
	return func(o order) measurement {
		t := newTicks(1, 1_000_000)
		computed := make(chan int, 1)
		start := time.Now()
		go func() { computed <- compute(o.scaled(usual, 1_000)) }()
		for round := 0; round == 0 || len(computed) == 0; round++ {
			intended := start.Add(time.Duration(round) * period)
			time.Sleep(time.Until(intended))
			t.sent++
			t.mailboxes[0] <- tick{true, intended, time.Now()}
		}
		handled, ran := t.handled(), time.Since(start)
		if <-computed == 0 {
			panic("the computation came to nothing")
		}
		m := t.result()
		close(t.mailboxes[0])
		return m.with("handled_meanwhile", float64(handled)).with("run_ms", float64(ran)/1e6)
	}
}

func longLoop(rounds int) int {
	sum := 0
	for i := 0; i < rounds; i++ {
		sum += i & 7
	}
	return sum
}

func longPrimes(limit int) int {
	primes := 0
	for n := 2; n < limit; n++ {
		divisor := 2
		for divisor*divisor <= n && n%divisor != 0 {
			divisor++
		}
		if divisor*divisor > n {
			primes++
		}
	}
	return primes
}
