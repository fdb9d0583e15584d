//go:build desktop

package linux

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
)

// served returns the process that listens at a socket.
func served(t *testing.T, socket string) int {
	t.Helper()
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	pid := 0
	err = raw.Control(func(fd uintptr) {
		if cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	if err != nil || pid <= 1 {
		t.Fatalf("nobody is known to listen at %s: %v", socket, err)
	}
	return pid
}

// ours returns the goroutines that run code of the desktop's packages.
func ours() []string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var out []string
	for g := range strings.SplitSeq(string(buf), "\n\n") {
		if strings.Contains(g, "oriel/desktop/") && !strings.Contains(g, "testing.tRunner") && !strings.Contains(g, "virtual.(*Desktop)") ||
			strings.Contains(g, "godbus") || strings.Contains(g, "jezek/xgb") {
			out = append(out, g)
		}
	}
	return out
}

func noneLeft(t *testing.T) {
	t.Helper()
	var left []string
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		if left = ours(); len(left) == 0 {
			return
		}
	}
	t.Errorf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
}

// lost waits until the watcher is told that the desktop is lost.
func lost(t *testing.T, d *desktop.Desktop) {
	t.Helper()
	ctx := ask(t)
	for {
		c, err := d.Watch.Next(ctx)
		if err != nil {
			t.Fatalf("waiting for the loss: %v", err)
		}
		if c.Lost != nil {
			return
		}
	}
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	e := startReal(t)
	ed := e.Editor(t)
	e.observe(t, ed.Window)
	if err := e.d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := e.d.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	lost(t, e.d)
	noneLeft(t)
	if _, err := e.d.Tree.Observe(ask(t), ed.Window); err == nil {
		t.Error("a closed desktop was observed")
	}
}

func TestXServerDies(t *testing.T) {
	e := startReal(t)
	ed := e.Editor(t)
	pid := served(t, "/tmp/.X11-unix/X"+strings.TrimPrefix(e.v.Display(), ":"))
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	lost(t, e.d)
	begun := time.Now()
	if _, err := e.d.Windows.List(ask(t)); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("listing without an X server: %v, want ErrDisconnected", err)
	}
	if _, err := e.d.Tree.Observe(ask(t), ed.Window); err == nil {
		t.Error("a window was observed without an X server")
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the refusals took %v", took)
	}
	if err := e.d.Close(); err != nil {
		t.Logf("closing after the loss: %v", err)
	}
	noneLeft(t)
}

func TestXServerStops(t *testing.T) {
	e := startReal(t)
	pid := served(t, "/tmp/.X11-unix/X"+strings.TrimPrefix(e.v.Display(), ":"))
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGCONT)
	begun := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := e.d.Windows.List(ctx); err == nil {
		t.Error("a stopped X server was listed")
	}
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the refusal took %v", took)
	}
	if err := e.d.Close(); err != nil {
		t.Logf("closing: %v", err)
	}
	noneLeft(t)
}

func TestAccessibilityBusDies(t *testing.T) {
	e := startReal(t)
	ed := e.Editor(t)
	s, err := dbus.Connect(e.v.SessionBus())
	if err != nil {
		t.Fatal(err)
	}
	var address string
	err = s.Object("org.a11y.Bus", "/org/a11y/bus").CallWithContext(ask(t), "org.a11y.Bus.GetAddress", 0).Store(&address)
	s.Close()
	if err != nil {
		t.Fatal(err)
	}
	socket, _, _ := strings.Cut(strings.TrimPrefix(address, "unix:path="), ",")
	if err := syscall.Kill(served(t, socket), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w := e.await(t, "the window without accessibility", func(w desktop.Window) bool { return w.ID == ed.Window && !w.Accessible })
	o := e.observe(t, w.ID)
	if len(o.Tree.Nodes) > 0 || o.Tree.Why == "" || o.Tree.Window.Title == "" {
		t.Errorf("without the bus the tree has %d elements, title %q, and says %q", len(o.Tree.Nodes), o.Tree.Window.Title, o.Tree.Why)
	}
	if err := e.d.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	noneLeft(t)
}

func TestAccessibilityBusComesLater(t *testing.T) {
	e := startReal(t)
	// A session bus that is not there yet stands for a session without
	// accessibility.
	later := filepath.Join(t.TempDir(), "bus")
	d, err := Open(ask(t), Config{Display: e.v.Display(), SessionBus: "unix:path=" + later})
	if err != nil {
		t.Fatalf("opening a desktop without an accessibility bus: %v", err)
	}
	defer d.Close()
	p := e.start(t, "zenity", "--info", "--text=here")
	ws, err := d.Windows.List(ask(t))
	if err != nil || len(ws) != 1 || ws[0].Accessible || ws[0].App.PID != p.pid() {
		t.Fatalf("without a bus the windows read %+v, %v", ws, err)
	}
	if o, err := d.Tree.Observe(ask(t), ws[0].ID); err != nil || o.Tree.Why != whyNoBus {
		t.Errorf("without a bus the tree says %+v, %v", o.Tree, err)
	}
	if err := os.Symlink(strings.TrimPrefix(e.v.SessionBus(), "unix:path="), later); err != nil {
		t.Fatal(err)
	}
	desktoptest.Wait(t, "the bus to be found", func() bool {
		ws, err := d.Windows.List(ask(t))
		return err == nil && len(ws) == 1 && ws[0].Accessible
	})
}

func TestApplicationDies(t *testing.T) {
	e := startReal(t)
	p := e.start(t, "gnome-calculator")
	stays := e.start(t, "zenity", "--info", "--text=here")
	n := e.observe(t, p.win.ID).Tree.Nodes[0]
	p.signal(t, syscall.SIGKILL)
	<-p.ended
	begun := time.Now()
	desktoptest.Wait(t, "the window to be gone", func() bool {
		ws, err := e.d.Windows.List(ask(t))
		return err == nil && !slices.ContainsFunc(ws, func(w desktop.Window) bool { return w.ID == p.win.ID })
	})
	if took := time.Since(begun); took > time.Second {
		t.Errorf("the window was gone after %v", took)
	}
	for name, err := range map[string]error{
		"Act":     e.d.Tree.Act(ask(t), p.win.ID, n.ID, desktop.Deed{Kind: desktop.Focus}),
		"Barrier": second(e.d.Watch.Barrier(ask(t), p.win.ID)),
		"Ping":    e.d.Tree.Ping(ask(t), p.win.ID),
	} {
		if !errors.Is(err, desktop.ErrGone) {
			t.Errorf("%s after the death: %v, want ErrGone", name, err)
		}
	}
	e.observe(t, stays.win.ID)
}

func second[T any](_ T, err error) error { return err }
