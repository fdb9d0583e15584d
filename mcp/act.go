package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

const (
	readTool   = "desktop_read"
	actTool    = "desktop_act"
	launchTool = "desktop_launch"
)

// maxEcho is where a message cuts what it repeats of a client's words, in characters.
const maxEcho = 80

// addFixedTools lists the tools that serve a client whose list of tools cannot
// change, or cannot grow with every window, and the one that starts applications.
func (f *face) addFixedTools() {
	if f.key.App == "" && f.cfg.Launcher != nil {
		f.addLaunch()
	}
	if f.key.Tools == ToolsDynamic {
		return
	}
	yes, no := true, false
	f.sdk.AddTool(&sdk.Tool{
		Name:  readTool,
		Title: "Read the desktop",
		Description: "Reads every window (or one): what it shows and which actions it has, with the schemas of their arguments. " +
			"The same as the resource app://windows, and the actions. Act on what it answers with " + actTool + ".",
		InputSchema:  readInput,
		OutputSchema: readOutput,
		Annotations:  &sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
	}, f.read)
	f.sdk.AddTool(&sdk.Tool{
		Name:  actTool,
		Title: "Act on a window",
		Description: "Carries out one action of one window or application, as " + readTool + " lists them, and answers once its effect can be seen. " +
			"The same as the tool {winId}__{action}. Give the version you read as expectedVersion.",
		InputSchema:  actInput,
		OutputSchema: actOutput,
		Annotations:  &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes},
	}, f.act)
}

// act serves desktop_act.
func (f *face) act(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	args, e := object(req.Params.Arguments)
	if e != nil {
		return refused(e), nil
	}
	var window, action string
	var fields []bridge.FieldError
	fields = append(fields, text(args, "winId", &window, true)...)
	fields = append(fields, text(args, "action", &action, true)...)
	fields = append(fields, unknown(args, "winId", "action", "args", "expectedVersion")...)
	inner, e := object(args["args"])
	if e != nil {
		fields = append(fields, bridge.FieldError{Field: "args", Error: "must be an object"})
	}
	if v, ok := args["expectedVersion"]; ok && e == nil {
		inner["expectedVersion"] = v
	}
	if len(fields) > 0 {
		return refused(invalid(fields)), nil
	}
	return f.perform(ctx, req, window, action, inner)
}

// calledTool is the key in a context of the name by which a dynamic tool was called.
type calledTool struct{}

// reroute turns a call of {winId}__{action} into one of the tool that stands for
// all of them. So a call reaches the bridge, which knows why it may be impossible,
// even if its tool vanished from the list a moment ago.
func reroute(ctx context.Context, req *sdk.CallToolRequest) (context.Context, *sdk.CallToolRequest) {
	to, params := *req, *req.Params
	params.Name = anyTool
	to.Params = &params
	return context.WithValue(ctx, calledTool{}, req.Params.Name), &to
}

// callAction serves every dynamic tool.
func (f *face) callAction(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name, ok := ctx.Value(calledTool{}).(string)
	if !ok { // called by the name that stands for all
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", req.Params.Name)}
	}
	args, e := object(req.Params.Arguments)
	if e != nil {
		return refused(e), nil
	}
	target, action, _ := strings.Cut(name, "__")
	for _, app := range f.snapshot().Apps {
		if slices.ContainsFunc(app.Actions, func(a bridge.Action) bool { return a.Tool == name }) {
			target = app.Handle // the name may hold but a part of it
		}
	}
	return f.perform(ctx, req, target, action, args)
}

// perform has the bridge carry out an action of a window, or of an application by
// its handle, and maps its answer.
func (f *face) perform(ctx context.Context, req *sdk.CallToolRequest, target, action string, args map[string]json.RawMessage) (*sdk.CallToolResult, error) {
	// No name is as long, and what is made of it here goes into messages and the log.
	target, action = cut(target, maxEcho), cut(action, maxEcho)
	r := bridge.Request{Client: clientName(ctx, req), Action: action}
	if e := f.aim(&r, target); e != nil {
		return refused(e), nil
	}
	if raw, ok := args["expectedVersion"]; ok && r.App == "" {
		v, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil && string(raw) != "null" {
			return refused(invalid([]bridge.FieldError{{Field: "expectedVersion", Error: "must be an integer"}})), nil
		}
		if err == nil {
			r.ExpectedVersion = &v
		}
		delete(args, "expectedVersion")
	}
	r.Args = encode(args)
	res, err := f.cfg.Bridge.Act(ctx, r)
	return f.answer(ctx, res, err, action+" of "+target)
}

