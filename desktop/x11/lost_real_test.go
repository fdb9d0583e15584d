//go:build desktop

package x11

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/tree"
)

// noManager is a desktop without a window manager.
var noManager = virtual.Config{Width: 800, Height: 600, WindowManager: []string{}}

// xserver finds the X server of a desktop.
func xserver(t testing.TB, v *virtual.Desktop) int {
	t.Helper()
	entries, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	mark := ""
	for _, kv := range v.Env() {
		if strings.HasPrefix(kv, "ORIEL_VIRTUAL=") {
			mark = kv
		}
	}
	for _, e := range entries {
		cmd, _ := os.ReadFile(e)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "environ"))
		if strings.HasPrefix(string(cmd), "Xvfb\x00") && strings.Contains(string(env), mark) {
			var pid int
			for _, c := range filepath.Base(filepath.Dir(e)) {
				pid = 10*pid + int(c-'0')
			}
			return pid
		}
	}
	t.Fatal("the X server is not to be found")
	return 0
}

// calls are calls of every role that wait for the server.
func calls(d *Display) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Sync": d.Sync,
		"List": func(ctx context.Context) error { _, err := d.Windows().List(ctx); return err },
		"Screen": func(ctx context.Context) error {
			_, err := d.Capture().Screen(ctx, tree.Rect{W: 10, H: 10})
			return err
		},
		"Type":     func(ctx context.Context) error { return d.Input().Type(ctx, desktop.Target{}, "x") },
		"Position": func(ctx context.Context) error { _, err := d.Input().Position(ctx); return err },
		"Types":    func(ctx context.Context) error { _, err := d.Selection().Types(ctx); return err },
	}
}

// callAll makes all calls at once and returns what they gave.
func callAll(t *testing.T, d *Display, limit time.Duration) {
	t.Helper()
	type result struct {
		name string
		err  error
		took time.Duration
	}
	got := make(chan result)
	all := calls(d)
	for name, call := range all {
		go func() {
			begin := time.Now()
			err := call(context.Background())
			got <- result{name, err, time.Since(begin)}
		}()
	}
	for range all {
		r := <-got
		if !errors.Is(r.err, desktop.ErrDisconnected) || r.took > limit {
			t.Errorf("%s gave %v after %v", r.name, r.err, r.took)
		}
	}
}

// lostOnce checks that the loss is the last event and comes once.
func lostOnce(t *testing.T, d *Display, rec *recorder) {
	t.Helper()
	select {
	case <-d.Done():
	case <-time.After(3 * time.Second):
		t.Fatal("the loss was not noticed in 3 s")
	}
	events := rec.take()
	if n := len(events); n == 0 || events[n-1] != (Event{Kind: Lost}) {
		t.Fatalf("the events are %v", events)
	}
	if i := slices.Index(events, Event{Kind: Lost}); i != len(events)-1 {
		t.Error("the loss was told more than once")
	}
	if !errors.Is(d.Err(), desktop.ErrDisconnected) {
		t.Errorf("the display's error is %v", d.Err())
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if len(rec.take()) > 0 {
		t.Error("events came after the loss")
	}
}

func TestServerStopped(t *testing.T) {
	v := start(t, noManager)
	d, rec := open(t, v)
	pid := xserver(t, v)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGCONT)
	begin := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := d.Windows().List(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > time.Second {
		t.Errorf("a deadline of 100 ms gave %v after %v", err, time.Since(begin))
	}
	begin = time.Now()
	if err := d.Input().Type(ctx, desktop.Target{}, "x"); err == nil || time.Since(begin) > time.Second {
		t.Errorf("typing after the deadline gave %v after %v", err, time.Since(begin))
	}
	callAll(t, d, 3*time.Second)
	t.Logf("all calls returned after %v", time.Since(begin))
	lostOnce(t, d, rec)
	if _, err := Open(t.Context(), Config{Display: v.Display()}); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("opening a stopped server gives %v", err)
	}
}

func TestServerKilled(t *testing.T) {
	v := start(t, noManager)
	d, rec := open(t, v)
	if err := syscall.Kill(xserver(t, v), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	callAll(t, d, time.Second)
	lostOnce(t, d, rec)
	callAll(t, d, time.Second)
}

func TestOpenSaysWhatToDo(t *testing.T) {
	t.Setenv("DISPLAY", "")
	_, err := Open(t.Context(), Config{})
	if err == nil || !strings.Contains(err.Error(), "$DISPLAY") || !strings.Contains(err.Error(), "set it") {
		t.Errorf("without a display: %v", err)
	}
	t.Setenv("DISPLAY", ":4711")
	_, err = Open(t.Context(), Config{})
	if err == nil || !strings.Contains(err.Error(), `":4711" (from $DISPLAY)`) || !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("without a server: %v", err)
	}
	t.Log(err)
}

func TestClosedDisplayAnswers(t *testing.T) {
	d, rec := open(t, shared)
	d.Close()
	d.Close()
	callAll(t, d, time.Second)
	if rec.has(Lost, 0) {
		t.Error("closing was told as a loss")
	}
}
