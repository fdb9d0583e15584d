//go:build desktop

package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/mcp"
)

// stdioClient is a client that starts the program itself and speaks to it line by
// line, as chat clients do. It reads every line that the program writes and fails
// the test at the first that is no message of the protocol (C31).
type stdioClient struct {
	*rig
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // closed when the program has closed its output
	next  int
}

// private is the environment that keeps a program's files in the test's folder.
func (r *rig) private() []string {
	return []string{
		"ORIEL_DIRS_STATE=" + filepath.Join(r.dir, "state"), "ORIEL_DIRS_RUNTIME=" + filepath.Join(r.dir, "run"),
		"ORIEL_DIRS_CACHE=" + cacheDir(r),
	}
}

func (r *rig) stdio(args ...string) *stdioClient {
	r.Helper()
	c := &stdioClient{rig: r, lines: make(chan string, 100)}
	c.cmd = r.desk.Command(oriel(r), append([]string{"serve", "--stdio", "--log-level", "debug"}, args...)...)
	c.cmd.Env = append(c.cmd.Env, r.private()...)
	c.cmd.Stderr = testLog{r}
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		r.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		r.Fatal(err)
	}
	go func() {
		defer close(c.lines)
		s := bufio.NewScanner(out)
		s.Buffer(nil, 8<<20)
		for s.Scan() {
			c.lines <- s.Text()
		}
	}()
	r.Cleanup(func() {
		_ = c.in.Close()
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	c.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"}})
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

func (c *stdioClient) send(m map[string]any) {
	c.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		c.Fatal(err)
	}
	if _, err := c.in.Write(append(data, '\n')); err != nil {
		c.Fatal(err)
	}
}

func (c *stdioClient) call(method string, params any) map[string]any {
	c.Helper()
	c.next++
	c.send(map[string]any{"jsonrpc": "2.0", "id": c.next, "method": method, "params": params})
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.Fatalf("%s: the program ended", method)
			}
			var m map[string]any
			if err := json.Unmarshal([]byte(line), &m); err != nil || m["jsonrpc"] != "2.0" {
				c.Fatalf("standard output carries %q", line)
			}
			if m["id"] == float64(c.next) {
				result, _ := m["result"].(map[string]any)
				if result == nil {
					c.Fatalf("%s: %v", method, m["error"])
				}
				return result
			}
		case <-timeout:
			c.Fatalf("%s: no answer in %v", method, patience)
		}
	}
}

// state reads app://windows until it holds a window with a title.
func (c *stdioClient) state(title string) (window string) {
	c.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		res := c.call("resources/read", map[string]any{"uri": "app://windows"})
		text := res["contents"].([]any)[0].(map[string]any)["text"].(string)
		var s struct {
			Windows []struct {
				ID, Title, Summary string // no summary: the adapter is still being compiled
			}
		}
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			c.Fatal(err)
		}
		for _, w := range s.Windows {
			if w.Title == title && w.Summary != "" {
				return w.ID
			}
		}
	}
	c.Fatalf("no window %q", title)
	return ""
}

