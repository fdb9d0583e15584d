package robot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// fake is a driver that remembers what it did. begun, if set, gets a token when
// a request begins, which then waits for release.
type fake struct {
	done           []request
	err            error
	begun, release chan struct{}
}

func (f *fake) do(q request) (response, error) {
	if f.begun != nil && q.Op != opHello {
		f.begun <- struct{}{}
		<-f.release
	}
	f.done = append(f.done, q)
	a := response{At: q.At}
	if q.Op == opScreen {
		a.Pix = make([]byte, 4*q.Area.W*q.Area.H)
	}
	return a, f.err
}

// child connects a Robot to a driver over pipes, as to another process.
func child(t *testing.T, d driver) *Robot {
	t.Helper()
	toChild, in := io.Pipe()
	out, fromChild := io.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		serve(toChild, fromChild, d)
		fromChild.Close()
		toChild.Close()
	}()
	r := connect(nil, in, out)
	t.Cleanup(func() {
		r.Close()
		<-served
	})
	return r
}

func TestRequestsReachTheChild(t *testing.T) {
	f := &fake{}
	r := child(t, f)
	ctx := t.Context()
	if err := r.Type(ctx, nowhere, strings.Repeat("a", 20)+"\n\té"); err != nil {
		t.Fatal(err)
	}
	if err := r.Keys(ctx, nowhere, []desktop.Chord{{Mods: desktop.Control, Key: "Page_Up"}, {Key: "plus"}}); err != nil {
		t.Fatal(err)
	}
	if err := r.Click(ctx, nowhere, desktop.Point{X: 3, Y: 4}, desktop.Right, 2, desktop.Alt); err != nil {
		t.Fatal(err)
	}
	if err := r.Scroll(ctx, nowhere, desktop.Point{}, -1, 2, 0); err != nil {
		t.Fatal(err)
	}
	img, err := r.Screen(ctx, tree.Rect{W: 3, H: 2})
	if err != nil || img.Rect.Dx() != 3 || img.Rect.Dy() != 2 {
		t.Fatalf("a picture: %v, %v", img, err)
	}
	got := fmt.Sprint(f.done)
	a := tap{Key: "a"}
	want := fmt.Sprint([]request{
		{Op: opTaps, Taps: []tap{a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a}},
		{Op: opTaps, Taps: []tap{a, a, a, a, {Key: "enter"}, {Key: "tab"}, {Key: "é"}}},
		{Op: opTaps, Taps: []tap{{"pageup", desktop.Control}, {Key: "+"}}},
		{Op: opClick, At: desktop.Point{X: 3, Y: 4}, Button: desktop.Right, Count: 2, Mods: desktop.Alt},
		{Op: opScroll, Dx: -1, Dy: 2},
		{Op: opScreen, Area: tree.Rect{W: 3, H: 2}},
	})
	if got != want {
		t.Errorf("the child did\n%s\nwant\n%s", got, want)
	}
}

func TestRefusalsReachNoChild(t *testing.T) {
	f := &fake{}
	r := child(t, f)
	ctx, target := t.Context(), desktop.Target{Window: 7}
	for name, err := range map[string]error{
		"a target":        r.Click(ctx, target, desktop.Point{}, desktop.Left, 1, 0),
		"typing to one":   r.Type(ctx, target, "x"),
		"an unknown key":  r.Keys(ctx, nowhere, []desktop.Chord{{Key: "Hyper_Q"}}),
		"no button":       r.Click(ctx, nowhere, desktop.Point{}, 9, 1, 0),
		"four clicks":     r.Click(ctx, nowhere, desktop.Point{}, desktop.Left, 4, 0),
		"a control":       r.Type(ctx, nowhere, "x\x01"),
		"drag, no button": r.Drag(ctx, nowhere, desktop.Point{}, desktop.Point{}, 0, 0),
	} {
		if !errors.Is(err, desktop.ErrUnsupported) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if _, err := r.Window(ctx, 7); !errors.Is(err, desktop.ErrUnsupported) {
		t.Errorf("a window's picture gives %v", err)
	}
	if _, err := r.Screen(ctx, tree.Rect{W: 1 << 20, H: 1}); !errors.Is(err, desktop.ErrOutside) {
		t.Errorf("a huge picture gives %v", err)
	}
	if len(f.done) > 0 {
		t.Errorf("the child did %v", f.done)
	}
}

func TestErrorsKeepTheirReason(t *testing.T) {
	for _, reason := range reasons {
		r := child(t, &fake{err: fmt.Errorf("trying it: %w", reason)})
		err := r.Move(t.Context(), nowhere, desktop.Point{})
		if !errors.Is(err, reason) || !strings.Contains(err.Error(), "trying it") {
			t.Errorf("%v arrives as %v", reason, err)
		}
	}
}

func TestChildThatDies(t *testing.T) {
	toChild, in := io.Pipe()
	out, fromChild := io.Pipe()
	r := connect(nil, in, out)
	go func() {
		_, _ = toChild.Read(make([]byte, 1))
		fromChild.Close()
		toChild.Close()
	}()
	for range 2 {
		if err := r.Move(t.Context(), nowhere, desktop.Point{}); !errors.Is(err, desktop.ErrDisconnected) {
			t.Errorf("gives %v", err)
		}
	}
	<-r.Done()
	r.Close()
	r.Close()
}

// TestGivingUpWaitsForTheKeys: a request that the child has begun is waited
// for, and the next one does not overtake it.
func TestGivingUpWaitsForTheKeys(t *testing.T) {
	f := &fake{begun: make(chan struct{}, 2), release: make(chan struct{}, 2)}
	r := child(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error)
	go func() { got <- r.Type(ctx, nowhere, strings.Repeat("x", 40)) }()
	<-f.begun
	cancel()
	select {
	case err := <-got:
		t.Fatalf("it returned %v while keys were pressed", err)
	case <-time.After(20 * time.Millisecond):
	}
	f.release <- struct{}{}
	if err := <-got; !errors.Is(err, context.Canceled) || !errors.Is(err, desktop.ErrInterrupted) {
		t.Errorf("gives %v", err)
	}
	f.release <- struct{}{}
	if err := r.Move(t.Context(), nowhere, desktop.Point{}); err != nil {
		t.Error(err)
	}
	if len(f.done) != 2 {
		t.Errorf("the child did %d requests", len(f.done))
	}
}

func TestStartOfAProgramThatIsNoRobot(t *testing.T) {
	if !Available {
		if _, err := Start(t.Context(), []string{"true"}); !errors.Is(err, desktop.ErrUnsupported) || !strings.Contains(err.Error(), "CGO_ENABLED=1") || !errors.Is(Main(), desktop.ErrUnsupported) {
			t.Errorf("without cgo: %v", err)
		}
		return
	}
	if _, err := exec.LookPath("true"); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), []string{"true"}); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("gives %v", err)
	}
	if _, err := Start(t.Context(), []string{"/no/such/program"}); err == nil {
		t.Error("a missing program gives no error")
	}
}
