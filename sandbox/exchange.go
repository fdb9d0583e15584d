package sandbox

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const (
	// grace is how long a guest may go on after its caller has given up, so
	// that it can end in order, before its runner is killed.
	grace = 200 * time.Millisecond
	// endLimit is how long a runner may take to end after it closed its pipe.
	endLimit = time.Second
	// memoryLook is how often a running guest's memory is looked at.
	memoryLook = 50 * time.Millisecond
)

// endedError says that a runner ended under a call that was not the cause.
type endedError struct {
	cause error
	// outside is set if somebody else killed it, such as a person or a kernel
	// short of memory: that is no failure of the adapter.
	outside bool
}

func (e *endedError) Error() string { return "the runner ended: " + e.cause.Error() }
func (e *endedError) Unwrap() error { return e.cause }

// limitError says which limit a guest went over.
type limitError struct{ limit string }

func (e *limitError) Error() string { return e.limit }

// trapError is a trap as an error.
type trapError struct{ trap }

func (e *trapError) Error() string { return e.Message }

// exchange is one call to a runner.
type exchange struct {
	slot   int
	kind   kind
	input  []byte
	limit  time.Duration // of the guest's own time
	spent  time.Duration // what of it is gone already
	total  time.Duration // of all time, host calls included
	memory int64         // of the whole runner's anonymous memory, bytes
	calls  int           // host calls
	// host carries out a host call and returns its reply. It must return when
	// its context ends. nil allows none.
	host func(ctx context.Context, fn uint16, request []byte) []byte
	// background runs a host call and waits for it at some later time.
	background func(func())
}

// call carries out x and returns the runner's output. On any error but a
// trapError the runner has been ended, or ended by itself.
func (p *process) call(ctx context.Context, x exchange) ([]byte, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, x.total)
	defer cancel()
	c := conversation{p: p, x: x, outer: outer, budget: max(x.limit-x.spent, time.Millisecond), replies: make(chan []byte, 1)}
	c.id = p.calls.Add(1)<<1 | uint32(x.slot)
	c.timer, c.look = time.NewTimer(c.budget), time.NewTimer(memoryLook)
	defer c.timer.Stop()
	defer c.look.Stop()
	c.began = time.Now()
	if err := c.send(x.kind, x.input); err != nil {
		return nil, err
	}
	gone := ctx.Done()
	for {
		select {
		case f := <-p.answers[x.slot]:
			if out, done, err := c.answer(ctx, f); done {
				return out, err
			}
		case reply := <-c.replies:
			c.waiting = false
			c.resume()
			if err := c.send(kindReply, reply); err != nil {
				return nil, err
			}
		case <-c.timer.C:
			return nil, c.late()
		case <-c.look.C:
			if used := anonymousMemory(p.cmd.Process.Pid); used > x.memory {
				return nil, c.stop(&limitError{fmt.Sprintf("it made its runner use %d MB of memory; the limit is %d MB", used>>20, x.memory>>20)})
			}
			c.look.Reset(memoryLook)
		case <-gone:
			gone = nil
			c.giveUp()
		case <-p.done:
			select {
			case f := <-p.answers[x.slot]: // its last word
				if out, done, err := c.answer(ctx, f); done {
					return out, err
				}
			default:
			}
			return nil, p.ended()
		}
	}
}

// conversation is the state of a call under way. Its clock runs only while the
// guest does.
type conversation struct {
	p       *process
	x       exchange
	id      uint32
	outer   context.Context // the caller's, to tell its end from the total's
	timer   *time.Timer     // ends what is left of budget
	look    *time.Timer
	budget  time.Duration
	began   time.Time // when the guest's clock was last started
	replies chan []byte
	waiting bool // a host call is being carried out
	over    bool // the caller has given up
	n       int  // host calls so far
}

// alwaysFits is a payload that the pipe takes without being read: each of the
// two instances has at most one frame under way, and a pipe holds 64 KB or more.
const alwaysFits = 16 << 10

// send writes a frame. A runner that does not read is ended by the guest's
// clock, which unblocks the write.
func (c *conversation) send(k kind, payload []byte) error {
	inTime := func() bool { return true }
	if len(payload) > alwaysFits {
		inTime = time.AfterFunc(c.budget, func() { c.p.kill(c.tooLong()) }).Stop
	}
	err := c.p.out.write(k, c.id, payload)
	if !inTime() {
		c.p.end(c.tooLong())
		return c.tooLong()
	}
	if err == nil {
		return nil
	}
	// A pipe that nobody reads any more is mostly that of a process that is
	// ending, and says why itself.
	select {
	case <-c.p.done:
	case <-time.After(endLimit):
		c.p.end(fmt.Errorf("writing to the runner: %w", err))
	}
	return c.p.ended()
}

// answer deals with a frame; done says that the call is over.
func (c *conversation) answer(ctx context.Context, f frame) (out []byte, done bool, err error) {
	switch {
	case f.call != c.id:
		return nil, true, c.stop(fmt.Errorf("the runner answered call %d instead of %d", f.call, c.id))
	case f.kind == kindResult || f.kind == kindReady:
		return f.payload, true, nil
	case f.kind == kindTrap:
		var t trapError
		if err := json.Unmarshal(f.payload, &t.trap); err != nil {
			return nil, true, c.stop(fmt.Errorf("reading the runner's trap: %w", err))
		}
		return nil, true, &t
	case f.kind == kindHostCall && len(f.payload) >= 2 && c.x.host != nil:
		return nil, c.hostCall(ctx, f.payload), c.err()
	default:
		return nil, true, c.stop(fmt.Errorf("the runner sent a frame of kind %d", f.kind))
	}
}

// hostCall has the host carry out a function meanwhile. It reports whether that
// ended the call.
func (c *conversation) hostCall(ctx context.Context, payload []byte) (ended bool) {
	if c.n++; c.n > c.x.calls {
		c.p.end(&limitError{fmt.Sprintf("it called host functions more than %d times", c.x.calls)})
		return true
	}
	c.timer.Stop()
	c.budget -= time.Since(c.began)
	c.waiting = true
	if c.over {
		c.timer.Reset(grace)
	}
	c.x.background(func() {
		c.replies <- c.x.host(ctx, binary.LittleEndian.Uint16(payload), payload[2:])
	})
	return false
}

// err is the reason that the process was ended for, nil if it was not.
func (c *conversation) err() error {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	return c.p.cause
}

// resume starts the guest's clock again.
func (c *conversation) resume() {
	c.began = time.Now()
	left := max(c.budget, time.Millisecond)
	if c.over {
		left = min(left, grace)
	}
	c.timer.Reset(left)
}

// giveUp gives the guest and a host call under way a little time to end.
func (c *conversation) giveUp() {
	c.over = true
	left := grace
	if !c.waiting {
		left = min(left, c.budget-time.Since(c.began))
	}
	c.timer.Reset(max(left, time.Millisecond))
}

func (c *conversation) tooLong() error {
	return &limitError{fmt.Sprintf("it took longer than %v", c.x.limit)}
}

// late ends a call whose time is over and says whose time it was.
func (c *conversation) late() error {
	switch {
	case c.outer.Err() != nil:
		c.p.end(errors.New("a call was given up by its caller"))
		return c.outer.Err()
	case c.over:
		return c.stop(&limitError{fmt.Sprintf("it took longer than %v, host functions included", c.x.total)})
	default:
		return c.stop(c.tooLong())
	}
}

// stop ends the process for cause and returns it.
func (c *conversation) stop(cause error) error {
	c.p.end(cause)
	return cause
}