// programs counts the running processes of the program that use this test's
// folder, and the runners below them.
func (r *rig) programs() (pids []int) {
	r.Helper()
	exe := oriel(r)
	mine := map[int]bool{}
	parents := map[int]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		r.Fatal(err)
	}
	for _, path := range stats {
		dir := filepath.Dir(path)
		target, err := os.Readlink(dir + "/exe")
		if err != nil || strings.TrimSuffix(target, " (deleted)") != exe {
			continue
		}
		var pid, ppid int
		stat, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(stat), ") ")
		fmt.Sscanf(rest, "%s %d", new(string), &ppid)
		fmt.Sscanf(filepath.Base(dir), "%d", &pid)
		parents[pid] = ppid
		env, _ := os.ReadFile(dir + "/environ")
		mine[pid] = strings.Contains(string(env), r.dir)
	}
	for pid, ppid := range parents {
		if mine[pid] || mine[ppid] {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (r *rig) awaitNoProgram(within time.Duration) {
	r.Helper()
	begin := time.Now()
	for len(r.programs()) > 0 {
		if time.Since(begin) > within {
			r.Fatalf("after %v these are left: %v", within, r.programs())
		}
	}
	r.Logf("all gone after %v", time.Since(begin).Round(time.Millisecond))
}

// C42: two chat clients each start the program on one desktop: one host, one set
// of ids, and it ends with the last of them.
func TestTwoStdioClientsShareOneHost(t *testing.T) {
	r := newRig(t)
	r.launch("zenity", "--entry", "--title=Shared", "--text=Name")
	a := r.stdio()
	id := a.state("Shared")
	b := r.stdio()
	if other := b.state("Shared"); other != id {
		t.Errorf("one client sees %s, the other %s", id, other)
	}
	a.call("tools/call", map[string]any{"name": "desktop_act", "arguments": map[string]any{"winId": id, "action": "close"}})
	for _, c := range []*stdioClient{a, b} {
		text, _ := json.Marshal(c.call("resources/read", map[string]any{"uri": "app://windows"}))
		if strings.Contains(string(text), "Shared") {
			t.Errorf("a client still sees the closed window: %s", text)
		}
	}
	_ = a.in.Close()
	if err := a.cmd.Wait(); err != nil {
		t.Errorf("the first client's program ended with %v", err)
	}
	b.call("resources/read", map[string]any{"uri": "app://windows"})
	_ = b.in.Close()
	r.awaitNoProgram(5 * time.Second)
}

// C32: a client, or its relay, is killed with -9: the host and its runners are
// gone within 5 s.
func TestKilledClientLeavesNothing(t *testing.T) {
	for _, victim := range []string{"client", "relay", "host"} {
		t.Run(victim, func(t *testing.T) {
			r := newRig(t)
			r.launch("zenity", "--entry", "--title=Alone", "--text=Name")
			c := r.stdio()
			c.state("Alone")
			if n := len(r.programs()); n < 3 {
				t.Fatalf("%d processes run, want the relay, the host and a runner", n)
			}
			switch victim {
			case "client":
				_ = c.in.Close() // what the kernel does to a killed client's pipe
			case "relay":
				_ = c.cmd.Process.Kill()
				_ = c.cmd.Wait()
			case "host":
				for _, pid := range r.programs() {
					if cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); pid != c.cmd.Process.Pid && !strings.Contains(string(cmdline), RunnerCommand) {
						_ = syscall.Kill(pid, syscall.SIGKILL)
					}
				}
			}
			if victim != "relay" {
				go func() { _ = c.cmd.Wait() }()
			}
			r.awaitNoProgram(5 * time.Second)
		})
	}
}

// C32: Ctrl-C, a plain kill and a kill with -9 leave nothing of a virtual desktop
// with its applications: no process, no folder, no file of the display; and no
// socket of a host that could still tidy up.
func TestNothingIsLeftOfAProgram(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		t.Run(signal.String(), func(t *testing.T) {
			r := newRig(t)
			tmp, err := os.MkdirTemp("", "t") // short: the names of sockets are bounded
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(tmp) })
			cmd := exec.Command(oriel(t), "serve", "--virtual", "--sample", "--listen", "127.0.0.1:0")
			cmd.Env = append(os.Environ(), append(r.private(), "DISPLAY=", "TMPDIR="+tmp)...)
			display := r.startServe(cmd)
			folder := namesIn(t, tmp)
			if len(folder) != 1 {
				t.Fatalf("the program made %v, want the folder of the desktop", folder)
			}
			marked := func() []process {
				return slices.DeleteFunc(processes(t), func(p process) bool { return !strings.Contains(p.environ, "\x00ORIEL_VIRTUAL="+folder[0]+"\x00") })
			}
			r.eventually("the applications run", func() any { return marked() }, func() bool {
				return slices.ContainsFunc(marked(), func(p process) bool { return p.name == "mousepad" })
			})

			socket, err := os.Stat("/tmp/.X11-unix/X" + display)
			if err != nil {
				t.Fatal(err)
			}

			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil && signal != syscall.SIGKILL {
				t.Errorf("it ended with %v", err)
			}
			left := func() any {
				var files []string
				now, err := os.Stat("/tmp/.X11-unix/X" + display) // by now another desktop may have the number
				if err == nil && os.SameFile(now, socket) && now.ModTime().Equal(socket.ModTime()) {
					files = append(files, "the socket of the display")
				}
				if _, err := os.Stat("/tmp/.X" + display + "-lock"); err == nil { // which the server makes if it is told its number
					files = append(files, "the lock of the display")
				}
				files = append(files, namesIn(t, tmp)...)
				if signal != syscall.SIGKILL { // the next host takes the place of one that was killed
					files = append(files, slices.DeleteFunc(namesIn(t, filepath.Join(r.dir, "run")), func(name string) bool { return strings.HasSuffix(name, ".lock") })...)
				}
				return []any{files, marked(), r.programs()}
			}
			r.eventually("nothing is left", left, func() bool { return fmt.Sprint(left()) == "[[] [] []]" })
		})
	}
}

