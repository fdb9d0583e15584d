package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// object is a JSON object under construction.
type object = map[string]any

// app is a small application that serves itself by the protocol, to the letter,
// but for its faults.
type app struct {
	t      testing.TB
	faults faults
	server *sdk.Server

	// mu guards what follows.
	mu      sync.Mutex
	windows []object
	tools   []string // that the SDK lists
	used    map[string]int
	busy    bool // the human is at work
	dialogs int
	conns   []sdk.Connection     // the server's ends
	order   []*sdk.ServerSession // as they first read
	human   sync.WaitGroup
}

// faults are where an app can be made to break the protocol. Each is nil for
// none.
type faults struct {
	options  func(*sdk.ServerOptions)
	server   func(*app)
	snapshot func(a *app, snap object)                          // before it is encoded
	nth      func(session int, snap object)                     // what the n-th connection reads
	read     func(*sdk.ReadResourceResult)                      // the wrapping
	tool     func(*sdk.Tool)                                    // each tool
	listed   func(a *app, names []string) []string              // which tools are listed
	answer   func(a *app, name string, res *sdk.CallToolResult) // each answer
	call     func(a *app, name string, args object) *sdk.CallToolResult
	announce func(a *app, what string, change func(), tell func()) // how a change is announced
	step     func(a *app)                                          // one more thing that the human does
}

const gap = 90 * time.Millisecond // between two things that the human does

func newApp(t testing.TB, f faults) *app {
	a := &app{t: t, faults: f, used: map[string]int{}}
	a.windows = []object{
		{
			"id": "w1", "title": "Order Editor", "modal": false, "ownerId": nil, "version": int64(9007199254740993),
			"summary": "Editing order 12345", "blocks": []any{
				object{"type": "text", "id": "b1", "text": "Editing order 12345"},
				object{"type": "fields", "id": "b2", "items": []any{
					object{"label": "Recipient", "value": ""},
					object{"label": "Amount", "value": "$100.00"},
					object{"label": "Payment password", "value": "••••••", "sensitive": true},
				}},
				object{"type": "table", "id": "b3", "columns": []any{"Product", "Quantity"}, "rows": []any{[]any{"A", 2}, []any{"B", 1}}, "total": 200, "offset": 0},
				object{"type": "list", "id": "b4", "items": []any{"one", "two"}, "ordered": true},
				object{"type": "notice", "id": "b5", "severity": "error", "text": "Recipient cannot be empty"},
				object{"type": "media", "id": "b6", "mimeType": "image/png", "url": "data:image/png;base64,AAAA", "alt": "a dot"},
				object{"type": "custom", "id": "b7", "payload": object{"any": nil}},
			},
		},
		{"id": "w2", "title": "Report", "modal": false, "ownerId": nil, "version": int64(3), "summary": "A report", "blocks": []any{}},
		{"id": "d1", "title": "Really?", "modal": true, "ownerId": "w2", "version": int64(1), "summary": "Asks", "blocks": []any{}},
		{"id": "d2", "title": "Sure?", "modal": true, "ownerId": "d1", "version": int64(1), "summary": "Asks again", "blocks": []any{}},
	}
	o := &sdk.ServerOptions{
		Instructions: "Read app://windows: operableWindowIds, summary and blocks. Act by {winId}__{action} with expectedVersion. " +
			"Failures are isError with a code such as stale_state or validation_failed.",
		Capabilities:       &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true}, Resources: &sdk.ResourceCapabilities{Subscribe: true}},
		SubscribeHandler:   a.subscribed,
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		SetCacheable:       func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	}
	if f.options != nil {
		f.options(o)
	}
	a.server = sdk.NewServer(&sdk.Implementation{Name: "app", Version: "1"}, o)
	a.server.AddReceivingMiddleware(a.unknownTools)
	a.server.AddResource(&sdk.Resource{URI: windowsURI, Name: "windows", MIMEType: "application/json"}, a.read)
	if f.server != nil {
		f.server(a)
	}
	a.mu.Lock()
	a.list()
	a.mu.Unlock()
	if t != nil {
		t.Cleanup(a.human.Wait)
	}
	return a
}

