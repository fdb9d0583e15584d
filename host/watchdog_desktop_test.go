//go:build desktop

package host

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/desktop/x11"
)

// actorCommand makes the test binary a host that acts until it is killed, and
// unwatched takes its watchdog away.
const (
	actorCommand = "actor"
	unwatched    = "ORIEL_TEST_UNWATCHED"
)

// actorMain opens a desktop as a host does, and drags, clicks with modifiers, or
// drags once and then does nothing.
func actorMain(args []string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	c := &connection{cfg: Desktop{Display: args[0]}, watchdog: []string{exe, WatchdogCommand}, log: slog.New(slog.DiscardHandler)}
	if os.Getenv(unwatched) != "" {
		c.watchdog = nil
	}
	ctx := context.Background()
	desk, err := c.open(ctx)
	if err != nil {
		return err
	}
	from, to := desktop.Point{X: 100, Y: 100}, desktop.Point{X: 300, Y: 200}
	switch args[1] {
	case "drag":
		for err == nil {
			err = desk.Input.Drag(ctx, desktop.Target{}, from, to, desktop.Left, 0)
		}
	case "click":
		err = desk.Input.Click(ctx, desktop.Target{}, from, desktop.Left, 1, desktop.Shift|desktop.Control)
	case "close": // in the middle of a drag
		done := make(chan error, 1)
		go func() { done <- desk.Input.Drag(ctx, desktop.Target{}, from, to, desktop.Left, 0) }()
		if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
			return err
		}
		err = c.close()
		<-done
		return err
	default:
		if err = desk.Input.Drag(ctx, desktop.Target{}, from, to, desktop.Left, 0); err == nil {
			_, err = fmt.Println("done")
		}
	}
	if err == nil {
		select {}
	}
	return err
}

// hands is a client that sees what is down, on a desktop with an actor.
type hands struct {
	*testing.T
	desk *virtual.Desktop
	x    *xgb.Conn
	root xproto.Window

	actor *exec.Cmd
	in    io.WriteCloser
	ended <-chan struct{}
	alive *os.File // ends when the actor and its watchdog have ended
}

func newHands(t *testing.T) *hands {
	t.Helper()
	t.Setenv("GORACE", "atexit_sleep_ms=0") // else the race detector keeps an ending process for a second
	// Without a window manager, nobody but the test takes clicks.
	v, err := virtual.Start(t.Context(), virtual.Config{WindowManager: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	x, err := xgb.NewConnDisplay(v.Display())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return &hands{T: t, desk: v, x: x, root: xproto.Setup(x).DefaultScreen(x).Root}
}

// act starts an actor.
func (h *hands) act(what string, env ...string) {
	h.Helper()
	exe, err := os.Executable()
	if err != nil {
		h.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		h.Fatal(err)
	}
	defer w.Close()
	h.Cleanup(func() { r.Close() })
	h.alive, h.actor = r, h.desk.Command(exe, actorCommand, h.desk.Display(), what)
	h.actor.Env = append(h.actor.Env, env...)
	h.actor.Stdout, h.actor.Stderr = w, w
	if h.in, err = h.actor.StdinPipe(); err != nil {
		h.Fatal(err)
	}
	if h.ended, err = h.desk.Launch(h.actor); err != nil {
		h.Fatal(err)
	}
}

func (h *hands) button() bool {
	p, err := xproto.QueryPointer(h.x, h.root).Reply()
	if err != nil {
		h.Fatal(err)
	}
	return p.Mask&xproto.KeyButMaskButton1 != 0
}

// key tells whether any key is down.
func (h *hands) key() bool {
	k, err := xproto.QueryKeymap(h.x).Reply()
	if err != nil {
		h.Fatal(err)
	}
	for _, b := range k.Keys {
		if b != 0 {
			return true
		}
	}
	return false
}

// until waits for a condition and returns how long it took.
func (h *hands) until(what string, within time.Duration, holds func() bool) time.Duration {
	h.Helper()
	begin := time.Now()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Since(begin) > within {
			h.Fatalf("%s: not so after %v", what, within)
		}
		<-tick.C
	}
	return time.Since(begin)
}

func (h *hands) kill() {
	h.Helper()
	if err := h.actor.Process.Kill(); err != nil {
		h.Fatal(err)
	}
	<-h.ended
}

// gone waits until the watchdog has ended as well, and returns what was said.
func (h *hands) gone(since time.Time) {
	h.Helper()
	_ = h.alive.SetReadDeadline(since.Add(5 * time.Second))
	said, err := io.ReadAll(h.alive)
	if took := time.Since(since); err != nil || took > time.Second {
		h.Errorf("the watchdog was gone after %v, %v", took, err)
	} else {
		h.Logf("the watchdog was gone after %v; said: %q", took.Round(time.Millisecond), said)
	}
}

// hold takes every click and lets it wait, as a window manager does for a
// moment, and returns how to hand it on.
func (h *hands) hold() (handOn func()) {
	h.Helper()
	err := xproto.GrabButtonChecked(h.x, false, h.root, xproto.EventMaskButtonPress, xproto.GrabModeSync, xproto.GrabModeAsync,
		0, 0, xproto.ButtonIndexAny, xproto.ModMaskAny).Check()
	if err != nil {
		h.Fatal(err)
	}
	return func() {
		if err := xproto.AllowEventsChecked(h.x, xproto.AllowAsyncPointer, xproto.TimeCurrentTime).Check(); err != nil {
			h.Fatal(err)
		}
	}
}

// C32: a host that is killed in the middle of a drag leaves no button down. That
// it would without a watchdog is the other half.
func TestC32_KilledInADrag(t *testing.T) {
	h := newHands(t)
	h.act("drag", unwatched+"=1")
	h.until("the drag", patience, h.button)
	h.kill()
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		if !h.button() {
			t.Fatal("without a watchdog the button is up; this test proves nothing")
		}
	}
	if err := x11.ReleaseAll(t.Context(), h.desk.Display()); err != nil {
		t.Fatal(err)
	}
	if h.button() {
		t.Fatal("ReleaseAll left the button down")
	}
	for range 5 {
		h.act("drag")
		h.until("the drag", patience, h.button)
		begin := time.Now()
		h.kill()
		t.Logf("the button was up %v after the host's end", h.until("the button up", time.Second, func() bool { return !h.button() }))
		h.gone(begin)
	}
}

