package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

func TestParseFace(t *testing.T) {
	for target, want := range map[string]Face{
		"/mcp":                                {},
		"/mcp?tools=fixed":                    {Tools: ToolsFixed},
		"/mcp?session=1":                      {},
		"/mcp/bridge":                         {Bridge: true},
		"/mcp/bridge?tools=dynamic":           {Bridge: true, Tools: ToolsDynamic},
		"/mcp/app/mousepad":                   {App: "mousepad"},
		"/mcp/app/gnome-calculator-2":         {App: "gnome-calculator-2"},
		"/mcp/app/mousepad?tools=both":        {App: "mousepad", Tools: ToolsBoth},
		"/mcp/app/mousepad?tools=nought":      {App: "error"},
		"/":                                   {App: "error"},
		"/mcp/":                               {App: "error"},
		"/mcp/app":                            {App: "error"},
		"/mcp/app/":                           {App: "error"},
		"/mcp/app/A":                          {App: "error"},
		"/mcp/app/a/b":                        {App: "error"},
		"/mcp/app/../bridge":                  {App: "error"},
		"mcp":                                 {App: "error"},
		"/mcp/app/" + strings.Repeat("x", 65): {App: "error"},
	} {
		got, err := ParseFace(target)
		if (err != nil) != (want.App == "error") || err == nil && got != want {
			t.Errorf("%s: %+v, %v", target, got, err)
		}
		if again, _ := ParseFace(got.String()); err == nil && again != got {
			t.Errorf("%s: becomes %s", target, got)
		}
	}
}

// ofApp makes a window one of another application.
func ofApp(app string) func(*bridge.Window) {
	return func(w *bridge.Window) { w.App = app }
}

// withApp adds an action of the application.
func withApp(a hostabi.Action) func(*bridge.Window) {
	return func(w *bridge.Window) {
		w.AppActions = append(w.AppActions, bridge.Action{Action: a, InputSchema: []byte(`{"type":"object"}`), OutputSchema: launchOutput})
	}
}

var newWindow = hostabi.Action{Name: "new_window", Title: "New window", Description: "Opens a window."}

// office is a desktop of two applications. A dialog of a third program hangs under
// the editor.
func office() *fakeBridge {
	return newFake(
		editor(42, blockedBy("w3"), withApp(newWindow)),
		window("w2", "Calculator", 7, ofApp("calculator"), with(hostabi.Action{Name: "press", Title: "Press"})),
		window("w3", "Open File", 1, ofApp("portal"), modalOn("w1"), with(hostabi.Action{Name: "cancel", Title: "Cancel"})),
		editor2(),
	)
}

func editor2() *bridge.Window {
	return window("w4", "Untitled 2 - Mousepad", 3, with(setText), withApp(newWindow))
}

// eachFace runs a test over every transport and revision, on one face.
func eachFace(t *testing.T, key Face, b func() *fakeBridge, test func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, e *events)) {
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			f := b()
			e := newEvents()
			test(t, f, connectTo(t, newServer(t, f), key, e, tr.version, tr.http), e)
		})
	}
}

// state reads app://windows.
func state(t testing.TB, cs *sdk.ClientSession) (operable []string, windows map[string]map[string]any) {
	t.Helper()
	res, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: windowsURI})
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		OperableWindowIDs []string         `json:"operableWindowIds"`
		Windows           []map[string]any `json:"windows"`
	}
	if err := json.Unmarshal([]byte(res.Contents[0].Text), &s); err != nil {
		t.Fatal(err)
	}
	windows = map[string]map[string]any{}
	for _, w := range s.Windows {
		windows[w["id"].(string)] = w
	}
	return s.OperableWindowIDs, windows
}

