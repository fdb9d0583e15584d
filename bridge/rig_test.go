package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// rig is a live bridge over the in-memory desktop, with an adapter written here.
type rig struct {
	t      *testing.T
	desk   *desktoptest.Desktop
	bridge *Bridge
	log    *memoryLog
	plugin *plugin
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, desk: desktoptest.New(), log: &memoryLog{}, plugin: &plugin{changed: make(chan struct{}, 1)}}
	r.desk.Patience = 300 * time.Millisecond
	roles := r.desk.Roles()
	g, err := guard.New(roles, r.log, nil)
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	r.bridge, err = New(Config{
		Desktop: roles, Guard: g, Adapters: r.plugin, NextID: func() (int64, error) { n++; return n, nil },
		Quiet: 5 * time.Millisecond, Busy: 50 * time.Millisecond, Look: time.Second,
		Patience: 300 * time.Millisecond, Settle: 500 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run starts the bridge and ends it with the test.
func (r *rig) run() *rig {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	go func() { done <- r.bridge.Run(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Errorf("Run: %v", err)
		}
	})
	if err := r.bridge.Ready(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	return r
}

// form is a window with a text field, a password and a button.
func form(value string) *tree.Tree {
	on := tree.StateEnabled | tree.StateShowing | tree.StateVisible
	return desktoptest.Tree(desktoptest.N(tree.Node{Role: tree.RoleWindow, Name: "Form", States: on},
		desktoptest.N(tree.Node{Role: tree.RoleEntry, Name: "Name", Text: value, States: on | tree.StateEditable, Ifaces: tree.IfaceText | tree.IfaceEditableText}),
		desktoptest.N(tree.Node{Role: tree.RolePassword, Name: "Password", Sensitive: true, States: on | tree.StateEditable, Ifaces: tree.IfaceText | tree.IfaceEditableText}),
		desktoptest.N(tree.Node{Role: tree.RoleButton, Name: "Go", States: on, Ifaces: tree.IfaceAction, Actions: []tree.Action{{Name: "click"}}}),
	))
}

func (r *rig) open(title string, more ...func(*desktop.Window)) desktop.WindowID {
	w := desktop.Window{Title: title, App: desktop.App{ID: 1, Name: "Editor"}, Role: "normal", Bounds: tree.Rect{X: 10, Y: 10, W: 300, H: 200}}
	for _, f := range more {
		f(&w)
	}
	return r.desk.AddWindow(w, form(""))
}

func modalOf(owner desktop.WindowID) func(*desktop.Window) {
	return func(w *desktop.Window) { w.Owner, w.Modal, w.Role = owner, true, "dialog" }
}

// await waits until the published snapshot satisfies holds.
func (r *rig) await(what string, holds func(*Snapshot) bool) *Snapshot {
	r.t.Helper()
	desktoptest.Wait(r.t, what, func() bool { return holds(r.bridge.Snapshot()) })
	return r.bridge.Snapshot()
}

func (r *rig) window(title string) *Window {
	r.t.Helper()
	for _, w := range r.bridge.Snapshot().Windows {
		if w.Title == title {
			return w
		}
	}
	r.t.Fatalf("no window %q in %s", title, r.bridge.Snapshot().JSON())
	return nil
}

func (r *rig) act(w, action string, args map[string]any) (*Result, error) {
	data, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.bridge.Act(r.t.Context(), Request{Client: "test", Window: w, Action: action, Args: data})
}

// plugin is an adapter: a field per text element, and three actions.
type plugin struct {
	mu         sync.Mutex // guards all following fields
	translates int
	fail       error // of translate
	also       func(*tree.Tree, *hostabi.View)
	digest     string
	invoke     func(hostabi.Call, Services) (*hostabi.Outcome, error)
	changed    chan struct{}
}

const setSchema = `{"type":"object","properties":{"field":{"type":"string"},"value":{"type":"string"}},"required":["field","value"],"additionalProperties":false}`

func (p *plugin) Match(tree.Window) Adapter {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Adapter{ID: "dev.oriel.test", Version: "1.0.0", Digest: "d" + p.digest}
}
func (p *plugin) Changed() <-chan struct{} { return p.changed }

func (p *plugin) Translate(_ context.Context, _ Adapter, observation []byte, _ Services) (*hostabi.View, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.translates++
	if p.fail != nil {
		return nil, p.fail
	}
	t, err := tree.Decode(observation)
	if err != nil {
		return nil, err
	}
	v := &hostabi.View{Title: t.Window.Title, Summary: "A form."}
	var items []hostabi.Field
	for _, n := range t.Nodes {
		if n.Role == tree.RoleEntry || n.Role == tree.RolePassword {
			items = append(items, hostabi.Field{Label: n.Name, Value: n.Text, Sensitive: n.Sensitive})
		}
	}
	if items != nil {
		v.Blocks = []hostabi.Block{{Key: "fields", Type: hostabi.Fields, Items: items}}
	}
	v.Actions = []hostabi.Action{
		{Name: "set_field", Title: "Set a field", Description: "Sets a field.", Input: setSchema, Idempotent: true},
		{Name: "press", Title: "Press", Description: "Presses Go."},
		{Name: "close", Title: "Close", Description: "Closes the window.", Destructive: true},
		{Name: "undo", Title: "Undo", Description: "Undoes.", Unavailable: "there is nothing to undo"},
	}
	if p.also != nil {
		p.also(t, v)
	}
	return v, nil
}

func (p *plugin) Invoke(ctx context.Context, _ Adapter, call hostabi.Call, s Services) (*hostabi.Outcome, error) {
	p.mu.Lock()
	own := p.invoke
	p.mu.Unlock()
	if own != nil {
		return own(call, s)
	}
	t, err := tree.Decode(call.Observation)
	if err != nil {
		return nil, err
	}
	var args struct{ Field, Value string }
	if err := json.Unmarshal([]byte(call.Args), &args); err != nil {
		return nil, err
	}
	do := func(c hostabi.Capability, name string, m hostabi.Message) *hostabi.Outcome {
		if _, f := s.Call(ctx, hostabi.Function{Capability: c, Name: name}, hostabi.Append(nil, m)); f != nil {
			return &hostabi.Outcome{Fault: f}
		}
		return &hostabi.Outcome{Message: "Done."}
	}
	if call.Action == "close" {
		return do(hostabi.CapWindow, "close", &hostabi.Nothing{}), nil
	}
	for _, n := range t.Nodes {
		switch {
		case call.Action == "press" && n.Role == tree.RoleButton:
			return do(hostabi.CapA11y, "action", &hostabi.ActionRequest{ID: n.ID}), nil
		case call.Action == "set_field" && n.Name == args.Field:
			return do(hostabi.CapA11y, "set_text", &hostabi.SetTextRequest{ID: n.ID, Text: args.Value}), nil
		}
	}
	return &hostabi.Outcome{Fault: &hostabi.Fault{Code: hostabi.CodeInvalid, Message: "no such field", Fields: []hostabi.FieldFault{{Field: "field", Error: fmt.Sprintf("%q is not one of them", args.Field)}}}}, nil
}

// memoryLog keeps audit records in memory.
type memoryLog struct {
	mu      sync.Mutex // guards records and fail
	records []audit.Record
	fail    error
}

func (l *memoryLog) Append(_ context.Context, r audit.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
	return l.fail
}

func (l *memoryLog) last(t *testing.T) audit.Record {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.records) == 0 {
		t.Fatal("nothing is in the audit log")
	}
	return l.records[len(l.records)-1]
}
