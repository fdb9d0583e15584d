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
	readTool = "desktop_read"
	actTool  = "desktop_act"
)

// addFixedTools lists the tools that serve a client whose list of tools cannot
// change, or cannot grow with every window.
func (s *Server) addFixedTools() {
	yes, no := true, false
	s.sdk.AddTool(&sdk.Tool{
		Name:  readTool,
		Title: "Read the desktop",
		Description: "Reads every window (or one): what it shows and which actions it has, with the schemas of their arguments. " +
			"The same as the resource app://windows, and the actions. Act on what it answers with " + actTool + ".",
		InputSchema:  readInput,
		OutputSchema: readOutput,
		Annotations:  &sdk.ToolAnnotations{ReadOnlyHint: true, DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
	}, s.read)
	s.sdk.AddTool(&sdk.Tool{
		Name:  actTool,
		Title: "Act on a window",
		Description: "Carries out one action of one window, as " + readTool + " lists them, and answers once its effect can be seen. " +
			"The same as the tool {winId}__{action}. Give the version you read as expectedVersion.",
		InputSchema:  actInput,
		OutputSchema: actOutput,
		Annotations:  &sdk.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes},
	}, s.act)
}

// act serves desktop_act.
func (s *Server) act(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
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
	return s.perform(ctx, req, window, action, inner)
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
func (s *Server) callAction(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name, ok := ctx.Value(calledTool{}).(string)
	if !ok { // called by the name that stands for all
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", req.Params.Name)}
	}
	window, action, _ := strings.Cut(name, "__")
	args, e := object(req.Params.Arguments)
	if e != nil {
		return refused(e), nil
	}
	return s.perform(ctx, req, window, action, args)
}

// perform has the bridge carry out an action and maps its answer.
func (s *Server) perform(ctx context.Context, req *sdk.CallToolRequest, window, action string, args map[string]json.RawMessage) (*sdk.CallToolResult, error) {
	r := bridge.Request{Client: clientName(ctx, req), Window: window, Action: action}
	if raw, ok := args["expectedVersion"]; ok {
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
	res, err := s.cfg.Bridge.Act(ctx, r)
	if err == nil {
		return done(res), nil
	}
	if e, ok := errors.AsType[*bridge.Error](err); ok {
		return refused(e), nil
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s of %s was cancelled: %w", action, window, ctx.Err())
	}
	s.cfg.Log.Error("an act ended with an unexpected error", "window", window, "action", action, "error", err)
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
