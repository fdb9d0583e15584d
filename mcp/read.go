package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

// maxSchemaRead is the size from which on a read of all windows leaves out the
// schemas: clients cut answers of more than about 50,000 characters, and a read of
// one window still has them.
const maxSchemaRead = 48_000

// readCache holds the last read of all windows, since that is asked for again
// and again.
type readCache struct{ last atomic.Pointer[readAll] }

type readAll struct {
	snap *bridge.Snapshot
	res  *readResult
}

// readResult is one answer of desktop_read.
type readResult struct {
	state   string
	message string
	json    json.RawMessage
}

// wireAction is an action as desktop_read lists it.
type wireAction struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Args        json.RawMessage `json:"args,omitempty"`
	ReadOnly    bool            `json:"readOnly,omitempty"`
	Destructive bool            `json:"destructive,omitempty"`
}

// read serves desktop_read.
func (s *Server) read(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	args, e := object(req.Params.Arguments)
	if e != nil {
		return refused(e), nil
	}
	var window, since string
	fields := append(text(args, "window", &window, false), text(args, "since", &since, false)...)
	if fields = append(fields, unknown(args, "window", "since")...); len(fields) > 0 {
		return refused(invalid(fields)), nil
	}
	snap := s.cfg.Bridge.Snapshot()
	res := s.reads.all(snap)
	if window != "" {
		w := snap.Window(window)
		if w == nil {
			return refused(&bridge.Error{
				Code:    bridge.WindowNotFound,
				Message: fmt.Sprintf("there is no window %s; call %s without window to see which there are", cut(window, 40), readTool),
			}), nil
		}
		res = readOne(w)
	}
	if since == res.state {
		return respond("Nothing changed.", success{"Nothing changed.", []string{}, unchangedResult(res.state)}, false), nil
	}
	return respond(res.message, success{res.message, []string{}, res.json}, false), nil
}

// all returns the read of all windows, from the cache if it is of this snapshot.
func (c *readCache) all(snap *bridge.Snapshot) *readResult {
	if last := c.last.Load(); last != nil && last.snap == snap {
		return last.res
	}
	message := fmt.Sprintf("%d windows, %d of them operable.", len(snap.Windows), len(snap.Operable))
	head := fmt.Appendf(nil, `"operableWindowIds":%s,`, encode(snap.Operable))
	res := newReadResult(head, snap.Windows, true, message)
	if len(res.json) > maxSchemaRead {
		message += fmt.Sprintf(" The args of the actions are left out; %s of one window has them.", readTool)
		res = newReadResult(head, snap.Windows, false, message)
	}
	c.last.Store(&readAll{snap, res})
	return res
}

func readOne(w *bridge.Window) *readResult {
	message := fmt.Sprintf("%s %q, version %d.", w.ID, cut(w.Title, maxWindowTitle), w.Version)
	if !w.Operable {
		message += " It cannot be operated now."
		if w.BlockedBy != "" {
			message += " Answer " + w.BlockedBy + " first."
		}
	}
	return newReadResult(nil, []*bridge.Window{w}, true, message)
}

// newReadResult encodes windows behind head, which is empty or ends in a comma.
func newReadResult(head []byte, windows []*bridge.Window, schemas bool, message string) *readResult {
	body := append(slices.Clip(head), `"windows":[`...)
	for i, w := range windows {
		if i > 0 {
			body = append(body, ',')
		}
		body = appendWindow(body, w, schemas)
	}
	body = append(body, ']')
	sum := sha256.Sum256(body)
	state := hex.EncodeToString(sum[:8])
	out := fmt.Appendf(nil, `{"state":%q,"unchanged":false,`, state)
	return &readResult{state, message, append(append(out, body...), '}')}
}

// appendWindow writes a window as in app://windows with its actions added. A
// window that cannot be operated has none.
func appendWindow(out []byte, w *bridge.Window, schemas bool) []byte {
	actions := []wireAction{}
	if w.Operable {
		for _, a := range w.Actions {
			if a.Unavailable != "" {
				continue
			}
			wa := wireAction{Name: a.Name, Title: a.Title, Description: a.Description, ReadOnly: a.ReadOnly, Destructive: a.Destructive}
			if schemas && a.Input != "" {
				wa.Args = json.RawMessage(a.Input)
			}
			actions = append(actions, wa)
		}
	}
	text := w.JSON()
	out = append(out, text[:len(text)-1]...)
	out = fmt.Appendf(out, `,"operable":%t`, w.Operable)
	if w.BlockedBy != "" {
		out = append(append(out, `,"blockedBy":`...), encode(w.BlockedBy)...)
	}
	out = append(append(out, `,"actions":`...), encode(actions)...)
	return append(out, '}')
}

func unchangedResult(state string) json.RawMessage {
	return fmt.Appendf(nil, `{"state":%q,"unchanged":true}`, state)
}
