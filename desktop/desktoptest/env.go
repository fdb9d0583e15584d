package desktoptest

import (
	"context"
	"slices"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Env is a desktop under test together with applications to test it with. What
// an application holds is read from the application itself, such as the file
// that it saves, never through the desktop under test.
type Env interface {
	Desktop() *desktop.Desktop
	// Editor starts an application and waits until its window is listed and has
	// the focus. It ends with the test.
	Editor(t *testing.T) Editor
	// Question opens a window that is gone once its button is pressed. It ends
	// with the test.
	Question(t *testing.T) Question
}

// Editor is an application with one window and in it an empty text field that
// has the focus. The functions do by hand, without the desktop under test, what
// the user or the application itself does. A nil function skips what needs it:
// the application cannot do it.
type Editor struct {
	Window desktop.WindowID
	// Field is a pixel of the screen inside the text field.
	Field func(t *testing.T) desktop.Point
	// Holds returns the text in the field by the application's own word.
	Holds func(t *testing.T) string
	// Input types plain text at the caret and returns once the application has
	// been given it.
	Input func(t *testing.T, text string)
	// Dialog opens a modal dialog that belongs to the window.
	Dialog func(t *testing.T)
	// Menu opens a popup of the window; Escape closes it.
	Menu, Escape func(t *testing.T)
	// Stop freezes the process and Continue lets it go on. A test that stops
	// it continues it.
	Stop, Continue func(t *testing.T)
	// Exit ends the application.
	Exit func(t *testing.T)
}

// Question is a window with one button.
type Question struct {
	Window desktop.WindowID
	// Button is the name of the button and Point a pixel of the screen in it.
	Button string
	Point  func(t *testing.T) desktop.Point
	// Pressed reports, by the application's own word, whether the button was
	// pressed.
	Pressed func(t *testing.T) bool
}

// within bounds one call on a desktop that works.
const within = 5 * time.Second

// Wait looks until the condition holds, and fails the test if it does not do
// so in ten seconds.
func Wait(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	look := time.NewTicker(15 * time.Millisecond)
	defer look.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("waiting for %s: it did not happen in 10 s", what)
		case <-look.C:
		}
	}
}

func call(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	return ctx
}

// listed returns the windows of the desktop.
func listed(t *testing.T, env Env) []desktop.Window {
	t.Helper()
	ws, err := env.Desktop().Windows.List(call(t))
	if err != nil {
		t.Fatalf("listing windows: %v", err)
	}
	return ws
}

func lookup(t *testing.T, env Env, id desktop.WindowID) (desktop.Window, bool) {
	t.Helper()
	ws := listed(t, env)
	i := slices.IndexFunc(ws, func(w desktop.Window) bool { return w.ID == id })
	if i < 0 {
		return desktop.Window{}, false
	}
	return ws[i], true
}

func observe(t *testing.T, env Env, id desktop.WindowID) desktop.Observation {
	t.Helper()
	o, err := env.Desktop().Tree.Observe(call(t), id)
	if err != nil {
		t.Fatalf("observing window %d: %v", id, err)
	}
	return o
}

// field returns the first editable element of an observation.
func field(t *testing.T, o desktop.Observation) tree.Node {
	t.Helper()
	for _, n := range o.Tree.Nodes {
		if n.Ifaces.Has(tree.IfaceEditableText) && n.States.Has(tree.StateEditable) {
			return n
		}
	}
	t.Fatalf("window %q has no editable text among %d elements (%s)", o.Window.Title, len(o.Tree.Nodes), o.Tree.Why)
	return tree.Node{}
}

// holds waits until an editor has the text by its own word.
func holds(t *testing.T, e Editor, want string) {
	t.Helper()
	got := ""
	deadline := time.Now().Add(5 * time.Second)
	for time.Now().Before(deadline) {
		if got = e.Holds(t); got == want {
			return
		}
	}
	t.Fatalf("the application holds %q, want %q", got, want)
}

// opened waits for a window that was not among before.
func opened(t *testing.T, env Env, before []desktop.Window) desktop.Window {
	t.Helper()
	var found desktop.Window
	Wait(t, "a new window", func() bool {
		for _, w := range listed(t, env) {
			if !slices.ContainsFunc(before, func(o desktop.Window) bool { return o.ID == w.ID }) {
				found = w
				return true
			}
		}
		return false
	})
	return found
}

func gone(t *testing.T, env Env, id desktop.WindowID) {
	t.Helper()
	Wait(t, "a window to be gone", func() bool {
		_, there := lookup(t, env, id)
		return !there
	})
}
