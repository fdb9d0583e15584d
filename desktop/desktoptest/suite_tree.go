package desktoptest

import (
	"context"
	"errors"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// TreeSuite tests the Tree role.
func TreeSuite(t *testing.T, env Env) {
	t.Run("ObserveGivesAWellFormedTree", func(t *testing.T) { wellFormed(t, env) })
	t.Run("TextIsWhatTheApplicationHolds", func(t *testing.T) { textAgrees(t, env) })
	t.Run("ActPressesAButton", func(t *testing.T) { presses(t, env) })
	t.Run("ChildrenReadsAPart", func(t *testing.T) { childrenPart(t, env) })
	t.Run("BoundsAreThoseOfTheScreen", func(t *testing.T) { boundsAgree(t, env) })
	t.Run("WhatIsGoneIsGone", func(t *testing.T) { unknownGone(t, env) })
	t.Run("C07_OneStoppedApplicationHoldsNothingUp", func(t *testing.T) { stopped(t, env) })
}

func wellFormed(t *testing.T, env Env) {
	e := env.Editor(t)
	a := observe(t, env, e.Window)
	if a.Window.ID != e.Window || a.Generation == 0 || a.Taken.IsZero() {
		t.Errorf("the observation is of window %d, generation %d, taken %v", a.Window.ID, a.Generation, a.Taken)
	}
	o := a.Tree.Window
	if o.Title == "" || o.App == "" || o.Toolkit == "" || o.Role == "" || o.Bounds.Empty() {
		t.Errorf("the tree's window reads %+v", o)
	}
	checkShape(t, a.Tree)
	before := map[tree.NodeID]tree.Role{}
	for _, n := range a.Tree.Nodes {
		before[n.ID] = n.Role
	}
	for _, n := range observe(t, env, e.Window).Tree.Nodes {
		if r, ok := before[n.ID]; ok && r != n.Role {
			t.Errorf("element %d was a %v and is a %v", n.ID, r, n.Role)
		}
	}
}

func checkShape(t *testing.T, tr *tree.Tree) {
	t.Helper()
	if len(tr.Nodes) == 0 {
		t.Fatalf("the tree is empty: %q", tr.Why)
	}
	if int(tr.Nodes[0].Subtree) != len(tr.Nodes) || tr.Nodes[0].Parent != -1 {
		t.Fatalf("the root has %d of %d elements and parent %d", tr.Nodes[0].Subtree, len(tr.Nodes), tr.Nodes[0].Parent)
	}
	seen := map[tree.NodeID]bool{}
	for i, n := range tr.Nodes {
		if n.ID == 0 || seen[n.ID] {
			t.Errorf("element %d has the id %d, which is nought or taken", i, n.ID)
		}
		seen[n.ID] = true
		kids := Children(tr, i)
		if len(kids) != int(n.ChildrenCount) {
			t.Errorf("element %d counts %d children and has %d", i, n.ChildrenCount, len(kids))
		}
		for _, k := range kids {
			if int(tr.Nodes[k].Parent) != i {
				t.Errorf("element %d lies under %d and names %d", k, i, tr.Nodes[k].Parent)
			}
		}
		if int(n.Surface) > len(tr.Window.Surfaces) {
			t.Errorf("element %d lies on surface %d of %d", i, n.Surface, len(tr.Window.Surfaces))
		}
	}
}

func textAgrees(t *testing.T, env Env) {
	e := env.Editor(t)
	n := field(t, observe(t, env, e.Window))
	act := func(d desktop.Deed) {
		t.Helper()
		if err := env.Desktop().Tree.Act(call(t), e.Window, n.ID, d); err != nil {
			t.Fatalf("deed %+v: %v", d, err)
		}
	}
	reads := func(want string) {
		t.Helper()
		Wait(t, "the text "+want, func() bool { return field(t, observe(t, env, e.Window)).Text == want })
	}
	act(desktop.Deed{Kind: desktop.SetText, Text: "über 我们 🙂"})
	reads("über 我们 🙂")
	holds(t, e, "über 我们 🙂")
	act(desktop.Deed{Kind: desktop.InsertText, Number: 5, Text: "X"})
	reads("über X我们 🙂")
	holds(t, e, "über X我们 🙂")
	part, err := env.Desktop().Tree.Text(call(t), e.Window, n.ID, 5, 3)
	if err != nil || part != "X我们" {
		t.Errorf("3 characters from the fifth on read %q, %v", part, err)
	}
	if got := field(t, observe(t, env, e.Window)).TextInfo; got == nil || got.Length != 10 {
		t.Errorf("the text's length reads %+v, want 10", got)
	}
}

// button finds a showing element that has an action, by its name.
func button(t *testing.T, o desktop.Observation, name string) tree.Node {
	t.Helper()
	for _, n := range o.Tree.Nodes {
		if n.Name == name && len(n.Actions) > 0 {
			return n
		}
	}
	t.Fatalf("window %q has no button %q", o.Window.Title, name)
	return tree.Node{}
}

func presses(t *testing.T, env Env) {
	q := env.Question(t)
	n := button(t, observe(t, env, q.Window), q.Button)
	if err := env.Desktop().Tree.Act(call(t), q.Window, n.ID, desktop.Deed{Kind: desktop.DoAction, Number: 99}); err == nil {
		t.Error("an action that does not exist was done")
	}
	if q.Pressed(t) {
		t.Fatal("the button was pressed by an action that does not exist")
	}
	if err := env.Desktop().Tree.Act(call(t), q.Window, n.ID, desktop.Deed{Kind: desktop.DoAction}); err != nil {
		t.Fatalf("pressing %q: %v", q.Button, err)
	}
	Wait(t, "the button's effect", func() bool { return q.Pressed(t) })
	gone(t, env, q.Window)
}

// childrenPart reads the second child of elements that have several. Where
// pruning lifted grandchildren up, an element has fewer by the toolkit's count
// than in the observation, so the answer itself tells which elements count.
func childrenPart(t *testing.T, env Env) {
	e := env.Editor(t)
	tried := 0
	for _, n := range observe(t, env, e.Window).Tree.Nodes {
		if n.ChildrenCount < 2 {
			continue
		}
		part, err := env.Desktop().Tree.Children(call(t), e.Window, n.ID, 1, 1)
		if err != nil {
			t.Fatalf("reading a part of %d (%v): %v", n.ID, n.Role, err)
		}
		checkShape(t, part)
		root := part.Nodes[0]
		if root.ID != n.ID || root.ChildrenFirst != 1 || root.ChildrenCount > 1 {
			t.Errorf("the second of the children of %d reads %+v", n.ID, root)
		}
		if root.ChildrenTotal > 2 && root.End == tree.EndComplete {
			t.Errorf("the second of %d children of %d is said to be the last", root.ChildrenTotal, n.ID)
		}
		if root.ChildrenTotal >= 2 {
			tried++
		}
	}
	if tried == 0 {
		t.Error("no element has two children")
	}
}

func boundsAgree(t *testing.T, env Env) {
	e := env.Editor(t)
	o := observe(t, env, e.Window)
	n := field(t, o)
	p := e.Field(t)
	if !n.HasBounds || !n.Bounds.Contains(p.X-o.Window.Bounds.X, p.Y-o.Window.Bounds.Y) {
		t.Errorf("the text field lies at %v of the window at %v, which does not hold %v", n.Bounds, o.Window.Bounds, p)
	}
}

func unknownGone(t *testing.T, env Env) {
	tr := env.Desktop().Tree
	if _, err := tr.Observe(call(t), never); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("observing an unknown window: %v, want ErrGone", err)
	}
	e := env.Editor(t)
	n := field(t, observe(t, env, e.Window))
	deed := desktop.Deed{Kind: desktop.Focus}
	if err := tr.Act(call(t), e.Window, tree.NodeID(never), deed); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("acting on an unknown element: %v, want ErrGone", err)
	}
	e.Exit(t)
	gone(t, env, e.Window)
	if err := tr.Act(call(t), e.Window, n.ID, deed); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("acting in a closed window: %v, want ErrGone", err)
	}
}

