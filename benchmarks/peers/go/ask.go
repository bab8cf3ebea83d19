package main

import "time"

type request struct {
	payload int
	reply   chan int
}

func echo(requests chan request) {
	for r := range requests {
		r.reply <- r.payload
	}
}

// ask keeps up to window questions open, each with a reply channel of its own, and always waits for
// the oldest.
func ask(window int) func(order) measurement {
	return func(o order) measurement {
		questions := o.scaled(1_000_000, 10*window)
		server := make(chan request, wide)
		go echo(server)
		asked := make(chan int)
		start := time.Now()
		go func() {
			open := make([]chan int, window)
			n := 0
			for ; n < questions; n++ {
				if n%1024 == 0 && time.Since(start) > 5*time.Second {
					break
				}
				slot := n % window
				if open[slot] != nil {
					check("answer", n-window, <-open[slot])
				}
				open[slot] = make(chan int, 1)
				server <- request{n, open[slot]}
			}
			for slot := range open {
				if open[slot] != nil {
					<-open[slot]
				}
			}
			asked <- n
		}()
		n := <-asked
		m := perSecond(n, n, start)
		close(server)
		return m
	}
}
