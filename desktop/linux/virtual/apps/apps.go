// Package apps is the environment of desktoptest with real applications on a
// virtual desktop: mousepad for the editor, zenity for the question, and xdotool
// for the user's hand. It is for backends that lack an accessibility tree.
package apps

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/desktop/linux/virtual"
)

// Env implements [desktoptest.Env].
type Env struct {
	v *virtual.Desktop
	d *desktop.Desktop
}

var _ desktoptest.Env = (*Env)(nil)

// New makes an environment of a running desktop and what is tested on it. The
// Windows role must work, by whatever backend, to find the applications.
func New(t testing.TB, v *virtual.Desktop, d *desktop.Desktop) *Env {
	t.Helper()
	for _, program := range []string{"mousepad", "zenity", "xdotool", "xwininfo"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing: apt-get install mousepad zenity xdotool x11-utils", program)
		}
	}
	return &Env{v, d}
}

// Desktop implements [desktoptest.Env].
func (e *Env) Desktop() *desktop.Desktop { return e.d }

// app is a started application.
type app struct {
	e     *Env
	cmd   *exec.Cmd
	ended <-chan struct{}
	id    desktop.WindowID
	xid   string
}

func (e *Env) start(t *testing.T, at [2]string, name string, args ...string) *app {
	t.Helper()
	a := &app{e: e, cmd: e.v.Command(name, args...)}
	var err error
	if a.ended, err = e.v.Launch(a.cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		a.signal(t, syscall.SIGKILL)
		<-a.ended
	})
	desktoptest.Wait(t, "the window of "+name, func() bool {
		w, ok := e.find(t, func(w desktop.Window) bool { return w.App.PID == a.cmd.Process.Pid })
		a.id = w.ID
		return ok
	})
	ids := strings.Fields(e.hand(t, "search", "--sync", "--onlyvisible", "--pid", strconv.Itoa(a.cmd.Process.Pid)))
	a.xid = ids[len(ids)-1]
	e.hand(t, "windowmove", "--sync", a.xid, at[0], at[1])
	e.hand(t, "windowactivate", "--sync", a.xid)
	desktoptest.Wait(t, "the focus of "+name, func() bool {
		w, ok := e.find(t, func(w desktop.Window) bool { return w.ID == a.id })
		return ok && w.Active
	})
	return a
}

func (e *Env) find(t *testing.T, wanted func(desktop.Window) bool) (desktop.Window, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	all, err := e.d.Windows.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		if wanted(w) {
			return w, true
		}
	}
	return desktop.Window{}, false
}

func (a *app) signal(t *testing.T, s syscall.Signal) {
	if err := a.cmd.Process.Signal(s); err != nil && s != syscall.SIGKILL {
		t.Errorf("signalling the application: %v", err)
	}
}

// run runs a program that only talks to the desktop.
func (e *Env) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = e.v.Env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// hand is the user's hand.
func (e *Env) hand(t *testing.T, args ...string) string { return e.run(t, "xdotool", args...) }

// place returns the corner and the size of a window's content.
func (a *app) place(t *testing.T) (x, y, w, h int32) {
	t.Helper()
	for line := range strings.Lines(a.e.run(t, "xwininfo", "-id", a.xid)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if err != nil {
			continue
		}
		switch key {
		case "Absolute upper-left X":
			x = int32(n)
		case "Absolute upper-left Y":
			y = int32(n)
		case "Width":
			w = int32(n)
		case "Height":
			h = int32(n)
		}
	}
	return x, y, w, h
}

var notes atomic.Int64

// Editor implements [desktoptest.Env].
func (e *Env) Editor(t *testing.T) desktoptest.Editor {
	t.Helper()
	file := filepath.Join(e.v.Home(), fmt.Sprintf("text-%d.txt", notes.Add(1)))
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	a := e.start(t, [2]string{"200", "150"}, "mousepad", "--disable-server", file)
	key := func(keys ...string) func(*testing.T) {
		return func(t *testing.T) { e.hand(t, append([]string{"key"}, keys...)...) }
	}
	return desktoptest.Editor{
		Window: a.id,
		Field: func(t *testing.T) desktop.Point {
			x, y, w, h := a.place(t)
			return desktop.Point{X: x + w/2, Y: y + h/2}
		},
		Holds: func(t *testing.T) string {
			active := e.hand(t, "getactivewindow")
			e.hand(t, "windowactivate", "--sync", a.xid)
			e.hand(t, "key", "ctrl+s")
			if active != a.xid {
				e.hand(t, "windowactivate", "--sync", active)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimSuffix(string(text), "\n")
		},
		Input:    func(t *testing.T, text string) { e.hand(t, "type", "--delay", "1", text) },
		Dialog:   key("ctrl+l"),
		Menu:     key("F10"),
		Escape:   key("Escape"),
		Stop:     func(t *testing.T) { a.signal(t, syscall.SIGSTOP) },
		Continue: func(t *testing.T) { a.signal(t, syscall.SIGCONT) },
		Exit:     func(t *testing.T) { a.signal(t, syscall.SIGKILL) },
	}
}

// Question implements [desktoptest.Env].
func (e *Env) Question(t *testing.T) desktoptest.Question {
	t.Helper()
	a := e.start(t, [2]string{"350", "300"}, "zenity", "--question", "--title=Question", "--text=Shall it be done?", "--width=300")
	return desktoptest.Question{
		Window: a.id,
		Button: "Yes",
		Point: func(t *testing.T) desktop.Point {
			x, y, w, h := a.place(t)
			return desktop.Point{X: x + w - 50, Y: y + h - 24}
		},
		Pressed: func(*testing.T) bool {
			select {
			case <-a.ended:
				return a.cmd.ProcessState.ExitCode() == 0
			default:
				return false
			}
		},
	}
}