// C32: nor does one that is killed while modifiers are held for a click.
func TestC32_KilledInAClickWithModifiers(t *testing.T) {
	h := newHands(t)
	handOn := h.hold()
	h.act("click", unwatched+"=1")
	h.until("the click", patience, h.key)
	h.kill()
	handOn()
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); {
		if !h.key() {
			t.Fatal("without a watchdog the keys are up; this test proves nothing")
		}
	}
	if err := x11.ReleaseAll(t.Context(), h.desk.Display()); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		h.act("click")
		h.until("the click", patience, h.key)
		begin := time.Now()
		h.kill()
		t.Logf("the keys were up %v after the host's end", h.until("the keys up", time.Second, func() bool { return !h.key() }))
		h.gone(begin)
		handOn()
		h.until("the button up", time.Second, func() bool { return !h.button() })
	}
}

// The host's own input is watched over from the first drag on, and its end is
// the watchdog's.
func TestHostEndsItsWatchdog(t *testing.T) {
	r := newRig(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := FromSettings(defaults(t, append(r.private(), "ORIEL_ADAPTERS_DIRS="+adapterDir(t))...), exe, nil)
	cfg.Desktop, cfg.Listen = Desktop{Display: r.desk.Display(), SessionBus: r.desk.SessionBus()}, ""
	h, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	in := h.conn.desk.Input
	at := desktop.Point{X: 700, Y: 500}
	for _, tt := range []struct {
		what string
		want int
		act  func() error
	}{
		{"nothing", 0, func() error { return nil }},
		{"a click", 0, func() error { return in.Click(t.Context(), desktop.Target{}, at, desktop.Left, 1, 0) }},
		{"a drag", 1, func() error { return in.Drag(t.Context(), desktop.Target{}, at, at, desktop.Left, 0) }},
		{"another", 1, func() error { return in.Drag(t.Context(), desktop.Target{}, at, at, desktop.Left, 0) }},
		{"the end", 0, h.Close},
	} {
		if err := tt.act(); err != nil {
			t.Errorf("%s: %v", tt.what, err)
		}
		if got := children(t, WatchdogCommand); len(got) != tt.want {
			t.Errorf("after %s the watchdogs are %v, want %d", tt.what, got, tt.want)
		}
	}
}

// What a person holds is left alone when a host dies that held nothing.
func TestKilledWhileIdle(t *testing.T) {
	h := newHands(t)
	h.act("idle")
	if _, err := h.alive.Read(make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	other, err := x11.Open(t.Context(), x11.Config{Display: h.desk.Display()})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	dragged := make(chan error, 1)
	go func() {
		dragged <- other.Input().Drag(t.Context(), desktop.Target{}, desktop.Point{}, desktop.Point{X: 9, Y: 9}, desktop.Left, 0)
	}()
	h.until("the other's drag", patience, h.button)
	begin := time.Now()
	h.kill()
	h.gone(begin)
	if time.Since(begin) < 100*time.Millisecond && !h.button() {
		t.Error("the watchdog of a host that held nothing let go of what another holds")
	}
	if err := <-dragged; err != nil {
		t.Error(err)
	}
}

// A desktop that is closed in the middle of a drag has nothing down either.
func TestClosedInADrag(t *testing.T) {
	h := newHands(t)
	h.act("close")
	h.until("the drag", patience, h.button)
	begin := time.Now()
	if _, err := h.in.Write([]byte{'\n'}); err != nil {
		t.Fatal(err)
	}
	h.until("the button up", time.Second, func() bool { return !h.button() })
	<-h.ended
	h.gone(begin)
	if code := h.actor.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}
