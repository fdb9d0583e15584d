//go:build desktop

package linux

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/tree"
)

// realEnv is a virtual desktop with real applications: mousepad for the editor
// and zenity for the question.
type realEnv struct {
	v *virtual.Desktop
	d *desktop.Desktop
}

// startReal starts a virtual desktop and opens it.
func startReal(t testing.TB) *realEnv {
	t.Helper()
	for _, program := range []string{"mousepad", "zenity", "xdotool", "xwininfo", "xclip", "gnome-calculator", "featherpad", "chromium"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("%s is missing; install the packages of the desktop tests", program)
		}
	}
	v, err := virtual.Start(t.Context(), virtual.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return &realEnv{v, openReal(t, v)}
}

func openReal(t testing.TB, v *virtual.Desktop) *desktop.Desktop {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	d, err := Open(ctx, Config{Display: v.Display(), SessionBus: v.SessionBus(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func (e *realEnv) Desktop() *desktop.Desktop { return e.d }

// program is a started application.
type program struct {
	cmd   *exec.Cmd
	ended <-chan struct{}
	win   desktop.Window
}

func (p program) pid() int { return p.cmd.Process.Pid }

func (p program) signal(t testing.TB, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(p.pid(), s); err != nil {
		t.Fatalf("signalling the application: %v", err)
	}
}

// start starts an application and waits for its window and its tree.
func (e *realEnv) start(t testing.TB, name string, args ...string) program {
	t.Helper()
	p := e.launch(t, name, args...)
	p.win = e.await(t, name, func(w desktop.Window) bool { return w.App.PID == p.pid() && w.Accessible })
	return p
}

// launch starts an application.
func (e *realEnv) launch(t testing.TB, name string, args ...string) program {
	t.Helper()
	cmd := e.v.Command(name, args...)
	ended, err := e.v.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	p := program{cmd: cmd, ended: ended}
	t.Cleanup(func() {
		_ = syscall.Kill(-p.pid(), syscall.SIGKILL) // gone already is fine
		<-p.ended
	})
	return p
}

// await waits for a window.
func (e *realEnv) await(t testing.TB, what string, wanted func(desktop.Window) bool) desktop.Window {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var last []desktop.Window
	for {
		ws, err := e.d.Windows.List(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v; the windows were %+v", what, err, last)
		}
		if i := slices.IndexFunc(ws, wanted); i >= 0 {
			return ws[i]
		}
		last = ws
		look, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		_, _ = e.d.Watch.Next(look) // only a pause
		cancel()
	}
}

// xdo runs xdotool on the desktop: it is the user's hand in the tests.
func (e *realEnv) xdo(t testing.TB, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "xdotool", args...)
	cmd.Env = e.v.Env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("xdotool %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// xid returns the X window of a process by xdotool's word.
func (e *realEnv) xid(t testing.TB, p program) string {
	t.Helper()
	ids := strings.Fields(e.xdo(t, "search", "--sync", "--onlyvisible", "--pid", strconv.Itoa(p.pid())))
	return ids[len(ids)-1]
}

// place returns where the content of a window is by xwininfo's word. (xdotool
// counts the window manager's frame twice.)
func (e *realEnv) place(t testing.TB, xid string) tree.Rect {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "xwininfo", "-id", xid)
	cmd.Env = e.v.Env()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("xwininfo: %v", err)
	}
	var r tree.Rect
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 32)
		if err != nil {
			continue
		}
		switch key {
		case "Absolute upper-left X":
			r.X = int32(n)
		case "Absolute upper-left Y":
			r.Y = int32(n)
		case "Width":
			r.W = int32(n)
		case "Height":
			r.H = int32(n)
		}
	}
	return r
}

// save has the application save its document. GTK takes no keys that are sent to
// it past the focus, so the window gets the focus for the moment.
func (e *realEnv) save(t testing.TB, xid string) {
	t.Helper()
	active := e.xdo(t, "getactivewindow")
	if active != xid {
		e.xdo(t, "windowactivate", "--sync", xid)
		defer e.xdo(t, "windowactivate", "--sync", active)
	}
	e.xdo(t, "key", "ctrl+s")
}

var counter atomic.Int64

// Editor implements [desktoptest.Env].
func (e *realEnv) Editor(t *testing.T) desktoptest.Editor {
	t.Helper()
	file := filepath.Join(e.v.Home(), fmt.Sprintf("note-%d.txt", counter.Add(1)))
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := e.start(t, "mousepad", "--disable-server", file)
	xid := e.xid(t, p)
	e.xdo(t, "windowmove", "--sync", xid, "200", "150")
	e.xdo(t, "windowactivate", "--sync", xid)
	e.await(t, "the editor's focus", func(w desktop.Window) bool { return w.ID == p.win.ID && w.Active })
	key := func(keys ...string) func(*testing.T) {
		return func(t *testing.T) { e.xdo(t, append([]string{"key"}, keys...)...) }
	}
	return desktoptest.Editor{
		Window: p.win.ID,
		Field: func(t *testing.T) desktop.Point {
			x, y := e.place(t, xid).Center()
			return desktop.Point{X: x, Y: y}
		},
		Holds: func(t *testing.T) string {
			e.save(t, xid)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return strings.TrimSuffix(string(text), "\n")
		},
		Input:    func(t *testing.T, text string) { e.xdo(t, "type", "--delay", "1", text) },
		Dialog:   key("ctrl+l"),
		Menu:     key("F10"),
		Escape:   key("Escape"),
		Stop:     func(t *testing.T) { p.signal(t, syscall.SIGSTOP) },
		Continue: func(t *testing.T) { p.signal(t, syscall.SIGCONT) },
		Exit:     func(t *testing.T) { p.signal(t, syscall.SIGKILL) },
	}
}

// Question implements [desktoptest.Env].
func (e *realEnv) Question(t *testing.T) desktoptest.Question {
	t.Helper()
	p := e.start(t, "zenity", "--question", "--title=Question", "--text=Shall it be done?", "--width=300")
	xid := e.xid(t, p)
	e.xdo(t, "windowmove", "--sync", xid, "350", "300")
	return desktoptest.Question{
		Window: p.win.ID,
		Button: "Yes",
		Point: func(t *testing.T) desktop.Point {
			r := e.place(t, xid)
			return desktop.Point{X: r.X + r.W - 50, Y: r.Y + r.H - 24}
		},
		Pressed: func(*testing.T) bool {
			select {
			case <-p.ended:
				return p.cmd.ProcessState.ExitCode() == 0
			default:
				return false
			}
		},
	}
}

func TestSuitesOnAVirtualDesktop(t *testing.T) {
	for name, suite := range map[string]func(*testing.T, desktoptest.Env){
		"Windows": desktoptest.WindowsSuite, "Tree": desktoptest.TreeSuite, "Input": desktoptest.InputSuite,
		"Capture": desktoptest.CaptureSuite, "Selection": desktoptest.SelectionSuite, "Watch": desktoptest.WatchSuite,
	} {
		t.Run(name, func(t *testing.T) { suite(t, startReal(t)) })
	}
}
