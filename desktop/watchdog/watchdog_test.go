package watchdog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
)

// TestMain is also the child, and a parent that can be killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		switch file := os.Args[2]; os.Args[1] {
		case "child":
			if err := Main(os.Stdin, func(context.Context) error { return os.WriteFile(file, nil, 0o600) }); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "parent": // it says what it does and waits to be killed
			in := New(command(os.Args[0], file)).Guard(&fake{during: func() {
				fmt.Println("holding")
				select {}
			}})
			_ = in.Drag(context.Background(), desktop.Target{}, desktop.Point{}, desktop.Point{}, desktop.Left, 0)
		case "idle":
			_ = New(command(os.Args[0], file)).Guard(&fake{}).Drag(context.Background(), desktop.Target{}, desktop.Point{}, desktop.Point{}, desktop.Left, 0)
			fmt.Println("idle")
			select {}
		}
	}
	// The race detector keeps an ending process for a second.
	if err := os.Setenv("GORACE", "atexit_sleep_ms=0"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func command(exe, file string) []string { return []string{exe, "child", file} }

// fake is an input role that notes what it was asked for.
type fake struct {
	desktop.Input
	during func()
	err    error

	mu   sync.Mutex // guards done
	done []string
}

func (f *fake) do(what string) error {
	f.mu.Lock()
	f.done = append(f.done, what)
	f.mu.Unlock()
	if f.during != nil {
		f.during()
	}
	return f.err
}

func (f *fake) Drag(context.Context, desktop.Target, desktop.Point, desktop.Point, desktop.Button, desktop.Modifiers) error {
	return f.do("drag")
}

func (f *fake) Click(_ context.Context, _ desktop.Target, _ desktop.Point, _ desktop.Button, _ int, mods desktop.Modifiers) error {
	return f.do(fmt.Sprint("click ", mods))
}

func (f *fake) Scroll(_ context.Context, _ desktop.Target, _ desktop.Point, _, _ int, mods desktop.Modifiers) error {
	return f.do(fmt.Sprint("scroll ", mods))
}

func drag(ctx context.Context, in desktop.Input) error {
	return in.Drag(ctx, desktop.Target{}, desktop.Point{}, desktop.Point{X: 1}, desktop.Left, 0)
}

func self(t *testing.T) (exe, file string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe, filepath.Join(t.TempDir(), "released")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func TestMainReleasesWhatIsHeldAtTheEnd(t *testing.T) {
	for said, want := range map[string]bool{"": false, "h": true, "hr": false, "hrh": true, "hhr": false, "?": false, strings.Repeat("hr", 5000): false, strings.Repeat("hr", 5000) + "h": true} {
		got := false
		err := Main(strings.NewReader(said), func(context.Context) error { got = true; return nil })
		if got != want || err != nil {
			t.Errorf("after %.10q: released %v, want %v; %v", said, got, want, err)
		}
	}
	if err := Main(strings.NewReader("h"), func(context.Context) error { return io.EOF }); !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "press and release") {
		t.Errorf("a release that does not work gives %v", err)
	}
}

// An X server that is silent does not keep the child.
func TestMainGivesUp(t *testing.T) {
	begin := time.Now()
	err := Main(strings.NewReader("h"), func(context.Context) error { select {} })
	if took := time.Since(begin); !errors.Is(err, context.DeadlineExceeded) || took > time.Second {
		t.Errorf("%v after %v", err, took)
	}
}

// Held is reported before anything is pressed, and only around what holds.
func TestWhatIsReported(t *testing.T) {
	exe, file := self(t)
	dog := New(command(exe, file))
	f := &fake{}
	in := dog.Guard(f)
	point := desktop.Point{X: 1, Y: 2}
	if err := errors.Join(
		in.Click(t.Context(), desktop.Target{}, point, desktop.Left, 1, 0),
		in.Scroll(t.Context(), desktop.Target{}, point, 0, 1, 0),
	); err != nil || dog.pipe != nil {
		t.Errorf("a click without modifiers started a child; %v", err)
	}
	f.during = func() {
		if dog.acts != 1 || dog.pipe == nil {
			t.Error("the child did not know before the act")
		}
	}
	if err := errors.Join(
		in.Click(t.Context(), desktop.Target{}, point, desktop.Left, 1, desktop.Shift),
		in.Scroll(t.Context(), desktop.Target{}, point, 0, 1, desktop.Control),
		drag(t.Context(), in),
	); err != nil {
		t.Error(err)
	}
	if got := strings.Join(f.done, ", "); got != "click 0, scroll 0, click 1, scroll 2, drag" {
		t.Errorf("passed on: %s", got)
	}
	child, acts := dog.child.Process.Pid, dog.acts
	if err := errors.Join(dog.Close(), dog.Close()); err != nil {
		t.Error(err)
	}
	if acts != 0 || exists(file) || syscall.Kill(child, 0) == nil {
		t.Errorf("after Close: %d acts, released %v, child alive %v", acts, exists(file), syscall.Kill(child, 0) == nil)
	}
	if err := drag(t.Context(), in); !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("after Close a drag gives %v", err)
	}
}

