package atspi

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// outline prints a reading as an indented list of roles, names and texts.
func outline(nodes []tree.Node) string {
	var b strings.Builder
	depth := make([]int, len(nodes))
	for i, n := range nodes {
		if n.Parent >= 0 {
			depth[i] = depth[n.Parent] + 1
		}
		fmt.Fprintf(&b, "%s%s %s", strings.Repeat(" ", depth[i]), n.Role, n.Name)
		if n.Text != "" {
			fmt.Fprintf(&b, "=%s", n.Text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func find(t *testing.T, nodes []tree.Node, name string) tree.Node {
	t.Helper()
	for _, n := range nodes {
		if n.Name == name {
			return n
		}
	}
	t.Fatalf("no node is called %q in\n%s", name, outline(nodes))
	return tree.Node{}
}

func TestReadIsTidy(t *testing.T) {
	hidden := button("hidden")
	hidden.states &^= rawShowing
	app := &fakeApp{name: "editor", toolkit: "other", pid: 7, root: window("Doc",
		&fakeNode{role: 20, states: shown, kids: []*fakeNode{button("Save  "), hidden, {role: 39, states: shown, kids: []*fakeNode{entry("text")}}}},
	)}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	if len(apps) != 1 || apps[0].PID != 7 || apps[0].Name != "editor" || apps[0].Toolkit != "other" {
		t.Fatalf("applications are %+v", apps)
	}
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := "window Doc\n button Save\n entry =text\n"
	if got := outline(r.Nodes); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if r.Partial || r.Nodes[0].Subtree != 3 || r.Nodes[2].Parent != 0 || r.Nodes[1].Actions[0].Name != "Press" {
		t.Errorf("reading is %+v", r)
	}
	if n := fb.calls("GetExtents"); n != 3 {
		t.Errorf("GetExtents was called %d times, want only for the 3 objects that have Component and can be seen", n)
	}
}

func TestIDsAreStableAndNeverReused(t *testing.T) {
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", button("B"))}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	read := func() tree.NodeID {
		t.Helper()
		r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return find(t, r.Nodes, "B").ID
	}
	first := read()
	if again := read(); again != first {
		t.Errorf("the button was %d, then %d", first, again)
	}
	path := app.root.kids[0].path
	app.queue <- func() {
		fb.emit(app.bus, path, ifacePrefix+"Event.Object", "StateChanged", "defunct", int32(1), int32(0), dbus.MakeVariant(int32(0)))
	}
	if err := b.Ping(t.Context(), apps[0]); err != nil {
		t.Fatal(err)
	}
	if err := b.Act(t.Context(), apps[0], first, desktop.Deed{Kind: desktop.DoAction}); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("acting on a defunct element: %v, want ErrGone", err)
	}
	if again := read(); again == first {
		t.Error("the number of a defunct element was given again")
	}
}

func TestPingIsABarrierForEvents(t *testing.T) {
	var got atomic.Int64
	var last string
	app := &fakeApp{name: "a", toolkit: "other", root: window("W")}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{Limits: Limits{Deadline: 20 * time.Second}, Event: func(e Event) {
		if e.Bus == app.bus && e.Kind == TextChanged {
			got.Add(1)
			last = e.Path
		}
	}})
	const n = 500
	for round := range int64(5) {
		app.queue <- func() {
			for i := range n {
				fb.emit(app.bus, fmt.Sprintf("/o/%d", i), ifacePrefix+"Event.Object", "TextChanged", "insert", int32(0), int32(1), dbus.MakeVariant("x"))
			}
		}
		if err := b.Ping(t.Context(), apps[0]); err != nil {
			t.Fatal(err)
		}
		if got.Load() != n*(round+1) || last != fmt.Sprintf("/o/%d", n-1) {
			t.Fatalf("after ping %d there were %d events, the last of %s", round, got.Load(), last)
		}
	}
}

func TestEventKinds(t *testing.T) {
	app := &fakeApp{name: "a", toolkit: "other", root: window("W")}
	fb := newFakeBus(t, app)
	var events []Event
	b, apps := fb.open(t, Config{Event: func(e Event) { events = append(events, e) }})
	object := func(class, member, detail string, n int32) {
		fb.emit(app.bus, "/o/1", ifacePrefix+"Event."+class, member, detail, n, int32(0), dbus.MakeVariant(int32(0)))
	}
	app.queue <- func() {
		object("Object", "StateChanged", "showing", 1)
		object("Object", "StateChanged", "busy", 0)
		object("Object", "ChildrenChanged", "add", 0)
		object("Object", "PropertyChange", "accessible-name", 0)
		object("Window", "Activate", "", 0)
		object("Focus", "Focus", "", 0)
		fb.emit(":1.2", rootPath, ifacePrefix+"Event.Object", "ChildrenChanged", "add", int32(0), int32(0), dbus.MakeVariant(fakeRef{":1.99", rootPath}))
		fb.emit(busName, "/org/freedesktop/DBus", busName, "NameOwnerChanged", ":1.99", ":1.99", "")
		fb.emit(busName, "/org/freedesktop/DBus", busName, "NameOwnerChanged", "org.example", "", ":1.99")
	}
	if err := b.Ping(t.Context(), apps[0]); err != nil {
		t.Fatal(err)
	}
	want := []Event{
		{StateChanged, app.bus, "/o/1", "StateChanged:showing", true},
		{Busy, app.bus, "/o/1", "StateChanged:busy", false},
		{ChildrenChanged, app.bus, "/o/1", "ChildrenChanged:add", false},
		{Changed, app.bus, "/o/1", "PropertyChange:accessible-name", false},
		{WindowChanged, app.bus, "/o/1", "Activate", false},
		{Focused, app.bus, "/o/1", "Focus", false},
		{AppAdded, ":1.99", "", "ChildrenChanged", false},
		{AppGone, ":1.99", "", "NameOwnerChanged", false},
	}
	if len(events) != len(want) {
		t.Fatalf("got %d events: %+v", len(events), events)
	}
	for i := range want {
		if events[i] != want[i] {
			t.Errorf("event %d is %+v, want %+v", i, events[i], want[i])
		}
	}
}

func TestLostBus(t *testing.T) {
	before := runtime.NumGoroutine()
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", button("B"))}
	fb := newFakeBus(t, app)
	lost := make(chan struct{})
	b, apps := fb.open(t, Config{Event: func(e Event) {
		if e.Kind == Lost {
			close(lost)
		}
	}})
	fb.stop()
	fb.mu.Lock()
	fb.apps = nil
	fb.mu.Unlock()
	select {
	case <-lost:
	case <-time.After(5 * time.Second):
		t.Fatal("the loss was not told")
	}
	if _, err := b.Apps(t.Context()); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("Apps: %v, want ErrDisconnected", err)
	}
	if _, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{}); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("Read: %v, want ErrDisconnected", err)
	}
	if err := b.Ping(t.Context(), apps[0]); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("Ping: %v, want ErrDisconnected", err)
	}
	b.Close()
	b.Close()
	waitFor(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before })
}

