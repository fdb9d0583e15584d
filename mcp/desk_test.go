package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// desk is a live bridge over the in-memory desktop, with a person at it and an
// adapter for its forms.
type desk struct {
	*desktoptest.Desktop
	bridge *bridge.Bridge

	// hands is held while the adapter has the desktop set a text, and while the
	// person types: the desktop takes one key or one call at a time.
	hands    sync.Mutex
	running  atomic.Int32 // invocations in progress
	overlaps atomic.Int32 // invocations that began while another one ran
}

// newDesk starts the bridge and ends it with the test.
func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{Desktop: desktoptest.New()}
	d.Patience = 300 * time.Millisecond
	roles := d.Roles()
	g, err := guard.New(roles, noLog{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var last atomic.Int64
	d.bridge, err = bridge.New(bridge.Config{
		Desktop: roles, Guard: g, Adapters: formAdapter{d}, NextID: func() (int64, error) { return last.Add(1), nil },
		Quiet: 2 * time.Millisecond, Busy: 20 * time.Millisecond, Look: 5 * time.Second,
		Patience: 30 * time.Millisecond, Settle: 300 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.bridge.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	if err := d.bridge.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	return d
}

// open shows a form; a modal one blocks its owner.
func (d *desk) open(title string, owner desktop.WindowID) desktop.WindowID {
	on := tree.StateEnabled | tree.StateShowing | tree.StateVisible
	return d.AddWindow(
		desktop.Window{Title: title, App: desktop.App{ID: 1, Name: "Forms"}, Role: "normal", Owner: owner, Modal: owner != 0, Bounds: tree.Rect{X: 10, Y: 10, W: 300, H: 200}},
		desktoptest.Tree(desktoptest.N(tree.Node{Role: tree.RoleWindow, Name: title, States: on},
			desktoptest.N(tree.Node{Role: tree.RoleEntry, Name: "Name", States: on | tree.StateEditable, Ifaces: tree.IfaceText | tree.IfaceEditableText}),
		)))
}

// types has the person add a word to a form, if it is open; it reports whether.
func (d *desk) types(id desktop.WindowID, word string) (typed bool) {
	d.hands.Lock()
	defer d.hands.Unlock()
	if _, _, open := d.Window(id); !open {
		return false
	}
	d.Edit(id, func(t *tree.Tree) { t.Nodes[1].Text += word })
	return true
}

// text is what a form holds.
func (d *desk) text(id desktop.WindowID) string {
	_, t, open := d.Window(id)
	if !open {
		return ""
	}
	return t.Nodes[1].Text
}

// noLog keeps nothing.
type noLog struct{}

func (noLog) Append(context.Context, audit.Record) error { return nil }

// formAdapter shows a form's field, and sets it.
type formAdapter struct{ desk *desk }

func (formAdapter) Match(tree.Window) bridge.Adapter {
	return bridge.Adapter{ID: "dev.oriel.test", Version: "1.0.0", Digest: "d"}
}
func (formAdapter) Changed() <-chan struct{} { return nil }

func (formAdapter) Translate(_ context.Context, _ bridge.Adapter, observation []byte, _ bridge.Services) (*hostabi.View, error) {
	t, err := tree.Decode(observation)
	if err != nil {
		return nil, err
	}
	v := &hostabi.View{Title: t.Window.Title, Summary: "A form."}
	for _, n := range t.Nodes {
		if n.Role == tree.RoleEntry {
			v.Blocks = append(v.Blocks, hostabi.Block{Key: "fields", Type: hostabi.Fields, Items: []hostabi.Field{{Label: n.Name, Value: n.Text}}})
		}
	}
	v.Actions = []hostabi.Action{
		{Name: "set", Title: "Set the field", Description: "Sets the field.", Input: `{"type":"object","properties":{"value":{"type":"string"}},"required":["value"],"additionalProperties":false}`, Idempotent: true},
		{Name: "look", Title: "Look", Description: "Looks.", ReadOnly: true},
		{Name: "undo", Title: "Undo", Description: "Undoes.", Unavailable: "there is nothing to undo"},
	}
	return v, nil
}

func (a formAdapter) Invoke(ctx context.Context, _ bridge.Adapter, call hostabi.Call, s bridge.Services) (*hostabi.Outcome, error) {
	if a.desk.running.Add(1) > 1 {
		a.desk.overlaps.Add(1)
	}
	defer a.desk.running.Add(-1)
	t, err := tree.Decode(call.Observation)
	if err != nil {
		return nil, err
	}
	if call.Action == "look" {
		return &hostabi.Outcome{Message: "Looked.", Effect: hostabi.Unchanged}, nil
	}
	var args struct{ Value string }
	if err := json.Unmarshal([]byte(call.Args), &args); err != nil {
		return nil, err
	}
	for _, n := range t.Nodes {
		if n.Role == tree.RoleEntry {
			a.desk.hands.Lock()
			_, fault := s.Call(ctx, hostabi.Function{Capability: hostabi.CapA11y, Name: "set_text"}, hostabi.Append(nil, &hostabi.SetTextRequest{ID: n.ID, Text: args.Value}))
			a.desk.hands.Unlock()
			return &hostabi.Outcome{Message: "Set.", Fault: fault, Effect: hostabi.Confirmed}, nil
		}
	}
	return &hostabi.Outcome{Fault: &hostabi.Fault{Code: hostabi.CodeInvalid, Message: "there is no field"}}, nil
}
