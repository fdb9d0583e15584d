package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

// maxRead is the size from which on a read of several windows leaves out the
// schemas, and if that is not enough, the windows that do not fit: clients cut
// answers of more than about 50,000 characters.
const maxRead = 48_000

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

// readRequest is what of the desktop is asked for.
type readRequest struct {
	window string
	since  json.RawMessage
	after  string
	limit  int
}

// parseRead decodes the arguments of desktop_read.
func parseRead(args map[string]json.RawMessage) (r readRequest, fields []bridge.FieldError) {
	fields = append(text(args, "window", &r.window, false), text(args, "after", &r.after, false)...)
	if raw, ok := args["limit"]; ok && (json.Unmarshal(raw, &r.limit) != nil || r.limit < 1) {
		fields = append(fields, bridge.FieldError{Field: "limit", Error: "must be a number from 1 on"})
	}
	r.since = args["since"]
	if _, err := strconv.ParseInt(string(r.since), 10, 64); err != nil && len(r.since) > 0 && r.since[0] != '"' {
		fields = append(fields, bridge.FieldError{Field: "since", Error: "must be the state of an earlier read, or the version of a window"})
	}
	return r, append(fields, unknown(args, "window", "since", "after", "limit")...)
}

// read serves desktop_read.
func (f *face) read(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	args, e := object(req.Params.Arguments)
	if e != nil {
		return refused(e), nil
	}
	r, fields := parseRead(args)
	if len(fields) > 0 {
		return refused(invalid(fields)), nil
	}
	snap := f.snapshot()
	var res *readResult
	version := ""
	switch {
	case r.window != "":
		w := snap.Window(r.window)
		if w == nil {
			return refused(&bridge.Error{
				Code:    bridge.WindowNotFound,
				Message: fmt.Sprintf("there is no window %s; call %s without window to see which there are", cut(r.window, maxEcho), readTool),
			}), nil
		}
		version = strconv.FormatInt(w.Version, 10)
		res = readOne(w)
	case r.after != "" || r.limit > 0:
		res = readPage(snap, r.after, r.limit)
	default:
		res = f.reads.all(snap)
	}
	if since := string(r.since); since == strconv.Quote(res.state) || since != "" && since == version {
		return respond("Nothing changed.", success{"Nothing changed.", []string{}, unchangedResult(res.state)}, false), nil
	}
	return respond(res.message, success{res.message, []string{}, res.json}, false), nil
}

// all returns the read of all windows, from the cache if it is of this snapshot.
func (c *readCache) all(snap *bridge.Snapshot) *readResult {
	if last := c.last.Load(); last != nil && last.snap == snap {
		return last.res
	}
	res := readPage(snap, "", 0)
	c.last.Store(&readAll{snap, res})
	return res
}

// readPage returns the read of the windows after one, at most limit of them, and
// no more than clients take; 0 is no limit of its own.
func readPage(snap *bridge.Snapshot, after string, limit int) *readResult {
	windows := snap.Windows
	if after != "" {
		windows = slices.DeleteFunc(slices.Clone(windows), func(w *bridge.Window) bool { return number(w.ID) <= number(after) })
	}
	rest := len(windows)
	if limit > 0 {
		windows = windows[:min(limit, len(windows))]
	}
	message := fmt.Sprintf("%d windows, %d of them operable.", len(snap.Windows), len(snap.Operable))
	page := func(schemas bool) *readResult {
		said, head := message, fmt.Appendf(nil, `"operableWindowIds":%s,"apps":%s,`, encode(snap.Operable), encode(wireApps(snap, schemas)))
		if !schemas {
			said += fmt.Sprintf(" The args of the actions are left out; %s of one window has them.", readTool)
		}
		if len(windows) < rest {
			next := ""
			if len(windows) > 0 {
				next = windows[len(windows)-1].ID
			}
			said += fmt.Sprintf(" Here are %d; for more, read again with after %q.", len(windows), next)
			head = fmt.Appendf(head, `"next":%s,`, encode(next))
		}
		return newReadResult(head, windows, schemas, said)
	}
	res := page(true)
	if len(res.json) > maxRead {
		res = page(false)
	}
	if len(res.json) > maxRead && len(windows) > 1 {
		windows = windows[:fitting(windows)]
		res = page(false)
	}
	return res
}

// fitting is how many windows fit into one answer; at least one is given.
func fitting(windows []*bridge.Window) int {
	size := 0
	for i, w := range windows {
		if size += len(appendWindow(nil, w, false)); size > maxRead-4000 && i > 0 {
			return i
		}
	}
	return len(windows)
}

// number orders window ids by age.
func number(id string) int64 {
	n, err := strconv.ParseInt(strings.TrimLeft(id, "w"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// wireApp is an application as desktop_read lists it.
type wireApp struct {
	App     string       `json:"app"`
	Actions []wireAction `json:"actions"`
}

func wireApps(snap *bridge.Snapshot, schemas bool) []wireApp {
	out := make([]wireApp, 0, len(snap.Apps))
	for _, a := range snap.Apps {
		out = append(out, wireApp{a.Handle, wireActions(a.Actions, schemas)})
	}
	return out
}

func wireActions(actions []bridge.Action, schemas bool) []wireAction {
	out := []wireAction{}
	for _, a := range actions {
		if a.Unavailable != "" {
			continue
		}
		wa := wireAction{Name: a.Name, Title: a.Title, Description: a.Description, ReadOnly: a.ReadOnly, Destructive: a.Destructive}
		if schemas && a.Input != "" {
			wa.Args = json.RawMessage(a.Input)
		}
		out = append(out, wa)
	}
	return out
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
		actions = wireActions(w.Actions, schemas)
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