// One application is served to the letter of the protocol: nothing else is listed.
func TestApplicationFace(t *testing.T) { // B01, B03, B07, B18, B32
	eachFace(t, Face{App: "mousepad"}, office, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, e *events) {
		if caps := string(encode(cs.InitializeResult().Capabilities)); caps != `{"resources":{"subscribe":true},"tools":{"listChanged":true}}` {
			t.Errorf("declared %s", caps)
		}
		list, err := cs.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != windowsURI {
			t.Errorf("resources: %+v, %v", list, err)
		}
		operable, windows := state(t, cs)
		if !slices.Equal(operable, []string{"w3", "w4"}) || len(windows) != 3 || windows["w2"] != nil {
			t.Errorf("operable %v of %v", operable, windows)
		}
		for id, w := range windows {
			if _, has := w["app"]; has {
				t.Errorf("%s has the field app", id)
			}
		}
		if windows["w3"]["ownerId"] != "w1" {
			t.Errorf("the dialog of another program: %v", windows["w3"])
		}
		if got := toolNames(t, cs); !slices.Equal(got, []string{"app__new_window", "w3__cancel", "w4__set_text"}) {
			t.Errorf("tools: %v", got)
		}
		for _, name := range []string{"w2__press", "w9__press"} {
			if res, m := call(t, cs, name, nil); !res.IsError || m["code"] != "window_not_found" {
				t.Errorf("%s: %v", name, m)
			}
		}
		if n := len(f.acts()); n != 0 {
			t.Errorf("%d acts went beyond the application", n)
		}
		if err := cs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: windowsURI}); err != nil {
			t.Fatal(err)
		}
		snap := f.Snapshot().Windows
		f.publish(snap[0], window("w2", "Calculator", 8, ofApp("calculator")), snap[2], snap[3])
		none(t, e.updated, "a notification of another application's change")
		none(t, e.tools, "a change of the list by another application")
		f.publish(snap[0], snap[1], snap[2], window("w4", "Untitled 2 - Mousepad", 4, with(closeIt)))
		wait(t, e.updated, "the notification")
		wait(t, e.tools, "the change of the list")
	})
}

// The dialog of another program is, on that one's own face, a window of its own.
func TestApplicationFaceOfAForeignDialog(t *testing.T) { // B07, B08
	eachFace(t, Face{App: "portal"}, office, func(t *testing.T, _ *fakeBridge, cs *sdk.ClientSession, _ *events) {
		operable, windows := state(t, cs)
		if w := windows["w3"]; !slices.Equal(operable, []string{"w3"}) || len(windows) != 1 || w["modal"] != false || w["ownerId"] != nil {
			t.Errorf("operable %v of %v", operable, windows)
		}
	})
}

// A face is there before its application, and after it.
func TestApplicationFaceFills(t *testing.T) { // B32
	eachFace(t, Face{App: "mousepad"}, func() *fakeBridge { return newFake() }, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, e *events) {
		if operable, windows := state(t, cs); operable == nil || len(operable) != 0 || len(windows) != 0 || len(toolNames(t, cs)) != 0 {
			t.Fatalf("%v of %v", operable, windows)
		}
		if err := cs.Subscribe(t.Context(), &sdk.SubscribeParams{URI: windowsURI}); err != nil {
			t.Fatal(err)
		}
		if res, m := call(t, cs, "app__new_window", nil); !res.IsError || m["code"] != "window_not_found" {
			t.Errorf("an action of an application that does not run: %v", m)
		}
		f.publish(editor(1))
		wait(t, e.updated, "the notification")
		wait(t, e.tools, "the change of the list")
		if operable, _ := state(t, cs); !slices.Equal(operable, []string{"w1"}) || len(toolNames(t, cs)) != 3 {
			t.Errorf("%v, %v", operable, toolNames(t, cs))
		}
		f.publish()
		wait(t, e.updated, "the second notification")
		if operable, windows := state(t, cs); len(operable) != 0 || len(windows) != 0 {
			t.Errorf("%v of %v", operable, windows)
		}
	})
}

