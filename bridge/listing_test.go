package bridge

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
)

// heldWindows answers one question for the list late, with what was true when it
// was asked.
type heldWindows struct {
	desktop.Windows
	armed  atomic.Bool   // the next question is the one
	asked  chan struct{} // closed by it
	answer chan struct{} // closed by the test
}

func (h *heldWindows) List(ctx context.Context) ([]desktop.Window, error) {
	list, err := h.Windows.List(ctx)
	if h.armed.CompareAndSwap(true, false) {
		close(h.asked)
		<-h.answer
	}
	return list, err
}

// An answer that was long under way does not undo a newer one: the window that
// opened meanwhile stays, under its id.
func TestOlderListNeverFollowsANewerOne(t *testing.T) {
	r := newRig(t)
	held := &heldWindows{Windows: r.bridge.cfg.Desktop.Windows, asked: make(chan struct{}), answer: make(chan struct{})}
	r.bridge.cfg.Desktop.Windows = held
	r.open("First")
	r.run()
	held.armed.Store(true)
	var both sync.WaitGroup
	ask := func() {
		if err := r.bridge.relist(t.Context()); err != nil {
			t.Error(err)
		}
	}
	both.Go(ask)
	<-held.asked
	r.open("Second")
	newer := make(chan struct{})
	both.Go(func() {
		defer close(newer)
		ask()
	})
	select { // the newer question overtakes the older one, if it can
	case <-newer:
	case <-time.After(100 * time.Millisecond):
	}
	close(held.answer)
	both.Wait()
	r.await("both windows", func(s *Snapshot) bool { return len(s.Windows) == 2 })
	if id := r.window("Second").ID; id != "w2" {
		t.Errorf("the second window is %s: it was taken for gone, and came anew", id)
	}
}