// startServe starts `oriel serve` and returns the number of its display once it has
// named it.
func (r *rig) startServe(cmd *exec.Cmd) (display string) {
	r.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	cmd.Stderr = testLog{r.TB}
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = cmd.Process.Kill() })
	s := bufio.NewScanner(out)
	for s.Scan() && display == "" {
		if _, rest, ok := strings.Cut(s.Text(), "serves the display :"); ok {
			display, _, _ = strings.Cut(rest, " ")
		}
	}
	if display == "" {
		r.Fatal("the program did not name its display")
	}
	go func() {
		for s.Scan() { // let it go on writing
		}
	}()
	return display
}

// namesIn are the names in a folder.
func namesIn(t testing.TB, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// eventually waits until something holds, and shows what is so instead if it does
// not in time.
func (r *rig) eventually(what string, now func() any, holds func() bool) {
	r.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(end) {
			r.Fatalf("waiting until %s: not so after %v, but %v", what, patience, now())
		}
	}
}

// One host for a display, however the display is spelled and whoever started it.
func TestOneHostForADisplay(t *testing.T) {
	for in, want := range map[string]string{":0": ":0", ":0.0": ":0", "unix:7": ":7", "unix:7.1": ":7", "remote:0": "remote:0", "": ""} {
		if got := plainDisplay(in); got != want {
			t.Errorf("plainDisplay(%q) = %q, want %q", in, got, want)
		}
	}
	r := newRig(t)
	r.serve(func(c *Config) { c.Desktop = Desktop{Virtual: &virtual.Config{}} })
	cfg := r.host.cfg
	cfg.Desktop, cfg.Listen = Desktop{Display: r.host.Display() + ".0"}, ""
	if h, err := New(t.Context(), cfg); !errors.Is(err, ErrHostRuns) {
		if h != nil {
			h.Close()
		}
		t.Errorf("a second host of the display gives %v", err)
	}
}

// C42: a host that takes no more clients still has its desktop to close; until then
// no other can take its place, and one that starts meanwhile waits.
func TestNextHostWaitsForTheEndOfOne(t *testing.T) {
	r := newRig(t)
	cfg := r.config(func(c *Config) { c.Desktop = Desktop{Virtual: &virtual.Config{}} })
	first, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Close() })
	home := first.conn.own.Home()
	sockets := []string{SocketPath(cfg.RuntimeDir, cfg.Desktop), SocketPath(cfg.RuntimeDir, Desktop{Display: first.Display()})}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Serve(ctx); err != nil {
		t.Fatal(err)
	}
	for _, path := range sockets {
		if conn, err := mcp.Dial(t.Context(), path); err == nil {
			conn.Close()
			t.Errorf("a host that has served still answers at %s", path)
		}
		if ln, err := mcp.Listen(path); !errors.Is(err, ErrHostRuns) {
			t.Errorf("before its desktop is closed, another host takes its place at %s (%v)", path, err)
			if ln != nil {
				ln.Close()
			}
		}
	}

	type started struct {
		host *Host
		err  error
	}
	next := make(chan started, 1)
	go func() {
		h, err := New(t.Context(), cfg)
		next <- started{h, err}
	}()
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	select {
	case s := <-next:
		if s.err != nil {
			t.Fatalf("the next host: %v", s.err)
		}
		t.Cleanup(func() { s.host.Close() })
	case <-time.After(2 * patience):
		t.Fatal("the next host does not start")
	}
	if _, err := os.Stat(home); !os.IsNotExist(err) {
		t.Errorf("the next host runs beside the desktop of the one before (%v)", err)
	}
}

// Whoever embeds the host may close it while it serves: Serve ends without an
// error, and nothing is started again that was closed.
func TestCloseEndsServe(t *testing.T) {
	r := newRig(t)
	h, err := New(t.Context(), r.config(func(c *Config) { c.Desktop = Desktop{Virtual: &virtual.Config{}} }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	served := make(chan error, 1)
	go func() { served <- h.Serve(t.Context()) }()
	answers := func() bool { // so that Serve has begun
		resp, err := http.Get("http://" + h.Addr().String() + "/nothing")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	}
	r.eventually("the host serves", func() any { return h.Addr() }, answers)
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-served:
		if err != nil {
			t.Errorf("Serve ended with %v", err)
		}
	case <-time.After(2 * patience):
		t.Fatal("Serve goes on after Close")
	}
	if h.conn.own != nil {
		t.Error("a desktop was started after Close")
	}
	if err := h.Serve(t.Context()); err != nil {
		t.Errorf("serving a closed host: %v", err)
	}
}