// target is the way to the app.
func (a *app) target() Target {
	return Target{shared: true, dial: func(t *tap) sdk.Transport {
		client, server := sdk.NewInMemoryTransports()
		if _, err := a.server.Connect(context.Background(), serverEnd{server, a}, nil); err != nil {
			a.t.Error(err)
		}
		return over(client)(t)
	}}
}

// serverEnd keeps the server's end of a connection.
type serverEnd struct {
	sdk.Transport
	a *app
}

func (s serverEnd) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := s.Transport.Connect(ctx)
	s.a.mu.Lock()
	defer s.a.mu.Unlock()
	s.a.conns = append(s.a.conns, c)
	return c, err
}

func (a *app) read(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.order, req.Session) {
		a.order = append(a.order, req.Session)
	}
	var windows []any
	for _, w := range a.windows {
		windows = append(windows, clone(w))
	}
	snap := object{"operableWindowIds": a.operable(), "windows": windows}
	if a.faults.snapshot != nil {
		a.faults.snapshot(a, snap)
	}
	if a.faults.nth != nil {
		a.faults.nth(slices.Index(a.order, req.Session)+1, snap)
	}
	res := &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: windowsURI, MIMEType: "application/json", Text: encode(snap)}}}
	if a.faults.read != nil {
		a.faults.read(res)
	}
	return res, nil
}

func clone(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for k, e := range v {
			out[k] = clone(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = clone(e)
		}
		return out
	}
	return v
}

// operable are the windows that take input.
func (a *app) operable() []any {
	out := []any{}
	modal := slices.ContainsFunc(a.windows, func(w object) bool { return w["modal"] == true && w["ownerId"] == nil })
	for _, w := range a.windows {
		covered := slices.ContainsFunc(a.windows, func(d object) bool { return d["ownerId"] == w["id"] })
		if !covered && (!modal || w["modal"] == true && w["ownerId"] == nil) {
			out = append(out, w["id"])
		}
	}
	return out
}

func (a *app) window(id string) object {
	for _, w := range a.windows {
		if w["id"] == id {
			return w
		}
	}
	return nil
}

// actions are those of every window: their schemas and hints.
var actions = map[string]struct {
	input    string
	readOnly bool
	destroys bool
}{
	"set_field": {`{"type":"object","properties":{"field":{"type":"string"},"value":{"type":"string"},"expectedVersion":{"type":"integer"}},"required":["field","value"]}`, false, false},
	"refresh":   {`{"type":"object","properties":{}}`, true, false},
	"close":     {`{"type":"object","properties":{"expectedVersion":{"type":"integer"}}}`, false, true},
}

const answers = `{"type":"object","properties":{"message":{"type":"string"},"openedWindowIds":{"type":"array","items":{"type":"string"}},
	"result":{"type":"object"},"code":{"type":"string"},"currentVersion":{"type":"integer"},"fields":{"type":"array"}},
	"anyOf":[{"required":["result"]},{"required":["code","message"]}]}`

// list makes the SDK list the tools of the operable windows. It is called with
// mu held.
func (a *app) list() {
	var names []string
	for _, id := range a.operable() {
		for action := range actions {
			names = append(names, id.(string)+"__"+action)
		}
	}
	if !slices.ContainsFunc(a.windows, func(w object) bool { return w["modal"] == true && w["ownerId"] == nil }) {
		names = append(names, "app__new_report")
	}
	if a.faults.listed != nil {
		names = a.faults.listed(a, names)
	}
	for _, name := range a.tools {
		if !slices.Contains(names, name) {
			a.server.RemoveTools(name)
		}
	}
	for _, name := range names {
		if slices.Contains(a.tools, name) {
			continue
		}
		_, action, _ := strings.Cut(name, "__")
		spec, ok := actions[action]
		if !ok {
			spec.input, spec.readOnly = `{"type":"object"}`, true
		}
		no, world := spec.destroys, false
		tool := &sdk.Tool{
			Name: name, Title: name, Description: name, InputSchema: json.RawMessage(spec.input), OutputSchema: json.RawMessage(answers),
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: spec.readOnly, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &world},
		}
		if a.faults.tool != nil {
			a.faults.tool(tool)
		}
		a.server.AddTool(tool, a.called)
	}
	a.tools = names
}

