package desktoptest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

func TestFaultsComeWhenPlanned(t *testing.T) {
	d := New()
	r := d.Roles()
	planned := errors.New("planned")
	d.FailAt(2, planned)
	for i, want := range []error{nil, planned, nil} {
		if _, err := r.Windows.List(t.Context()); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i+1, err, want)
		}
	}
	d.Fail("List", planned)
	if _, err := r.Input.Position(t.Context()); err != nil {
		t.Errorf("another method: %v", err)
	}
	if _, err := r.Windows.List(t.Context()); !errors.Is(err, planned) {
		t.Errorf("the method: %v", err)
	}
	d.Fail("List", nil)
	if _, err := r.Windows.List(t.Context()); err != nil {
		t.Errorf("the method after it was repaired: %v", err)
	}
}

func TestHungApplicationAnswersAtTheDeadlineOrWhenItResumes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New()
		r := d.Roles()
		id := d.AddWindow(desktop.Window{}, Tree(N(tree.Node{Role: tree.RoleWindow})))
		w, _, _ := d.Window(id)
		d.Hang(w.App.ID)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		begun := time.Now()
		if _, err := r.Tree.Observe(ctx, id); !errors.Is(err, desktop.ErrNotAnswering) {
			t.Errorf("observing: %v", err)
		}
		if took := time.Since(begun); took != 300*time.Millisecond {
			t.Errorf("the call took %v", took)
		}
		time.AfterFunc(200*time.Millisecond, func() { d.Resume(w.App.ID) })
		if err := r.Tree.Ping(t.Context(), id); err != nil {
			t.Errorf("the application that resumed: %v", err)
		}
	})
}

func TestActionThatDoesNotReturnIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New()
		r := d.Roles()
		id := d.AddWindow(desktop.Window{}, Tree(N(tree.Node{Role: tree.RoleWindow},
			N(tree.Node{Role: tree.RoleButton, Name: "Open", Actions: []tree.Action{{Name: "click"}}}))))
		open, _ := d.Find(id, tree.RoleButton, "Open")
		answered := make(chan struct{})
		d.Bind(open, 0, func() {
			d.AddWindow(desktop.Window{Title: "Open", Owner: id, Modal: true}, nil)
			<-answered
		})
		begun := time.Now()
		if err := r.Tree.Act(t.Context(), id, open, desktop.Deed{Kind: desktop.DoAction}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took != chance {
			t.Errorf("Act took %v", took)
		}
		ws, _ := r.Windows.List(t.Context())
		if len(ws) != 2 || ws[1].Owner != id {
			t.Errorf("the windows read %+v", ws)
		}
		close(answered)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestModalBlocksInputByOwnerAndByGroup(t *testing.T) {
	d := New()
	in := d.Roles().Input
	a := d.AddWindow(desktop.Window{Group: 7, Bounds: tree.Rect{W: 10, H: 10}}, nil)
	b := d.AddWindow(desktop.Window{Group: 7, Bounds: tree.Rect{X: 20, W: 10, H: 10}}, nil)
	c := d.AddWindow(desktop.Window{Bounds: tree.Rect{X: 40, W: 10, H: 10}}, nil)
	m := d.AddWindow(desktop.Window{Group: 7, Modal: true, Owner: a, Bounds: tree.Rect{X: 60, W: 10, H: 10}}, nil)
	for id, x := range map[desktop.WindowID]int32{a: 5, b: 25, c: 45, m: 65} {
		if err := in.Click(t.Context(), to(id), desktop.Point{X: x, Y: 5}, desktop.Left, 1, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, i := range d.Inputs() {
		if want := i.Window == a || i.Window == b; i.Ignored != want {
			t.Errorf("window %d ignored the click: %v, want %v", i.Window, i.Ignored, want)
		}
	}
	d.CloseWindow(a)
	if _, _, there := d.Window(m); there {
		t.Error("a dialog outlived its owner")
	}
}

func TestPasswordIsNeverReadInClear(t *testing.T) {
	d := New()
	r := d.Roles()
	id := d.AddWindow(desktop.Window{}, Tree(N(tree.Node{Role: tree.RoleWindow}, N(tree.Node{
		Role: tree.RolePassword, Sensitive: true, Ifaces: tree.IfaceText | tree.IfaceEditableText,
		States: tree.StateEnabled | tree.StateShowing | tree.StateFocusable | tree.StateFocused,
	}))))
	node, _ := d.Find(id, tree.RolePassword, "")
	if err := r.Tree.Act(t.Context(), id, node, desktop.Deed{Kind: desktop.SetText, Text: "geheim"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Input.Type(t.Context(), to(id), "X"); err != nil {
		t.Fatal(err)
	}
	o, err := r.Tree.Observe(t.Context(), id)
	if err != nil || o.Tree.Nodes[1].Text != "•••••••" {
		t.Errorf("the observation reads %q, %v", o.Tree.Nodes[1].Text, err)
	}
	if got, err := r.Tree.Text(t.Context(), id, node, 0, 100); err != nil || got != "•••••••" {
		t.Errorf("the text reads %q, %v", got, err)
	}
	if _, tr, _ := d.Window(id); tr.Nodes[1].Text != "geheimX" {
		t.Errorf("the application holds %q", tr.Nodes[1].Text)
	}
}

func TestChangeDuringAnObservationMakesItOld(t *testing.T) {
	d := New()
	r := d.Roles()
	id := d.AddWindow(desktop.Window{}, Tree(N(tree.Node{Role: tree.RoleWindow})))
	d.OnLook(func(id desktop.WindowID) { d.Edit(id, func(t *tree.Tree) { t.Nodes[0].Name = "new" }) })
	o, err := r.Tree.Observe(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := r.Watch.Barrier(t.Context(), id); err != nil || g == o.Generation {
		t.Errorf("the generation is %d, %v, as in the observation that it happened during", g, err)
	}
}

func TestLimitCutsAndChildrenReadsOn(t *testing.T) {
	d := New()
	r := d.Roles()
	var rows []Branch
	for range 100 {
		rows = append(rows, N(tree.Node{Role: tree.RoleListItem}))
	}
	id := d.AddWindow(desktop.Window{}, Tree(N(tree.Node{Role: tree.RoleList}, rows...)))
	d.Limit(30)
	o, err := r.Tree.Observe(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	root := o.Tree.Nodes[0]
	if len(o.Tree.Nodes) != 31 || root.ChildrenTotal != 100 || root.End != tree.EndCut || root.ChildrenCount != 30 {
		t.Errorf("%d elements, the list reads %+v", len(o.Tree.Nodes), root)
	}
	part, err := r.Tree.Children(t.Context(), id, root.ID, 90, 30)
	if err != nil {
		t.Fatal(err)
	}
	if n := part.Nodes[0]; n.ChildrenFirst != 90 || n.ChildrenCount != 10 || n.ChildrenTotal != 100 || n.End != tree.EndComplete {
		t.Errorf("the end of the list reads %+v", n)
	}
}
