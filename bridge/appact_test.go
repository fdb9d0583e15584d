package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

const openSchema = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`

// newAppRig is a rig whose adapter offers two actions of the application on every
// document, and none on dialogs.
func newAppRig(t *testing.T) *rig {
	r := newRig(t)
	r.plugin.also = func(seen *tree.Tree, v *hostabi.View) {
		if !seen.Window.Modal {
			v.AppActions = []hostabi.Action{
				{Name: "open", Title: "Open", Description: "Opens a document.", Input: openSchema},
				{Name: "quit", Title: "Quit", Description: "Quits.", Unavailable: "it prints"},
			}
		}
	}
	r.plugin.invoke = func(call hostabi.Call, s Services) (*hostabi.Outcome, error) {
		// What truly acts is told to the lease by a deed.
		if _, f := s.Call(t.Context(), hostabi.Function{Capability: hostabi.CapWindow, Name: "activate"}, hostabi.Append(nil, &hostabi.Nothing{})); f != nil {
			return &hostabi.Outcome{Fault: f}, nil
		}
		r.open("New")
		return &hostabi.Outcome{Message: call.Action + " " + call.Args}, nil
	}
	return r
}

func (r *rig) actApp(app, action, args string) (*Result, error) {
	return r.bridge.Act(r.t.Context(), Request{Client: "test", App: app, Action: action, Args: json.RawMessage(args)})
}

// An application's action is carried out by a window that takes input and offers it.
func TestAppAction(t *testing.T) { // B33
	r := newAppRig(t)
	first, second := r.open("First"), r.open("Second")
	r.desk.AddWindow(desktop.Window{Title: "Question", App: desktop.App{ID: 1, Name: "Editor"}, Owner: first, Modal: true, Role: "dialog", Bounds: tree.Rect{X: 10, Y: 10, W: 300, H: 200}}, form(""))
	r.run()
	var through desktop.WindowID
	was := r.plugin.invoke
	r.plugin.invoke = func(c hostabi.Call, s Services) (*hostabi.Outcome, error) {
		seen, err := tree.Decode(c.Observation)
		if err == nil && seen.Window.Title == "Second" {
			through = second
		}
		return was(c, s)
	}
	snap := r.bridge.Snapshot()
	a := snap.App("editor")
	if a == nil || len(a.Actions) != 1 || a.Actions[0].Tool != "editor__open" || bytes.Contains(a.Actions[0].InputSchema, []byte("expectedVersion")) {
		t.Fatalf("the application offers %+v", a)
	}
	res, err := r.actApp("editor", "open", `{"name":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	if through != second {
		t.Error("it was not the window that takes input")
	}
	if res.App != "editor" || len(res.OpenedWindowIDs) != 1 || res.Effect != hostabi.Confirmed || res.Version != 0 || res.Changed != nil {
		t.Errorf("answered %+v", res)
	}
	if w := r.bridge.Snapshot().Window(res.OpenedWindowIDs[0]); w == nil || w.Title != "New" {
		t.Error("the window that opened cannot be read yet")
	}
	if rec := r.log.last(t); rec.App != "editor" || rec.Tool != "open" || rec.Window != r.window("Second").ID || rec.Outcome != "ok" {
		t.Errorf("recorded as %+v", rec)
	}
}

func TestAppActionRefusals(t *testing.T) { // B22, B33
	r := newAppRig(t)
	r.open("First")
	r.run()
	for _, c := range []struct {
		app, action, args string
		want              Code
		says              string
	}{
		{"viewer", "open", "{}", WindowNotFound, "viewer"},
		{"editor", "print", "{}", ActionNotAvailable, "print"},
		{"editor", "press", "{}", ActionNotAvailable, "press"},
		{"editor", "quit", "{}", ActionNotAvailable, "it prints"},
		{"editor", "open", "{}", ValidationFailed, "name"},
		{"editor", "open", `{"name":"x","expectedVersion":1}`, ValidationFailed, "expectedVersion"},
	} {
		if _, err := r.actApp(c.app, c.action, c.args); code(t, err) != c.want || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s of %s: %v, want %s", c.action, c.app, err, c.want)
		}
	}
	// Hidden and refused while a dialog blocks the whole application.
	r.open("Fatal", func(w *desktop.Window) { w.Modal, w.Role = true, "dialog" })
	r.await("the dialog", func(s *Snapshot) bool { return len(s.Windows) == 2 })
	if a := r.bridge.Snapshot().App("editor"); len(a.Actions) != 0 {
		t.Errorf("listed under an application modal: %+v", a.Actions)
	}
	if _, err := r.actApp("editor", "open", `{"name":"x"}`); code(t, err) != BlockedByModal {
		t.Errorf("under an application modal: %v", err)
	}
	// A dialog that blocks the only window that offers it hides it too.
	r = newAppRig(t)
	only := r.open("Only")
	r.open("Question", modalOf(only))
	r.run()
	if a := r.bridge.Snapshot().App("editor"); len(a.Actions) != 0 {
		t.Errorf("listed while nothing can carry it out: %+v", a.Actions)
	}
	if _, err := r.actApp("editor", "open", `{"name":"x"}`); code(t, err) != BlockedByModal {
		t.Errorf("while nothing can carry it out: %v", err)
	}
}

