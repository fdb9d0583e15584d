//go:build desktop

package conformance

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/desktop/linux/virtual"
)

const patience = time.Minute // on a fresh machine adapters are compiled first

// served is the real program, built anew, over real applications.
type served struct {
	testing.TB
	desk *virtual.Desktop
	exe  string
	dir  string
}

func newServed(t testing.TB) *served {
	t.Helper()
	s := &served{TB: t, dir: t.TempDir()}
	s.exe = filepath.Join(s.dir, "oriel")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", s.exe, "../cmd/host").CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v: %s", err, out)
	}
	d, err := virtual.Start(t.Context(), virtual.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	s.desk = d
	s.launch("mousepad")
	s.launch("gnome-calculator")
	s.launch("featherpad")
	s.launch("zenity", "--entry", "--title=Welcome", "--text=Your name", "--entry-text=Ada")
	s.launch("zenity", "--forms", "--title=Secret", "--text=Sign in", "--add-entry=Name", "--add-password=Password")
	return s
}

func (s *served) launch(name string, args ...string) *exec.Cmd {
	s.Helper()
	cmd := s.desk.Command(name, args...)
	if _, err := s.desk.Launch(cmd); err != nil {
		s.Fatal(err)
	}
	return cmd
}

// environ keeps the program's files in the test's folder, but for the compiled
// adapters.
func (s *served) environ() []string {
	cache, err := os.UserCacheDir()
	if err != nil {
		s.Fatal(err)
	}
	adapters, err := filepath.Abs("../bin/adapters")
	if err != nil {
		s.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(adapters, "generic.wasm")); err != nil {
		s.Fatalf("%v: build the adapters first, with: make adapters", err)
	}
	return append(s.desk.Command("true").Env,
		"ORIEL_DIRS_STATE="+filepath.Join(s.dir, "state"), "ORIEL_DIRS_RUNTIME="+filepath.Join(s.dir, "run"),
		"ORIEL_DIRS_CACHE="+filepath.Join(cache, "oriel-test"), "ORIEL_ADAPTERS_DIRS="+adapters)
}

func (s *served) program(args ...string) *exec.Cmd {
	cmd := exec.Command(s.exe, args...)
	cmd.Env, cmd.Stderr = s.environ(), lines{s}
	return cmd
}

// lines writes what a program says into the test's log.
type lines struct{ testing.TB }

// Write implements [io.Writer].
func (l lines) Write(p []byte) (int, error) {
	if l.Context().Err() == nil { // the test is still running
		l.Logf("%s", p)
	}
	return len(p), nil
}

// serve starts a host and returns its URL and token.
func (s *served) serve() (url, token string) {
	s.Helper()
	cmd := s.program("serve", "--listen", "127.0.0.1:0", "--display", s.desk.Display())
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	drained := make(chan struct{})
	s.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-drained
		if err := cmd.Wait(); err != nil {
			s.Errorf("the host ended with %v", err)
		}
	})
	found := make(chan string, 1)
	go func() {
		defer close(drained)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			if _, at, ok := strings.Cut(sc.Text(), " at http://"); ok && strings.Contains(sc.Text(), "serves the display") {
				found <- "http://" + at
			}
		}
	}()
	select {
	case url = <-found:
	case <-time.After(patience):
		s.Fatal("the host did not say where it serves")
	}
	text, err := s.program("token").Output()
	if err != nil {
		s.Fatal(err)
	}
	s.settled()
	return url, strings.TrimSpace(string(text))
}

// settled waits until every application has been looked at by its adapter.
func (s *served) settled() {
	s.Helper()
	var out []byte
	for end := time.Now().Add(patience); time.Now().Before(end); {
		out, _ = s.program("windows", "--json", "--display", s.desk.Display()).Output()
		var state struct {
			Windows []struct {
				Title   string
				Actions []any
			}
		}
		ready := 0
		if json.Unmarshal(out, &state) == nil {
			for _, w := range state.Windows {
				if len(w.Actions) > 0 {
					ready++
				}
			}
		}
		if ready >= 5 {
			return
		}
	}
	s.Fatalf("not all windows have actions: %s", out)
}

// human works on the desktop until the test ends: types, opens a dialog that is
// modal to its window and closes it, starts an application and ends it.
func (s *served) human(ctx context.Context) {
	hand := func(args ...string) {
		_ = s.desk.Command("xdotool", args...).Run() // a window may be gone
	}
	pause := func() {
		select {
		case <-time.After(700 * time.Millisecond): // a person takes time
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		hand("search", "--onlyvisible", "--class", "mousepad", "windowactivate", "--sync", "type", "word ")
		pause()
		hand("key", "ctrl+o")
		pause()
		hand("key", "Escape")
		pause()
		cmd := s.desk.Command("zenity", "--question", "--title=Passing", "--text=Well?")
		if cmd.Start() == nil {
			pause()
			pause()
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}

// judge fails the test at what is broken and at what a real desktop must have
// shown.
func judge(t *testing.T, r *Report, seen ...string) {
	t.Helper()
	t.Log("\n" + text(t, r))
	if r.Failed() {
		t.Errorf("the host breaks %s", r.verdicts(Fail))
	}
	passed := r.verdicts(Pass, Advice)
	for _, id := range seen {
		if !strings.Contains(passed, id) {
			t.Errorf("%s was not tested", id)
		}
	}
	if strings.Join(r.Revisions, " ") != "2025-11-25 2026-07-28" {
		t.Errorf("answered in %v, want both revisions", r.Revisions)
	}
}

// The host keeps the protocol with real applications and a human at work, over
// HTTP and over stdio, in both revisions, on every face; that of one application to
// the letter.
func TestHostConforms(t *testing.T) {
	s := newServed(t)
	url, token := s.serve()
	ctx, stop := context.WithCancel(t.Context())
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		s.human(ctx)
	}()
	defer func() {
		stop()
		<-idle
	}()
	base := []string{"B01", "B02", "B03", "B04", "B06", "B12", "B22"}
	full := append([]string{
		"B05", "B07", "B09", "B10", "B11", "B13", "B16", "B17", "B18", "B20", "B21", "B23", "B26", "B29", "B30", "B31",
	}, base...)
	serve := []string{"serve", "--stdio", "--display", s.desk.Display()}
	for _, f := range []struct {
		name, path string
		stdio      []string
		strict     bool
		seen       []string
	}{
		{"everything", "/mcp", serve, false, append([]string{"B15"}, full...)},
		{"bridge", "/mcp/bridge", append(slices.Clip(serve), "--face", "bridge"), false, append([]string{"B15"}, full...)},
		{"application", "/mcp/app/mousepad", append(slices.Clip(serve), "--app", "mousepad"), true, full},
		{"application that does not run", "/mcp/app/nothing", append(slices.Clip(serve), "--app", "nothing"), true, append([]string{"B32"}, base...)},
	} {
		options := Options{Act: true, Shared: true, Strict: f.strict, Watch: 5 * time.Second}
		t.Run("http "+f.name, func(t *testing.T) {
			judge(t, Run(t.Context(), HTTP(strings.TrimSuffix(url, "/mcp")+f.path, token), options), f.seen...)
		})
		t.Run("stdio "+f.name, func(t *testing.T) {
			judge(t, Run(t.Context(), Command(lines{t}, s.environ(), s.exe, f.stdio...), options), f.seen...)
		})
	}
}
