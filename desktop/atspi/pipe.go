package atspi

import (
	"context"
	"errors"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
)

// pipe sends calls without waiting for the answers of the calls before: a
// round trip costs the application a turn of its loop, and most turns can
// answer many calls. Answers are handled by the goroutine that calls run, so
// their handlers need no lock, and may send further calls.
type pipe struct {
	bus      *Bus
	ctx      context.Context
	inFlight int

	// queue and urgent are what is not sent yet, from their heads on; urgent goes first.
	queue, urgent queue

	waiting map[*dbus.Call]func([]any, error)
	done    chan *dbus.Call
	sent    int
	// answered counts answers that the application gave, errors included: none
	// at all means that it is silent.
	answered int
}

// queue is a list of calls that is taken from the front.
type queue struct {
	calls []call
	head  int
}

func (q *queue) empty() bool { return q.head == len(q.calls) }

func (q *queue) push(c call) { q.calls = append(q.calls, c) }

func (q *queue) pop() call {
	c := q.calls[q.head]
	q.calls[q.head] = call{}
	q.head++
	if q.empty() {
		q.calls, q.head = q.calls[:0], 0
	}
	return c
}

type call struct {
	to     ref
	method string
	args   []any
	then   func(body []any, err error)
}

func newPipe(ctx context.Context, b *Bus) *pipe {
	n := b.limits.InFlight
	return &pipe{
		bus: b, ctx: ctx, inFlight: n,
		waiting: make(map[*dbus.Call]func([]any, error), n),
		// The reader of the bus must never block on it: one place for each call in flight.
		done: make(chan *dbus.Call, n),
	}
}

// send queues a call. then runs within run, with the answer or an error; once the
// context has ended it is not called any more.
func (p *pipe) send(to ref, method string, then func(body []any, err error), args ...any) {
	p.queue.push(call{to, method, args, then})
}

// hasten moves what do queues before everything else, so that what is begun is
// finished before more is begun.
func (p *pipe) hasten(do func()) {
	before := len(p.queue.calls)
	do()
	for _, c := range p.queue.calls[before:] {
		p.urgent.push(c)
	}
	clear(p.queue.calls[before:])
	p.queue.calls = p.queue.calls[:before]
}

// get queues the reading of a property.
func (p *pipe) get(to ref, iface, property string, then func(v any, err error)) {
	p.send(to, properties+".Get", func(body []any, err error) {
		v, _ := first(body).(dbus.Variant)
		then(v.Value(), err)
	}, iface, property)
}

// run sends what is queued and handles the answers until none is left or the
// context ends. It returns nil, the context's error, or the bus's.
func (p *pipe) run() error {
	for {
		for len(p.waiting) < p.inFlight && p.ctx.Err() == nil && !(p.urgent.empty() && p.queue.empty()) {
			p.issue()
		}
		if len(p.waiting) == 0 {
			p.queue, p.urgent = queue{}, queue{}
			return p.ctx.Err()
		}
		c := <-p.done // every call ends, at the latest when the context does
		then := p.waiting[c]
		delete(p.waiting, c)
		if errors.Is(c.Err, context.DeadlineExceeded) || errors.Is(c.Err, context.Canceled) {
			continue
		}
		if c.Err != nil && p.bus.closed() {
			return desktop.ErrDisconnected
		}
		p.answered++
		then(c.Body, c.Err)
	}
}

func (p *pipe) issue() {
	q := &p.urgent
	if q.empty() {
		q = &p.queue
	}
	next := q.pop()
	c := p.bus.conn.Object(next.to.bus, dbus.ObjectPath(next.to.path)).GoWithContext(p.ctx, next.method, 0, p.done, next.args...)
	p.waiting[c] = next.then
	p.sent++
}