func TestCloseTellsNoLoss(t *testing.T) {
	fb := newFakeBus(t)
	var lost atomic.Bool
	b, _ := fb.open(t, Config{Event: func(e Event) { lost.Store(lost.Load() || e.Kind == Lost) }})
	b.Close()
	if lost.Load() {
		t.Error("closing was reported as a loss")
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 5 s for %s", what)
		}
	}
}

func TestOpenExplains(t *testing.T) {
	fb := newFakeBus(t)
	fb.a11y = ""
	tests := map[string]struct{ address, want string }{
		"no bus":         {"unix:path=/nowhere/at/all", "check DBUS_SESSION_BUS_ADDRESS"},
		"odd address":    {"tcp:host=localhost", "only unix: addresses"},
		"no a11y on bus": {fb.address, "install at-spi2-core"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), Config{SessionBus: c.address})
			if !errors.Is(err, desktop.ErrDisconnected) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrDisconnected that says %q", err, c.want)
			}
		})
	}
	t.Run("nothing set", func(t *testing.T) {
		t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
		_, err := Open(t.Context(), Config{})
		if !errors.Is(err, desktop.ErrDisconnected) || !strings.Contains(err.Error(), "is not set") {
			t.Errorf("got %v", err)
		}
	})
}

func TestEnabled(t *testing.T) {
	fb := newFakeBus(t)
	got, err := Enabled(t.Context(), fb.address)
	if err != nil || got != (Status{Address: fb.address, Enabled: true}) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestC07SilentApplication(t *testing.T) {
	silent := &fakeApp{name: "silent", toolkit: "other", root: window("S"), silent: true, pid: 5}
	well := &fakeApp{name: "well", toolkit: "other", root: window("W", button("B"))}
	fb := newFakeBus(t, silent, well)
	b, apps := fb.open(t, Config{Limits: Limits{Deadline: 200 * time.Millisecond}})
	if len(apps) != 2 || apps[0].PID != 5 || apps[0].Name != "" {
		t.Fatalf("applications are %+v, want the silent one with its process alone", apps)
	}
	done := make(chan error, 1)
	start := time.Now()
	go func() {
		_, err := b.Read(context.Background(), apps[0], silent.top(), ReadOptions{})
		done <- err
	}()
	if _, err := b.Read(t.Context(), apps[1], well.top(), ReadOptions{}); err != nil {
		t.Errorf("the other application: %v", err)
	}
	if err := <-done; !errors.Is(err, desktop.ErrNotAnswering) {
		t.Errorf("the silent application: %v, want ErrNotAnswering", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("the verdict took %s", took)
	}
	if err := b.Ping(t.Context(), apps[0]); !errors.Is(err, desktop.ErrNotAnswering) {
		t.Errorf("ping: %v, want ErrNotAnswering", err)
	}
	if _, err := b.TopLevels(t.Context(), apps[0]); !errors.Is(err, desktop.ErrNotAnswering) {
		t.Errorf("top-levels: %v, want ErrNotAnswering", err)
	}
}

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
