package desktoptest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
)

// WatchSuite tests the Watch role together with Tree: what it is for is to
// know whether an observation is fresh. Its last part closes the desktop.
func WatchSuite(t *testing.T, env Env) {
	t.Run("NextEndsWithItsContext", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		for range 1000 {
			if _, err := env.Desktop().Watch.Next(ctx); err != nil {
				return
			}
		}
		t.Error("Next went on after its context had ended")
	})
	t.Run("C16_NextTellsOfWindows", func(t *testing.T) { tellsOfWindows(t, env) })
	t.Run("NextTellsOfContent", func(t *testing.T) { tellsOfContent(t, env) })
	t.Run("AnObservationOfAQuietWindowIsFresh", func(t *testing.T) { quietIsFresh(t, env) })
	t.Run("AFreshObservationHoldsTheChange", func(t *testing.T) { freshHolds(t, env) })
	t.Run("BarrierOfAnUnknownWindow", func(t *testing.T) {
		if _, err := env.Desktop().Watch.Barrier(call(t), never); !errors.Is(err, desktop.ErrGone) {
			t.Errorf("the barrier says %v, want ErrGone", err)
		}
	})
	t.Run("CloseIsTold", func(t *testing.T) { closeIsTold(t, env) })
}

// next looks at changes until one is as wanted.
func next(t *testing.T, env Env, what string, wanted func(desktop.Changes) bool) {
	t.Helper()
	ctx := call(t)
	for {
		c, err := env.Desktop().Watch.Next(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		if wanted(c) {
			return
		}
		if c.Lost != nil {
			t.Fatalf("waiting for %s: the desktop is lost: %v", what, c.Lost)
		}
	}
}

// drain takes the changes that lie ready.
func drain(t *testing.T, env Env) {
	t.Helper()
	for range 1000 {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := env.Desktop().Watch.Next(ctx)
		cancel()
		if err != nil {
			return
		}
	}
}

func tellsOfWindows(t *testing.T, env Env) {
	drain(t, env)
	e := env.Editor(t)
	next(t, env, "a new window", func(c desktop.Changes) bool { return c.List })
	drain(t, env)
	e.Exit(t)
	next(t, env, "a closed window", func(c desktop.Changes) bool { return c.List })
	gone(t, env, e.Window)
}

func tellsOfContent(t *testing.T, env Env) {
	e := env.Editor(t)
	o := observe(t, env, e.Window)
	drain(t, env)
	e.Input(t, "new")
	next(t, env, "a change of content", func(c desktop.Changes) bool {
		return slices.Contains(c.Windows, e.Window) || slices.Contains(c.Damaged, e.Window)
	})
	if g := barrier(t, env, e.Window); g <= o.Generation {
		t.Errorf("after the change the generation is %d and was %d", g, o.Generation)
	}
}

func barrier(t *testing.T, env Env, id desktop.WindowID) desktop.Generation {
	t.Helper()
	g, err := env.Desktop().Watch.Barrier(call(t), id)
	if err != nil {
		t.Fatalf("barrier of window %d: %v", id, err)
	}
	return g
}

func quietIsFresh(t *testing.T, env Env) {
	e := env.Editor(t)
	Wait(t, "the generation to rest", func() bool {
		o := observe(t, env, e.Window)
		return barrier(t, env, e.Window) == o.Generation
	})
}

func freshHolds(t *testing.T, env Env) {
	e := env.Editor(t)
	var want strings.Builder
	for i := range 10 {
		c := string(rune('a' + i))
		e.Input(t, c)
		want.WriteString(c)
		barrier(t, env, e.Window)
		if got := field(t, observe(t, env, e.Window)).Text; got != want.String() {
			t.Fatalf("after change %d the observation reads %q, want %q", i, got, want.String())
		}
	}
	holds(t, e, want.String())
}

func closeIsTold(t *testing.T, env Env) {
	for range 2 {
		if err := env.Desktop().Close(); err != nil {
			t.Fatalf("closing: %v", err)
		}
	}
	ctx := call(t)
	for {
		c, err := env.Desktop().Watch.Next(ctx)
		if err != nil {
			t.Fatalf("waiting for the end: %v", err)
		}
		if c.Lost != nil {
			break
		}
	}
	if _, err := env.Desktop().Windows.List(ctx); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("listing on a closed desktop: %v, want ErrDisconnected", err)
	}
}
