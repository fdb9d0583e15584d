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
	if r.Partial || r.Nodes[0].Subtree != 3 || r.Nodes[2].Parent != 0 || r.Nodes[1].Actions[0].Name != "press" {
		t.Errorf("reading is %+v", r)
	}
	if n := fb.calls("GetExtents"); n != 3 {
		t.Errorf("GetExtents was called %d times, want only for the 3 objects that have Component and can be seen", n)
	}
}

func TestActionsAreCalledTheSameInEveryLanguage(t *testing.T) {
	first, second := button("A"), button("B")
	first.actions, second.actions = []string{"Klicken", "win.Close"}, []string{"Klicken"}
	app := &fakeApp{name: "a", toolkit: "other", root: window("W", first, second)}
	app.answer = func(_ *fakeNode, method string, args []any) []any {
		if method == "GetName" && args[0] == int32(0) {
			return []any{"Click"}
		}
		return nil
	}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	for range 3 {
		r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, b := r.Nodes[1].Actions, r.Nodes[2].Actions
		if a[0].Name != "click" || a[1].Name != "win.Close" || b[0].Name != "click" {
			t.Errorf("actions are %+v and %+v", a, b)
		}
	}
	if n := fb.calls("GetName"); n > 2 {
		t.Errorf("%d calls for one name", n)
	}
}

func TestQtIsAskedForWhatARoleHas(t *testing.T) {
	hidden := button("hidden")
	hidden.states &^= rawShowing
	app := &fakeApp{name: "a", toolkit: "Qt", version: "5.15", root: window("W",
		&fakeNode{role: 20, states: shown, ifaces: []string{"Component", "Action"}, kids: []*fakeNode{button("A"), hidden, entry("text"), {role: 29, name: "L", states: shown, extents: [4]int32{10, 70, 80, 20}}}})}
	fb := newFakeBus(t, app)
	b, apps := fb.open(t, Config{})
	r, err := b.Read(t.Context(), apps[0], app.top(), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := outline(r.Nodes), "window W\n button A\n entry =text\n label L\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for method, want := range map[string]int{"GetInterfaces": 2, "GetExtents": 4, "GetActions": 1} {
		if n := fb.calls(method); n != want {
			t.Errorf("%s was called %d times, want %d", method, n, want)
		}
	}
	if n := fb.calls(hidden.path + " "); n != 2 {
		t.Errorf("a hidden button was asked %d times, want for its state and role only", n)
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
