package linux

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
)

func TestEventsRaiseTheRightGenerations(t *testing.T) {
	h := newHints()
	h.own(owners{windows: map[string][]desktop.WindowID{":1": {1, 2}}, orphans: []desktop.WindowID{3}}, nil)
	tests := []struct {
		name    string
		event   func()
		raised  []desktop.WindowID
		list    bool
		damaged bool
	}{
		{name: "an element of an application", event: func() { h.application(atspi.Event{Kind: atspi.Changed, Bus: ":1"}) }, raised: []desktop.WindowID{1, 2}},
		{name: "a top-level of an application", event: func() { h.application(atspi.Event{Kind: atspi.WindowChanged, Bus: ":1"}) }, raised: []desktop.WindowID{1, 2}, list: true},
		{name: "an application that is not known", event: func() { h.application(atspi.Event{Kind: atspi.Changed, Bus: ":9"}) }, raised: []desktop.WindowID{3}, list: true},
		{name: "a property", event: func() { h.window(x11.Event{Kind: x11.PropertyChanged, Window: 2}) }, raised: []desktop.WindowID{2}},
		{name: "a move", event: func() { h.window(x11.Event{Kind: x11.Configured, Window: 1}) }, raised: []desktop.WindowID{1}, list: true},
		{name: "pixels", event: func() { h.window(x11.Event{Kind: x11.Damaged, Window: 1}) }, raised: []desktop.WindowID{1}, damaged: true},
		{name: "the focus", event: func() { h.window(x11.Event{Kind: x11.Focus}) }, list: true},
		{name: "a window that changed hands", event: func() {
			h.own(owners{windows: map[string][]desktop.WindowID{":1": {1, 2, 3}}, waiting: map[string]bool{":1": true}, orphans: []desktop.WindowID{3}}, []desktop.WindowID{3})
		}, raised: []desktop.WindowID{3}, list: true},
		{name: "an application with a window that is not paired", event: func() { h.application(atspi.Event{Kind: atspi.Changed, Bus: ":1"}) }, raised: []desktop.WindowID{1, 2, 3}, list: true},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			before := map[desktop.WindowID]desktop.Generation{}
			for id := desktop.WindowID(1); id <= 3; id++ {
				before[id] = h.generation(id)
			}
			c.event()
			for id := desktop.WindowID(1); id <= 3; id++ {
				if got, want := h.generation(id) > before[id], slices.Contains(c.raised, id); got != want {
					t.Errorf("window %d raised: %v, want %v", id, got, want)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			got, err := h.Next(ctx)
			told := got.Windows
			if c.damaged {
				told = got.Damaged
			}
			if err != nil || got.List != c.list || !slices.Equal(told, c.raised) {
				t.Errorf("told %+v, %v", got, err)
			}
		})
	}
}

func TestNextCoalescesAndNeverBlocksTheProducers(t *testing.T) {
	h := newHints()
	var producers sync.WaitGroup
	for p := range 4 {
		producers.Go(func() {
			for i := range 10_000 {
				h.window(x11.Event{Kind: x11.Damaged, Window: desktop.WindowID(p + 1)})
				if i%100 == 0 {
					h.application(atspi.Event{Kind: atspi.Changed, Bus: ":1"})
				}
			}
		})
	}
	producers.Wait()
	c, err := h.Next(t.Context())
	if err != nil || len(c.Damaged) != 4 {
		t.Fatalf("the watcher was told %+v, %v", c, err)
	}
	synctest.Test(t, func(t *testing.T) {
		h := newHints()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := h.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with nothing to tell, Next gave %v", err)
		}
	})
}

func TestLostIsToldEveryTime(t *testing.T) {
	h := newHints()
	h.window(x11.Event{Kind: x11.Lost})
	for range 2 {
		if c, err := h.Next(t.Context()); err != nil || !errors.Is(c.Lost, desktop.ErrDisconnected) {
			t.Errorf("told %+v, %v", c, err)
		}
	}
}

func TestForgottenWindowsAreNotToldOf(t *testing.T) {
	h := newHints()
	h.window(x11.Event{Kind: x11.PropertyChanged, Window: 5})
	h.forget([]desktop.WindowID{5})
	if c, any := h.take(); any {
		t.Errorf("told %+v", c)
	}
}
