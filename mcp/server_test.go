package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

// eachTransport runs a test over every transport and revision.
func eachTransport(t *testing.T, b func() *fakeBridge, test func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, e *events)) {
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			f := b()
			s := newServer(t, f)
			e := newEvents()
			test(t, f, connect(t, s, e, tr.version, tr.http), e)
		})
	}
}

func oneEditor() *fakeBridge { return newFake(editor(42)) }

func TestCapabilities(t *testing.T) { // B01
	eachTransport(t, oneEditor, func(t *testing.T, _ *fakeBridge, cs *sdk.ClientSession, _ *events) {
		caps := cs.InitializeResult().Capabilities
		if caps.Resources == nil || !caps.Resources.Subscribe || caps.Resources.ListChanged {
			t.Errorf("resources: %+v", caps.Resources)
		}
		if caps.Tools == nil || !caps.Tools.ListChanged {
			t.Errorf("tools: %+v", caps.Tools)
		}
		if got, want := string(encode(caps)), `{"resources":{"subscribe":true},"tools":{"listChanged":true}}`; got != want {
			t.Errorf("declared %s, want %s", got, want)
		}
		if got := cs.InitializeResult().Instructions; !strings.Contains(got, "operableWindowIds") {
			t.Errorf("instructions: %q", got)
		}
	})
}

func TestResource(t *testing.T) { // B03, B04
	eachTransport(t, oneEditor, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		list, err := cs.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "app://windows" {
			t.Fatalf("resources/list: %+v, %v", list, err)
		}
		res, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "app://windows"})
		if err != nil || len(res.Contents) != 1 {
			t.Fatalf("resources/read: %+v, %v", res, err)
		}
		c := res.Contents[0]
		if c.MIMEType != "application/json" || c.URI != "app://windows" || c.Text != string(f.Snapshot().JSON()) {
			t.Errorf("contents: %+v", c)
		}
		if cs.InitializeResult().ProtocolVersion >= "2026-07-28" && res.CacheScope != "private" {
			t.Errorf("cacheScope is %q", res.CacheScope)
		}
		if _, err := cs.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "app://nothing"}); err == nil {
			t.Error("a resource that does not exist was read")
		}
	})
}

func toolNames(t testing.TB, cs *sdk.ClientSession) []string {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestToolsFollowTheSnapshot(t *testing.T) { // B18, B24, B32
	eachTransport(t, oneEditor, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		fixed := []string{"desktop_act", "desktop_read"}
		steps := []struct {
			what    string
			windows []*bridge.Window
			want    []string
		}{
			{"one window", []*bridge.Window{editor(42)}, []string{"w1__close", "w1__load_text", "w1__set_text"}},
			{"blocked by a dialog", []*bridge.Window{editor(42, blockedBy("w2")), dialog()}, []string{"w2__dont_save"}},
			{"one action unavailable", []*bridge.Window{editor(43, func(w *bridge.Window) { w.Actions[0].Unavailable = "read only" })}, []string{"w1__close", "w1__load_text"}},
			{"no window", nil, nil},
		}
		for _, step := range steps {
			f.publish(step.windows...)
			// No waiting: a list is never older than the published state.
			if got, want := toolNames(t, cs), append(slices.Clone(fixed), step.want...); !slices.Equal(got, want) {
				t.Errorf("%s: tools %v, want %v", step.what, got, want)
			}
		}
	})
}

func TestToolModes(t *testing.T) { // C43
	for mode, want := range map[string][]string{
		ToolsFixed:   {"desktop_act", "desktop_read"},
		ToolsDynamic: {"w1__close", "w1__load_text", "w1__set_text"},
		ToolsBoth:    {"desktop_act", "desktop_read", "w1__close", "w1__load_text", "w1__set_text"},
	} {
		s := newServer(t, oneEditor(), func(c *Config) { c.Tools = mode })
		cs := connect(t, s, newEvents(), "2025-11-25", false)
		if got := toolNames(t, cs); !slices.Equal(got, want) {
			t.Errorf("%s: %v", mode, got)
		}
		if _, m := call(t, cs, "w1__load_text", nil); m["message"] != "Did load_text." {
			t.Errorf("%s: the call by name answered %v", mode, m)
		}
	}
	if _, err := New(Config{Bridge: oneEditor(), Tools: "some"}); err == nil || !strings.Contains(err.Error(), "fixed") {
		t.Errorf("unknown mode: %v", err)
	}
}

