package main

import (
	"math/rand"
	"time"
)

func branch(parent chan int, first, leaves int) {
	if leaves == 1 {
		parent <- first
		return
	}
	const children = 10
	mailbox := make(chan int, children)
	share := leaves / children
	for i := 0; i < children; i++ {
		go branch(mailbox, first+i*share, share)
	}
	sum := 0
	for i := 0; i < children; i++ {
		sum += <-mailbox
	}
	parent <- sum
}

func skynet(o order) measurement {
	leaves := 1
	for most := o.scaled(1_000_000, 100); leaves <= most/10; {
		leaves *= 10
	}
	top := make(chan int)
	start := time.Now()
	go branch(top, 0, leaves)
	sum := <-top
	m := millis(leaves, start)
	check("sum", leaves*(leaves-1)/2, sum)
	return m
}

type orderKind int

const (
	transfer  orderKind = iota // from the teller: send this amount to partner
	deposit                    // from a source, which is partner: add this amount
	deposited                  // from a destination: done
	closing                    // tell your balance and end
)

type bankMessage struct {
	kind    orderKind
	amount  int
	partner chan bankMessage
}

const openingBalance = 1_000_000_000_000

// stashingAccount puts aside what arrives between a transfer and its confirmation.
func stashingAccount(mailbox chan bankMessage, teller chan struct{}) int {
	balance, waits := openingBalance, false
	var stash []bankMessage
	handle := func(m bankMessage) {
		if m.kind == transfer {
			balance -= m.amount
			waits = true
			m.partner <- bankMessage{deposit, m.amount, mailbox}
		} else {
			balance += m.amount
			m.partner <- bankMessage{kind: deposited}
		}
	}
	for m := range mailbox {
		switch {
		case m.kind == closing:
			return balance
		case m.kind == deposited:
			waits = false
			teller <- struct{}{}
			for !waits && len(stash) > 0 {
				oldest := stash[0]
				stash = stash[1:]
				handle(oldest)
			}
		case waits:
			stash = append(stash, m)
		default:
			handle(m)
		}
	}
	return balance
}

// waitingAccount blocks on a channel of its own until the deposit is confirmed.
func waitingAccount(mailbox chan bankMessage, teller chan struct{}) int {
	balance := openingBalance
	confirmed := make(chan bankMessage, 1)
	for m := range mailbox {
		switch m.kind {
		case transfer:
			balance -= m.amount
			m.partner <- bankMessage{deposit, m.amount, confirmed}
			<-confirmed
			teller <- struct{}{}
		case deposit:
			balance += m.amount
			m.partner <- bankMessage{kind: deposited}
		case closing:
			return balance
		}
	}
	return balance
}

func bank(account func(chan bankMessage, chan struct{}) int) func(order) measurement {
	const accounts = 1_000
	return func(o order) measurement {
		transfers := o.scaled(200_000, accounts)
		teller, balances := make(chan struct{}, transfers), make(chan int, accounts)
		mailboxes := make([]chan bankMessage, accounts)
		for i := range mailboxes {
			// Room for an account's share of transfers, and a deposit from every other.
			mailboxes[i] = make(chan bankMessage, 4*transfers/accounts+2*accounts)
		}
		for i := range mailboxes {
			go func(mailbox chan bankMessage) { balances <- account(mailbox, teller) }(mailboxes[i])
		}
		done := make(chan struct{})
		start := time.Now()
		go func() {
			random := rand.New(rand.NewSource(123_456))
			for i := 0; i < transfers; i++ {
				source := random.Intn(accounts * 8 / 10)
				distance := random.Intn(accounts - source)
				if distance == 0 {
					distance = 1
				}
				mailboxes[source] <- bankMessage{transfer, random.Intn(1_000), mailboxes[source+distance]}
			}
			for i := 0; i < transfers; i++ {
				<-teller
			}
			close(done)
		}()
		<-done
		m := perSecond(transfers, transfers, start)
		money := 0
		for _, mailbox := range mailboxes {
			mailbox <- bankMessage{kind: closing}
		}
		for range mailboxes {
			money += <-balances
		}
		check("money in all accounts", accounts*openingBalance, money)
		return m
	}
}

func philosophers(o order) measurement {
	const seats = 20
	mealsEach := o.scaled(10_000, 10)
	type note struct {
		seat int
		fed  bool
	}
	arbiter, done := make(chan note, 4*seats), make(chan int)
	mailboxes := make([]chan bool, seats)
	for i := range mailboxes {
		mailboxes[i] = make(chan bool, 4)
	}
	go func() {
		var taken [seats]bool
		denied := 0
		for left := seats * mealsEach; left > 0; {
			n := <-arbiter
			right := (n.seat + 1) % seats
			switch {
			case n.fed:
				if !taken[n.seat] || !taken[right] {
					panic("a philosopher ate without forks")
				}
				taken[n.seat], taken[right] = false, false
				left--
			case taken[n.seat] || taken[right]:
				denied++
				mailboxes[n.seat] <- false
			default:
				taken[n.seat], taken[right] = true, true
				mailboxes[n.seat] <- true
			}
		}
		done <- denied
	}()
	start := time.Now()
	for i := range mailboxes {
		go func(seat int) {
			arbiter <- note{seat, false}
			for left := mealsEach; left > 0; {
				if <-mailboxes[seat] {
					arbiter <- note{seat, true}
					if left--; left == 0 {
						return
					}
				}
				arbiter <- note{seat, false}
			}
		}(i)
	}
	denied := <-done
	return perSecond(seats*mealsEach, seats*mealsEach, start).with("denied", float64(denied))
}

const endOfNumbers = -1

// filter keeps the first number it gets, which is a prime, and lets through what it does not divide.
func filter(mailbox chan int, primes chan int, before int) {
	prime := <-mailbox
	var next chan int
	for n := range mailbox {
		if n == endOfNumbers {
			if next == nil {
				primes <- before + 1
			} else {
				next <- n
			}
			return
		}
		if n%prime != 0 {
			if next == nil {
				next = make(chan int, wide)
				go filter(next, primes, before+1)
			}
			next <- n
		}
	}
}

func sieve(o order) measurement {
	numbers := o.scaled(20_000, 200)
	first, primes := make(chan int, wide), make(chan int)
	start := time.Now()
	go filter(first, primes, 0)
	go func() {
		for n := 2; n <= numbers; n++ {
			first <- n
		}
		first <- endOfNumbers
	}()
	found := <-primes
	m := millis(numbers, start).with("primes", float64(found))
	check("primes", countPrimes(numbers), found)
	return m
}

func countPrimes(upTo int) int {
	composite := make([]bool, upTo+1)
	count := 0
	for n := 2; n <= upTo; n++ {
		if composite[n] {
			continue
		}
		count++
		for k := n * n; k <= upTo; k += n {
			composite[k] = true
		}
	}
	return count
}