// A change of an application's actions is published, for it changes the tools.
func TestAppActionsAreFollowed(t *testing.T) { // B30, B33
	r := newAppRig(t)
	r.open("First")
	r.run()
	version := r.window("First").Version
	r.plugin.mu.Lock()
	r.plugin.also, r.plugin.digest = nil, "e"
	r.plugin.mu.Unlock()
	r.plugin.changed <- struct{}{}
	s := r.await("the change", func(s *Snapshot) bool { return s.App("editor").Actions == nil })
	if w := s.Windows[0]; w.Version != version {
		t.Errorf("the version rose to %d, although no content changed", w.Version)
	}
}

// Starting an application is an act: serial, recorded, and over when its window
// can be read.
func TestLaunch(t *testing.T) { // B33
	r := newRig(t)
	r.run()
	res, err := r.bridge.Launch(t.Context(), "test", "editor", func(context.Context) error {
		r.open("Fresh")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.OpenedWindowIDs) != 1 || res.Effect != hostabi.Confirmed || r.bridge.Snapshot().Window(res.OpenedWindowIDs[0]) == nil {
		t.Errorf("answered %+v", res)
	}
	if rec := r.log.last(t); rec.Tool != "desktop_launch" || rec.App != "editor" || rec.Client != "test" || rec.Outcome != "ok" {
		t.Errorf("recorded as %+v", rec)
	}
	_, err = r.bridge.Launch(t.Context(), "test", "editor", func(context.Context) error { return errors.New("no such program") })
	if code(t, err) != ActionNotAvailable {
		t.Errorf("a program that does not start: %v", err)
	}
	if rec := r.log.last(t); rec.Outcome != string(ActionNotAvailable) {
		t.Errorf("recorded as %+v", rec)
	}
}

// What one application's part of the state holds.
func TestWithin(t *testing.T) { // B07, B08, B32
	w := func(id, app, owner string, more ...func(*Window)) *Window {
		out := &Window{ID: id, App: app, OwnerID: owner, Modal: owner != "", Operable: true, Version: 1}
		for _, f := range more {
			f(out)
		}
		return out
	}
	blocked := func(by string) func(*Window) {
		return func(x *Window) { x.Operable, x.BlockedBy = false, by }
	}
	offers := func(x *Window) { x.AppActions = []Action{{Action: hostabi.Action{Name: "new"}}} }
	s := NewSnapshot(9, []*Window{
		w("w1", "a", "", blocked("w3"), offers), w("w2", "b", ""), w("w3", "p", "w1", blocked("w4")), w("w4", "q", "w3"), w("w5", "a", "w2", blocked("w2")), w("w6", "a", "", offers),
	})
	ids := func(s *Snapshot) (out []string) {
		for _, x := range s.Windows {
			out = append(out, x.ID)
		}
		return out
	}
	a := s.Within("a", nil)
	if got := ids(a); !slices.Equal(got, []string{"w1", "w3", "w4", "w5", "w6"}) || !slices.Equal(a.Operable, []string{"w4", "w6"}) || a.Seq != 9 {
		t.Errorf("%v, operable %v", got, a.Operable)
	}
	if x := a.Window("w5"); x.Modal || x.OwnerID != "" || x.BlockedBy != "" {
		t.Errorf("a window under another application's: %+v", x)
	}
	if x := a.Window("w4"); !x.Modal || x.OwnerID != "w3" {
		t.Errorf("a dialog of another application: %+v", x)
	}
	if bytes.Contains(a.JSON(), []byte(`"app"`)) {
		t.Errorf("names applications: %s", a.JSON())
	}
	if len(a.Apps) != 1 || a.Apps[0].Handle != "app" || a.Apps[0].Actions[0].Tool != "app__new" || s.App("a").Actions[0].Tool != "a__new" {
		t.Errorf("the application offers %+v", a.Apps)
	}
	if none := s.Within("none", nil); len(none.Windows) != 0 || string(none.JSON()) != `{"operableWindowIds":[],"windows":[]}` || none.Apps != nil {
		t.Errorf("an application that does not run: %s", none.JSON())
	}
	// What did not change is the same.
	next := NewSnapshot(10, append(slices.Clone(s.Windows[:5]), w("w6", "a", "", blocked("w1"))))
	b := next.Within("a", a)
	for _, id := range []string{"w1", "w3", "w4", "w5"} {
		if a.Window(id) != b.Window(id) {
			t.Errorf("%s was made anew", id)
		}
	}
	if a.Window("w6") == b.Window("w6") {
		t.Error("a change was missed")
	}
	// Owners in a ring end nowhere.
	ring := NewSnapshot(1, []*Window{w("w1", "x", "w2"), w("w2", "y", "w1")})
	if got := ids(ring.Within("z", nil)); len(got) != 0 {
		t.Errorf("a ring of owners leads to %v", got)
	}
}

// Handles cannot be taken for something else in the name of a tool.
func TestHandlesAreNameSafe(t *testing.T) { // B17
	for name, want := range map[string]string{
		"w12": "w12-app", "w12a": "w12a", "a__b___c": "a_b_c", "__x__": "x", "___": "app",
		strings.Repeat("long", 20): strings.Repeat("long", 10),
	} {
		if got := HandleOf(name); got != want {
			t.Errorf("HandleOf(%q) = %q, want %q", name, got, want)
		}
	}
}
