//go:build desktop

package atspi_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/tree"
)

// env is a virtual desktop with a connection to its accessibility bus.
type env struct {
	*virtual.Desktop
	bus    *atspi.Bus
	output *output

	mu     sync.Mutex // guards events
	events []atspi.Event
}

// output keeps what the applications print.
type output struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func start(t testing.TB) *env {
	t.Helper()
	for _, program := range []string{"mousepad", "zenity", "gnome-calculator", "featherpad", "chromium", "soffice", "/usr/bin/python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing; install the packages of the desktop tests", program)
		}
	}
	e := &env{output: &output{}}
	d, err := virtual.Start(t.Context(), virtual.Config{Log: e.output})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	e.Desktop = d
	e.bus, err = atspi.Open(t.Context(), atspi.Config{SessionBus: d.SessionBus(), Event: e.event})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.bus.Close() })
	return e
}

func (e *env) event(ev atspi.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.events = append(e.events, ev)
}

// program is an application with its window.
type program struct {
	*env
	t     testing.TB
	cmd   *exec.Cmd
	ended <-chan struct{}
	app   atspi.App
	top   atspi.TopLevel
}

// run starts an application and waits for its first window.
func (e *env) run(t testing.TB, name string, args ...string) *program {
	t.Helper()
	p := &program{env: e, t: t, cmd: e.Command(name, args...)}
	var err error
	if p.ended, err = e.Launch(p.cmd); err != nil {
		t.Fatal(err)
	}
	until(t, "the window of "+name, func() bool {
		apps, err := e.bus.Apps(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range apps {
			if !e.owns(p.cmd.Process.Pid, a) || a.Toolkit == "" {
				continue
			}
			tops, err := e.bus.TopLevels(t.Context(), a)
			if err != nil || len(tops) == 0 {
				return false
			}
			i := slices.IndexFunc(tops, func(t atspi.TopLevel) bool { return !t.Popup })
			if i < 0 {
				return false
			}
			p.app, p.top = a, tops[i]
			return true
		}
		return false
	})
	return p
}

// owns tells whether an application belongs to a process that we started:
// chromium and soffice run in a child of it.
func (e *env) owns(pid int, a atspi.App) bool {
	for at := a.PID; at > 1; at = parentOf(at) {
		if at == pid {
			return true
		}
	}
	return false
}

func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	var state string
	var parent int
	_, _ = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
	return parent
}

func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited 30 s for %s", what)
		}
	}
}

func (p *program) read() atspi.Reading {
	p.t.Helper()
	return p.readWith(atspi.ReadOptions{Deadline: 10 * time.Second})
}

func (p *program) readWith(opt atspi.ReadOptions) atspi.Reading {
	p.t.Helper()
	r, err := p.bus.Read(p.t.Context(), p.app, p.top.Path, opt)
	if err != nil {
		p.t.Fatal(err)
	}
	if r.Partial {
		p.t.Errorf("the reading is partial: %s", r.Why)
	}
	check(p.t, r)
	return r
}

// check looks at what must hold of every reading.
func check(t testing.TB, r atspi.Reading) {
	t.Helper()
	for i, n := range r.Nodes {
		switch {
		case n.Role == tree.RoleUnknown && n.Name == "" && len(n.Actions) == 0:
			t.Errorf("node %d says nothing: %+v", i, n)
		case strings.Contains(n.Text, "hunter2"):
			t.Errorf("node %d tells the password", i)
		case strings.TrimSpace(n.Name) != n.Name, strings.HasPrefix(n.Name, "Gtk"):
			t.Errorf("node %d is called %q", i, n.Name)
		}
	}
}

// node waits for a node with the role and name.
func (p *program) node(role tree.Role, name string) tree.Node {
	p.t.Helper()
	var out tree.Node
	until(p.t, fmt.Sprintf("%s %q", role, name), func() bool {
		for _, n := range p.read().Nodes {
			if n.Role == role && n.Name == name {
				out = n
				return true
			}
		}
		return false
	})
	return out
}

func (p *program) act(n tree.Node, d desktop.Deed) {
	p.t.Helper()
	if err := p.bus.Act(p.t.Context(), p.app, n.ID, d); err != nil {
		p.t.Fatalf("acting on %s %q: %v", n.Role, n.Name, err)
	}
}

func (p *program) press(role tree.Role, name string) {
	p.t.Helper()
	p.act(p.node(role, name), desktop.Deed{Kind: desktop.DoAction})
}

// byRole returns the nodes of a reading that have the role.
func byRole(r atspi.Reading, role tree.Role) []tree.Node {
	return slices.DeleteFunc(slices.Clone(r.Nodes), func(n tree.Node) bool { return n.Role != role })
}

func names(nodes []tree.Node) string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.Name)
	}
	return strings.Join(out, "|")
}