func TestToolDescription(t *testing.T) { // B17, B26
	long := strings.Repeat("a very long title ", 20) + "\n"
	f := newFake(editor(42, func(w *bridge.Window) { w.Title = long }))
	cs := connect(t, newServer(t, f), newEvents(), "2025-11-25", false)
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][4]bool{ // readOnly, destructive, idempotent, openWorld
		"w1__set_text": {false, false, true, false}, "w1__load_text": {true, false, true, false},
		"w1__close": {false, true, false, true}, "desktop_read": {true, false, true, false}, "desktop_act": {false, true, false, true},
	}
	for _, tool := range list.Tools {
		a := tool.Annotations
		if a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Fatalf("%s: annotations are not all explicit: %+v", tool.Name, a)
		}
		if got := [4]bool{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint, *a.OpenWorldHint}; got != want[tool.Name] {
			t.Errorf("%s: annotations %v, want %v", tool.Name, got, want[tool.Name])
		}
		if len(tool.Name) > 40 || tool.Title == "" || len([]rune(tool.Title)) > 100 || strings.ContainsAny(tool.Title, "\n") {
			t.Errorf("%s: title %q", tool.Name, tool.Title)
		}
		if tool.Name == "w1__set_text" {
			if !strings.HasPrefix(tool.Title, "Replace the text · a very long") || !strings.HasSuffix(tool.Title, "… (w1)") {
				t.Errorf("title %q", tool.Title)
			}
			props := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
			if props["text"] == nil || props["expectedVersion"] == nil {
				t.Errorf("input schema: %v", tool.InputSchema)
			}
		}
		if tool.OutputSchema == nil { // B21
			t.Errorf("%s has no output schema", tool.Name)
		}
	}
}

// checkAnswer proves that an answer fits the tool's schema and that content and
// structuredContent are each enough (B21, C28).
func checkAnswer(t testing.TB, schema any, res *sdk.CallToolResult) {
	t.Helper()
	var js jsonschema.Schema
	if err := json.Unmarshal(encode(schema), &js); err != nil {
		t.Fatal(err)
	}
	resolved, err := js.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(res.StructuredContent); err != nil {
		t.Errorf("the answer breaks the output schema: %v\n%s", err, encode(res.StructuredContent))
	}
	if len(res.Content) != 2 {
		t.Fatalf("content has %d parts", len(res.Content))
	}
	first, second := res.Content[0].(*sdk.TextContent).Text, res.Content[1].(*sdk.TextContent).Text
	if !strings.HasSuffix(first, untrusted) {
		t.Errorf("screen text is not marked as data: %q", first)
	}
	var mirror any
	if err := json.Unmarshal([]byte(second), &mirror); err != nil || string(encode(mirror)) != string(encode(res.StructuredContent)) {
		t.Errorf("content says %s, structuredContent %s", second, encode(res.StructuredContent))
	}
}

func TestActAnswers(t *testing.T) { // B20, B21
	eachTransport(t, oneEditor, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		f.effect = func(_ context.Context, r bridge.Request) (*bridge.Result, error) {
			return &bridge.Result{
				Message: "Closing asks whether to save.", OpenedWindowIDs: []string{"w2"}, Effect: hostabi.Confirmed,
				Version: 1<<53 + 1, Changed: []string{"b1", "b2"}, Value: json.RawMessage(`{"answer":12345678901234567,"effect":"mine"}`),
			}, nil
		}
		for _, c := range []struct {
			tool string
			args any
		}{
			{"w1__close", map[string]any{"expectedVersion": 42}},
			{"desktop_act", map[string]any{"winId": "w1", "action": "close", "expectedVersion": 42}},
			{"desktop_act", map[string]any{"winId": "w1", "action": "close", "args": map[string]any{"expectedVersion": 42}}},
		} {
			res, m := call(t, cs, c.tool, c.args)
			checkAnswer(t, actOutput, res)
			if res.IsError || m["message"] != "Closing asks whether to save." || fmt.Sprint(m["openedWindowIds"]) != "[w2]" {
				t.Errorf("%s: %v", c.tool, m)
			}
			text := res.Content[1].(*sdk.TextContent).Text
			for _, part := range []string{`"answer":12345678901234567`, `"version":9007199254740993`, `"effect":"confirmed"`, `"changed":["b1","b2"]`} {
				if !strings.Contains(text, part) {
					t.Errorf("%s: %s lacks %s", c.tool, text, part)
				}
			}
		}
		for _, r := range f.acts() {
			if r.Window != "w1" || r.Action != "close" || string(r.Args) != "{}" || r.ExpectedVersion == nil || *r.ExpectedVersion != 42 {
				t.Errorf("the bridge was asked %+v", r)
			}
			if !strings.HasPrefix(r.Client, "test/0.1 (") {
				t.Errorf("client is %q", r.Client)
			}
		}
	})
}

