//go:build desktop

package host

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/internal/authoring"
	"oriel.dev/oriel/mcp"
)

// scaffold makes an adapter of a window, beside the host that serves it.
func (r *rig) scaffold(title string) (dir string) {
	r.Helper()
	source, err := filepath.Abs("..")
	if err != nil {
		r.Fatal(err)
	}
	sc := authoring.Scaffold{Dir: filepath.Join(r.TempDir(), "welcome"), Name: "welcome", Source: source}
	err = OnWindow(r.Context(), r.host.cfg, title, "", func(ctx context.Context, w *LiveWindow) error {
		sc.Observation = w.Observation
		sc.Picture, err = w.Picture(ctx)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	if _, err := authoring.New(sc); err != nil {
		r.Fatal(err)
	}
	return sc.Dir
}

// served is the window as a client of the host reads it.
func (r *rig) served(title string) (w readWindow) {
	r.Helper()
	conn, err := mcp.Dial(r.Context(), SocketPath(r.host.cfg.RuntimeDir, r.host.cfg.Desktop))
	if err != nil {
		r.Fatal(err)
	}
	result, err := readOver(r.Context(), conn)
	if err != nil {
		r.Fatal(err)
	}
	windows, err := readWindows(result)
	if err != nil {
		r.Fatal(err)
	}
	for _, w := range windows {
		if w.Title == title {
			return w
		}
	}
	r.Fatalf("no window %q is served: %s", title, result)
	return w
}

// W20, W21: from a real window to an adapter that is served, changed while it is
// served, broken, and mended; and an action that is recorded and replayed.
func TestFromAWindowToAChangedAdapter(t *testing.T) {
	r := newRig(t)
	r.launch("zenity", "--entry", "--title=Welcome", "--text=Your name")
	r.serve(func(cfg *Config) {
		remove, err := PrepareDev(cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { remove() })
	})
	before := r.window("Welcome")
	dir := r.scaffold("welcome")
	for _, file := range []string{"window.ort", "window.png"} {
		if st, err := os.Stat(filepath.Join(dir, "testdata", file)); err != nil || st.Size() < 100 {
			t.Errorf("the recording %s: %v", file, err)
		}
	}

	d := r.follow(dir)
	good := func(r Receipt) bool { return r.Err == nil }
	says := func(words ...string) func(Receipt) bool {
		return func(r Receipt) bool {
			return r.Err != nil && !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(r.Err.Error(), w) })
		}
	}
	if got := d.until("the first version", good); got.Windows != 1 || !slices.Contains(got.Altered, "set_field") {
		t.Fatalf("the first receipt is %+v", got)
	}
	r.await("the adapter's view", func() bool {
		w := r.host.Snapshot().Window(before.ID)
		return w != nil && strings.HasPrefix(w.Adapter, "org.example.welcome ")
	})
	first := r.served("Welcome")
	if first.ID != before.ID || first.Version < before.Version || !strings.HasPrefix(first.Summary, "Dialog with ") {
		t.Errorf("the window is served as %+v; before it was %s, version %d", first, before.ID, before.Version)
	}

	began := d.change(`kind = "Dialog"`, `kind = "Question"`)
	got := d.until("the second version", func(r Receipt) bool { return good(r) && r.Digest != "" })
	if got.Before == "" || len(got.Added)+len(got.Removed) > 0 {
		t.Errorf("the second receipt is %+v", got)
	}
	r.await("the changed view", func() bool {
		return strings.HasPrefix(r.host.Snapshot().Window(before.ID).Summary, "Question with ")
	})
	t.Logf("change to served: %v, of which the compiler %v", time.Since(began).Round(time.Millisecond), got.Build.Round(time.Millisecond))
	if now := r.served("Welcome"); now.ID != before.ID || now.Version <= first.Version || !strings.HasPrefix(now.Summary, "Question with ") {
		t.Errorf("the window is served as %+v, want a later version of %s", now, before.ID)
	}

	d.change("func count(", "func count(broken ")
	d.until("a broken build", says("main.go", "syntax error"))
	d.change("func count(broken ", "func count(")
	d.until("a mended build", good)
	d.change(`return kind + " with "`, `panic("three frames deep"); return kind + " with "`)
	d.until("a version that fails on the window", says(`trying it on the window "Welcome"`, "three frames deep"))
	if now := r.served("Welcome"); !strings.HasPrefix(now.Summary, "Question with ") || now.ID != before.ID {
		t.Errorf("with a failing version the window is served as %+v, want the last good one", now)
	}
	d.change(`panic("three frames deep"); `, "")
	d.until("the last version", good)
	r.recordAndReplay(dir)
}

