//go:build linux

package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

var update = flag.Bool("update", false, "write the golden files")

// helloManifest is that of the hello adapter under a version of the contract.
func helloManifest(abi string) *hostabi.Manifest {
	m := manifest("dev.oriel.test.hello", "hello", hostabi.CapA11y, hostabi.CapTree, hostabi.CapKV, hostabi.CapLog)
	m.ABI = abi
	return m
}

// contracts are the versions that the hello adapter is built under, by folder.
var contracts = map[string]string{"native": hostabi.ABI, "extism": hostabi.ABIExtism}

// entry is a window with one entry that holds the text.
func entry(title, text string) *tree.Tree {
	w := window("hello", title)
	w.Nodes = []tree.Node{
		{ID: 1, Parent: -1, Subtree: 2, Role: tree.RoleWindow, Name: title, ChildrenTotal: 1, ChildrenCount: 1},
		{ID: 2, Parent: 0, Subtree: 1, Role: tree.RoleEntry, Text: text, TextInfo: &tree.TextInfo{Length: int64(len([]rune(text))), Caret: -1, SelStart: -1, SelEnd: -1}},
	}
	return w
}

// TestW14OneAdapterUnderEveryContract runs one adapter's suite under oriel/1 and
// under extism/1: the same observations, views, host calls and refusals.
func TestW14OneAdapterUnderEveryContract(t *testing.T) {
	for folder, abi := range contracts {
		t.Run(folder, func(t *testing.T) { helloSuite(t, folder, abi) })
	}
}

func helloSuite(t *testing.T, folder, abi string) {
	kv := &mapKV{m: map[string][]byte{}}
	m := helloManifest(abi)
	e := newEnv(t, func(c *Config) {
		grantAll(m.ID)(c)
		c.KV = kv
	}, map[string][]byte{"hello": guestOf(t, "hello/"+folder, m)})
	ref := e.Match(window("hello", "").Window)
	for name, w := range map[string]*tree.Tree{
		"plain": entry("A line", "some text"), "umlauts": entry("Ünïcödé \u202e 日本", "größer als 世界"),
		"empty": entry("", ""), "long": entry("Long", strings.Repeat("0123456789", 2_000)), "nodes": largeWindow("hello", 500),
	} {
		view, err := e.Translate(t.Context(), ref, encode(w), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		goldenFile(t, name+".view.json", hostabi.AppendView(nil, view))
	}
	if _, err := e.Translate(t.Context(), ref, observe("hello", "none"), nil); err == nil || !strings.Contains(err.Error(), "the window has no entry; another adapter must take it") {
		t.Errorf("a window without an entry: %v", err)
	}
	if !strings.Contains(e.log.String(), "hello sees A line") {
		t.Error("the adapter's line is not in the log")
	}
	for i, c := range []struct{ text, after, want string }{
		{"new", "new", `{"message":"the text is set","result":{"count":1},"effect":"confirmed"}`},
		{"größer 世界", "other", `{"message":"the text was sent","result":{"count":2},"effect":"unconfirmed"}`},
	} {
		var calls []string
		sv := services(func(_ context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
			calls = append(calls, fmt.Sprintf("%s %s %s", f.Capability, f.Name, request))
			if f.Name == "observe" {
				return encode(entry("A line", c.after)), nil
			}
			return nil, nil
		})
		args, _ := json.Marshal(map[string]string{"text": c.text})
		out, err := e.Invoke(t.Context(), ref, hostabi.Call{Action: "set_text", Args: string(args), Observation: encode(entry("A line", "old"))}, sv)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(hostabi.AppendOutcome(nil, out)); !sameJSON(got, c.want) {
			t.Errorf("invoke %d: %s, want %s", i, got, c.want)
		}
		if got, want := strings.Join(calls, "; "), fmt.Sprintf(`oriel:a11y set_text {"id":"2","text":%q}; oriel:tree observe {}`, c.text); got != want {
			t.Errorf("host calls %s, want %s", got, want)
		}
	}
	denying := services(func(context.Context, hostabi.Function, []byte) ([]byte, *hostabi.Fault) {
		return nil, &hostabi.Fault{Code: hostabi.CodeGone, Message: "the element is gone"}
	})
	for args, want := range map[string]hostabi.Code{`{"text":"a\nb"}`: hostabi.CodeInvalid, `{"text":"x"}`: hostabi.CodeGone} {
		out, err := e.Invoke(t.Context(), ref, hostabi.Call{Action: "set_text", Args: args, Observation: encode(entry("A line", "old"))}, denying)
		if err != nil || out.Fault == nil || out.Fault.Code != want {
			t.Errorf("invoke %s: %+v, %v, want a fault %s", args, out, err, want)
		}
	}
	if got := string(kv.m[m.ID+"/count"]); got != "2" {
		t.Errorf("count = %q", got)
	}
	// Without grants: translate works, every deed is refused and noted.
	r := &recorder{}
	bare := newEnv(t, func(c *Config) { c.Refused = r.refuse }, map[string][]byte{"hello": guestOf(t, "hello/"+folder, m)})
	if _, err := bare.Translate(t.Context(), ref, encode(entry("A line", "x")), nil); err != nil {
		t.Errorf("without grants: %v", err)
	}
	out, err := bare.Invoke(t.Context(), ref, hostabi.Call{Action: "set_text", Args: `{"text":"x"}`, Observation: encode(entry("A line", "old"))}, denying)
	if err != nil || out.Fault == nil || out.Fault.Code != hostabi.CodeDenied || out.Fault.Capability != hostabi.CapA11y || !strings.Contains(out.Fault.Message, "[[adapters.grant]]") {
		t.Errorf("without grants: %+v, %v", out, err)
	}
	if got := strings.Join(r.refused, ", "); got != "oriel:log write, oriel:a11y set_text" {
		t.Errorf("refusals noted: %s", got)
	}
	// While its author works on it, it is interpreted first.
	trial := newEnv(t, func(c *Config) { c.Trial, c.CacheDir = c.Dirs[0], t.TempDir() }, map[string][]byte{"hello": guestOf(t, "hello/"+folder, m)})
	if v, err := trial.Translate(t.Context(), ref, encode(entry("quiet", "x")), nil); err != nil || v.Title != "quiet" {
		t.Errorf("interpreted: %+v, %v", v, err)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// goldenFile compares with a file of testdata/hello.
func goldenFile(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "hello", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\ngot  %.2000s\nwant %.2000s", name, got, want)
	}
}