// An act that ended with its connection may have left something down, so the
// child releases it.
func TestLostConnection(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{{fmt.Errorf("x: %w", desktop.ErrDisconnected), true}, {desktop.ErrCovered, false}} {
		exe, file := self(t)
		dog := New(command(exe, file))
		if err := drag(t.Context(), dog.Guard(&fake{err: tt.err})); !errors.Is(err, tt.err) {
			t.Errorf("got %v, want %v", err, tt.err)
		}
		if err := dog.Close(); err != nil {
			t.Error(err)
		}
		if exists(file) != tt.want {
			t.Errorf("after %v: released %v, want %v", tt.err, exists(file), tt.want)
		}
	}
}

// A child that somebody killed is replaced by the next act.
func TestChildKilled(t *testing.T) {
	exe, file := self(t)
	dog := New(command(exe, file))
	defer dog.Close()
	in := dog.Guard(&fake{})
	if err := drag(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	first := dog.child.Process.Pid
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-dog.ended
	if err := drag(t.Context(), in); err != nil {
		t.Errorf("the next act: %v", err)
	}
	if now := dog.child.Process.Pid; now == first || syscall.Kill(now, 0) != nil {
		t.Errorf("the child is %d, it was %d", now, first)
	}
}

// Without a child nothing is pressed.
func TestNoChild(t *testing.T) {
	f := &fake{}
	err := drag(t.Context(), New([]string{filepath.Join(t.TempDir(), "none")}).Guard(f))
	if err == nil || !strings.Contains(err.Error(), "dragging: telling the watchdog") || len(f.done) > 0 {
		t.Errorf("got %v after %v", err, f.done)
	}
}

// C32: whatever ends the parent, what it held is released within a second, and
// the child is gone. What it does not hold is left alone.
func TestC32_ParentKilled(t *testing.T) {
	for _, tt := range []struct {
		role string
		want bool
	}{{"parent", true}, {"idle", false}} {
		t.Run(tt.role, func(t *testing.T) {
			exe, file := self(t)
			r, w, err := os.Pipe() // ends when the last process that has it ends
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := exec.Command(exe, tt.role, file)
			cmd.Stderr = w
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			w.Close()
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			// The whole group, as a terminal or a service manager does it.
			if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			_ = cmd.Wait() // it was killed
			_ = r.SetReadDeadline(begin.Add(5 * time.Second))
			said, err := io.ReadAll(r)
			took := time.Since(begin)
			if err != nil || len(said) > 0 || took > time.Second {
				t.Errorf("the child ended after %v, %v: %s", took, err, said)
			}
			if exists(file) != tt.want {
				t.Errorf("released %v, want %v", exists(file), tt.want)
			}
			t.Logf("the child was gone after %v", took.Round(time.Millisecond))
		})
	}
}