// following is a host that takes every change of a folder over.
type following struct {
	*rig
	dir      string
	receipts chan Receipt
}

// follow takes the changes of a folder over until the end of the test.
func (r *rig) follow(dir string) *following {
	f := &following{r, dir, make(chan Receipt, 100)}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- r.host.Dev(ctx, DevConfig{Path: dir, Receipt: func(r Receipt) { f.receipts <- r }})
	}()
	r.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			r.Error(err)
		}
	})
	return f
}

// until waits for a receipt.
func (f *following) until(what string, is func(Receipt) bool) Receipt {
	f.Helper()
	limit := time.NewTimer(3 * time.Minute) // the first build compiles the library
	defer limit.Stop()
	for {
		select {
		case got := <-f.receipts:
			var text strings.Builder
			_ = got.Write(&text)
			f.Logf("receipt: %s", text.String())
			if is(got) {
				return got
			}
		case <-limit.C:
			f.Fatalf("no receipt of %s came", what)
		}
	}
}

// change changes main.go and returns when it was written.
func (f *following) change(old, now string) time.Time {
	f.Helper()
	path := filepath.Join(f.dir, "main.go")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		f.Fatalf("main.go does not say %q: %v", old, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, now)), 0o644); err != nil {
		f.Fatal(err)
	}
	return time.Now()
}

// recordAndReplay records an action on the live window and replays it.
func (r *rig) recordAndReplay(dir string) {
	r.Helper()
	wasm := filepath.Join(r.TempDir(), "built.wasm")
	if _, err := BuildAdapter(r.Context(), dir, wasm); err != nil {
		r.Fatal(err)
	}
	view := r.host.Snapshot().Windows[0]
	var offered struct {
		Properties struct{ Field struct{ Enum []string } }
	}
	if err := json.Unmarshal([]byte(view.Actions[0].Input), &offered); err != nil || len(offered.Properties.Field.Enum) == 0 {
		r.Fatalf("the action is %+v: %v", view.Actions[0], err)
	}
	args, err := json.Marshal(map[string]string{"field": offered.Properties.Field.Enum[0], "value": "Ann"})
	if err != nil {
		r.Fatal(err)
	}
	var session *authoring.Session
	err = OnWindow(r.Context(), r.host.cfg, view.ID, wasm, func(ctx context.Context, w *LiveWindow) error {
		acted, err := w.Act(ctx, "set_field", args)
		if err != nil {
			return err
		}
		var said strings.Builder
		if err := acted.Write(&said); err != nil || !strings.Contains(said.String(), "oriel:a11y set_text") || !strings.Contains(said.String(), "(confirmed)") {
			r.Errorf("the action reads %q, %v", said.String(), err)
		}
		if text, err := w.Text(ctx); err != nil || !strings.Contains(text, "Ann") {
			r.Errorf("the window reads %q, %v", text, err)
		}
		session, err = authoring.Record(*acted.Trace, w.Title)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	file := filepath.Join(dir, "testdata", "set.session.json")
	if err := session.Write(file); err != nil {
		r.Fatal(err)
	}
	if session, err = authoring.ReadSession(file); err != nil || len(session.Calls) != 2 {
		r.Fatalf("the session is %+v, %v", session, err)
	}
	cfg := r.host.cfg.Sandbox
	a, err := authoring.Open(r.Context(), authoring.Machine{Runner: cfg.Runner, CacheDir: cfg.CacheDir, Limits: cfg.Limits}, wasm)
	if err != nil {
		r.Fatal(err)
	}
	defer a.Close()
	if difference, err := a.Replay(r.Context(), session); err != nil || difference != "" {
		r.Errorf("replayed: %s, %v", difference, err)
	}
}
