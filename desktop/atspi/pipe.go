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

	queue   []call
	head    int // index of the first call of queue that is not sent
	waiting map[*dbus.Call]func([]any, error)
	done    chan *dbus.Call
	sent    int
	// answered counts answers that the application gave, errors included: none
	// at all means that it is silent.
	answered int
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
	p.queue = append(p.queue, call{to, method, args, then})
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
		for len(p.waiting) < p.inFlight && p.head < len(p.queue) && p.ctx.Err() == nil {
			p.issue()
		}
		if len(p.waiting) == 0 {
			p.queue, p.head = nil, 0
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
	q := p.queue[p.head]
	p.queue[p.head] = call{}
	p.head++
	c := p.bus.conn.Object(q.to.bus, dbus.ObjectPath(q.to.path)).GoWithContext(p.ctx, q.method, 0, p.done, q.args...)
	p.waiting[c] = q.then
	p.sent++
}
