//go:build desktop

package host

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/robot"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// children lists the processes that this one has started by a hidden subcommand.
func children(t *testing.T, command string) (pids []string) {
	t.Helper()
	out, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		more, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		out = append(append(out, ' '), more...)
	}
	seen := map[string]bool{}
	for _, pid := range strings.Fields(string(out)) {
		line, _ := os.ReadFile("/proc/" + pid + "/cmdline")
		if args := strings.Split(string(line), "\x00"); !seen[pid] && len(args) > 1 && args[1] == command {
			pids, seen[pid] = append(pids, pid), true
		}
	}
	return pids
}

// The robot backend takes over input and capture of a desktop, and ends with it.
func TestRobotBackend(t *testing.T) {
	r := newRig(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &connection{
		cfg:      Desktop{Display: r.desk.Display(), SessionBus: r.desk.SessionBus()},
		watchdog: []string{exe, WatchdogCommand}, robot: []string{exe, RobotCommand}, log: slog.New(slog.DiscardHandler),
	}
	desk, err := c.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if _, ok := desk.Capture.(*robot.Robot); !ok || len(children(t, RobotCommand)) != 1 {
		t.Errorf("capture is by %T, children %v", desk.Capture, children(t, RobotCommand))
	}
	to := desktop.Point{X: 321, Y: 123}
	if err := desk.Input.Move(t.Context(), desktop.Target{}, to); err != nil {
		t.Error(err)
	}
	if p, err := desk.Input.Position(t.Context()); err != nil || p != to {
		t.Errorf("the pointer is at %v, %v", p, err)
	}
	if err := desk.Input.Drag(t.Context(), desktop.Target{}, to, desktop.Point{X: 400, Y: 200}, desktop.Left, 0); err != nil {
		t.Error(err)
	}
	if err := desk.Input.Move(t.Context(), desktop.Target{Window: 1}, to); !errors.Is(err, desktop.ErrUnsupported) {
		t.Errorf("moving in a window gives %v", err)
	}
	if img, err := desk.Capture.Screen(t.Context(), tree.Rect{W: 50, H: 40}); err != nil || img.Rect.Dx() != 50 {
		t.Errorf("no picture: %v", err)
	}
	if n := len(children(t, WatchdogCommand)); n != 1 {
		t.Errorf("%d watchdogs after a drag", n)
	}
	// Found again, the desktop has new children and the old ones are gone.
	if _, err := c.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, dogs := len(children(t, RobotCommand)), len(children(t, WatchdogCommand)); n != 1 || dogs != 0 {
		t.Errorf("after a second opening: %d robots, %d watchdogs", n, dogs)
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
	if n := len(children(t, RobotCommand)); n != 0 {
		t.Errorf("%d robots are left", n)
	}
}

// With the robot backend a host serves what goes by accessibility, and says of
// the rest that it is not supported.
func TestHostWithRobotBackend(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t).serve(func(c *Config) { c.Robot = []string{exe, RobotCommand} })
	r.launch("zenity", "--entry", "--title=Ask", "--text=Name")
	w := r.window("Ask")
	if res := r.must(w.ID, "set_field", map[string]any{"field": "Name", "value": "Ada"}); res.Effect != hostabi.Confirmed {
		t.Errorf("setting a field by accessibility is %s", res.Effect)
	}
	// The robot's process dies: the desktop is opened again with another one.
	old := children(t, RobotCommand)
	if len(old) != 1 {
		t.Fatalf("the robots are %v", old)
	}
	pid, err := strconv.Atoi(old[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.await("another robot", func() bool { now := children(t, RobotCommand); return len(now) == 1 && now[0] != old[0] })
	r.await("the window again", func() bool {
		w := r.host.Snapshot().Windows
		return len(w) == 1 && w[0].Title == "Ask" && len(w[0].Actions) > 0
	})
	r.must(r.window("Ask").ID, "close", nil)
}
