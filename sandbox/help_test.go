//go:build linux

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/tree"
)

// TestMain lets the test's binary be its own runner.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "runner":
			os.Exit(RunnerMain(os.Args[2:]))
		case "without-landlock":
			withoutLandlock(os.Args[2:])
		case "attempt":
			os.Exit(attempt(os.Args[2:]))
		case "host":
			os.Exit(hostMain(os.Args[2], os.Args[3], os.Args[4]))
		}
	}
	code := m.Run()
	if dir, err := testCache(); err == nil {
		if c, err := openCache(dir, 400<<20); err == nil {
			c.trim(func(string) bool { return false }) // only tidiness
		}
	}
	os.Exit(code)
}

// testCache is where compiled code of test guests is kept between runs.
func testCache() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "oriel-sandbox-test"), err
}

func runnerCommand(t testing.TB) []string {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe, "runner"}
}

// manifest is that of an adapter called id for the application app.
func manifest(id, app string, caps ...hostabi.Capability) *hostabi.Manifest {
	m := &hostabi.Manifest{
		ID: id, Name: "Test " + id, Version: "1.2.3", ABI: hostabi.ABI, Description: "for tests", License: "Apache-2.0",
		Match: []hostabi.Match{{App: app}},
	}
	for _, c := range caps {
		m.Permissions = append(m.Permissions, hostabi.Permission{Capability: c, Reason: "the tests need it"})
	}
	return m
}

// every lists all capabilities.
func every() (caps []hostabi.Capability) {
	for _, f := range hostabi.Functions {
		if !slices.Contains(caps, f.Capability) {
			caps = append(caps, f.Capability)
		}
	}
	return caps
}

const probeID = "dev.oriel.test.probe"

// built are the Go guests that this run has built, by folder.
var built sync.Map

// guestOf builds the Go guest in a folder of testdata, once, and gives it the
// manifest.
func guestOf(t testing.TB, folder string, m *hostabi.Manifest) []byte {
	t.Helper()
	once, _ := built.LoadOrStore(folder, sync.OnceValues(func() ([]byte, error) { return build(folder) }))
	wasm, err := once.(func() ([]byte, error))()
	if err == nil {
		wasm, err = check.Embed(wasm, manifestJSON(m))
	}
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

func build(folder string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "oriel-guest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "guest.wasm")
	cmd := exec.Command("go", "build", "-buildmode=c-shared", "-trimpath", "-o", out, "./testdata/"+folder)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if b, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the guest %s: %w\n%s", folder, err, b)
	}
	return os.ReadFile(out)
}

// probe returns the Go guest with the manifest.
func probe(t testing.TB, m *hostabi.Manifest) []byte {
	t.Helper()
	return guestOf(t, "probe", m)
}

// probeManifest asks for everything, which the probe imports.
func probeManifest() *hostabi.Manifest { return manifest(probeID, "probe", every()...) }

// env is a sandbox under test.
type env struct {
	*Sandbox
	t   testing.TB
	dir string
	log *syncBuffer
	cfg Config
}

