package watchdog

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"
)

// releaseTime is the longest that the child outlives its parent.
const releaseTime = 900 * time.Millisecond

// Main is the child: it reads what the parent says until the pipe ends, and
// then has release let go of everything if the parent held something.
func Main(parent io.Reader, release func(context.Context) error) error {
	// It ends by the pipe alone. Who ends a whole group of processes may reach it
	// before the parent.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if !heldAtEnd(parent) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), releaseTime)
	defer cancel()
	done := make(chan error, 1) // whoever hangs in release ends with the process
	go func() { done <- release(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("letting go of the keys of a host that ended: %w; press and release Shift, Ctrl, Alt and the mouse buttons if one seems stuck", err)
	}
	return nil
}

// heldAtEnd reads to the end and tells what was said last.
func heldAtEnd(r io.Reader) bool {
	held := false
	b := make([]byte, 64)
	for {
		n, err := r.Read(b)
		if n > 0 {
			held = b[n-1] == holding
		}
		if err != nil {
			return held
		}
	}
}
