package authoring

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox"
	"oriel.dev/oriel/tree"
)

// recordings are the observations of the first-party adapters.
func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../plugins/*/testdata/*" + tree.Extension)
	if err != nil || len(files) < 10 {
		t.Fatalf("finding recorded observations: %v, %d files", err, len(files))
	}
	return files
}

// W20: a tree that was recorded as JSON is the same tree, byte by byte.
func TestTreesTravelAsJSON(t *testing.T) {
	for _, file := range recordings(t) {
		want, err := readObservation(file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := treeJSON(want)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, err := parseTree(text)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: read back as %d bytes of %d, %v", file, len(got), len(want), err)
		}
		r, err := tree.NewReader(want)
		if err != nil {
			t.Fatal(err)
		}
		if lines := bytes.Count(text, []byte("\n")); lines != r.Len() {
			t.Errorf("%s: %d nodes stand in %d lines", file, r.Len(), lines)
		}
	}
	for _, bad := range []string{`{`, `{"Nodes":[{"Role":"poem"}]}`, `{"Nodes":[{"Role":"label","States":"sad"}]}`, `{"Nodes":[{"Role":"label","Colour":1}]}`, `{"Shape":1}`} {
		if _, err := parseTree([]byte(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// W20: a session file keeps what happened, of every kind of answer.
func TestSessionsTravel(t *testing.T) {
	observation, err := readObservation(recordings(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	call := func(c hostabi.Capability, name, request string, reply []byte) sandbox.HostCall {
		f, ok := hostabi.Lookup(string(c), name)
		if !ok {
			t.Fatalf("there is no %s %s", c, name)
		}
		return sandbox.HostCall{Function: f, Request: []byte(request), Reply: reply, Took: 1234 * time.Microsecond}
	}
	refused := call(hostabi.CapInput, "keys", `{"chords":["Return"]}`, nil)
	refused.Fault = &hostabi.Fault{Code: hostabi.CodeNoFocus, Message: "no focus; activate the window"}
	calls := []sandbox.HostCall{
		call(hostabi.CapTree, "observe", `{}`, observation),
		call(hostabi.CapTree, "text", `{"id":"3"}`, []byte("grüße\n")),
		call(hostabi.CapA11y, "set_text", `{"id":"3","text":"tree 0"}`, nil),
		call(hostabi.CapWait, "change", `{"timeout_ms":100}`, []byte(`{"changed":true,"waited_ms":7}`)),
		call(hostabi.CapClipboard, "read", `{"type":"x"}`, []byte{0xff, 0x00}),
		refused,
	}
	logged := call(hostabi.CapLog, "write", `{"level":"info","text":"left out"}`, nil)
	s, err := Record(sandbox.Trace{
		Adapter: sandbox.Ref{ID: "org.example.x", Version: "1.0.0"}, Function: "invoke", Action: "do", Args: `{"file":` + string(hostabi.AppendString(nil, home+"/a.txt")) + `}`,
		Observation: observation, Output: []byte(`{"message":"done"}`), HostCalls: append([]sandbox.HostCall{logged}, calls...),
	}, "tree 0")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "do.session.json")
	if err := s.Write(file); err != nil {
		t.Fatal(err)
	}
	if s, err = ReadSession(file); err != nil {
		t.Fatal(err)
	}
	if s.Adapter != "org.example.x 1.0.0" || s.Window != "tree 0" || indented(s.Args) != indented([]byte(`{"file":"/home/user/a.txt"}`)) || len(s.Calls) != len(calls) {
		t.Errorf("the session is %+v", s)
	}
	if got, err := parseTree(s.Observation); err != nil || !bytes.Equal(got, observation) {
		t.Errorf("the observation is another, %v", err)
	}
	for i, want := range calls {
		reply, fault, err := s.Calls[i].answer()
		if err != nil || !bytes.Equal(reply, want.Reply) || (fault == nil) != (want.Fault == nil) || s.Calls[i].Function != functionName(want.Function) || s.Calls[i].Took != 1.23 {
			t.Errorf("call %d is answered %q, %v, %v", i, reply, fault, err)
		}
	}
	if _, err := ReadSession("authoring_test.go"); err == nil {
		t.Error("a Go file is a session")
	}
}

// The player answers as recorded and names the first difference.
func TestPlayerNamesTheFirstDifference(t *testing.T) {
	calls := []SessionCall{
		{Function: "oriel:kv get", Request: json.RawMessage(`{"key":"a"}`), Base64: "YQ=="},
		{Function: "oriel:kv set", Request: json.RawMessage(`{"key":"a","data":"Yg=="}`)},
		{Function: "oriel:kv get", Request: json.RawMessage(`{"key":"c"}`), Fault: json.RawMessage(`{"code":"gone","message":"none"}`)},
		{Function: "oriel:kv delete", Request: json.RawMessage(`{"key":"a"}`)},
	}
	ctx := t.Context()
	p := &player{}
	all := []func() error{
		func() error { _, _, err := p.Get(ctx, "", "a"); return err },
		func() error { return p.Set(ctx, "", "a", []byte("b")) },
		func() error { _, _, err := p.Get(ctx, "", "c"); return err },
		func() error { return p.Delete(ctx, "", "a") },
	}
	p.begin(calls)
	for i, f := range all {
		if err := f(); err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
	if got := p.end(); got != "" {
		t.Errorf("the same calls differ: %s", got)
	}
	for name, c := range map[string]struct {
		run  func() error
		want string
	}{
		"another": {func() error { return p.Delete(ctx, "", "z") }, "host call 1 differs\n- oriel:kv get"},
		"fewer":   {all[0], "host call 2 of the recording was not made: oriel:kv set"},
		"more": {func() error {
			for _, f := range all {
				_ = f()
			}
			return p.Delete(ctx, "", "a")
		}, "host call 5 is not in the recording: oriel:kv delete"},
	} {
		p.begin(calls)
		_ = c.run()
		if got := p.end(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestDiff(t *testing.T) {
	lines := func(s string) string { return strings.ReplaceAll(s, " ", "\n") + "\n" }
	for _, c := range []struct{ want, got, diff string }{
		{"a b c", "a b c", ""},
		{"a b c d e f", "a b X d e f", "@@ line 3 @@\n  a\n  b\n- c\n+ X\n  d\n  e\n"},
		{"a b", "a b c", "@@ line 3 @@\n  a\n  b\n+ c\n"},
		{"x 1 2 3 4 5 6 7 8 y", "X 1 2 3 4 5 6 7 8 Y", "@@ line 1 @@\n- x\n+ X\n  1\n  2\n  … 4 equal lines …\n  7\n  8\n- y\n+ Y\n"},
	} {
		if got := Diff(lines(c.want), lines(c.got)); got != c.diff {
			t.Errorf("%q, %q:\n%s\nwant\n%s", c.want, c.got, got, c.diff)
		}
	}
	long := Diff(strings.Repeat("a\n", 5000), strings.Repeat("b\n", 5000))
	if n := strings.Count(long, "\n"); n > diffLines+3 || !strings.Contains(long, "lines more") {
		t.Errorf("a long difference has %d lines", n)
	}
}

// C34: what does not go into a module is not looked at; what does is noticed
// however it is written.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("main.go", "one")
	changes := make(chan struct{}, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Watch(ctx, dir, func() { changes <- struct{}{} }) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	noticed := func(what string) {
		t.Helper()
		select {
		case <-changes:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s is not noticed", what)
		}
	}
	st, err := os.Stat(filepath.Join(dir, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	noticed("the beginning")
	write("main.go", "two")
	noticed("a change in place")
	write("main.go", "six")
	if err := os.Chtimes(filepath.Join(dir, "main.go"), st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	noticed("a change of the same size and time")
	write("next", "ten")
	noticed("a new file")
	if err := os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "main.go")); err != nil {
		t.Fatal(err)
	}
	noticed("a rename")
	write("deep/er/part.go", "one")
	noticed("a new folder")
	for _, name := range []string{"testdata/a.ort", ".git/index", "main_test.go", "out.wasm", ".main.go.swp", "main.go~"} {
		write(name, "whatever")
	}
	write("deep/er/part.go", "two")
	noticed("a change in a new folder")
	for range len(changes) { // of a file that was seen half-written
		<-changes
	}
}