// An application's own actions, under both of their names and by desktop_act.
func TestAppActions(t *testing.T) { // B33
	for _, c := range []struct {
		face Face
		tool string
	}{{Face{App: "mousepad"}, "app__new_window"}, {Face{}, "mousepad__new_window"}, {Face{Bridge: true}, "mousepad__new_window"}} {
		t.Run(c.face.String(), func(t *testing.T) {
			eachFace(t, c.face, office, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, e *events) {
				snap := f.Snapshot().Windows
				f.effect = func(_ context.Context, r bridge.Request) (*bridge.Result, error) {
					f.publish(append(slices.Clone(snap), window("w5", "Untitled 3", 1), window("w6", "Help", 1, ofApp("browser")))...)
					return &bridge.Result{App: r.App, Message: "Opened.", Effect: hostabi.Confirmed, OpenedWindowIDs: []string{"w5", "w6"}}, nil
				}
				if !slices.Contains(toolNames(t, cs), c.tool) {
					t.Fatalf("tools: %v", toolNames(t, cs))
				}
				res, m := call(t, cs, c.tool, map[string]any{})
				want := `["w5","w6"]`
				if c.face.App != "" {
					want = `["w5"]` // w6 cannot be seen here
				}
				if res.IsError || string(encode(m["openedWindowIds"])) != want || string(encode(m["result"])) != `{"effect":"confirmed"}` {
					t.Errorf("%s: %s", c.tool, encode(m))
				}
				if r := f.acts()[0]; r.App != "mousepad" || r.Window != "" || r.Action != "new_window" || r.ExpectedVersion != nil {
					t.Errorf("asked for %+v", r)
				}
				if c.face.App == "" {
					if _, m := call(t, cs, actTool, map[string]any{"winId": "mousepad", "action": "new_window"}); m["message"] != "Opened." {
						t.Errorf("by desktop_act: %v", m)
					}
					_, m := call(t, cs, readTool, nil)
					if got := string(encode(m["result"].(map[string]any)["apps"])); !strings.Contains(got, `"app":"mousepad"`) || !strings.Contains(got, `"name":"new_window"`) {
						t.Errorf("desktop_read lists %s", got)
					}
				}
				f.publish(append(slices.Clone(snap), window("w7", "Fatal", 1, func(w *bridge.Window) { w.Modal = true }))...)
				if slices.Contains(toolNames(t, cs), c.tool) {
					t.Errorf("%s is listed under an application modal", c.tool)
				}
				if res, m := call(t, cs, c.tool, map[string]any{}); !res.IsError || m["code"] != "blocked_by_modal" {
					t.Errorf("under an application modal: %v", m)
				}
			})
		})
	}
}

func TestLongAppToolNames(t *testing.T) { // B17, B33
	handle := "org-example-a-very-long-name-of-an-application"
	f := newFake(window("w1", "x", 1, ofApp(handle), withApp(hostabi.Action{Name: "action_of_24_characters_", Title: "x"})))
	cs := connect(t, newServer(t, f), newEvents(), "2025-11-25", false)
	names := toolNames(t, cs)
	i := slices.IndexFunc(names, func(n string) bool { return strings.HasSuffix(n, "__action_of_24_characters_") })
	if i < 0 || len(names[i]) != 40 {
		t.Fatalf("tools: %v", names)
	}
	if res, m := call(t, cs, names[i], nil); res.IsError || f.acts()[0].App != handle {
		t.Errorf("%v, %+v", m, f.acts())
	}
}

// What is not listed for the URL's sake can still be called.
func TestToolsByURL(t *testing.T) { // C43
	fixed := []string{actTool, readTool}
	dynamic := []string{"w1__close", "w1__load_text", "w1__set_text"}
	for _, c := range []struct {
		face Face
		want []string
	}{
		{Face{Tools: ToolsFixed}, fixed},
		{Face{Bridge: true, Tools: ToolsDynamic}, dynamic},
		{Face{Tools: ToolsBoth}, append(slices.Clone(fixed), dynamic...)},
		{Face{}, dynamic}, // by the configuration
		{Face{App: "mousepad"}, dynamic},
		{Face{App: "mousepad", Tools: ToolsFixed}, fixed},
	} {
		s := newServer(t, oneEditor(), func(c *Config) { c.Tools = ToolsDynamic })
		for _, tr := range transports {
			cs := connectTo(t, s, c.face, newEvents(), tr.version, tr.http)
			if got := toolNames(t, cs); !slices.Equal(got, c.want) {
				t.Errorf("%s %s: %v", tr.name, c.face, got)
			}
			if res, m := call(t, cs, "w1__close", nil); res.IsError {
				t.Errorf("%s %s: %v", tr.name, c.face, m)
			}
		}
	}
}

