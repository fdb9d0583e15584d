//go:build desktop

package host

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox"
)

// rpcOver calls a method of the revision without sessions at a path of the host.
func (r *rig) rpcOver(path, method, params string) map[string]any {
	r.Helper()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, strings.Trim(params+","+meta, ","))
	req, err := http.NewRequestWithContext(r.Context(), "POST", "http://"+r.host.Addr().String()+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	req.Header = http.Header{
		"Authorization": {"Bearer token"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method},
	}
	if name, ok := strings.CutPrefix(params, `"name":"`); ok {
		req.Header.Set("Mcp-Name", name[:strings.IndexByte(name, '"')])
	}
	if uri, ok := strings.CutPrefix(params, `"uri":"`); ok {
		req.Header.Set("Mcp-Name", strings.TrimSuffix(uri, `"`))
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.Fatal(err)
	}
	data := string(text)
	if _, event, ok := strings.Cut(data, "data: "); ok {
		data = event
	}
	var m struct {
		Result map[string]any
		Error  any
	}
	if err := json.Unmarshal([]byte(strings.TrimSpace(data)), &m); err != nil || m.Result == nil {
		r.Fatalf("%s %s: %s %v %s", path, method, res.Status, m.Error, text)
	}
	return m.Result
}

func (r *rig) tools(path string) (names []string) {
	r.Helper()
	for _, tool := range r.rpcOver(path, "tools/list", "")["tools"].([]any) {
		names = append(names, tool.(map[string]any)["name"].(string))
	}
	return names
}

// B32, B33: an application is started by desktop_launch; its own face, empty
// before, then shows it alone.
func TestB33LaunchOnARealDesktop(t *testing.T) {
	r := newRig(t).serve(func(c *Config) { c.Launch = []string{"mousepad", "featherpad"} })
	if got := r.tools("/mcp/app/mousepad"); len(got) != 0 {
		t.Fatalf("the face of an application that does not run has %v", got)
	}
	if got := r.tools("/mcp/bridge?tools=fixed"); !slices.Equal(got, []string{"desktop_act", "desktop_launch", "desktop_read"}) {
		t.Fatalf("the bridge has %v", got)
	}
	for _, app := range []string{"mousepad", "featherpad"} {
		begin := time.Now()
		res := r.rpcOver("/mcp", "tools/call", fmt.Sprintf(`"name":"desktop_launch","arguments":{"app":%q}`, app))
		m := res["structuredContent"].(map[string]any)
		if res["isError"] == true || len(m["openedWindowIds"].([]any)) == 0 {
			t.Fatalf("%s: %v", app, m)
		}
		t.Logf("%s after %v: %v", app, time.Since(begin), m)
	}
	pad := r.window("Mousepad")
	text := r.rpcOver("/mcp/app/mousepad", "resources/read", `"uri":"app://windows"`)["contents"].([]any)[0].(map[string]any)["text"].(string)
	if !strings.Contains(text, pad.ID) || strings.Contains(text, "eather") || strings.Contains(text, `"app"`) {
		t.Errorf("the application's face shows %s", text)
	}
	for _, name := range r.tools("/mcp/app/mousepad") {
		if !strings.HasPrefix(name, pad.ID+"__") && !strings.HasPrefix(name, "app__") {
			t.Errorf("the application's face has %s", name)
		}
	}
}

// The faces by stdio, through relays to one host.
func TestStdioFaces(t *testing.T) {
	r := newRig(t)
	r.launch("mousepad")
	r.launch("featherpad")
	all := r.stdio("--display", r.desk.Display())
	pad := all.state("Untitled 1 - Mousepad")
	names := func(c *stdioClient) (names []string) {
		for _, tool := range c.call("tools/list", map[string]any{})["tools"].([]any) {
			names = append(names, tool.(map[string]any)["name"].(string))
		}
		return names
	}
	one := r.stdio("--display", r.desk.Display(), "--app", "mousepad")
	if id := one.state("Untitled 1 - Mousepad"); id != pad {
		t.Errorf("the window is %s, by the other face %s", id, pad)
	}
	for _, name := range names(one) {
		if !strings.HasPrefix(name, pad+"__") && !strings.HasPrefix(name, "app__") {
			t.Errorf("the application's face has %s", name)
		}
	}
	fixed := r.stdio("--display", r.desk.Display(), "--face", "bridge", "--tools", "fixed")
	if got := names(fixed); !slices.Equal(got, []string{"desktop_act", "desktop_read"}) {
		t.Errorf("the bridge's fixed tools are %v", got)
	}
	// Whichever adapter serves the window: its own may still be compiled.
	if got := names(all); !slices.Contains(got, "desktop_read") || !slices.Contains(got, pad+"__close") {
		t.Errorf("everything is %v", got)
	}
}

// B33: an adapter's action of the application itself, on a real application, by
// each face's name.
func TestB33AppActionOnARealDesktop(t *testing.T) {
	r := newRig(t)
	r.launch("mousepad")
	dir := t.TempDir()
	built, err := BuildAdapter(t.Context(), "testdata/newwindow", filepath.Join(dir, "newwindow.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	// Without the editor's own adapter, which would be as good a match.
	if err := os.Symlink(filepath.Join(adapterDir(t), "generic.wasm"), filepath.Join(dir, "generic.wasm")); err != nil {
		t.Fatal(err)
	}
	r.serve(func(c *Config) {
		c.Sandbox.Dirs = []string{dir}
		c.Sandbox.Grants = append(c.Sandbox.Grants, sandbox.Grant{ID: built.Manifest.ID, Capabilities: []hostabi.Capability{hostabi.CapInput, hostabi.CapWindow}})
	})
	r.window("Untitled 1")
	for i, call := range []struct{ path, tool string }{{"/mcp/app/mousepad", "app__new_window"}, {"/mcp", "mousepad__new_window"}} {
		if got := r.tools(call.path); !slices.Contains(got, call.tool) {
			t.Fatalf("%s has %v", call.path, got)
		}
		res := r.rpcOver(call.path, "tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, call.tool))
		m := res["structuredContent"].(map[string]any)
		if opened, _ := m["openedWindowIds"].([]any); res["isError"] == true || len(opened) != 1 {
			t.Fatalf("%s: %v", call.tool, m)
		}
		if n := len(r.host.Snapshot().Windows); n != i+2 {
			t.Fatalf("%d windows after %s", n, call.tool)
		}
		t.Logf("%s: %v", call.tool, m)
	}
}
