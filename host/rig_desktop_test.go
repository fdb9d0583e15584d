//go:build desktop

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/desktop/robot"
	"oriel.dev/oriel/internal/config"
	"oriel.dev/oriel/sandbox"
)

// TestMain makes the test binary serve as the host's children too.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	var err error
	switch args := os.Args[2:]; os.Args[1] {
	case RunnerCommand:
		os.Exit(sandbox.RunnerMain(args))
	case WatchdogCommand:
		err = WatchdogMain(args, os.Stdin)
	case RobotCommand:
		err = robot.Main()
	case actorCommand:
		err = actorMain(args)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// adapterDir returns a folder with the first-party adapters, as `make adapters`
// leaves them.
func adapterDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../bin/adapters")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"generic", "mousepad", "gnome-calculator"} {
		if _, err := os.Stat(filepath.Join(dir, name+".wasm")); err != nil {
			t.Fatalf("%v: build the adapters first, with: make adapters", err)
		}
	}
	return dir
}

// cacheDir keeps compiled adapters between runs, as a user's host does.
func cacheDir(t testing.TB) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "oriel-test")
}

// rig is a host over a virtual desktop with real applications.
type rig struct {
	testing.TB
	desk *virtual.Desktop
	host *Host
	dir  string // state and runtime
}

func newRig(t testing.TB) *rig {
	t.Helper()
	d, err := virtual.Start(t.Context(), virtual.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return &rig{TB: t, desk: d, dir: t.TempDir()}
}

// config is that of a host of the rig's desktop.
func (r *rig) config(change ...func(*Config)) Config {
	r.Helper()
	settings, err := config.Load(config.Sources{})
	if err != nil {
		r.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		r.Fatal(err)
	}
	cfg := FromSettings(settings, exe, slog.New(slog.NewTextHandler(testLog{r.TB}, nil)))
	cfg.Desktop = Desktop{Display: r.desk.Display(), SessionBus: r.desk.SessionBus()}
	cfg.Sandbox.Dirs, cfg.Sandbox.CacheDir = []string{adapterDir(r)}, cacheDir(r)
	cfg.StateDir, cfg.RuntimeDir = filepath.Join(r.dir, "state"), filepath.Join(r.dir, "run")
	cfg.Listen = "127.0.0.1:0"
	cfg.MCP.Token, cfg.MCP.Version = "token", "test"
	for _, f := range change {
		f(&cfg)
	}
	return cfg
}

// serve starts the host and waits until it has seen what is there.
func (r *rig) serve(change ...func(*Config)) *rig {
	r.Helper()
	h, err := New(r.Context(), r.config(change...))
	if err != nil {
		r.Fatal(err)
	}
	compile, enough := context.WithTimeout(r.Context(), 2*time.Minute) // on a fresh machine
	defer enough()
	if err := h.compiled(compile); err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Serve(ctx) }()
	r.Cleanup(func() {
		cancel()
		if err := errors.Join(<-done, h.Close()); err != nil {
			r.Errorf("ending the host: %v", err)
		}
	})
	r.host = h
	wait, stop := context.WithTimeout(r.Context(), 20*time.Second)
	defer stop()
	if err := h.Ready(wait); err != nil {
		r.Fatalf("waiting for the first snapshot: %v", err)
	}
	return r
}

// testLog writes the host's log into the test's.
type testLog struct{ testing.TB }

func (l testLog) Write(p []byte) (int, error) {
	if l.Context().Err() == nil { // the test is still running
		l.Logf("host: %s", p)
	}
	return len(p), nil
}

// launch starts an application on the desktop.
func (r *rig) launch(name string, args ...string) *exec.Cmd {
	r.Helper()
	cmd := r.desk.Command(name, args...)
	if _, err := r.desk.Launch(cmd); err != nil {
		r.Fatal(err)
	}
	return cmd
}

// with returns the rig for a subtest.
func (r *rig) with(t testing.TB) *rig {
	sub := *r
	sub.TB = t
	return &sub
}

const patience = 15 * time.Second

// await waits for a condition, looking again at each publication.
func (r *rig) await(what string, holds func() bool) {
	r.Helper()
	changed := make(chan struct{}, 1)
	cancel := r.host.live.Notify(func(_, _ *bridge.Snapshot) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer cancel()
	end := time.NewTimer(patience)
	defer end.Stop()
	tick := time.NewTicker(20 * time.Millisecond) // for what no publication announces
	defer tick.Stop()
	for !holds() {
		select {
		case <-changed:
		case <-tick.C:
		case <-end.C:
			r.Fatalf("waiting for %s: not so after %v; the state is %s", what, patience, r.host.Snapshot().JSON())
		}
	}
}

// window waits for a window whose title contains a text and that has been looked
// at.
func (r *rig) window(title string) *bridge.Window {
	r.Helper()
	var found *bridge.Window
	r.await(fmt.Sprintf("a window %q", title), func() bool {
		for _, w := range r.host.Snapshot().Windows {
			if strings.Contains(w.Title, title) && len(w.Actions) > 0 {
				found = w
				return true
			}
		}
		return false
	})
	return found
}

func (r *rig) act(w, action string, args map[string]any) (*bridge.Result, error) {
	data, err := json.Marshal(args)
	if err != nil {
		r.Fatal(err)
	}
	return r.host.live.Act(r.Context(), bridge.Request{Client: "test", Window: w, Action: action, Args: data})
}

// must fails the test if an act was refused.
func (r *rig) must(w, action string, args map[string]any) *bridge.Result {
	r.Helper()
	res, err := r.act(w, action, args)
	if err != nil {
		r.Fatalf("%s on %s: %v\n%s", action, w, err, r.host.Snapshot().JSON())
	}
	return res
}

func (r *rig) refused(w, action string, args map[string]any) *bridge.Error {
	r.Helper()
	_, err := r.act(w, action, args)
	var e *bridge.Error
	if !errors.As(err, &e) {
		r.Fatalf("%s on %s gave %v, want a refusal", action, w, err)
	}
	return e
}

// tool runs a program of the desktop and returns what it prints.
func (r *rig) tool(name string, args ...string) string {
	r.Helper()
	out, err := r.desk.Command(name, args...).CombinedOutput()
	if err != nil {
		r.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}