// aim says at what a request is. A face of one application knows nothing of the
// rest.
func (f *face) aim(r *bridge.Request, target string) *bridge.Error {
	snap := f.snapshot()
	switch {
	case f.key.App != "" && target == "app":
		r.App = f.key.App
	case f.key.App != "" && snap.Window(target) == nil:
		return &bridge.Error{Code: bridge.WindowNotFound, Message: fmt.Sprintf("There is no window %s (any more). Read app://windows for the windows that are open.", target)}
	case snap.Window(target) == nil && snap.App(target) != nil:
		r.App = target
	default:
		r.Window = target
	}
	return nil
}

// answer maps what the bridge says of an act.
func (f *face) answer(ctx context.Context, res *bridge.Result, err error, what string) (*sdk.CallToolResult, error) {
	if err == nil {
		if f.key.App != "" {
			snap, shown := f.snapshot(), *res
			shown.OpenedWindowIDs = slices.DeleteFunc(slices.Clone(res.OpenedWindowIDs), func(id string) bool { return snap.Window(id) == nil })
			res = &shown
		}
		return done(res), nil
	}
	if e, ok := errors.AsType[*bridge.Error](err); ok {
		return refused(e), nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s was cancelled: %w", what, ctx.Err())
	}
	f.cfg.Log.Error("an act ended with an unexpected error", "act", what, "error", err)
	return refused(&bridge.Error{
		Code: bridge.ActionNotAvailable, Reason: "internal",
		Message: "the host met an internal error; read the window again before you try again",
	}), nil
}

// object decodes the arguments of a call; none at all are an empty object.
func object(raw json.RawMessage) (map[string]json.RawMessage, *bridge.Error) {
	args := map[string]json.RawMessage{}
	if len(raw) == 0 {
		return args, nil
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, &bridge.Error{Code: bridge.ValidationFailed, Message: "the arguments must be a JSON object"}
	}
	if args == nil { // null
		args = map[string]json.RawMessage{}
	}
	return args, nil
}

// text decodes a string argument into v.
func text(args map[string]json.RawMessage, name string, v *string, required bool) []bridge.FieldError {
	raw, ok := args[name]
	if !ok {
		if required {
			return []bridge.FieldError{{Field: name, Error: "is required"}}
		}
		return nil
	}
	if json.Unmarshal(raw, v) != nil {
		return []bridge.FieldError{{Field: name, Error: "must be a string"}}
	}
	return nil
}

// unknown names the arguments that a fixed tool does not have.
func unknown(args map[string]json.RawMessage, known ...string) []bridge.FieldError {
	var fields []bridge.FieldError
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(known, name) {
			fields = append(fields, bridge.FieldError{Field: cut(name, 64), Error: "is not an argument of this tool; it has " + strings.Join(known, ", ")})
		}
	}
	return fields
}

func invalid(fields []bridge.FieldError) *bridge.Error {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Field + " " + f.Error
	}
	return &bridge.Error{Code: bridge.ValidationFailed, Message: strings.Join(parts, "; "), Fields: fields}
}

// clientName says for the audit log who calls: by its own word, and how it is
// connected.
func clientName(ctx context.Context, req *sdk.CallToolRequest) string {
	name := "unnamed"
	if info := req.ClientInfo(); info != nil && info.Name != "" {
		name = info.Name
		if info.Version != "" {
			name += "/" + info.Version
		}
	}
	if p := peerOf(ctx); p.name != "" {
		name = cut(name, 60) + " (" + p.name + ")"
	}
	return cut(name, 100)
}

// cut makes one line of text and shortens it to n characters.
func cut(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
