package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

const (
	// maxTools is how many tools fit on one page of tools/list. Some clients do
	// not ask for the second.
	maxTools = 10000
	// The lengths at which a window's and an action's title are cut in the
	// title of a tool, in characters.
	maxWindowTitle, maxActionTitle = 40, 40
)

// anyTool is the name inside the SDK of the tool that stands for all dynamic ones.
// It is in no list.
const anyTool = "any_action"

// stubSchema stands for the schema of a dynamic tool inside the SDK, which
// panics on some schemas; clients get the real one.
var stubSchema = json.RawMessage(`{"type":"object"}`)

// toolset keeps the tools that are listed in step with the snapshot.
type toolset struct {
	sdk     *sdk.Server
	enabled bool
	call    sdk.ToolHandler

	// mu guards what follows, and that the SDK's list holds exactly the tools
	// in entries. It is taken before the SDK's own lock, never after.
	mu         sync.Mutex
	snap       *bridge.Snapshot // that entries were made from
	entries    map[string]entry // by name
	generation uint64           // rises with every change that clients are told of
}

// entry is one listed tool.
type entry struct {
	window *bridge.Window // nil for an action of an application
	action *bridge.Action
	tool   *sdk.Tool
}

func newToolset(server *sdk.Server, enabled bool, call sdk.ToolHandler) *toolset {
	server.AddTool(&sdk.Tool{Name: anyTool, InputSchema: stubSchema}, call)
	return &toolset{sdk: server, enabled: enabled, call: call, entries: map[string]entry{}}
}

// sync makes the listed tools those of snap. The SDK tells the clients of every
// tool that is added or removed, so only true changes are handed to it. A
// title that follows its window's is not one.
func (t *toolset) sync(snap *bridge.Snapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.syncLocked(snap)
}

func (t *toolset) syncLocked(snap *bridge.Snapshot) {
	if !t.enabled || t.snap == snap || (t.snap != nil && snap.Seq < t.snap.Seq) {
		return
	}
	t.snap = snap
	next := make(map[string]entry, len(t.entries))
	var added []string
	add := func(w *bridge.Window, a *bridge.Action, title string) {
		if a.Unavailable != "" {
			return
		}
		old, ok := t.entries[a.Tool]
		if ok && w != nil && old.window == w {
			next[a.Tool] = old
			return
		}
		next[a.Tool] = entry{w, a, newTool(a, title)}
		if !ok || !sameAction(old.action, a) {
			added = append(added, a.Tool)
		}
	}
	for _, id := range snap.Operable {
		w := snap.Window(id)
		for i := range w.Actions {
			add(w, &w.Actions[i], cut(w.Title, maxWindowTitle)+" ("+w.ID+")")
		}
	}
	for _, app := range snap.Apps {
		for i := range app.Actions {
			add(nil, &app.Actions[i], app.Handle)
		}
	}
	var gone []string
	for name := range t.entries {
		if _, ok := next[name]; !ok {
			gone = append(gone, name)
		}
	}
	t.entries = next
	if len(gone)+len(added) > 0 {
		t.generation++
	}
	if len(gone) > 0 {
		t.sdk.RemoveTools(gone...)
	}
	for _, name := range added {
		t.sdk.AddTool(&sdk.Tool{Name: name, InputSchema: stubSchema}, t.call)
	}
}

// current returns the generation of the list, once a change under way is complete.
func (t *toolset) current() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.generation
}

// list answers tools/list by next with the tools of snap.
func (t *toolset) list(snap *bridge.Snapshot, next func() (sdk.Result, error)) (sdk.Result, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.syncLocked(snap)
	res, err := next()
	if err != nil {
		return nil, err
	}
	if list, ok := res.(*sdk.ListToolsResult); ok {
		list.Tools = slices.DeleteFunc(list.Tools, func(tool *sdk.Tool) bool { return tool.Name == anyTool })
		for i, tool := range list.Tools {
			if e, ok := t.entries[tool.Name]; ok {
				list.Tools[i] = e.tool
			}
		}
	}
	return res, nil
}

// sameAction reports whether two actions make the same tool but for its title.
func sameAction(a, b *bridge.Action) bool {
	return a.Action == b.Action && bytes.Equal(a.InputSchema, b.InputSchema) && bytes.Equal(a.OutputSchema, b.OutputSchema)
}

func newTool(a *bridge.Action, of string) *sdk.Tool {
	description := a.Description
	if description == "" { // some clients want one
		description = a.Title
	}
	return &sdk.Tool{
		Name:         a.Tool,
		Title:        cut(a.Title, maxActionTitle) + " · " + of,
		Description:  description,
		InputSchema:  json.RawMessage(a.InputSchema),
		OutputSchema: json.RawMessage(a.OutputSchema),
		Annotations:  annotations(a.Action),
	}
}

// annotations states every hint, since what a client assumes of a missing one
// differs.
func annotations(a hostabi.Action) *sdk.ToolAnnotations {
	return &sdk.ToolAnnotations{
		ReadOnlyHint:    a.ReadOnly,
		DestructiveHint: &a.Destructive,
		IdempotentHint:  a.Idempotent,
		OpenWorldHint:   &a.OpenWorld,
	}
}