// crowd is a desktop of many windows.
func crowd(n int, text string) []*bridge.Window {
	var windows []*bridge.Window
	for i := range n {
		windows = append(windows, window(fmt.Sprintf("w%d", i+1), fmt.Sprintf("Document %d", i+1), 1, with(setText), with(loadText), with(closeIt), func(w *bridge.Window) {
			w.Blocks[0].Text = text
		}))
	}
	return windows
}

func TestThirtyWindowsFixed(t *testing.T) { // C43
	s := newServer(t, newFake(crowd(30, "hello")...), func(c *Config) { c.Launcher = &launcherFake{} })
	if n := len(toolNames(t, connectTo(t, s, Face{Tools: ToolsFixed}, newEvents(), "2025-11-25", true))); n >= 40 || n != 3 {
		t.Errorf("%d tools", n)
	}
	if n := len(toolNames(t, connect(t, s, newEvents(), "2025-11-25", true))); n != 93 {
		t.Errorf("%d tools without the limit", n)
	}
}

func TestDesktopReadPages(t *testing.T) {
	windows := crowd(40, strings.Repeat("long ", 1000))
	f := newFake(windows...)
	cs := connect(t, newServer(t, f), newEvents(), "2025-11-25", false)
	read := func(args map[string]any) (ids []string, next string, size int) {
		res, m := call(t, cs, readTool, args)
		if res.IsError {
			t.Fatalf("%v: %v", args, m)
		}
		result := m["result"].(map[string]any)
		for _, w := range result["windows"].([]any) {
			ids = append(ids, w.(map[string]any)["id"].(string))
		}
		next, _ = result["next"].(string)
		return ids, next, len(encode(result))
	}
	var all []string
	pages := 0
	for args := (map[string]any)(nil); ; pages++ {
		ids, next, size := read(args)
		if size > maxRead {
			t.Errorf("page %d has %d bytes", pages, size)
		}
		all = append(all, ids...)
		if next == "" {
			break
		}
		if next != ids[len(ids)-1] {
			t.Fatalf("next is %s after %v", next, ids)
		}
		args = map[string]any{"after": next}
		if pages == 1 { // the window that the page ended with closes
			f.publish(slices.DeleteFunc(slices.Clone(windows), func(w *bridge.Window) bool { return w.ID == next })...)
		}
	}
	if len(all) != 40 || pages < 3 {
		t.Errorf("%d windows in %d pages: %v", len(all), pages, all)
	}
	if ids, next, _ := read(map[string]any{"after": "w3", "limit": 2}); !slices.Equal(ids, []string{"w4", "w5"}) || next != "w5" {
		t.Errorf("%v, next %s", ids, next)
	}
	if ids, next, _ := read(map[string]any{"after": "w38", "limit": 2}); len(ids) != 2 || next != "" {
		t.Errorf("%v, next %s", ids, next)
	}
	for _, bad := range []map[string]any{{"limit": 0}, {"limit": "x"}, {"after": 3}, {"since": true}, {"since": []int{1}}} {
		if res, m := call(t, cs, readTool, bad); !res.IsError || m["code"] != "validation_failed" {
			t.Errorf("%v: %v", bad, m)
		}
	}
	for since, unchanged := range map[any]bool{1: true, 2: false, "x": false} {
		if _, m := call(t, cs, readTool, map[string]any{"window": "w1", "since": since}); m["result"].(map[string]any)["unchanged"] != unchanged {
			t.Errorf("since %v: %v", since, m["message"])
		}
	}
}

// launcherFake starts what is called editor.
type launcherFake struct{ client string }

func (*launcherFake) Launchable() []string { return []string{"editor", "viewer"} }

func (l *launcherFake) Launch(_ context.Context, client, app string) (*bridge.Result, error) {
	l.client = client
	if app == "viewer" {
		return nil, &bridge.Error{Code: bridge.ActionNotAvailable, Reason: "not_started", Message: "no luck"}
	}
	return &bridge.Result{App: app, Message: "Started.", Effect: hostabi.Confirmed, OpenedWindowIDs: []string{"w9"}}, nil
}