func TestActWithoutExtras(t *testing.T) {
	f := oneEditor()
	f.effect = func(context.Context, bridge.Request) (*bridge.Result, error) {
		return &bridge.Result{Message: "Nothing to do.", Effect: hostabi.Unchanged, Version: 42, Value: json.RawMessage(`null`)}, nil
	}
	cs := connect(t, newServer(t, f), newEvents(), "2025-11-25", false)
	res, _ := call(t, cs, "w1__set_text", map[string]any{"text": "x", "expectedVersion": nil})
	if got, want := string(encode(res.StructuredContent)), `{"message":"Nothing to do.","openedWindowIds":[],"result":{"changed":[],"effect":"unchanged","version":42}}`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if r := f.acts()[0]; r.ExpectedVersion != nil || string(r.Args) != `{"text":"x"}` {
		t.Errorf("the bridge was asked %+v %s", r, r.Args)
	}
}

func TestRefusals(t *testing.T) { // B22, B23, C17
	version := int64(0)
	cases := []struct {
		name string
		err  error // of the bridge; nil leaves it to the fake's own checks
		tool string
		args map[string]any
		want string
	}{
		{"stale", nil, "w1__set_text", map[string]any{"text": "", "expectedVersion": 7}, `{"code":"stale_state","currentVersion":42,"message":"the window has changed; read it again"}`},
		{"blocked", nil, "w3__close", nil, `{"code":"blocked_by_modal","message":"w3 is blocked by w4; answer that first"}`},
		{"closed", nil, "w9__close", nil, `{"code":"window_not_found","message":"window w9 is closed; read app://windows again"}`},
		{"action gone", nil, "w1__reopen", nil, `{"code":"action_not_available","message":"reopen is not available now; read the window again"}`},
		{"action unavailable", nil, "w4__undo", nil, `{"code":"action_not_available","message":"undo is not available now; read the window again"}`},
		{"version 0", &bridge.Error{Code: bridge.StaleState, Message: "m", CurrentVersion: version}, "w1__close", nil, `{"code":"stale_state","currentVersion":0,"message":"m"}`},
		{"fields", &bridge.Error{Code: bridge.ValidationFailed, Message: "m", Fields: []bridge.FieldError{{Field: "text", Error: "is required"}}}, "w1__close", nil, `{"code":"validation_failed","fields":[{"error":"is required","field":"text"}],"message":"m"}`},
		{"reason", &bridge.Error{Code: bridge.ActionNotAvailable, Message: "m", Reason: "no_focus"}, "w1__close", nil, `{"code":"action_not_available","message":"m","reason":"no_focus"}`},
		{"timeout", &bridge.Error{Code: bridge.ActionTimeout, Message: "m", Reason: "app_not_answering"}, "w1__close", nil, `{"code":"action_timeout","message":"m","reason":"app_not_answering"}`},
		{"wrapped", fmt.Errorf("acting: %w", &bridge.Error{Code: bridge.WindowNotFound, Message: "m"}), "w1__close", nil, `{"code":"window_not_found","message":"m"}`},
		{"unexpected", errors.New("secret detail"), "w1__close", nil, `{"code":"action_not_available","message":"the host met an internal error; read the window again before you try again","reason":"internal"}`},
		{"no version", nil, "w1__close", map[string]any{"expectedVersion": "42"}, `{"code":"validation_failed","fields":[{"error":"must be an integer","field":"expectedVersion"}],"message":"expectedVersion must be an integer"}`},
		{"fraction", nil, "w1__close", map[string]any{"expectedVersion": 1.5}, `{"code":"validation_failed","fields":[{"error":"must be an integer","field":"expectedVersion"}],"message":"expectedVersion must be an integer"}`},
		{"no window named", nil, "desktop_act", map[string]any{"action": 1, "extra": 2}, `{"code":"validation_failed","fields":[{"error":"is required","field":"winId"},{"error":"must be a string","field":"action"},{"error":"is not an argument of this tool; it has winId, action, args, expectedVersion","field":"extra"}],"message":"winId is required; action must be a string; extra is not an argument of this tool; it has winId, action, args, expectedVersion"}`},
		{"args not an object", nil, "desktop_act", map[string]any{"winId": "w1", "action": "close", "args": "{}"}, `{"code":"validation_failed","fields":[{"error":"must be an object","field":"args"}],"message":"args must be an object"}`},
		{"read of no window", nil, "desktop_read", map[string]any{"window": "w77"}, `{"code":"window_not_found","message":"there is no window w77; call desktop_read without window to see which there are"}`},
		{"read with a typo", nil, "desktop_read", map[string]any{"windows": "w1"}, `{"code":"validation_failed","fields":[{"error":"is not an argument of this tool; it has window, since, after, limit","field":"windows"}],"message":"windows is not an argument of this tool; it has window, since, after, limit"}`},
	}
	undo := func(w *bridge.Window) { w.Actions[0].Unavailable = "nothing to undo" }
	desktop := func() *fakeBridge {
		return newFake(editor(42), window("w3", "Report", 1, with(closeIt), blockedBy("w4")), window("w4", "Sure?", 1, modalOn("w3"), with(hostabi.Action{Name: "undo"}), undo))
	}
	eachTransport(t, desktop, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		for _, c := range cases {
			f.effect = nil
			if c.err != nil {
				f.effect = func(context.Context, bridge.Request) (*bridge.Result, error) { return nil, c.err }
			}
			res, m := call(t, cs, c.tool, c.args)
			schema := actOutput
			if c.tool == "desktop_read" {
				schema = readOutput
			}
			checkAnswer(t, schema, res)
			if got := string(encode(m)); !res.IsError || got != c.want {
				t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
			}
		}
	})
}

