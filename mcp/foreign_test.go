//go:build foreign

package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

// installed installs the pinned packages of a folder of testdata outside the tree,
// once.
func installed(t *testing.T, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "oriel-test", name)
	want, err := os.ReadFile(filepath.Join("testdata", name, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	stamp := filepath.Join(dir, "installed")
	if got, err := os.ReadFile(stamp); err == nil && bytes.Equal(got, want) {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), want, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("installing the packages of %s (node and npm are needed): %v\n%s", name, err, out)
	}
	if err := os.WriteFile(stamp, want, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// dialogue is a desktop whose editor asks before it closes. Setting the text is
// seen as a change.
func dialogue() *fakeBridge {
	f := oneEditor()
	f.effect = func(_ context.Context, r bridge.Request) (*bridge.Result, error) {
		res := &bridge.Result{Message: "Did " + r.Action + ".", Effect: hostabi.Confirmed, Changed: []string{"b1"}}
		version := f.Snapshot().Windows[0].Version + 1
		switch r.Action {
		case "set_text":
			f.publish(editor(version))
		case "close":
			f.publish(editor(version, blockedBy("w2")), dialog())
			res.OpenedWindowIDs = []string{"w2"}
		case "dont_save":
			f.publish()
		}
		res.Version = version
		return res, nil
	}
	return f
}

// story is what testdata/foreign/client.mjs prints.
type story struct {
	Instructions  bool
	Capabilities  map[string]map[string]bool
	Before, After []string
	Read, End     struct {
		OperableWindowIDs []string         `json:"operableWindowIds"`
		Windows           []map[string]any `json:"windows"`
	}
	Closed, Answered, Desktop map[string]any
	Errors                    struct {
		Stale, Vanished, Unknown, Args struct {
			IsError        bool
			Code, Text     string
			CurrentVersion int64
			Fields         []bridge.FieldError
		}
		Resource int
	}
}

func TestForeignClients(t *testing.T) { // B01, B18, B20, B22, B29, B30, C17, C28
	dir := installed(t, "foreign")
	script, err := filepath.Abs("testdata/foreign/client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	for _, sdk := range []string{"v1", "v2"} {
		for _, kind := range []string{"http", "stdio"} {
			t.Run(sdk+" "+kind, func(t *testing.T) {
				s := newServer(t, dialogue())
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, "node", script, sdk, kind)
				cmd.Dir = dir
				cmd.Env = os.Environ()
				if kind == "http" {
					ts := httptest.NewServer(s.Handler())
					t.Cleanup(ts.Close)
					cmd.Args = append(cmd.Args, ts.URL+"/mcp", testToken)
				} else {
					self, err := os.Executable()
					if err != nil {
						t.Fatal(err)
					}
					cmd.Args = append(cmd.Args, self)
					cmd.Env = append(cmd.Env, relaySocket+"="+serveSocket(t, s))
				}
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("%v\n%s\n%s", err, out, stderr.Bytes())
				}
				var got story
				if err := json.Unmarshal(out, &got); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				checkStory(t, got)
				s.Close()
			})
		}
	}
}

func checkStory(t *testing.T, got story) {
	t.Helper()
	fixed := []string{"desktop_act", "desktop_read"}
	if want := append(slices.Clone(fixed), "w1__close", "w1__load_text", "w1__set_text"); !slices.Equal(got.Before, want) {
		t.Errorf("tools before: %v", got.Before)
	}
	if want := append(slices.Clone(fixed), "w2__dont_save"); !slices.Equal(got.After, want) {
		t.Errorf("tools while the dialog is open: %v", got.After)
	}
	if !got.Instructions || !got.Capabilities["resources"]["subscribe"] || !got.Capabilities["tools"]["listChanged"] || got.Capabilities["resources"]["listChanged"] {
		t.Errorf("instructions %t, capabilities %v", got.Instructions, got.Capabilities)
	}
	if len(got.Read.Windows) != 1 || !slices.Equal(got.Read.OperableWindowIDs, []string{"w1"}) || len(got.End.Windows) != 0 {
		t.Errorf("read %v, at the end %v", got.Read, got.End)
	}
	if opened := string(encode(got.Closed["openedWindowIds"])); opened != `["w2"]` {
		t.Errorf("closing opened %s", opened)
	}
	if text := string(encode(got.Answered)); !strings.Contains(text, `"effect":"confirmed"`) {
		t.Errorf("answering gave %s", text)
	}
	if text := string(encode(got.Desktop)); !strings.Contains(text, `"blockedBy":"w2"`) {
		t.Errorf("desktop_read gave %s", text)
	}
	e := got.Errors
	for _, c := range []struct {
		what, code, text string
		isError          bool
		want             bridge.Code
	}{
		{"stale", e.Stale.Code, e.Stale.Text, e.Stale.IsError, bridge.StaleState},
		{"vanished tool", e.Vanished.Code, e.Vanished.Text, e.Vanished.IsError, bridge.BlockedByModal},
		{"closed window", e.Unknown.Code, e.Unknown.Text, e.Unknown.IsError, bridge.WindowNotFound},
		{"bad arguments", e.Args.Code, e.Args.Text, e.Args.IsError, bridge.ValidationFailed},
	} {
		if !c.isError || c.code != string(c.want) || c.text != string(c.want) {
			t.Errorf("%s: isError %t, code %q, in content %q", c.what, c.isError, c.code, c.text)
		}
	}
	if e.Stale.CurrentVersion < 42 || len(e.Args.Fields) != 1 || e.Args.Fields[0].Field != "action" || e.Resource != -32602 {
		t.Errorf("errors: %+v", e)
	}
}
