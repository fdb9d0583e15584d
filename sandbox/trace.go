package sandbox

import (
	"context"
	"sync"
	"time"

	"oriel.dev/oriel/hostabi"
)

// Trace is one call of an adapter's function, as it went. Its bytes are those
// that were sent and must not be changed.
type Trace struct {
	Adapter  Ref
	Function string // "translate" or "invoke"
	// Observation is what the adapter was given; Action and Args are those of an
	// invoke.
	Observation  []byte
	Action, Args string
	Began        time.Time
	Took         time.Duration // host functions and the wait for the instance included
	Interpreted  bool          // the runner had no compiled code yet
	HostCalls    []HostCall    // in the order in which they were made
	// Output is the JSON that the adapter returned, before anything was checked;
	// nil if Err is set.
	Output []byte
	Err    error
}

// HostCall is one call of a host function.
type HostCall struct {
	Function       hostabi.Function
	Request, Reply []byte // Reply is nil if Fault is set
	Fault          *hostabi.Fault
	After          time.Duration // since the beginning of the adapter's call
	Took           time.Duration
}

// traced is do, told to Config.Trace.
func (a *adapter) traced(ctx context.Context, x exchange, tries int, t Trace) ([]byte, error) {
	if a.s.cfg.Trace == nil {
		return a.do(ctx, x, tries)
	}
	t.Adapter, t.Function, t.Began = a.ref, functions[x.slot], time.Now()
	var mu sync.Mutex // guards calls: a host call may outlast the adapter's
	var calls []HostCall
	host := x.host
	x.host = func(ctx context.Context, number uint16, request []byte) []byte {
		began := time.Now()
		reply := host(ctx, number, request)
		mu.Lock()
		defer mu.Unlock()
		calls = append(calls, hostCall(number, request, reply, began.Sub(t.Began), time.Since(began)))
		return reply
	}
	t.Output, t.Err = a.do(ctx, x, tries)
	t.Took = time.Since(t.Began)
	a.mu.Lock()
	t.Interpreted = a.p != nil && a.p.interpreted
	a.mu.Unlock()
	mu.Lock()
	t.HostCalls = calls[:len(calls):len(calls)]
	mu.Unlock()
	a.s.cfg.Trace(t)
	return t.Output, t.Err
}

// hostCall describes a host call by the bytes of its reply.
func hostCall(number uint16, request, reply []byte, after, took time.Duration) HostCall {
	c := HostCall{Request: request, After: after, Took: took}
	if int(number) < len(hostabi.Functions) {
		c.Function = hostabi.Functions[number]
	}
	if reply[0] == replyOK {
		c.Reply = reply[1:]
		return c
	}
	var err error
	if c.Fault, err = hostabi.ParseFault(reply[1:]); err != nil {
		c.Fault = internal(err)
	}
	return c
}
