package atspi

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"oriel.dev/oriel/tree"
)

// node makes an element that can be seen. Options set what differs.
func node(role tree.Role, name string, opts ...any) *elem {
	e := &elem{status: statusRead}
	e.n.Role, e.n.Name = role, name
	e.n.States = tree.StateShowing | tree.StateVisible | tree.StateEnabled
	e.n.Ifaces = tree.IfaceComponent
	e.n.Bounds, e.n.HasBounds = tree.Rect{X: 10, Y: 10, W: 50, H: 20}, true
	for _, o := range opts {
		switch o := o.(type) {
		case *elem:
			o.parent = e
			e.kids = append(e.kids, o)
		case func(*elem):
			o(e)
		}
	}
	return e
}

func action(name string) func(*elem) {
	return func(e *elem) { e.n.Actions = append(e.n.Actions, tree.Action{Name: name}) }
}

func states(s tree.States) func(*elem) { return func(e *elem) { e.n.States |= s } }

func unplaced(e *elem) { e.n.HasBounds = false }

func offscreen(e *elem) {
	e.n.HasBounds, e.listed = false, true
	e.n.States &^= tree.StateShowing
}

func hidden(e *elem) { e.status = statusHidden }

func class(name string) func(*elem) { return func(e *elem) { e.class = name } }

func about(d string) func(*elem) { return func(e *elem) { e.n.Description = d } }

func count(n int64) func(*elem) { return func(e *elem) { e.count = n } }

func at(x, y, w, h int32) func(*elem) {
	return func(e *elem) { e.n.Bounds = tree.Rect{X: x, Y: y, W: w, H: h} }
}

// flat tidies and flattens the elements in a window.
func flat(how strategy, kids ...any) Reading {
	root := node(tree.RoleWindow, "W", append([]any{at(0, 0, 400, 300)}, kids...)...)
	root.path = "/root"
	number := 0
	var name func(e *elem)
	name = func(e *elem) {
		for _, k := range e.kids {
			number++
			k.path = fmt.Sprintf("/e/%d", number)
			name(k)
		}
	}
	name(root)
	tidyTree(root, how)
	f := flattener{ids: newIdentities(), limit: 4000, surfaceSpace: how.byExtents}
	return f.flatten(root, nil)
}