// unknownTools answers a call of a tool that is not listed with the reason.
func (a *app) unknownTools(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if call, ok := req.(*sdk.CallToolRequest); ok {
			return a.called(ctx, call)
		}
		return next(ctx, method, req)
	}
}

func (a *app) called(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var args object
	if err := decode(string(req.Params.Arguments), &args); err != nil {
		return nil, err
	}
	var res *sdk.CallToolResult
	if a.faults.call != nil {
		res = a.faults.call(a, req.Params.Name, args)
	}
	if res == nil {
		res = a.act(req.Params.Name, args)
	}
	if a.faults.answer != nil {
		a.faults.answer(a, req.Params.Name, res)
	}
	return res, nil
}

func (a *app) act(name string, args object) *sdk.CallToolResult {
	id, action, _ := strings.Cut(name, "__")
	w := a.window(id)
	_, known := actions[action]
	switch {
	case w == nil:
		return refuse(object{"code": windowNotFound, "message": "no such window"})
	case !slices.Contains(a.operable(), any(id)):
		return refuse(object{"code": blockedByModal, "message": "a dialog is open"})
	case !known:
		return refuse(object{"code": actionNotAvailable, "message": "no such action"})
	}
	if v, ok := args["expectedVersion"]; ok && encode(v) != encode(w["version"]) {
		return refuse(object{"code": staleState, "message": "changed meanwhile", "currentVersion": w["version"]})
	}
	if action == "set_field" && args["field"] == nil {
		return refuse(object{"code": validationFailed, "message": "field is required", "fields": []any{object{"field": "field", "error": "is required"}}})
	}
	a.used[name]++
	return respond(object{
		"message": "done", "openedWindowIds": []any{},
		"result": object{"effect": "unchanged", "version": w["version"], "changed": []any{}},
	}, false)
}

func refuse(e object) *sdk.CallToolResult { return respond(e, true) }

func respond(v object, isError bool) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		IsError: isError, StructuredContent: v,
		Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(v["message"])}, &sdk.TextContent{Text: encode(v)}},
	}
}

// subscribed starts the human, unless at work.
func (a *app) subscribed(context.Context, *sdk.SubscribeRequest) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.busy {
		a.busy = true
		a.human.Go(a.work)
	}
	return nil
}

// work is what the human does: edits a field, and opens and closes a dialog that
// is modal to the application.
func (a *app) work() {
	steps := []func(){
		func() {
			w := a.window("w1")
			w["version"] = w["version"].(int64) + 1
			w["blocks"].([]any)[1].(object)["items"].([]any)[1].(object)["value"] = fmt.Sprint("$", w["version"])
		},
		func() {
			a.dialogs++
			a.windows = append(a.windows, object{"id": fmt.Sprint("m", a.dialogs), "title": "Licence", "modal": true, "ownerId": nil, "version": int64(1), "summary": "A licence", "blocks": []any{}})
		},
		func() { a.windows = a.windows[:len(a.windows)-1] },
	}
	if a.faults.step != nil {
		steps = append(steps, func() { a.faults.step(a) })
	}
	for i, step := range steps {
		time.Sleep(gap) // a human takes time
		a.change(i > 0, step)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.busy = false
}

// change makes a change and announces it.
func (a *app) change(tools bool, step func()) {
	change := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		step()
	}
	updated := func() {
		if err := a.server.ResourceUpdated(context.Background(), &sdk.ResourceUpdatedNotificationParams{URI: windowsURI}); err != nil {
			a.t.Error(err)
		}
	}
	list := func() { // the SDK announces it
		a.mu.Lock()
		defer a.mu.Unlock()
		a.list()
	}
	if a.faults.announce == nil {
		change()
		list()
		updated()
		return
	}
	a.faults.announce(a, "state", change, updated)
	if tools {
		a.faults.announce(a, "tools", func() {}, list)
	}
}