// newEnv starts a sandbox over the modules (file name without .wasm → bytes).
// Nothing is left running at the end of the test.
func newEnv(t testing.TB, edit func(*Config), modules map[string][]byte) *env {
	t.Helper()
	e := &env{t: t, dir: t.TempDir(), log: &syncBuffer{}}
	for name, wasm := range modules {
		e.put(name, wasm)
	}
	cache, err := testCache()
	if err != nil {
		t.Fatal(err)
	}
	e.cfg = Config{
		Dirs: []string{e.dir}, CacheDir: cache, Runner: runnerCommand(t), Limits: Limits{Start: 10 * time.Second, Compile: time.Minute},
		Log: slog.New(slog.NewTextHandler(e.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if edit != nil {
		edit(&e.cfg)
	}
	before, others := openFiles(t), pids(children())
	s, err := New(t.Context(), e.cfg)
	if err != nil {
		t.Fatal(err)
	}
	e.Sandbox = s
	t.Cleanup(func() {
		s.Close()
		left := slices.DeleteFunc(pids(children()), func(pid string) bool { return slices.Contains(others, pid) })
		if len(left) > 0 {
			t.Errorf("processes left behind: %v", left)
		}
		eventually(t, "the descriptors are closed", func() bool { return openFiles(t) <= before })
	})
	return e
}

// put writes a module's file.
func (e *env) put(name string, wasm []byte) {
	e.t.Helper()
	if err := os.WriteFile(filepath.Join(e.dir, name+".wasm"), wasm, 0o600); err != nil {
		e.t.Fatal(err)
	}
}

// window is one of the application app with the title.
func window(app, title string) *tree.Tree {
	return &tree.Tree{Window: tree.Window{App: app, Title: title, Role: "normal"}}
}

func observe(app, title string) []byte { return tree.Append(nil, window(app, title)) }

// look matches a window of the application and translates it.
func (e *env) look(app, title string, sv Services) (*hostabi.View, error) {
	e.t.Helper()
	w := window(app, title)
	return e.Translate(e.t.Context(), e.Match(w.Window), tree.Append(nil, w), sv)
}

// must is look without an error.
func (e *env) must(app, title string) *hostabi.View {
	e.t.Helper()
	v, err := e.look(app, title, nil)
	if err != nil {
		e.t.Fatalf("translating %q of %s: %v", title, app, err)
	}
	return v
}

// act invokes an action on a window of the application.
func (e *env) act(app, action string, sv Services) (*hostabi.Outcome, error) {
	e.t.Helper()
	return e.Invoke(e.t.Context(), e.Match(window(app, "").Window), hostabi.Call{Action: action, Observation: observe(app, "")}, sv)
}

// runnerPID returns the process of an adapter's runner, 0 if it has none.
func (e *env) runnerPID(id string) int {
	for _, a := range e.set.Load().adapters {
		if a.man.ID == id {
			a.mu.Lock()
			defer a.mu.Unlock()
			if a.p != nil && a.p.alive() {
				return a.p.cmd.Process.Pid
			}
		}
	}
	return 0
}

func (e *env) info(id string) Info {
	e.t.Helper()
	for _, i := range e.List() {
		if i.ID == id {
			return i
		}
	}
	e.t.Fatalf("%s is not listed in %+v", id, e.List())
	return Info{}
}

// failure demands a *Failure that wraps a fault.
func failure(t testing.TB, err error) *Failure {
	t.Helper()
	f, ok := errors.AsType[*Failure](err)
	if !ok {
		t.Fatalf("got error %v, want a *Failure", err)
	}
	if fault, ok := errors.AsType[*hostabi.Fault](err); !ok || fault.Code != hostabi.CodeInternal {
		t.Fatalf("the failure %v does not unwrap to a fault with code internal", err)
	}
	return f
}

// grantAll grants everything to the adapters.
func grantAll(ids ...string) func(*Config) {
	return func(c *Config) {
		for _, id := range ids {
			c.Grants = append(c.Grants, Grant{ID: id, Capabilities: every()})
		}
	}
}

// services is a Services made of a function.
type services func(ctx context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault)

func (s services) Call(ctx context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	return s(ctx, f, request)
}

// observing answers every function with an encoded tree.
var observing = services(func(context.Context, hostabi.Function, []byte) ([]byte, *hostabi.Fault) {
	return observe("probe", ""), nil
})

// syncBuffer is a bytes.Buffer for several goroutines.
type syncBuffer struct {
	mu sync.Mutex // guards b
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !holds(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("waited a minute in vain until %s", what)
		}
	}
}

// children lists the runners, before they execute themselves again and after.
func children() (out []string) {
	dirs, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, d := range dirs {
		b, err := os.ReadFile(d)
		if err != nil {
			continue
		}
		s := string(b)
		f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
		if len(f) > 1 && f[1] == fmt.Sprint(os.Getpid()) && (strings.Contains(s, "(sandbox.test)") || strings.Contains(s, "(exe)")) {
			out = append(out, s[:strings.IndexByte(s, ' ')]+" "+f[0])
		}
	}
	return out
}

// pids are the processes of a list of children.
func pids(children []string) (out []string) {
	for _, c := range children {
		pid, _, _ := strings.Cut(c, " ")
		out = append(out, pid)
	}
	return out
}

func openFiles(t testing.TB) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(fds)
}

func encode(w *tree.Tree) []byte { return tree.Append(nil, w) }

// hostMain is the process of startHost: a host with the probe in a directory.
// It runs the command, printing the runner's process first, and then waits.
func hostMain(dir, cache, command string) int {
	exe, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cfg := Config{
		Dirs: []string{dir}, CacheDir: cache, Runner: []string{exe, "runner"},
		Limits: Limits{Translate: time.Hour, Start: 10 * time.Second, Compile: time.Minute},
	}
	s, err := New(context.Background(), cfg)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	e := &env{Sandbox: s}
	w := window("probe", "")
	ref := s.Match(w.Window)
	if _, err := s.Translate(context.Background(), ref, encode(w), nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	time.AfterFunc(200*time.Millisecond, func() { fmt.Println(e.runnerPID(probeID)) })
	s.Translate(context.Background(), ref, observe("probe", command), nil) // it is killed meanwhile
	select {}
}

// startHost starts a host process and returns its runner's process id.
func startHost(t *testing.T, command string) (pid int, host *exec.Cmd) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "probe.wasm"), probe(t, probeManifest()), 0o600); err != nil {
		t.Fatal(err)
	}
	cache, err := testCache()
	if err != nil {
		t.Fatal(err)
	}
	host = exec.Command(os.Args[0], "host", dir, cache, command)
	host.Stderr = os.Stderr
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscan(out, &pid); err != nil || pid == 0 {
		t.Fatalf("reading the runner's process: %d, %v", pid, err)
	}
	return pid, host
}
