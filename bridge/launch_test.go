package bridge

import (
	"context"
	"slices"
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
)

// B25, B33: while a started program has not shown its window, others act; what an
// act opens meanwhile is not taken for the program's window.
func TestOthersActWhileAProgramStarts(t *testing.T) {
	r := newRig(t)
	r.open("Here")
	r.run()
	started := make(chan struct{})
	type answer struct {
		res *Result
		err error
	}
	launched := make(chan answer, 1)
	go func() {
		res, err := r.bridge.Launch(t.Context(), "test", "viewer", func(context.Context) error {
			close(started)
			return nil
		})
		launched <- answer{res, err}
	}()
	<-started
	w := r.window("Here")
	r.plugin.mu.Lock()
	r.plugin.invoke = func(hostabi.Call, Services) (*hostabi.Outcome, error) {
		r.open("Dialog of the act")
		return &hostabi.Outcome{Message: "Done.", Effect: hostabi.Confirmed}, nil
	}
	r.plugin.mu.Unlock()
	res, err := r.act(w.ID, "press", nil)
	if err != nil || len(res.OpenedWindowIDs) != 1 {
		t.Fatalf("acting while a program starts: %+v, %v", res, err)
	}
	select {
	case a := <-launched:
		t.Fatalf("the launch was answered before the program's window opened: %+v, %v", a.res, a.err)
	default:
	}
	r.open("Viewer", func(w *desktop.Window) { w.App = desktop.App{ID: 2, Name: "Viewer"} })
	a := <-launched
	if a.err != nil || !slices.Equal(a.res.OpenedWindowIDs, []string{r.window("Viewer").ID}) {
		t.Errorf("the launch answered %+v, %v", a.res, a.err)
	}
}