func TestLaunch(t *testing.T) { // B33
	l := &launcherFake{}
	s := newServer(t, oneEditor(), func(c *Config) { c.Launcher = l })
	for _, key := range []Face{{}, {Bridge: true}, {Tools: ToolsDynamic}, {Tools: ToolsFixed}} {
		cs := connectTo(t, s, key, newEvents(), "2026-07-28", true)
		res, m := call(t, cs, launchTool, map[string]any{"app": "editor"})
		if res.IsError || string(encode(m["openedWindowIds"])) != `["w9"]` || !strings.HasPrefix(l.client, "test/0.1 (http ") {
			t.Errorf("%s: %v by %q", key, m, l.client)
		}
		for _, c := range []struct {
			args map[string]any
			code string
		}{{map[string]any{"app": "viewer"}, "action_not_available"}, {map[string]any{"app": "rm"}, "validation_failed"}, {nil, "validation_failed"}, {map[string]any{"app": "editor", "x": 1}, "validation_failed"}} {
			if res, m := call(t, cs, launchTool, c.args); !res.IsError || m["code"] != c.code {
				t.Errorf("%s %v: %v", key, c.args, m)
			}
		}
	}
	if names := toolNames(t, connectTo(t, s, Face{App: "mousepad", Tools: ToolsBoth}, newEvents(), "2025-11-25", true)); slices.Contains(names, launchTool) {
		t.Errorf("an application's face has %v", names)
	}
}

// A session belongs to the face at which it began.
func TestSessionsBelongToAFace(t *testing.T) { // B06
	s := newServer(t, oneEditor())
	ts := httptest.NewServer(s.Handler())
	defer ts.Close()
	session := newSession(t, ts.URL+"/mcp")
	for path, want := range map[string]int{"/mcp": 200, "/mcp/bridge": 404, "/mcp/app/mousepad": 404, "/mcp?tools=fixed": 404, "/mcp/app": 404} {
		res, err := http.DefaultClient.Do(httpRequest(t.Context(), "POST", ts.URL+path, "2025-11-25", session, `{"jsonrpc":"2.0","id":2,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body) // only the status matters
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %s, want %d", path, res.Status, want)
		}
	}
}

// A face goes when nobody has been there for the idle time, and comes again.
func TestIdleFacesGo(t *testing.T) {
	s := newServer(t, oneEditor(), func(c *Config) { c.IdleTimeout = 50 * time.Millisecond })
	count := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.faces)
	}
	cs := connectTo(t, s, Face{App: "mousepad"}, newEvents(), "2025-11-25", false)
	connectTo(t, s, Face{Bridge: true}, newEvents(), "2026-07-28", true).Close()
	for deadline := time.Now().Add(10 * time.Second); count() != 1; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d faces are left", count())
		}
	}
	if len(toolNames(t, cs)) != 3 {
		t.Error("the face that is in use is gone")
	}
	if len(toolNames(t, connectTo(t, s, Face{Bridge: true}, newEvents(), "2026-07-28", true))) != 5 {
		t.Error("the face does not come again")
	}
}

func TestTooManyFaces(t *testing.T) {
	s := newServer(t, oneEditor())
	for i := range maxFaces {
		front(t, s, Face{App: fmt.Sprintf("app%d", i)})
	}
	if _, _, err := s.enter(Face{}); err == nil {
		t.Error("one more is served")
	}
}

// A first line that is neither a message nor a greeting ends the connection.
func TestBadGreetings(t *testing.T) {
	s := newServer(t, oneEditor())
	for _, line := range []string{"oriel /nothing\n", "oriel\n", "oops\n", "oriel " + strings.Repeat("x", 5000) + "\n", "oriel /mcp?tools=x\n"} {
		client, server := socketPair(t)
		done := make(chan error, 1)
		go func() { done <- s.ServeConn(context.Background(), server, "test") }()
		if _, err := io.WriteString(client, line); err != nil {
			t.Fatal(err)
		}
		if err := wait(t, done, "the end"); err == nil {
			t.Errorf("%q was taken", line)
		}
		if got, _ := io.ReadAll(client); len(got) > 0 { // it may be cut off
			t.Errorf("%q: answered %s", line, got)
		}
		client.Close()
	}
}
