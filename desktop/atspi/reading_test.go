package atspi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

func TestC08SlowProvider(t *testing.T) {
	app := &fakeApp{name: "slow", toolkit: "other", root: window("W", button("A"), button("B"), button("C"), button("D"))}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{Limits: Limits{Deadline: 400 * time.Millisecond}})
	app.queue <- func() { app.delay = 20 * time.Millisecond }
	start := time.Now()
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 1200*time.Millisecond {
		t.Errorf("reading took %s, want about 400ms", took)
	}
	if !r.Partial || !strings.Contains(r.Why, "did not answer within") || r.Nodes[0].End != tree.EndTimeout {
		t.Errorf("partial %v, why %q, end %d; want a partial reading that says so", r.Partial, r.Why, r.Nodes[0].End)
	}
}

func TestC08ErrorOnOneChild(t *testing.T) {
	bad := button("bad")
	bad.fails = true
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", button("A"), bad, button("C"))}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(r.Nodes), "window W\n button A\n button C\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if !r.Partial || !strings.Contains(r.Why, "error for 1 of its elements") || r.Nodes[0].End != tree.EndDenied {
		t.Errorf("partial %v, why %q, end %d", r.Partial, r.Why, r.Nodes[0].End)
	}
}

func TestC10DeepTree(t *testing.T) {
	leaf := button("leaf")
	at := leaf
	for i := range 90 {
		at = &fakeNode{role: 39, name: fmt.Sprint("level ", i), states: shown, kids: []*fakeNode{at}}
	}
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", at)}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Nodes) != 92 || r.Partial {
		t.Errorf("%d nodes, partial %v; want all 92", len(r.Nodes), r.Partial)
	}
	find(t, r.Nodes, "leaf")
}

func TestCircleEnds(t *testing.T) {
	inner := &fakeNode{role: 39, name: "inner", states: shown}
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", inner)}
	fb := newFakeBus(t, app)
	inner.kids = []*fakeNode{app.root}
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil || len(r.Nodes) != 2 {
		t.Errorf("%d nodes, %v; want 2", len(r.Nodes), err)
	}
}

func TestC06LongListIsCut(t *testing.T) {
	list := &fakeNode{role: 98, states: shown | rawDescendants, ifaces: []string{"Component", "Selection"}, extents: [4]int32{0, 0, 200, 100}}
	for i := range 10_000 {
		row := &fakeNode{role: 32, name: fmt.Sprint("row ", i), states: shown, ifaces: []string{"Component"}, extents: [4]int32{0, int32(i-4000) * 20, 200, 20}}
		if y := row.extents[1]; y < 0 || y >= 100 {
			row.states &^= rawShowing
		}
		list.kids = append(list.kids, row)
	}
	app := &fakeApp{name: "a", toolkit: "gtk", version: "3.24", root: window("W", list)}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Nodes[1]
	if l.ChildrenTotal != 10_000 || l.ChildrenFirst != 4000 || l.ChildrenCount != 5 || l.End != tree.EndCut || r.Nodes[2].Name != "row 4000" {
		t.Errorf("list is total %d, first %d, count %d, end %d; first row %q", l.ChildrenTotal, l.ChildrenFirst, l.ChildrenCount, l.End, r.Nodes[2].Name)
	}
	if n := fb.calls(list.path + " GetChildren"); n != 0 {
		t.Errorf("GetChildren was called %d times on a list of 10,000", n)
	}
	if r.Calls > 200 {
		t.Errorf("%d calls for five rows", r.Calls)
	}
	more, err := b.Children(t.Context(), apps[0], l.ID, 9990, 50)
	if err != nil {
		t.Fatal(err)
	}
	if got := more.Nodes[0]; got.ID != l.ID || got.ChildrenFirst != 9990 || got.ChildrenCount != 10 || more.Nodes[10].Name != "row 9999" {
		t.Errorf("more children: first %d, count %d, last %q", got.ChildrenFirst, got.ChildrenCount, more.Nodes[len(more.Nodes)-1].Name)
	}
}