func TestUnknownToolIsAProtocolError(t *testing.T) {
	cs := connect(t, newServer(t, oneEditor()), newEvents(), "2025-11-25", false)
	for _, name := range []string{"nonsense", anyTool} {
		if _, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: name}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
			t.Errorf("%s, a tool that never was, answered %v", name, err)
		}
	}
}

func TestDesktopRead(t *testing.T) { // C29
	desktop := func() *fakeBridge { return newFake(editor(42, blockedBy("w2")), dialog()) }
	eachTransport(t, desktop, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		res, m := call(t, cs, "desktop_read", nil)
		checkAnswer(t, readOutput, res)
		result := m["result"].(map[string]any)
		var same map[string]any
		if err := json.Unmarshal(f.Snapshot().JSON(), &same); err != nil {
			t.Fatal(err)
		}
		windows := result["windows"].([]any)
		for i, w := range windows {
			w := maps.Clone(w.(map[string]any))
			delete(w, "actions")
			delete(w, "operable")
			delete(w, "blockedBy")
			if got, want := string(encode(w)), string(encode(same["windows"].([]any)[i])); got != want {
				t.Errorf("window %d: %s\nin app://windows: %s", i, got, want)
			}
		}
		if got, want := fmt.Sprint(result["operableWindowIds"]), fmt.Sprint(same["operableWindowIds"]); got != want {
			t.Errorf("operable %s, want %s", got, want)
		}
		if got := string(encode(windows[0].(map[string]any)["actions"])); got != "[]" {
			t.Errorf("a blocked window offers %s", got)
		}
		if got := string(encode(windows[1].(map[string]any)["actions"])); got != `[{"destructive":true,"name":"dont_save","title":"Don't save"}]` {
			t.Errorf("the dialog offers %s", got)
		}

		state := result["state"]
		if _, m := call(t, cs, "desktop_read", map[string]any{"since": state}); string(encode(m["result"])) != fmt.Sprintf(`{"state":%q,"unchanged":true}`, state) {
			t.Errorf("unchanged read: %v", m)
		}
		f.publish(editor(43))
		_, m = call(t, cs, "desktop_read", map[string]any{"since": state})
		if r := m["result"].(map[string]any); r["unchanged"] != false || r["state"] == state {
			t.Errorf("changed read: %v", m)
		}
		_, m = call(t, cs, "desktop_read", map[string]any{"window": "w1"})
		one := m["result"].(map[string]any)["windows"].([]any)
		actions := one[0].(map[string]any)["actions"].([]any)
		if len(one) != 1 || len(actions) != 3 || actions[0].(map[string]any)["args"] == nil {
			t.Errorf("read of one window: %v", m)
		}
	})
}

