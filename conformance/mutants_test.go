package conformance

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// inWindow is a fault in one window of every snapshot.
func inWindow(id string, spoil func(w object)) faults {
	return faults{snapshot: func(_ *app, snap object) {
		for _, w := range snap["windows"].([]any) {
			if w.(object)["id"] == id {
				spoil(w.(object))
			}
		}
	}}
}

// inBlock is a fault in one block of w1.
func inBlock(n int, spoil func(b object)) faults {
	return inWindow("w1", func(w object) { spoil(w["blocks"].([]any)[n].(object)) })
}

func set1(member string, value any) func(object) { return func(o object) { o[member] = value } }

// onTool is a fault in the tools whose names end in suffix.
func onTool(suffix string, spoil func(*sdk.Tool)) faults {
	return faults{tool: func(t *sdk.Tool) {
		if strings.HasSuffix(t.Name, suffix) {
			spoil(t)
		}
	}}
}

// onError is a fault in the error objects with a code.
func onError(code string, spoil func(*sdk.CallToolResult, object)) faults {
	return faults{answer: func(_ *app, _ string, res *sdk.CallToolResult) {
		if e, ok := res.StructuredContent.(object); ok && e["code"] == code {
			spoil(res, e)
		}
	}}
}

// onSuccess is a fault in the answers of successful calls.
func onSuccess(spoil func(*sdk.CallToolResult, object)) faults {
	return faults{answer: func(_ *app, _ string, res *sdk.CallToolResult) {
		if !res.IsError {
			spoil(res, res.StructuredContent.(object))
		}
	}}
}

// lists is a fault in which tools are listed, unless an application modal hides
// all.
func lists(add ...string) faults {
	return faults{listed: func(a *app, names []string) []string {
		if len(a.operable()) > 1 {
			names = append(names, add...)
		}
		return names
	}}
}

// receives is a fault in the answers to any method.
func receives(spoil func(req sdk.Request, res sdk.Result) (sdk.Result, error)) faults {
	return faults{server: func(a *app) {
		a.server.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
				res, err := next(ctx, method, req)
				if err != nil {
					return nil, err
				}
				return spoil(req, res)
			}
		})
	}}
}

// sends is a fault in which notifications go out to whom.
func sends(lets func(a *app, method string, to sdk.Session) bool) faults {
	return faults{server: func(a *app) {
		a.server.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
				if !lets(a, method, req.GetSession()) {
					return nil, nil
				}
				return next(ctx, method, req)
			}
		})
	}}
}

const (
	updatedMethod = "notifications/resources/updated"
	listedMethod  = "notifications/tools/list_changed"
)

// late is how long a state is not yet readable after a notification that comes
// too early.
const late = 3 * pollEvery