func stopped(t *testing.T, env Env) {
	e, q := env.Editor(t), env.Question(t)
	if e.Stop == nil {
		t.Skip("the application cannot be stopped")
	}
	field(t, observe(t, env, e.Window))
	e.Stop(t)
	running := true
	resume := func() {
		if running {
			running = false
			e.Continue(t)
		}
	}
	defer resume()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	held := make(chan error, 1)
	go func() {
		_, err := env.Desktop().Tree.Observe(ctx, e.Window)
		held <- err
	}()
	begun := time.Now()
	button(t, observe(t, env, q.Window), q.Button)
	if took := time.Since(begun); took > 900*time.Millisecond {
		t.Errorf("another application took %v while one was stopped", took)
	}
	if err := <-held; !errors.Is(err, desktop.ErrNotAnswering) {
		t.Errorf("observing the stopped application: %v, want ErrNotAnswering", err)
	}
	Wait(t, "the window to be marked", func() bool {
		w, there := lookup(t, env, e.Window)
		if !there {
			t.Fatal("the stopped application's window was dropped")
		}
		return w.Hung
	})
	resume()
	Wait(t, "the application to recover", func() bool {
		w, _ := lookup(t, env, e.Window)
		return !w.Hung && env.Desktop().Tree.Ping(call(t), e.Window) == nil
	})
	field(t, observe(t, env, e.Window))
}
