package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// TestInterleavings lets clients that read, think and write share a window with a
// person who types at the worst moments: before the call, in the middle of the
// fresh look, and while the adapter is at work. B23: whenever the person typed
// after the client read, the write is refused as stale, and no word of the person
// is ever lost. B11: versions rise with every change and with nothing else.
func TestInterleavings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t)
		id := r.open("Form")
		stop := r.runFor()
		defer stop()
		node, _ := r.desk.Find(id, tree.RoleEntry, "Name")
		words := 0
		word := func(who string) string { words++; return who + strconv.Itoa(words) + " " }
		text := func() string { _, own, _ := r.desk.Window(id); return own.Nodes[1].Text }
		var human []string
		typeWord := func() {
			w := word("h")
			human = append(human, w)
			r.desk.Edit(id, func(tr *tree.Tree) { tr.Nodes[1].Text += w })
		}
		last := r.bridge.Snapshot().Window("w1").Version
		for range rapid.IntRange(1, 8).Draw(rt, "steps") {
			when := rapid.SampledFrom([]string{"never", "before", "looking", "invoking"}).Draw(rt, "the person types")
			read := r.settledWindow("w1", text())
			if read.Version < last {
				rt.Fatalf("the version fell from %d to %d", last, read.Version)
			}
			base, mine := text(), word("a")
			if when == "before" {
				typeWord()
			}
			var once sync.Once
			if when == "looking" {
				r.desk.Touch(id) // so that there is a look to be in the middle of
				r.desk.OnLook(func(desktop.WindowID) { once.Do(typeWord) })
			}
			r.plugin.mu.Lock()
			r.plugin.invoke = func(_ hostabi.Call, s Services) (*hostabi.Outcome, error) {
				if when == "invoking" {
					typeWord()
				}
				_, f := s.Call(t.Context(), hostabi.Function{Capability: hostabi.CapA11y, Name: "set_text"}, hostabi.Append(nil, &hostabi.SetTextRequest{ID: node, Text: base + mine}))
				return &hostabi.Outcome{Fault: f, Effect: hostabi.Confirmed}, nil
			}
			r.plugin.mu.Unlock()
			args, _ := json.Marshal(map[string]string{"field": "Name", "value": base + mine})
			res, err := r.bridge.Act(t.Context(), Request{Window: "w1", Action: "set_field", Args: args, ExpectedVersion: &read.Version})
			r.desk.OnLook(nil)
			var e *Error
			switch {
			case err == nil && when != "never":
				rt.Fatalf("%s: the write went through: %+v", when, res)
			case err != nil && when == "never":
				rt.Fatalf("nobody typed, but the write was refused: %v", err)
			case err != nil && (!errors.As(err, &e) || e.Code != StaleState):
				rt.Fatalf("%s: refused with %v", when, err)
			case err == nil && res.Version <= read.Version:
				rt.Fatalf("the version is %d after a write at %d", res.Version, read.Version)
			}
			last = read.Version
			for _, w := range human {
				if !strings.Contains(text(), w) {
					rt.Fatalf("%s: the person's %q is lost: %q", when, w, text())
				}
			}
		}
	})
}

// settledWindow waits until the published window shows a text, and returns it.
func (r *rig) settledWindow(id, text string) *Window {
	r.t.Helper()
	s := r.await("the text to be published", func(s *Snapshot) bool {
		w := s.Window(id)
		return w != nil && len(w.Blocks) > 0 && w.Blocks[0].Items[0].Value == text
	})
	return s.Window(id)
}

// TestTopologyFollowsTheDesktop opens, closes, re-owns and blocks windows at random
// and compares the published operable set with the plain reading of the protocol
// over the desktop's own truth (B07–B09, B12).
func TestTopologyFollowsTheDesktop(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t)
		stop := r.runFor()
		defer stop()
		var open []topWindow
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			if len(open) > 0 && rapid.IntRange(0, 2).Draw(rt, "close") == 0 {
				i := rapid.IntRange(0, len(open)-1).Draw(rt, "which")
				// The in-memory desktop takes owned windows along, as most
				// toolkits do.
				gone := []desktop.WindowID{open[i].id}
				for _, w := range open {
					if slices.ContainsFunc(w.owners, func(o desktop.WindowID) bool { return slices.Contains(gone, o) }) {
						gone = append(gone, w.id)
					}
				}
				r.desk.CloseWindow(open[i].id)
				open = slices.DeleteFunc(open, func(w topWindow) bool { return slices.Contains(gone, w.id) })
			} else {
				w := topWindow{app: desktop.AppID(rapid.IntRange(1, 2).Draw(rt, "app")), modal: rapid.Bool().Draw(rt, "modal")}
				var owner desktop.WindowID
				if mine := slices.DeleteFunc(slices.Clone(open), func(o topWindow) bool { return o.app != w.app }); len(mine) > 0 && rapid.Bool().Draw(rt, "owned") {
					o := mine[rapid.IntRange(0, len(mine)-1).Draw(rt, "owner")]
					owner = o.id
					w.owners = append([]desktop.WindowID{o.id}, o.owners...)
				}
				w.id = r.open("W", func(x *desktop.Window) {
					x.App = desktop.App{ID: w.app, Name: "app" + strconv.Itoa(int(w.app))}
					x.Owner, x.Modal = owner, w.modal
				})
				open = append(open, w)
			}
			want := reference(open)
			s := r.await("the operable set to follow", func(s *Snapshot) bool {
				return len(s.Windows) == len(open) && len(s.Operable) == len(want)
			})
			for i, w := range s.Windows { // both are sorted by age
				if w.Operable != want[open[i].id] {
					rt.Fatalf("%s operable: %v, want %v, in %s", w.ID, w.Operable, want[open[i].id], s.JSON())
				}
				if w.OwnerID != "" && s.Window(w.OwnerID) == nil {
					rt.Fatalf("%s names the owner %s, which is gone", w.ID, w.OwnerID)
				}
			}
		}
	})
}

// runFor starts the bridge and returns what ends it, for tests that run many.
func (r *rig) runFor() (stop func()) {
	r.t.Helper()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(r.t.Context())
	go func() { done <- r.bridge.Run(ctx) }()
	if err := r.bridge.Ready(ctx); err != nil {
		r.t.Fatal(err)
	}
	return func() { cancel(); <-done }
}