func TestLongListWithoutPoints(t *testing.T) {
	list := &fakeNode{role: 98, states: shown, ifaces: []string{"Component"}, extents: [4]int32{0, 0, 200, 100}}
	for i := range 3000 {
		list.kids = append(list.kids, &fakeNode{
			role: 32, name: fmt.Sprint("row ", i), states: shown, ifaces: []string{"Component"}, extents: [4]int32{0, int32(i-1234) * 20, 200, 20},
		})
	}
	pane := &fakeNode{role: 49, states: shown, ifaces: []string{"Component"}, extents: [4]int32{0, 0, 200, 100}, kids: []*fakeNode{list}}
	app := &fakeApp{name: "a", toolkit: "GTK", version: "4.8", root: window("W", pane)}
	app.answer = func(n *fakeNode, method string, _ []any) []any {
		if method == "GetAccessibleAtPoint" {
			return []any{fakeRef{"", ifaceNullPath}}
		}
		return nil
	}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Nodes[1]
	if l.ChildrenTotal != 3000 || l.ChildrenFirst != 1234 || l.ChildrenCount != 5 || r.Nodes[2].Name != "row 1234" {
		t.Errorf("list is total %d, first %d, count %d", l.ChildrenTotal, l.ChildrenFirst, l.ChildrenCount)
	}
}

func TestC09SheetIsNeverAskedForItsChildren(t *testing.T) {
	sheet := &fakeNode{
		role: 55, name: "Sheet1", states: shown | rawDescendants, ifaces: []string{"Component", "Table"},
		extents: [4]int32{0, 0, 300, 100}, rows: 1 << 20, columns: 16384, count: 1<<31 - 1,
	}
	app := &fakeApp{name: "soffice", toolkit: "gtk", root: window("Calc", sheet)}
	cell := func(row, column int32) *fakeNode {
		n := &fakeNode{role: 61, states: shown, ifaces: []string{"Component", "Text"}, name: fmt.Sprintf("%c%d", 'A'+column, row+1), extents: [4]int32{column * 60, row * 20, 60, 20}}
		if row < 2 && column < 2 {
			n.text = fmt.Sprintf("%d%d", row, column)
		}
		return n
	}
	cells := map[[2]int32]*fakeNode{}
	fb := newFakeBus(t, app)
	for r := range int32(5) {
		for c := range int32(5) {
			k := cell(r, c)
			k.path = fmt.Sprintf("/cell/%d/%d", r, c)
			app.register(k, sheet, int(r*sheet.columns+c))
			cells[[2]int32{r, c}] = k
		}
	}
	app.answer = func(n *fakeNode, method string, args []any) []any {
		switch method {
		case "GetAccessibleAtPoint":
			k := cells[[2]int32{args[1].(int32) / 20, args[0].(int32) / 60}]
			return []any{fakeRef{app.bus, dbus.ObjectPath(k.path)}}
		case "GetAccessibleAt":
			k := cells[[2]int32{args[0].(int32), args[1].(int32)}]
			return []any{fakeRef{app.bus, dbus.ObjectPath(k.path)}}
		}
		return nil
	}
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "window Calc\n table Sheet1\n  table-cell A1=00\n  table-cell B1=01\n  table-cell A2=10\n  table-cell B2=11\n"
	if got := outline(r.Nodes); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, never := range []string{sheet.path + " GetChildren", "GetMatches", "GetItems"} {
		if n := fb.calls(never); n != 0 {
			t.Errorf("%s was called %d times", never, n)
		}
	}
	block, err := b.Cells(t.Context(), apps[0], find(t, r.Nodes, "Sheet1").ID, 1, 0, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(block.Nodes), "table Sheet1\n table-cell A2=10\n table-cell B2=11\n"; got != want {
		t.Errorf("cells: got\n%swant\n%s", got, want)
	}
	if c := block.Nodes[1].Cell; c == nil || c.Row != 1 || c.Column != 0 {
		t.Errorf("cell is %+v", c)
	}
}

func TestC23PasswordIsNeverRead(t *testing.T) {
	password := entry("hunter2")
	password.role, password.name = 40, "Secret"
	pin := entry("1234")
	pin.name, pin.attrs = "PIN", map[string]string{"input-purpose": "pin"}
	app := &fakeApp{name: "a", toolkit: "gtk", version: "3.24", root: window("W", password, pin)}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Secret", "PIN"} {
		n := find(t, r.Nodes, name)
		if !n.Sensitive || n.Text != "" || n.TextInfo == nil {
			t.Errorf("%s: sensitive %v, text %q", name, n.Sensitive, n.Text)
		}
		text, err := b.Text(t.Context(), apps[0], n.ID, 0, 100)
		if err != nil || strings.Trim(text, "•") != "" || text == "" {
			t.Errorf("%s: text is %q, %v; want dots", name, text, err)
		}
	}
	if n := fb.calls(password.path + " GetText"); n != 0 {
		t.Errorf("the password was asked for %d times", n)
	}
}