// mutants are servers with one fault each, by the requirement that it breaks.
var mutants = []struct {
	name, breaks string
	faults       faults
}{
	{"no subscriptions declared", "B01", receives(func(_ sdk.Request, res sdk.Result) (sdk.Result, error) {
		switch r := res.(type) {
		case *sdk.InitializeResult:
			r.Capabilities.Resources.Subscribe = false
		case *sdk.DiscoverResult:
			r.Capabilities.Resources.Subscribe = false
		}
		return res, nil
	})},
	{"changing resources declared", "B01", faults{options: func(o *sdk.ServerOptions) {
		o.Capabilities.Resources = &sdk.ResourceCapabilities{ListChanged: true, Subscribe: true}
	}}},
	{"cached by everybody", "B01", faults{options: func(o *sdk.ServerOptions) { o.SetCacheable = nil }}},
	{"instructions too long", "B02", faults{options: func(o *sdk.ServerOptions) { o.Instructions += strings.Repeat(" and more", 300) }}},
	{"instructions without versions", "B02", faults{options: func(o *sdk.ServerOptions) {
		o.Instructions = strings.ReplaceAll(o.Instructions, "expectedVersion", "care")
	}}},
	{"two resources", "B03", faults{server: func(a *app) {
		a.server.AddResource(&sdk.Resource{URI: "app://more", Name: "more"}, nil)
	}}},
	{"text not application/json", "B04", faults{read: func(r *sdk.ReadResourceResult) { r.Contents[0].MIMEType = "text/plain" }}},
	{"two contents", "B04", faults{read: func(r *sdk.ReadResourceResult) { r.Contents = append(r.Contents, r.Contents[0]) }}},
	{"an extra member in the snapshot", "B04", faults{snapshot: func(_ *app, s object) { s["focus"] = "w1" }}},
	{"a dangling operable id", "B07", faults{snapshot: func(_ *app, s object) {
		s["operableWindowIds"] = append(s["operableWindowIds"].([]any), "w99")
	}}},
	{"an owner operable under its modal", "B07", faults{snapshot: func(_ *app, s object) {
		if ids := s["operableWindowIds"].([]any); slices.Contains(ids, any("w1")) {
			s["operableWindowIds"] = append(ids, "w2")
		}
	}, listed: func(a *app, names []string) []string { return names }}},
	{"a window that nothing blocks left out", "B07", faults{snapshot: func(_ *app, s object) {
		var kept []any
		for _, w := range s["windows"].([]any) { // one chain less, so that no modal excuses it
			if w.(object)["modal"] != true || w.(object)["ownerId"] == nil {
				kept = append(kept, w)
			}
		}
		s["windows"] = kept
		if ids := s["operableWindowIds"].([]any); slices.Contains(ids, any("w1")) {
			s["operableWindowIds"] = []any{"w1"}
		}
	}, listed: func(_ *app, names []string) []string {
		return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "d2__") })
	}}},
	{"an owner without modality", "B07", inWindow("d2", set1("modal", false))},
	{"all operable under an application modal", "B08", faults{snapshot: func(_ *app, s object) {
		if ids := s["operableWindowIds"].([]any); len(ids) == 1 {
			s["operableWindowIds"] = append(ids, "w1")
		}
	}}},
	{"an owner that is not there", "B09", inWindow("d2", set1("ownerId", "w77"))},
	{"owners in a ring", "B09", inWindow("d1", set1("ownerId", "d2"))},
	{"blocks null", "B10", inWindow("w2", set1("blocks", nil))},
	{"no title", "B10", inWindow("w2", func(w object) { delete(w, "title") })},
	{"ownerId left out", "B10", inWindow("w2", func(w object) { delete(w, "ownerId") })},
	{"an extra member in a window", "B10", inWindow("w2", set1("geometry", []any{0, 0}))},
	{"version as a string", "B11", inWindow("w2", set1("version", "3"))},
	{"version as a fraction", "B11", inWindow("w2", set1("version", 3.5))},
	{"version going down", "B11", faults{step: func(a *app) { a.window("w2")["version"] = int64(2) }}},
	{"content changes, version does not", "B11", faults{step: func(a *app) { a.window("w2")["summary"] = "Another" }}},
	{"two windows with one id", "B12", faults{snapshot: func(_ *app, s object) {
		windows := s["windows"].([]any)
		s["windows"] = append(windows, clone(windows[0]))
	}}},
	{"a window id used again", "B12", faults{step: func(a *app) {
		if a.window("m1") != nil {
			return
		}
		a.windows = append(a.windows, object{"id": "m1", "title": "Other", "modal": false, "ownerId": nil, "version": int64(9), "summary": "Other", "blocks": []any{}})
	}}},
	{"two blocks with one id", "B12", inBlock(1, set1("id", "b1"))},
	{"an unknown block type", "B13", inBlock(0, set1("type", "button"))},
	{"a block with an extra field", "B13", inBlock(0, set1("colour", "red"))},
	{"a block with a missing field", "B13", inBlock(4, func(b object) { delete(b, "severity") })},
	{"a severity that is none", "B13", inBlock(4, set1("severity", "fatal"))},
	{"a nested block", "B13", inBlock(0, set1("blocks", []any{object{"type": "text", "id": "b9", "text": "x"}}))},
	{"a field with an action", "B13", inBlock(1, func(b object) { b["items"].([]any)[0].(object)["action"] = "w1__set_field" })},
	{"a row of the wrong length", "B14", inBlock(2, func(b object) { b["rows"].([]any)[1] = []any{"B"} })},
	{"cut short without total", "B14", inBlock(2, func(b object) { delete(b, "total"); b["offset"] = 10 })},
	{"a total below what is shown", "B14", inBlock(3, set1("total", 1))},
	{"a password in the clear", "B15", inBlock(1, func(b object) { b["items"].([]any)[2].(object)["value"] = "hunter2" })},
	{"a sensitive block in the clear", "B15", inBlock(0, set1("sensitive", true))},
	{"no summary", "B16", inWindow("w2", func(w object) { delete(w, "summary") })},
	{"labels of widgets", "B16", inBlock(1, func(b object) { b["items"].([]any)[0].(object)["label"] = "btn_47" })},
	{"a tool name with a dot", "B17", lists("w1__edit.text")},
	{"a tool name of 41 characters", "B17", lists("w1__" + strings.Repeat("a", 37))},
	{"a tool of a blocked window", "B18", lists("w2__refresh")},
	{"a tool of no window", "B18", lists("desktop_read")},
	{"a tool of a closed window", "B18", faults{listed: func(a *app, names []string) []string {
		if a.dialogs > 0 && a.window("m1") == nil {
			return append(names, "m1__close")
		}
		return names
	}}},
	{"the flag ok", "B20", onSuccess(func(_ *sdk.CallToolResult, v object) { v["ok"] = true })},
	{"success without structuredContent", "B20", onSuccess(func(r *sdk.CallToolResult, _ object) { r.StructuredContent = nil })},
	{"opened windows as a string", "B20", faults{
		tool: func(t *sdk.Tool) {
			t.OutputSchema = json.RawMessage(strings.Replace(answers, `"openedWindowIds":{"type":"array","items":{"type":"string"}},`, "", 1))
		},
		answer: onSuccess(func(_ *sdk.CallToolResult, v object) { v["openedWindowIds"] = "w3" }).answer,
	}},
	{"an effect that is none", "B20", onSuccess(func(_ *sdk.CallToolResult, v object) { v["result"].(object)["effect"] = "perhaps" })},
	{"only half an answer", "B20", onSuccess(func(r *sdk.CallToolResult, _ object) { r.Content = r.Content[:1] })},
	{"an outputSchema that rejects errors", "B21", onTool("w1__refresh", func(t *sdk.Tool) {
		t.OutputSchema = json.RawMessage(`{"type":"object","required":["result"]}`)
	})},
	{"no outputSchema", "B21", onTool("w1__refresh", func(t *sdk.Tool) { t.OutputSchema = nil })},
	{"an answer against its schema", "B21", onTool("__refresh", func(t *sdk.Tool) {
		t.OutputSchema = json.RawMessage(strings.Replace(answers, `"result":{"type":"object"}`, `"result":{"type":"object","required":["rows"]}`, 1))
	})},
	{"a protocol error for an unknown window", "B22", receives(func(req sdk.Request, res sdk.Result) (sdk.Result, error) {
		if call, ok := req.(*sdk.CallToolRequest); ok && strings.HasPrefix(call.Params.Name, "none-") {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "unknown tool"}
		}
		return res, nil
	})},
	{"success for an unknown window", "B22", faults{call: func(_ *app, name string, _ object) *sdk.CallToolResult {
		if strings.HasPrefix(name, "none-") {
			return respond(object{"message": "done", "result": object{}}, false)
		}
		return nil
	}}},
	{"isError without a code", "B22", onError(windowNotFound, func(_ *sdk.CallToolResult, e object) { delete(e, "code") })},
	{"an unknown code", "B22", onError(windowNotFound, func(_ *sdk.CallToolResult, e object) { e["code"] = "not_found" })},
	{"a code of another cause", "B22", onError(blockedByModal, func(_ *sdk.CallToolResult, e object) { e["code"] = actionNotAvailable })},
	{"an error as text alone", "B22", onError(actionNotAvailable, func(r *sdk.CallToolResult, _ object) { r.StructuredContent = nil })},
	{"stale_state without currentVersion", "B22", onError(staleState, func(_ *sdk.CallToolResult, e object) { delete(e, "currentVersion") })},
	{"stale_state with another version", "B22", onError(staleState, func(_ *sdk.CallToolResult, e object) { e["currentVersion"] = 5 })},
	{"validation_failed without fields", "B22", onError(validationFailed, func(_ *sdk.CallToolResult, e object) { delete(e, "fields") })},
	{"a field that is no argument", "B22", onError(validationFailed, func(_ *sdk.CallToolResult, e object) {
		e["fields"].([]any)[0].(object)["field"] = "entry_12"
	})},
	{"expectedVersion ignored", "B23", faults{call: func(a *app, name string, args object) *sdk.CallToolResult {
		delete(args, "expectedVersion")
		return nil
	}}},
	{"a writing tool without expectedVersion", "B23", onTool("w1__close", func(t *sdk.Tool) {
		t.InputSchema = json.RawMessage(`{"type":"object","properties":{}}`)
	})},
	{"reads only and destroys", "B26", onTool("w1__refresh", func(t *sdk.Tool) { yes := true; t.Annotations.DestructiveHint = &yes })},
	{"no annotations", "B26", onTool("w1__close", func(t *sdk.Tool) { t.Annotations = nil })},
	{"no resources/updated", "B29", faults{announce: func(_ *app, what string, change, tell func()) {
		change()
		if what == "tools" {
			tell()
		}
	}}},
	{"no tools/list_changed", "B30", sends(func(_ *app, method string, _ sdk.Session) bool { return method != listedMethod })},
	{"updated before the state can be read", "B31", faults{announce: func(_ *app, what string, change, tell func()) {
		tell()
		if what == "state" {
			time.Sleep(late)
		}
		change()
	}}},
	{"updated to connections that did not ask", "B06", faults{announce: func(a *app, what string, change, tell func()) {
		change()
		if what == "tools" {
			tell()
			return
		}
		a.mu.Lock()
		conns := slices.Clone(a.conns)
		a.mu.Unlock()
		for _, c := range conns {
			_ = c.Write(context.Background(), &jsonrpc.Request{Method: updatedMethod, Params: json.RawMessage(`{"uri":"app://windows"}`)})
		}
	}}},
	{"news for one connection alone", "B06", sends(func(a *app, method string, to sdk.Session) bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return method != updatedMethod || len(a.order)%3 != 1 || a.order[len(a.order)-1] == to
	})},
	{"another state for each connection", "B06", faults{nth: func(n int, s object) {
		if n%3 == 2 {
			s["windows"].([]any)[1].(object)["title"] = "Another"
		}
	}}},
	{"nothing but news after a lost connection", "B05", faults{nth: func(n int, s object) {
		if n%3 == 0 {
			s["windows"], s["operableWindowIds"] = []any{}, []any{}
		}
	}}},
	{"operableWindowIds null", "B32", faults{snapshot: func(_ *app, s object) { s["operableWindowIds"] = nil }}},
	{"expectedVersion on an action of the application", "B33", onTool("app__new_report", func(t *sdk.Tool) {
		t.InputSchema = json.RawMessage(`{"type":"object","properties":{"expectedVersion":{"type":"integer"}}}`)
	})},
	{"an action of the application under its modal", "B33", faults{listed: func(_ *app, names []string) []string {
		if !slices.Contains(names, "app__new_report") {
			names = append(names, "app__new_report")
		}
		return names
	}}},
}

// alsoFits names a second requirement for faults that look like a breach of either:
// an announcement that comes too early leaves the change itself unannounced.
var alsoFits = map[string]string{"updated before the state can be read": "B29"}

// Each fault is found by the requirement that it breaks, and by nothing else. A
// fault that shows only at some moments may need a second run to be met.
func TestEveryMutantIsCaught(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.breaks+" "+m.name, func(t *testing.T) {
			t.Parallel()
			var r *Report
			var got string
			for range 3 {
				r, _ = check(t, m.faults)
				if got = r.verdicts(Fail, Advice); got != "" {
					break
				}
			}
			if got != m.breaks && (got == "" || got != alsoFits[m.name]) {
				t.Errorf("found by %q, want %s\n%s", got, m.breaks, text(t, r))
			}
		})
	}
}
