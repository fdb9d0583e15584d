//go:build desktop

// Package live runs adapters natively against real applications on a virtual
// desktop: it records the observations that the tests of the adapters use, and
// carries out their actions for real. The host functions go straight to the
// backend, so that what it tells of is the adapter and the application alone.
package live

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

var record = flag.Bool("record", false, "write the recorded observations in testdata")

// appears is how long an application may take to show its window on a loaded
// machine.
const appears = 40 * time.Second

// often is how often a state is looked for.
const often = 50 * time.Millisecond

// poll looks for a state until it is there or the time is over. It looks once at
// least.
func poll(limit, every time.Duration, there func() bool) bool {
	end, tick := time.NewTimer(limit), time.NewTicker(every)
	defer end.Stop()
	defer tick.Stop()
	for !there() {
		select {
		case <-tick.C:
		case <-end.C:
			return there()
		}
	}
	return true
}

// Await waits for a state outside of the windows, such as a file that an
// application writes, and fails the test if it does not come.
func (b *Bench) Await(what string, there func() bool) {
	b.t.Helper()
	if !poll(appears, often, there) {
		b.t.Fatalf("waiting for %s: not so after %v", what, appears)
	}
}

// Bench is a virtual desktop with applications.
type Bench struct {
	t testing.TB
	V *virtual.Desktop
	D *desktop.Desktop
}

// Start starts a virtual desktop. The programs must be there: a test of the
// real thing that finds nothing to test fails.
func Start(t testing.TB, programs ...string) *Bench {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Fatalf("%s is missing; install it with: apt-get install %s", p, p)
		}
	}
	v, err := virtual.Start(t.Context(), virtual.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), appears)
	defer cancel()
	d, err := linux.Open(ctx, linux.Config{Display: v.Display(), SessionBus: v.SessionBus()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &Bench{t, v, d}
}

// File writes a file into the desktop's home and returns its path.
func (b *Bench) File(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.V.Home(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// Launch starts a program and returns the id of the window that it opens.
func (b *Bench) Launch(title string, name string, args ...string) *Window {
	b.t.Helper()
	known := b.ids()
	if _, err := b.V.Launch(b.V.Command(name, args...)); err != nil {
		b.t.Fatal(err)
	}
	return b.await(title, known)
}

func (b *Bench) list() []desktop.Window {
	ctx, cancel := context.WithTimeout(context.Background(), appears)
	defer cancel()
	windows, err := b.D.Windows.List(ctx)
	if err != nil {
		b.t.Fatal(err)
	}
	return windows
}

func (b *Bench) ids() map[desktop.WindowID]bool {
	ids := map[desktop.WindowID]bool{}
	for _, w := range b.list() {
		ids[w.ID] = true
	}
	return ids
}

// await waits for a new window with a title, "" for any.
func (b *Bench) await(title string, known map[desktop.WindowID]bool) *Window {
	b.t.Helper()
	patient := time.Now().Add(3 * time.Second) // then it has no accessibility
	var found *Window
	if !poll(appears, often, func() bool {
		for _, w := range b.list() {
			if !known[w.ID] && (title == "" || title == w.Title) && (w.Accessible || time.Now().After(patient)) {
				found = &Window{b, w.ID}
			}
		}
		return found != nil
	}) {
		b.t.Fatalf("no window %q appeared; there are %+v", title, b.list())
	}
	return found
}

// Opened waits for a window with a title that act opens.
func (b *Bench) Opened(title string, act func()) *Window {
	b.t.Helper()
	known := b.ids()
	act()
	return b.await(title, known)
}

// Clipboard is the text on the clipboard, once there is any.
func (b *Bench) Clipboard() string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var text []byte
	var err error
	if !poll(5*time.Second, often, func() bool {
		text, err = b.D.Selection.Read(ctx, "UTF8_STRING")
		return err == nil
	}) {
		b.t.Fatalf("reading the clipboard: %v", err)
	}
	return string(text)
}

// Window is a window on the bench.
type Window struct {
	b  *Bench
	ID desktop.WindowID
}

// Observe looks until two looks 150 ms apart agree, so that a recording is of a
// window at rest. The ids of elements do not count: some toolkits make the cells
// of a table anew for every look.
func (w *Window) Observe() []byte {
	w.b.t.Helper()
	var now, last []byte // last is without what differs with every look
	var err error
	if !poll(appears, 150*time.Millisecond, func() bool {
		if now, err = w.look(); err != nil {
			return false
		}
		same := tree.Append(nil, w.anonymous(now))
		rest := bytes.Equal(same, last)
		last = same
		return rest
	}) {
		w.b.t.Fatalf("the window did not come to rest: %d bytes, %v", len(last), err)
	}
	return now
}

// Until waits until the window satisfies ok.
func (w *Window) Until(ok func(*tree.Reader) bool) {
	w.b.t.Helper()
	if !poll(appears, often, func() bool {
		now, err := w.look()
		if err != nil {
			return false
		}
		r, err := tree.NewReader(now)
		return err == nil && ok(r)
	}) {
		w.b.t.Fatal("the window did not come to the expected state")
	}
}

func (w *Window) look() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	o, err := w.b.D.Tree.Observe(ctx, w.ID)
	if err != nil {
		return nil, err
	}
	return tree.Append(nil, o.Tree), nil
}

// Gone waits until the window is no longer there.
func (w *Window) Gone() {
	w.b.t.Helper()
	if !poll(appears, often, func() bool { return !w.b.ids()[w.ID] }) {
		w.b.t.Fatal("the window is still there")
	}
}

// Record writes the window's observation to a file of testdata when the test
// runs with -record. What is in the tree of this machine alone stays out: the
// home folder's name is replaced.
func (w *Window) Record(name string) {
	w.b.t.Helper()
	obs := w.Observe()
	if !*record {
		return
	}
	t := w.anonymous(obs)
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		w.b.t.Fatal(err)
	}
	file := filepath.Join("testdata", name+tree.Extension)
	if err := os.WriteFile(file, tree.Append(nil, t), 0o644); err != nil {
		w.b.t.Fatal(err)
	}
	w.b.t.Logf("recorded %s: %d nodes", file, len(t.Nodes))
}

