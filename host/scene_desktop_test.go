//go:build desktop

package host

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/bridge"
)

// scene is an application whose windows are opened and changed on command, and
// that writes down what input reached it; see testdata/scene.
type scene struct {
	*rig
	in  io.WriteCloser
	cmd *exec.Cmd
	log string
}

// scene starts a program of testdata/scene.
func (r *rig) scene(program string) *scene {
	r.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", "scene", program))
	if err != nil {
		r.Fatal(err)
	}
	s := &scene{rig: r, log: filepath.Join(r.desk.Home(), program+".log")}
	s.cmd = r.desk.Command("/usr/bin/python3", path, s.log)
	s.cmd.Env = append(s.cmd.Env, "PYTHONDONTWRITEBYTECODE=1")
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		r.Fatal(err)
	}
	if _, err := r.desk.Launch(s.cmd); err != nil {
		r.Fatal(err)
	}
	return s
}

// with returns the scene for a subtest.
func (s *scene) with(t testing.TB) *scene {
	sub := *s
	sub.rig = s.rig.with(t)
	return &sub
}

// lines are what the application has written down.
func (s *scene) lines() []string {
	s.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// count is how often a line was written.
func (s *scene) count(line string) (n int) {
	for _, l := range s.lines() {
		if l == line {
			n++
		}
	}
	return n
}

// last returns what the last line with the prefix says, or "".
func (s *scene) last(prefix string) string {
	lines := s.lines()
	for _, l := range slices.Backward(lines) {
		if rest, ok := strings.CutPrefix(l, prefix+" "); ok {
			return rest
		}
	}
	return ""
}

// do gives commands and waits until each was carried out.
func (s *scene) do(commands ...string) {
	s.Helper()
	for _, c := range commands {
		before := s.count("done")
		if _, err := fmt.Fprintln(s.in, c); err != nil {
			s.Fatalf("%s: %v", c, err)
		}
		s.await("the command "+c, func() bool { return s.count("done") > before })
	}
}

// click has another client of the X server click the button of a window.
func (s *scene) click(name string) {
	s.Helper()
	s.do("where")
	var x, y int
	if _, err := fmt.Sscan(s.last("at "+name), &x, &y); err != nil {
		s.Fatalf("where %s is: %v", name, err)
	}
	s.tool("xdotool", "mousemove", fmt.Sprint(x), fmt.Sprint(y), "click", "1")
}

// named returns the window whose title is the name, or nil.
func (s *scene) named(name string) *bridge.Window {
	for _, w := range s.host.Snapshot().Windows {
		if w.Title == name {
			return w
		}
	}
	return nil
}

// seen waits for a window that has been looked at.
func (s *scene) seen(name string) *bridge.Window {
	s.Helper()
	var w *bridge.Window
	s.await("the window "+name, func() bool {
		w = s.named(name)
		return w != nil && len(w.Actions) > 0
	})
	return w
}

// reset closes all windows of scenes and waits until they are gone.
func (s *scene) reset(others ...*scene) {
	s.Helper()
	for _, o := range append(others, s) {
		o.do("reset")
	}
	s.await("no window of the scene", func() bool {
		return !slices.ContainsFunc(s.host.Snapshot().Windows, func(w *bridge.Window) bool { return w.Title != bystander })
	})
}

// bystander is a window of another application, which nothing in a scene blocks.
const bystander = "Bystander"