func TestTidy(t *testing.T) {
	button := func(name string, opts ...any) *elem {
		return node(tree.RoleButton, name, append([]any{action("Click"), states(tree.StateFocusable)}, opts...)...)
	}
	label := func(name string, opts ...any) *elem { return node(tree.RoleLabel, name, opts...) }
	tests := map[string]struct {
		how  strategy
		kids []any
		want string
	}{
		"layout goes, its children move up": {
			kids: []any{node(tree.RolePanel, "", node(tree.RoleFiller, "", button("A"), node(tree.RoleScrollPane, "", button("B"))))},
			want: "window W\n button A\n button B\n",
		},
		"a named panel stays, its label repeats it": {
			kids: []any{node(tree.RolePanel, "Options", label("Options"), button("A"))},
			want: "window W\n panel Options\n  button A\n",
		},
		"layout with an action, a value, or editable text stays": {
			kids: []any{
				node(tree.RolePanel, "", action("calc.clear")),
				node(tree.RoleFiller, "", func(e *elem) { e.n.Value = &tree.Value{} }),
				node(tree.RolePanel, "", func(e *elem) { e.n.Ifaces |= tree.IfaceEditableText }),
				node(tree.RolePanel, "", func(e *elem) { e.relations = []relation{{kind: tree.LabelledBy}} }),
			},
			want: "window W\n panel \n filler \n panel \n panel \n",
		},
		"what has no place goes unless there is something in it": {
			kids: []any{label("ghost", unplaced), button("ghost", unplaced), node(tree.RolePanel, "Page", unplaced, button("A"))},
			want: "window W\n panel Page\n  button A\n",
		},
		"a button's label repeats it": {
			kids: []any{button("Undo", node(tree.RolePanel, "", label("Undo"), node(tree.RoleIcon, "")))},
			want: "window W\n button Undo\n",
		},
		"a button without a name is called by its label, or its tooltip": {
			kids: []any{button("", label("π"), about("Pi")), button("", about("Clear"))},
			want: "window W\n button π\n button Clear\n",
		},
		"a list row with one label takes it, with a button keeps all": {
			kids: []any{node(tree.RoleList, "L", node(tree.RoleListItem, "", label("one")), node(tree.RoleListItem, "", label("two"), button("x")))},
			want: "window W\n list L\n  list-item one\n  list-item \n   label two\n   button x\n",
		},
		"GTK4's button in a button": {
			how:  strategies[toolkitGTK4],
			kids: []any{node(tree.RoleButton, "", about("Mode"), button("Basic"), node(tree.RoleMenu, "", class("GtkPopoverMenu"), node(tree.RoleMenuItem, "A", action("Click"))))},
			want: "window W\n button Basic\n  menu \n   menu-item A\n",
		},
		"GTK4's scroll bar around a range": {
			how:  strategies[toolkitGTK4],
			kids: []any{node(tree.RoleScrollBar, "", node(tree.RoleFiller, "", func(e *elem) { e.n.Value = &tree.Value{Max: 5} }))},
			want: "window W\n scroll-bar \n",
		},
		"GTK4's drop-down shows what is chosen": {
			how:  strategies[toolkitGTK4],
			kids: []any{node(tree.RoleComboBox, "", node(tree.RoleButton, "", action("Click"), label("red")))},
			want: "window W\n combo-box =red\n",
		},
		"GTK4's class actions are none": {
			how:  strategies[toolkitGTK4],
			kids: []any{node(tree.RolePanel, "", action("clipboard.copy"), action("menu.popup")), node(tree.RolePanel, "", action("clipboard.copy"), action("cal.clear"))},
			want: "window W\n panel \n",
		},
		"a mnemonic's mark is no part of a name": {
			kids: []any{button("_Inform", about("Inform")), button("_Ask", label("Ask"))},
			want: "window W\n button Inform\n button Ask\n",
		},
		"GTK4's popover begins a surface though it has no name": {
			how: strategies[toolkitGTK4],
			kids: []any{node(tree.RoleComboBox, "", button("red", action("click")), node(tree.RolePanel, "", class("GtkPopover"), at(0, 0, 100, 90),
				node(tree.RoleList, "", node(tree.RoleListItem, "red"))))},
			want: "window W\n combo-box =red\n  panel \n   list \n    list-item red\n",
		},
		"GTK4's tabs in another language": {
			how: strategies[toolkitGTK4],
			kids: []any{
				node(tree.RoleTabList, "Reiter-Liste", node(tree.RoleTab, "Reiter", label("Erster"))),
				node(tree.RolePanel, "Reiter", label("Seite")),
			},
			want: "window W\n tab-list \n  tab Erster\n label Seite\n",
		},
		"GTK4's tabs are called by their labels": {
			how:  strategies[toolkitGTK4],
			kids: []any{node(tree.RoleTabList, "Tab list", node(tree.RoleTab, "Tab", label("First")))},
			want: "window W\n tab-list \n  tab First\n",
		},
		"a closed combo box offers its entries": {
			kids: []any{node(tree.RoleComboBox, "", node(tree.RoleMenu, "", offscreen, node(tree.RoleMenuItem, "red", offscreen), node(tree.RoleMenuItem, "green", offscreen, states(tree.StateSelected))))},
			want: "window W\n combo-box =green\n  menu-item red\n  menu-item green\n",
		},
		"an item's key is no label": {
			kids: []any{node(tree.RoleMenuItem, "New", action("Click"), label("New"), label("Ctrl+N"))},
			want: "window W\n menu-item New\n",
		},
		"Qt's menu is an item with a popup": {
			how:  strategies[toolkitQt5],
			kids: []any{node(tree.RoleMenuBar, "", node(tree.RoleMenuItem, "File", action("ShowMenu"), node(tree.RolePopupMenu, "", hidden, count(7))))},
			want: "window W\n menu-bar \n  menu File\n",
		},
		"an empty tab strip goes": {
			kids: []any{node(tree.RoleTabList, "", node(tree.RoleTab, "", unplaced, button("A")))},
			want: "window W\n button A\n",
		},
		"unnamed separators and scroll bars without a value go": {
			kids: []any{node(tree.RoleSeparator, "", states(tree.StateFocusable)), node(tree.RoleScrollBar, "")},
			want: "window W\n",
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			if got := outline(flat(c.how, c.kids...).Nodes); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestClosedMenuTellsItsItems(t *testing.T) {
	r := flat(strategy{}, node(tree.RoleMenu, "File", count(3), node(tree.RoleMenuItem, "New", hidden), node(tree.RoleMenuItem, "Open", hidden)))
	if n := r.Nodes[1]; n.ChildrenTotal != 3 || n.ChildrenCount != 0 || n.End != tree.EndCut {
		t.Errorf("menu says total %d, count %d, end %d", n.ChildrenTotal, n.ChildrenCount, n.End)
	}
}

func TestPopupsBeginSurfaces(t *testing.T) {
	item := func(name string, y int32) *elem {
		return node(tree.RoleMenuItem, name, action("Click"), at(0, y, 100, 20))
	}
	t.Run("GTK3 menu", func(t *testing.T) {
		r := flat(strategies[toolkitGTK3], node(tree.RoleMenu, "File", action("Click"), at(0, 0, 30, 20), item("New", 20), item("Open", 40)))
		if len(r.Popups) != 1 || r.Popups[0].Node != 2 || r.Popups[0].Bounds != (tree.Rect{Y: 20, W: 100, H: 40}) {
			t.Errorf("popups are %+v", r.Popups)
		}
		if r.Nodes[1].Surface != 0 || r.Nodes[2].Surface != 1 || r.Nodes[3].Surface != 1 {
			t.Errorf("surfaces are %d, %d, %d", r.Nodes[1].Surface, r.Nodes[2].Surface, r.Nodes[3].Surface)
		}
	})
	t.Run("GTK4 popover is relative to itself", func(t *testing.T) {
		menu := node(tree.RoleMenu, "", class("GtkPopoverMenu"), at(200, 6, 285, 418), node(tree.RoleMenuItem, "New", action("Click"), at(243, 46, 201, 32)))
		r := flat(strategies[toolkitGTK4], node(tree.RoleButton, "Menu", action("Click"), at(200, 6, 34, 34), menu))
		if len(r.Popups) != 1 || r.Popups[0].Bounds != (tree.Rect{W: 285, H: 418}) || r.Nodes[3].Bounds != (tree.Rect{X: 43, Y: 40, W: 201, H: 32}) {
			t.Errorf("popups %+v, item at %+v", r.Popups, r.Nodes[3].Bounds)
		}
	})
	t.Run("Qt menu", func(t *testing.T) {
		r := flat(strategies[toolkitQt5], node(tree.RoleMenuItem, "File", action("ShowMenu"), at(0, 0, 30, 20), node(tree.RolePopupMenu, "", at(0, 20, 100, 60), item("New", 20))))
		if len(r.Popups) != 1 || r.Nodes[1].Role != tree.RoleMenu || r.Nodes[2].Surface != 1 || r.Nodes[3].Surface != 1 {
			t.Errorf("popups are %+v in\n%s", r.Popups, outline(r.Nodes))
		}
	})
}

// TestFlatIsAlwaysATree builds random trees and checks what must hold of every
// reading, and that nothing that a person could work with is lost.
func TestFlatIsAlwaysATree(t *testing.T) {
	rolesDrawn := []tree.Role{
		tree.RolePanel, tree.RoleFiller, tree.RoleButton, tree.RoleLabel, tree.RoleMenu, tree.RoleMenuItem, tree.RoleTabList, tree.RoleTab,
		tree.RoleComboBox, tree.RoleList, tree.RoleListItem, tree.RoleEntry, tree.RoleScrollBar, tree.RoleSeparator, tree.RoleWindow,
	}
	rapid.Check(t, func(t *rapid.T) {
		acting := 0
		var grow func(depth int) *elem
		grow = func(depth int) *elem {
			e := node(rapid.SampledFrom(rolesDrawn).Draw(t, "role"), rapid.SampledFrom([]string{"", "", "x", "y y"}).Draw(t, "name"))
			if e.n.Role == tree.RoleButton || e.n.Role == tree.RoleEntry {
				e.n.Actions = []tree.Action{{Name: fmt.Sprint("do", acting)}}
				acting++
			}
			if depth < 5 {
				for range rapid.IntRange(0, 3).Draw(t, "kids") {
					k := grow(depth + 1)
					k.parent = e
					e.kids = append(e.kids, k)
				}
			}
			return e
		}
		how := rapid.SampledFrom([]strategy{{}, strategies[toolkitGTK3], strategies[toolkitGTK4], strategies[toolkitQt5]}).Draw(t, "toolkit")
		r := flat(how, grow(0), grow(0))
		seen := map[tree.NodeID]bool{}
		got := 0
		for i, n := range r.Nodes {
			if seen[n.ID] {
				t.Fatalf("node %d repeats number %d", i, n.ID)
			}
			seen[n.ID] = true
			got += len(n.Actions)
			if i == 0 {
				if n.Parent != -1 || int(n.Subtree) != len(r.Nodes) {
					t.Fatalf("the root has parent %d, subtree %d of %d", n.Parent, n.Subtree, len(r.Nodes))
				}
				continue
			}
			p := r.Nodes[n.Parent]
			if int(n.Parent) >= i || i+int(n.Subtree) > int(n.Parent)+int(p.Subtree) {
				t.Fatalf("node %d with subtree %d is not within its parent %d", i, n.Subtree, n.Parent)
			}
			if int(n.Surface) > len(r.Popups) {
				t.Fatalf("node %d is on surface %d of %d", i, n.Surface, len(r.Popups))
			}
		}
		if got != acting {
			t.Fatalf("%d of %d actions were kept:\n%s", got, acting, outline(r.Nodes))
		}
	})
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{
		"GtkMenuButton": true, "AdwGizmo": true, "HistoryView": true, "GtkBuiltinIcon": true,
		"Save": false, "OK": false, "GTK": false, "Open File": false, "About": false, "PDF": false, "": false, "Gtk": false, "7": false,
	} {
		if got := className(name); got != want {
			t.Errorf("className(%q) = %v, want %v", name, got, want)
		}
	}
	for in, want := range map[string]string{"7 7": "7", "x y": "x y", "ab ab": "ab", "a": "a", "": "", "÷ ÷": "÷", " ": " ", "_Inform Inform": "Inform", "Save _As… Save As…": "Save As…", "a_b c": "a_b c", "_ ": "_ "} {
		if got := undouble(in); got != want {
			t.Errorf("undouble(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"<p style='white-space:pre'>/tmp/x</p>": "/tmp/x", "<b>a</b> &lt;1&gt; &amp;amp;": "<b>a</b> &lt;1&gt; &amp;amp;",
		"<p>a &lt; b</p>": "a < b", "plain": "plain", "a < b > c": "a < b > c", "": "",
	} {
		if got := stripMarkup(in); got != want {
			t.Errorf("stripMarkup(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestToolkitOf(t *testing.T) {
	for _, c := range []struct{ name, toolkit, version, want string }{
		{"mousepad", "gtk", "3.24.38", toolkitGTK3},
		{"gnome-calculator", "GTK", "4.8.3", toolkitGTK4},
		{"FeatherPad", "Qt", "5.15.8", toolkitQt5},
		{"kate", "Qt", "6.5.0", "qt6"},
		{"soffice", "gtk", "3.24.38", toolkitLibreOffice},
		{"Chromium", "Chromium", "1.0", toolkitChromium},
		{"thing", "Java", "", "java"},
		{"", "", "", ""},
	} {
		if got := toolkitOf(c.name, c.toolkit, c.version); got != c.want {
			t.Errorf("toolkitOf(%q, %q, %q) = %q, want %q", c.name, c.toolkit, c.version, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	if got := roleOf(61, rawMultiLine); got != tree.RoleTextArea {
		t.Errorf("a text of many lines is %s", got)
	}
	if got := roleOf(61, 0); got != tree.RoleEntry {
		t.Errorf("a text of one line is %s", got)
	}
	if got := roleOf(9999, 0); got != tree.RoleUnknown {
		t.Errorf("an unheard-of role is %s", got)
	}
	seen := map[uint]bool{}
	for _, p := range stateBits {
		if seen[p.bit] {
			t.Errorf("state %d stands twice", p.bit)
		}
		seen[p.bit] = true
	}
	if got := rawStates(1<<24 | 1<<4).states(); got != tree.StateEnabled|tree.StateChecked {
		t.Errorf("states are %v", got.Names())
	}
}

func TestExtents(t *testing.T) {
	const min = -1 << 31
	for _, c := range []struct {
		in [4]int32
		ok bool
	}{
		{[4]int32{1, 2, 3, 4}, true},
		{[4]int32{-20, -5, 3, 4}, true},
		{[4]int32{min, min, 1, 1}, false},
		{[4]int32{-1, -1, -1, -1}, false},
		{[4]int32{0, 0, 0, 0}, false},
		{[4]int32{min, min, 64, 21}, false},
		{[4]int32{5, 5, 1, 1}, false},
	} {
		e := &elem{}
		e.setExtents([]any{c.in[0], c.in[1], c.in[2], c.in[3]})
		if e.n.HasBounds != c.ok {
			t.Errorf("%v gives a place: %v, want %v", c.in, e.n.HasBounds, c.ok)
		}
	}
	e := &elem{}
	for _, v := range []any{nil, []any{}, []any{"a", 1, 2, 3}, "x"} {
		e.setExtents(v) // must not panic
	}
}

func TestFleetingObjectsKeepTheirNumbers(t *testing.T) {
	ids := newIdentities()
	paths := 0
	look := func(table tree.NodeID, cells ...string) (out []tree.NodeID) {
		since := ids.tick(":1")
		for row, name := range cells {
			paths++
			out = append(out, ids.at(ref{":1", fmt.Sprint("/", paths)}, place{parent: table, row: int64(row)}, tree.RoleTableCell, name, since))
		}
		ids.settle(":1", since)
		return out
	}
	first := look(1, "a", "b", "c")
	again := look(1, "a", "b", "c")
	if !slices.Equal(first, again) {
		t.Errorf("the same cells are %v, then %v", first, again)
	}
	if at, ok := ids.find(first[1]); !ok || at.path != "/5" {
		t.Errorf("cell b is at %v, want the path that it has now", at)
	}
	other := look(1, "a", "B", "c")
	if other[0] != first[0] || other[2] != first[2] || slices.Contains(first, other[1]) {
		t.Errorf("after one cell changed the numbers are %v; they were %v", other, first)
	}
	if _, ok := ids.find(first[1]); ok {
		t.Error("what was in the cell before can still be found")
	}
	if back := look(1, "a", "b", "c"); slices.Contains(append(first, other...), back[1]) {
		t.Errorf("cell b that came back has number %d, which another element had: %v, %v", back[1], first, other)
	}
	if next := look(2, "a", "b", "c"); slices.ContainsFunc(next, func(id tree.NodeID) bool { return slices.Contains(first, id) }) {
		t.Errorf("cells of another table have the numbers %v of %v", next, first)
	}
}

func TestFleetingNumbersAreUniqueInALook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := newIdentities()
		for range rapid.IntRange(1, 20).Draw(t, "looks") {
			since := ids.tick(":1")
			seen, used := map[tree.NodeID]bool{}, map[string]bool{}
			for row := range rapid.IntRange(1, 5).Draw(t, "rows") {
				path, name := rapid.StringMatching("/[a-h]").Draw(t, "path"), rapid.StringMatching("[xy]").Draw(t, "name")
				if used[path] {
					continue // an object is read once
				}
				used[path] = true
				id := ids.at(ref{":1", path}, place{parent: 1, row: int64(row)}, tree.RoleTableCell, name, since)
				if seen[id] {
					t.Fatalf("number %d was given twice in one look", id)
				}
				seen[id] = true
				if at, ok := ids.find(id); !ok || at.path != path {
					t.Fatalf("number %d leads to %v, want %s", id, at, path)
				}
			}
		}
	})
}

func TestIdentitiesAreBounded(t *testing.T) {
	ids := newIdentities()
	first := ids.of(ref{":1", "/keep"})
	for i := range 3 * maxIdentities {
		ids.of(ref{":1", fmt.Sprint("/", i)})
		if i%1000 == 0 {
			ids.tick(":1")
			if ids.of(ref{":1", "/keep"}) != first {
				t.Fatal("an element that is met all the time was forgotten")
			}
		}
	}
	ids.tick(":1")
	if n := len(ids.refs); n > maxIdentities+1000 {
		t.Errorf("%d numbers are kept", n)
	}
	ids.forgetApp(":1")
	if len(ids.refs) != 0 || len(ids.apps) != 0 {
		t.Errorf("%d numbers of a gone application are kept", len(ids.refs))
	}
}
