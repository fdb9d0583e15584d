package pluginsdk

import (
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// The functions of oriel:wait.

// WaitChange waits until the window differs from the last observation that this
// call got, and reports whether it did in time.
func WaitChange(timeout time.Duration) (bool, error) {
	r, err := waitChangeReply(timeout.Milliseconds())
	return r.Changed, err
}

func waitChangeReply(ms int64) (reply hostabi.WaitReply, err error) {
	err = callMessage(waitChange, &hostabi.WaitRequest{TimeoutMS: ms}, &reply)
	return reply, err
}

// WaitUntil observes the window at each change until done says so, and returns
// the observation that satisfied it. If the time is over before that, the error
// is a fault with CodeTimeout. It needs oriel:tree too.
func WaitUntil(timeout time.Duration, done func(*tree.Reader) bool) (*tree.Reader, error) {
	left := timeout.Milliseconds()
	for {
		r, err := Observe()
		if err != nil || done(r) {
			return r, err
		}
		if left <= 0 {
			return nil, Refuse(hostabi.CodeTimeout, "the window did not come to the expected state; read it again")
		}
		reply, err := waitChangeReply(left)
		if err != nil {
			return nil, err
		}
		// Even a wait that ends at once counts, so that a window that never
		// rests does not hold the adapter for ever.
		left -= max(reply.WaitedMS, 1)
		if !reply.Changed {
			left = 0
		}
	}
}