// anonymous is an observation without what differs with every run: the folder of
// the desktop and the ids of elements, which become their places.
func (w *Window) anonymous(observation []byte) *tree.Tree {
	w.b.t.Helper()
	t, err := tree.Decode(observation)
	if err != nil {
		w.b.t.Fatal(err)
	}
	home := func(s string) string {
		return string(bytes.ReplaceAll([]byte(s), []byte(w.b.V.Home()), []byte("/home/user")))
	}
	ids := map[tree.NodeID]tree.NodeID{0: 0}
	for i := range t.Nodes {
		ids[t.Nodes[i].ID] = tree.NodeID(i + 1)
	}
	outside := tree.NodeID(1 << 32)
	id := func(old tree.NodeID) tree.NodeID {
		if _, ok := ids[old]; !ok {
			outside++
			ids[old] = outside
		}
		return ids[old]
	}
	t.Window.Handle, t.Window.Owner = 1, min(t.Window.Owner, 2)
	t.Window.Title = home(t.Window.Title)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		n.ID = id(n.ID)
		n.Name, n.Description, n.Text = home(n.Name), home(n.Description), home(n.Text)
		for j := range n.Relations {
			n.Relations[j].Target = id(n.Relations[j].Target)
		}
		if n.Cell != nil {
			n.Cell.RowHeader, n.Cell.ColumnHeader = id(n.Cell.RowHeader), id(n.Cell.ColumnHeader)
		}
	}
	return t
}

// View has an adapter translate the window as it is now.
func (w *Window) View(a pluginsdk.Adapter) *hostabi.View {
	w.b.t.Helper()
	view, err := hostabi.ParseView(pluginsdk.Translate(nil, a, w.Observe()))
	if err != nil {
		w.b.t.Fatal(err)
	}
	if err := check.View(view); err != nil {
		w.b.t.Fatalf("the host would refuse this view:\n%v", err)
	}
	return view
}

// Invoke has an adapter carry out an action, as the host would: it must be
// offered and the arguments must suit it.
func (w *Window) Invoke(a pluginsdk.Adapter, action, args string) *hostabi.Outcome {
	w.b.t.Helper()
	offered := w.offered(a, action)
	if faults := check.Args(offered.Input, []byte(args)); len(faults) > 0 {
		w.b.t.Fatalf("the host would refuse %s %s: %+v", action, args, faults)
	}
	obs := w.Observe()
	h := host{w: w, last: obs}
	pluginsdk.SetHost(h.call)
	defer pluginsdk.SetHost(nil)
	start := time.Now()
	out := pluginsdk.Invoke(nil, a, hostabi.AppendCall(nil, &hostabi.Call{Action: action, Args: args, Observation: obs}))
	o, err := hostabi.ParseOutcome(out)
	if err != nil {
		w.b.t.Fatal(err)
	}
	if err := check.Outcome(o, offered); err != nil {
		w.b.t.Fatalf("the host would refuse this outcome:\n%v", err)
	}
	w.b.t.Logf("%s %s: %v, effect %q, message %q, result %s, fault %v", action, args, time.Since(start).Round(time.Millisecond), o.Effect, o.Message, o.Result, o.Fault)
	return o
}

// Must is Invoke for an action that is to succeed with an effect.
func (w *Window) Must(a pluginsdk.Adapter, effect hostabi.Effect, action, args string) *hostabi.Outcome {
	w.b.t.Helper()
	o := w.Invoke(a, action, args)
	if o.Fault != nil {
		w.b.t.Fatalf("%s %s: %v", action, args, o.Fault)
	}
	if o.Effect != effect {
		w.b.t.Errorf("%s %s: effect %q (%s), want %q", action, args, o.Effect, o.Message, effect)
	}
	return o
}

func (w *Window) offered(a pluginsdk.Adapter, action string) hostabi.Action {
	w.b.t.Helper()
	view := w.View(a)
	for _, offered := range view.Actions {
		if offered.Name == action && offered.Unavailable == "" {
			return offered
		}
	}
	w.b.t.Fatalf("%s is not offered by %+v", action, view)
	return hostabi.Action{}
}

// fault is the refusal that stands for an error of the backend.
func fault(err error) *hostabi.Fault {
	if f, ok := errors.AsType[*hostabi.Fault](err); ok {
		return f
	}
	code := hostabi.CodeInternal
	for e, c := range map[error]hostabi.Code{
		desktop.ErrGone: hostabi.CodeGone, desktop.ErrNotAnswering: hostabi.CodeTimeout, desktop.ErrUnsupported: hostabi.CodeUnsupported,
		desktop.ErrNoFocus: hostabi.CodeNoFocus, desktop.ErrCovered: hostabi.CodeCovered, desktop.ErrRefused: hostabi.CodeUnsupported,
	} {
		if errors.Is(err, e) {
			code = c
		}
	}
	return &hostabi.Fault{Code: code, Message: err.Error()}
}
