package desktoptest

import (
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// memoryEnv runs the suites on the in-memory desktop.
type memoryEnv struct {
	d     *Desktop
	roles *desktop.Desktop
}

func newMemoryEnv(t *testing.T) Env {
	d := New()
	e := memoryEnv{d, d.Roles()}
	t.Cleanup(func() { _ = e.roles.Close() })
	return e
}

func (e memoryEnv) Desktop() *desktop.Desktop { return e.roles }

func (e memoryEnv) Editor(t *testing.T) Editor {
	d := e.d
	bounds := tree.Rect{X: 100, Y: 80, W: 500, H: 400}
	id := d.AddWindow(desktop.Window{Title: "Untitled - Editor", App: desktop.App{Name: "editor"}, Bounds: bounds}, Tree(
		N(tree.Node{Role: tree.RoleWindow, Name: "Untitled - Editor"},
			N(tree.Node{
				Role: tree.RoleTextArea, Ifaces: tree.IfaceText | tree.IfaceEditableText,
				States: tree.StateEnabled | tree.StateShowing | tree.StateVisible | tree.StateEditable | tree.StateFocusable | tree.StateFocused,
				Bounds: tree.Rect{W: 500, H: 300}, HasBounds: true,
			}),
			N(tree.Node{Role: tree.RoleButton, Name: "Bold", Actions: []tree.Action{{Name: "click"}}}),
		)))
	w, _, _ := d.Window(id)
	t.Cleanup(func() { d.CloseWindow(id) })
	return Editor{
		Window: id,
		Field:  func(*testing.T) desktop.Point { return desktop.Point{X: 200, Y: 200} },
		Holds: func(t *testing.T) string {
			_, tr, _ := d.Window(id)
			return tr.Nodes[1].Text
		},
		Input: func(t *testing.T, text string) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.insert(d.find(id), text)
		},
		Dialog: func(*testing.T) {
			d.AddWindow(desktop.Window{Title: "Open", App: w.App, Owner: id, Modal: true, Role: "dialog"}, Tree(N(tree.Node{Role: tree.RoleDialog})))
		},
		Menu: func(*testing.T) {
			d.Update(id, func(w *desktop.Window) { w.Popups = []tree.Rect{{X: 120, Y: 100, W: 80, H: 90}} })
		},
		Escape:   func(*testing.T) { d.Update(id, func(w *desktop.Window) { w.Popups = nil }) },
		Stop:     func(*testing.T) { d.Hang(w.App.ID) },
		Continue: func(*testing.T) { d.Resume(w.App.ID) },
		Exit:     func(*testing.T) { d.CloseWindow(id) },
	}
}

func (e memoryEnv) Question(t *testing.T) Question {
	d := e.d
	id := d.AddWindow(desktop.Window{Title: "Question", App: desktop.App{Name: "question"}, Bounds: tree.Rect{X: 300, Y: 240, W: 200, H: 100}}, Tree(
		N(tree.Node{Role: tree.RoleWindow, Name: "Question"},
			N(tree.Node{
				Role: tree.RoleButton, Name: "Yes", Bounds: tree.Rect{X: 10, Y: 60, W: 80, H: 30}, HasBounds: true,
				Actions: []tree.Action{{Name: "click"}},
			}))))
	yes, _ := d.Find(id, tree.RoleButton, "Yes")
	d.Bind(yes, 0, func() { d.CloseWindow(id) })
	t.Cleanup(func() { d.CloseWindow(id) })
	return Question{
		Window: id,
		Button: "Yes",
		Point:  func(*testing.T) desktop.Point { return desktop.Point{X: 320, Y: 310} },
		Pressed: func(*testing.T) bool {
			_, _, there := d.Window(id)
			return !there
		},
	}
}

func TestSuitesOnTheMemoryDesktop(t *testing.T) {
	for name, suite := range map[string]func(*testing.T, Env){
		"Windows": WindowsSuite, "Tree": TreeSuite, "Input": InputSuite,
		"Capture": CaptureSuite, "Selection": SelectionSuite, "Watch": WatchSuite,
	} {
		t.Run(name, func(t *testing.T) { suite(t, newMemoryEnv(t)) })
	}
}
