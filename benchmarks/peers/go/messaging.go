package main

import "time"

const (
	narrow = 16   // a mailbox where one message is in flight
	wide   = 1024 // any other
)

func pingPong(o order) measurement {
	rounds := o.scaled(2_000_000, 100)
	toPing, toPong := make(chan struct{}, narrow), make(chan struct{}, narrow)
	pongSaw, pingSaw := make(chan int), make(chan int)
	go func() {
		seen := 0
		for range toPong {
			seen++
			toPing <- struct{}{}
		}
		pongSaw <- seen
	}()
	start := time.Now()
	go func() {
		seen := 0
		for seen < rounds {
			toPong <- struct{}{}
			<-toPing
			seen++
		}
		pingSaw <- seen
	}()
	seen := <-pingSaw
	m := perSecond(rounds, 2*rounds, start)
	close(toPong)
	check("messages that ping received", rounds, seen)
	check("messages that pong received", rounds, <-pongSaw)
	return m
}

func ring(o order) measurement {
	const nodes = 1_000
	hops := o.scaled(2_000_000, 2*nodes+1)
	mailboxes := make([]chan int, nodes)
	for i := range mailboxes {
		mailboxes[i] = make(chan int, narrow)
	}
	endedAt := make(chan int, 1)
	for i := range mailboxes {
		go func(place int) {
			next := mailboxes[(place+1)%nodes]
			for left := range mailboxes[place] {
				if left == 0 {
					endedAt <- place
				} else {
					next <- left - 1
				}
			}
		}(i)
	}
	start := time.Now()
	mailboxes[0] <- hops
	place := <-endedAt
	m := perSecond(hops, hops, start)
	check("place where the token ended", hops%nodes, place)
	for _, mailbox := range mailboxes {
		close(mailbox)
	}
	return m
}

func fanIn(producers int) func(order) measurement {
	return func(o order) measurement {
		each := o.scaled(10_000_000, 10*producers) / producers
		mailbox, done := make(chan struct{}, wide), make(chan struct{})
		go func() {
			for left := each * producers; left > 0; left-- {
				<-mailbox
			}
			close(done)
		}()
		start := time.Now()
		for p := 0; p < producers; p++ {
			go func() {
				for i := 0; i < each; i++ {
					mailbox <- struct{}{}
				}
			}()
		}
		<-done
		m := perSecond(each*producers, each*producers, start)
		check("messages left over", 0, len(mailbox))
		return m
	}
}