func TestDesktopReadOfManyWindowsLeavesOutSchemas(t *testing.T) {
	var windows []*bridge.Window
	for i := range 200 {
		windows = append(windows, window(fmt.Sprintf("w%d", i+1), "Window", 1, with(setText), with(closeIt)))
	}
	cs := connect(t, newServer(t, newFake(windows...)), newEvents(), "2025-11-25", false)
	_, m := call(t, cs, "desktop_read", nil)
	if text := string(encode(m)); strings.Contains(text, `"args":`) || !strings.Contains(m["message"].(string), "desktop_read of one window") {
		t.Errorf("the schemas are there, or it is not said that they are not: %v", m["message"])
	}
	if _, m := call(t, cs, "desktop_read", map[string]any{"window": "w200"}); !strings.Contains(string(encode(m)), `"args":`) {
		t.Error("a read of one window has no schemas")
	}
}

func TestPanicInAHandler(t *testing.T) {
	eachTransport(t, oneEditor, func(t *testing.T, f *fakeBridge, cs *sdk.ClientSession, _ *events) {
		f.effect = func(context.Context, bridge.Request) (*bridge.Result, error) { panic("secret detail") }
		_, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "w1__close"})
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("panic answered %v", err)
		}
		f.effect = nil
		if res, _ := call(t, cs, "w1__close", nil); res.IsError {
			t.Errorf("the next call: %+v", res)
		}
	})
}

func TestInstructions(t *testing.T) { // B02
	for _, language := range []string{"", "en", "zh"} {
		for _, tools := range []string{ToolsFixed, ToolsDynamic, ToolsBoth} {
			text, err := instructions(language, Face{Tools: tools}, "NOTES OF THE APPLICATION")
			if err != nil {
				t.Fatal(err)
			}
			rest := text
			for _, point := range []string{"app://windows", "operableWindowIds", "summary", "blocks", "{winId}__{action}", "updated", "expectedVersion", "stale_state", "isError", "validation_failed", "result", "NOTES OF"} {
				_, after, ok := strings.Cut(rest, point)
				if !ok {
					t.Errorf("%s %s lacks %q, or has it in the wrong place", language, tools, point)
				}
				rest = after
			}
			if got, want := strings.Contains(text, "desktop_read"), tools != ToolsDynamic; got != want {
				t.Errorf("%s %s names desktop_read: %t", language, tools, got)
			}
			if len(text) >= maxInstructions || strings.Contains(text, "| ") {
				t.Errorf("%s %s: %d bytes", language, tools, len(text))
			}
		}
	}
	for _, language := range []string{"en", "zh"} {
		app, err := instructions(language, Face{App: "mousepad", Tools: ToolsDynamic}, "")
		all, _ := instructions(language, Face{Tools: ToolsDynamic}, "")
		if err != nil || strings.Contains(app, "desktop_read") || language == "en" && (app == all || !strings.Contains(app, "a desktop application of several windows")) {
			t.Errorf("%s: an application's face says %q, %v", language, app, err)
		}
	}
	if _, err := instructions("de", Face{Tools: ToolsBoth}, ""); err == nil {
		t.Error("an unknown language was taken")
	}
	if _, err := instructions("en", Face{Tools: ToolsBoth}, strings.Repeat("x", 2000)); err == nil || !strings.Contains(err.Error(), "shorten") {
		t.Errorf("notes that are too long: %v", err)
	}
}