func TestLongTextIsCut(t *testing.T) {
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", entry(strings.Repeat("ä", 10_000)))}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n := r.Nodes[1]
	if len([]rune(n.Text)) != 4000 || n.TextInfo.Length != 10_000 {
		t.Errorf("text has %d of %d characters", len([]rune(n.Text)), n.TextInfo.Length)
	}
	rest, err := b.Text(t.Context(), apps[0], n.ID, 9_990, 100)
	if err != nil || rest != strings.Repeat("ä", 10) {
		t.Errorf("the rest is %q, %v", rest, err)
	}
}

func TestNodeLimit(t *testing.T) {
	w := window("W")
	for i := range 50 {
		w.kids = append(w.kids, button(fmt.Sprint("b", i)))
	}
	app := &fakeApp{name: "a", toolkit: "other", root: w}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{Nodes: 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Nodes) != 20 || !r.Partial || r.Nodes[0].End != tree.EndCut || !strings.Contains(r.Why, "more than 20") {
		t.Errorf("%d nodes, partial %v, end %d, why %q", len(r.Nodes), r.Partial, r.Nodes[0].End, r.Why)
	}
}

func TestAct(t *testing.T) {
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", button("B"), entry("old"))}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	press, field := find(t, r.Nodes, "B").ID, r.Nodes[2].ID
	act := func(id tree.NodeID, d desktop.Deed) (time.Duration, error) {
		start := time.Now()
		err := b.Act(t.Context(), apps[0], id, d)
		return time.Since(start), err
	}
	if _, err := act(field, desktop.Deed{Kind: desktop.SetText, Text: "new"}); err != nil {
		t.Fatal(err)
	}
	if n, err := b.Node(t.Context(), apps[0], field); err != nil || n.Text != "new" || n.ID != field {
		t.Errorf("read back %q, %v", n.Text, err)
	}
	if _, err := act(field, desktop.Deed{Kind: desktop.SetValue}); !errors.Is(err, desktop.ErrRefused) {
		t.Errorf("a value on an entry: %v, want ErrRefused", err)
	}
	if _, err := act(999, desktop.Deed{Kind: desktop.DoAction}); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("no such element: %v, want ErrGone", err)
	}
	if _, err := act(press, desktop.Deed{Kind: 99}); !errors.Is(err, desktop.ErrUnsupported) {
		t.Errorf("no such deed: %v, want ErrUnsupported", err)
	}
	// A deed that opens a dialog answers when the dialog closes, and its late
	// refusal is nobody's business any more.
	app.queue <- func() { app.actDelay, app.actFails = 400*time.Millisecond, true }
	if took, err := act(press, desktop.Deed{Kind: desktop.DoAction}); err != nil || took < 90*time.Millisecond || took > 350*time.Millisecond {
		t.Errorf("a deed that does not answer: %v after %s, want nil after 100ms", err, took)
	}
	if err := b.Ping(t.Context(), apps[0]); err != nil {
		t.Error(err)
	}
	app.queue <- func() { app.actDelay = 0 }
	if _, err := act(press, desktop.Deed{Kind: desktop.DoAction}); !errors.Is(err, desktop.ErrRefused) {
		t.Errorf("a refused deed: %v, want ErrRefused", err)
	}
}

func TestGoneTopLevel(t *testing.T) {
	app := &fakeApp{name: "a", toolkit: "other", root: window("W")}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	if _, err := b.Read(t.Context(), apps[0], "/o/nothing", ReadOptions{}); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("got %v, want ErrGone", err)
	}
	if _, err := b.Read(t.Context(), apps[0], "not a path", ReadOptions{}); err == nil {
		t.Error("a path that is none was read")
	}
}

func TestReadHonoursItsContext(t *testing.T) {
	app := &fakeApp{name: "a", toolkit: "other", root: window("W"), silent: true}
	fb := newFakeBus(t, app)
	b, _ := fb.open(t, Config{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := b.Read(ctx, App{Bus: app.bus, Name: "a"}, app.top(), ReadOptions{})
	if err == nil || time.Since(start) > time.Second {
		t.Errorf("got %v after %s", err, time.Since(start))
	}
}
