//go:build foreign

//lint:file-ignore SA1019 the suite drives what the newest revision deprecates too

package mcp

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/hostabi"
)

// What the conformance suite wants of a server beyond what Oriel has: tools,
// resources and prompts by fixed names, which it then drives. They are served by
// the same SDK server, behind the same handlers and middleware, as the host's own.

const watched = "test://watched-resource"

// suiteFeatures adds them to every face. Trigger changes the tool list by the
// bridge, as a window would.
func suiteFeatures(trigger func()) func(*sdk.ServerOptions) func(*sdk.Server) {
	return func(o *sdk.ServerOptions) func(*sdk.Server) {
		o.Capabilities.Prompts = &sdk.PromptCapabilities{ListChanged: true}
		o.Capabilities.Logging = &sdk.LoggingCapabilities{}
		o.Capabilities.Completions = &sdk.CompletionCapabilities{}
		o.CompletionHandler = func(context.Context, *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}, nil
		}
		o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
		return func(s *sdk.Server) {
			tools := maps.Clone(plainTools)
			maps.Copy(tools, askingTools)
			tools["test_trigger_tool_change"] = func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				trigger()
				return said("changed"), nil
			}
			tools["test_trigger_prompt_change"] = func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				s.AddPrompt(&sdk.Prompt{Name: "one_more", Description: "For the conformance suite."}, plainPrompt("more"))
				return said("changed"), nil
			}
			for _, name := range slices.Sorted(maps.Keys(tools)) {
				schema := json.RawMessage(`{"type":"object"}`)
				if own, ok := suiteSchemas[name]; ok {
					schema = json.RawMessage(own)
				}
				s.AddTool(&sdk.Tool{Name: name, Description: "For the conformance suite.", InputSchema: schema}, tools[name])
			}
			addSuiteResources(s)
			addSuitePrompts(s)
		}
	}
}

// said answers with text.
func said(format string, args ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// suiteSchemas are the input schemas that the suite looks at.
var suiteSchemas = map[string]string{
	"test_sampling":    `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`,
	"test_elicitation": `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
	"test_x_mcp_header": `{"type":"object","properties":{
		"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`,
	"json_schema_2020_12_tool": `{
		"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
			"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
		"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`,
}

// picture is a PNG of one pixel, silence a WAV without samples.
func picture() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 1, 1))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func silence() []byte {
	b := append([]byte("RIFF"), 36, 0, 0, 0)
	b = append(b, "WAVEfmt "...)
	for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(8000), uint32(16000), uint16(2), uint16(16)} {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return append(b, 'd', 'a', 't', 'a', 0, 0, 0, 0)
}

func embedded(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "embedded"}}
}

func constant(content ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

// plainTools answer, notify, or ask the client as the revisions with sessions do.
var plainTools = map[string]sdk.ToolHandler{
	"test_simple_text":       constant(&sdk.TextContent{Text: "This is a simple text response for testing."}),
	"test_image_content":     constant(&sdk.ImageContent{Data: picture(), MIMEType: "image/png"}),
	"test_audio_content":     constant(&sdk.AudioContent{Data: silence(), MIMEType: "audio/wav"}),
	"test_embedded_resource": constant(embedded("test://embedded-resource")),
	"test_multiple_content_types": constant(
		&sdk.TextContent{Text: "several"}, &sdk.ImageContent{Data: picture(), MIMEType: "image/png"}, embedded("test://embedded-in-several")),
	"test_streaming_elicitation": constant(&sdk.TextContent{Text: "nothing was asked"}),
	"json_schema_2020_12_tool":   constant(&sdk.TextContent{Text: "called"}),
	"test_x_mcp_header":          constant(&sdk.TextContent{Text: "called"}),
	"test_error_handling": func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{IsError: true, Content: said("this tool intentionally returns an error for testing").Content}, nil
	},
	"test_tool_with_logging": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var errs []error
		for _, line := range []string{"began", "goes on", "ended"} {
			errs = append(errs, r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: line}))
			time.Sleep(50 * time.Millisecond) // the suite wants them apart
		}
		return said("logged"), errors.Join(errs...)
	},
	"test_logging_tool": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return said("tried"), r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "tried"})
	},
	"test_tool_with_progress": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		token := r.Params.GetProgressToken()
		var errs []error
		for _, done := range []float64{0, 50, 100} {
			errs = append(errs, r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}))
			time.Sleep(50 * time.Millisecond) // the suite wants them apart
		}
		return said("%v", token), errors.Join(errs...)
	},
	"test_reconnection": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r.Extra != nil && r.Extra.CloseSSEStream != nil {
			r.Extra.CloseSSEStream(sdk.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
		}
		time.Sleep(100 * time.Millisecond) // the client comes back meanwhile
		return said("here again"), nil
	},
	"test_sampling": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args struct{ Prompt string }
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		res, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 100, Messages: userMessage(args.Prompt)})
		if err != nil {
			return nil, err
		}
		text, _ := res.Content.(*sdk.TextContent)
		return said("LLM response: %s", text.Text), nil
	},
	"test_elicitation": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var args struct{ Message string }
		if err := json.Unmarshal(r.Params.Arguments, &args); err != nil {
			return nil, err
		}
		return elicited(ctx, r, args.Message, `{"type":"object","properties":{"username":{"type":"string"}},"required":["username"]}`)
	},
	"test_elicitation_sep1034_defaults": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return elicited(ctx, r, "defaults", `{"type":"object","properties":{
			"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`)
	},
	"test_elicitation_sep1330_enums": func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		titled := `[{"const":"value1","title":"First"},{"const":"value2","title":"Second"},{"const":"value3","title":"Third"}]`
		return elicited(ctx, r, "choices", `{"type":"object","properties":{
			"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":`+titled+`},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["One","Two","Three"]},
			"untitledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":`+titled+`}}}}`)
	},
	"test_missing_capability": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if c := r.ClientCapabilities(); c != nil && c.Sampling != nil {
			return said("it has it"), nil
		}
		return nil, &jsonrpc.Error{
			Code: sdk.CodeMissingRequiredClientCapabilities, Message: "sampling is required",
			Data: encode(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}}),
		}
	},
}

func userMessage(text string) []*sdk.SamplingMessage {
	return []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: text}}}
}

func elicited(ctx context.Context, r *sdk.CallToolRequest, message, schema string) (*sdk.CallToolResult, error) {
	res, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)})
	if err != nil {
		return nil, err
	}
	return said("Elicitation result: action=%s, content=%v", res.Action, res.Content), nil
}

// ask is a question within the answer, as the revision without sessions has it.
func ask(property, kind string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Message: property + "?", RequestedSchema: json.RawMessage(fmt.Sprintf(
		`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, property, kind, property))}
}

// accepted is what the user answered to a question, nil if not yet or not so.
func accepted(answers sdk.InputResponseMap, key string) map[string]any {
	if e, ok := answers[key].(*sdk.ElicitResult); ok && e != nil && e.Action == "accept" {
		return e.Content
	}
	return nil
}

func sampled(answers sdk.InputResponseMap, key string) (text string, ok bool) {
	m, ok := answers[key].(*sdk.CreateMessageWithToolsResult)
	if !ok || m == nil {
		return "", false
	}
	for _, c := range m.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			text = t.Text
		}
	}
	return text, true
}

func rooted(answers sdk.InputResponseMap, key string) (int, bool) {
	if r, ok := answers[key].(*sdk.ListRootsResult); ok && r != nil {
		return len(r.Roots), true
	}
	return 0, false
}

func asking(state string, requests sdk.InputRequestMap) *sdk.CallToolResult {
	return &sdk.CallToolResult{InputRequests: requests, RequestState: state}
}

func greetingRequest() *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: 50, Messages: userMessage("greet")}
}

// guarded answers a confirmation only with the very state that it gave out.
func guarded(state string) sdk.ToolHandler {
	return func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		switch {
		case r.Params.RequestState != "" && r.Params.RequestState != state:
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "this is not the state that was given out"}
		case r.Params.RequestState == state && accepted(r.Params.InputResponses, "confirm") != nil:
			return said("state-ok"), nil
		}
		return asking(state, sdk.InputRequestMap{"confirm": ask("ok", "boolean")}), nil
	}
}

// askingTools put their questions into the answer.
var askingTools = map[string]sdk.ToolHandler{
	"test_input_required_result_elicitation": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if name, _ := accepted(r.Params.InputResponses, "user_name")["name"].(string); name != "" {
			return said("Hello, %s!", name), nil
		}
		return asking("", sdk.InputRequestMap{"user_name": ask("name", "string")}), nil
	},
	"test_input_required_result_sampling": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if text, ok := sampled(r.Params.InputResponses, "capital_question"); ok {
			return said("%s", text), nil
		}
		return asking("", sdk.InputRequestMap{"capital_question": &sdk.CreateMessageParams{MaxTokens: 100, Messages: userMessage("What is the capital of France?")}}), nil
	},
	"test_input_required_result_list_roots": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if n, ok := rooted(r.Params.InputResponses, "client_roots"); ok {
			return said("%d roots", n), nil
		}
		return asking("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}}), nil
	},
	"test_input_required_result_request_state":  guarded("the state"),
	"test_input_required_result_tampered_state": guarded("another state"),
	"test_input_required_result_multiple_inputs": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		name := accepted(r.Params.InputResponses, "user_name")
		text, greeted := sampled(r.Params.InputResponses, "greeting")
		n, ok := rooted(r.Params.InputResponses, "client_roots")
		if name != nil && greeted && ok {
			return said("%s %v, %d roots", text, name["name"], n), nil
		}
		return asking("several", sdk.InputRequestMap{
			"user_name": ask("name", "string"), "greeting": greetingRequest(), "client_roots": &sdk.ListRootsParams{},
		}), nil
	},
	"test_input_required_result_multi_round": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		switch name, second := strings.CutPrefix(r.Params.RequestState, "second "); {
		case second:
			return said("%s likes %v", name, accepted(r.Params.InputResponses, "step2")["color"]), nil
		case r.Params.RequestState == "first":
			return asking(fmt.Sprint("second ", accepted(r.Params.InputResponses, "step1")["name"]), sdk.InputRequestMap{"step2": ask("color", "string")}), nil
		}
		return asking("first", sdk.InputRequestMap{"step1": ask("name", "string")}), nil
	},
	"test_input_required_result_capabilities": func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		requests := sdk.InputRequestMap{}
		if c := r.ClientCapabilities(); c != nil && len(r.Params.InputResponses) == 0 {
			if c.Elicitation != nil {
				requests["user_name"] = ask("name", "string")
			}
			if c.Sampling != nil {
				requests["greeting"] = greetingRequest()
			}
			if c.RootsV2 != nil {
				requests["client_roots"] = &sdk.ListRootsParams{}
			}
		}
		if len(requests) == 0 {
			return said("nothing to ask"), nil
		}
		return asking("", requests), nil
	},
}

func addSuiteResources(s *sdk.Server) {
	add := func(uri, mime, text string, blob []byte) {
		s.AddResource(&sdk.Resource{Name: uri, URI: uri, MIMEType: mime}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mime, Text: text, Blob: blob}}}, nil
		})
	}
	add("test://static-text", "text/plain", "static", nil)
	add("test://static-binary", "image/png", "", picture())
	add(watched, "text/plain", "watched", nil)
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "template", URITemplate: "test://template/{id}/data", MIMEType: "application/json"},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
				URI: r.Params.URI, MIMEType: "application/json", Text: string(encode(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})),
			}}}, nil
		})
}

func promptOf(content ...sdk.Content) *sdk.GetPromptResult {
	out := &sdk.GetPromptResult{}
	for _, c := range content {
		out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
	}
	return out
}

func plainPrompt(text string) sdk.PromptHandler {
	return func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return promptOf(&sdk.TextContent{Text: text}), nil
	}
}

func addSuitePrompts(s *sdk.Server) {
	needed := func(names ...string) (out []*sdk.PromptArgument) {
		for _, n := range names {
			out = append(out, &sdk.PromptArgument{Name: n, Required: true})
		}
		return out
	}
	s.AddPrompt(&sdk.Prompt{Name: "test_simple_prompt", Description: "For the conformance suite."}, plainPrompt("This is a simple prompt for testing."))
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_arguments", Description: "For the conformance suite.", Arguments: needed("arg1", "arg2")}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return promptOf(&sdk.TextContent{Text: fmt.Sprintf("arg1='%s', arg2='%s'", r.Params.Arguments["arg1"], r.Params.Arguments["arg2"])}), nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "For the conformance suite.", Arguments: needed("resourceUri")}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return promptOf(embedded(r.Params.Arguments["resourceUri"]), &sdk.TextContent{Text: "See above."}), nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_image", Description: "For the conformance suite."}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return promptOf(&sdk.ImageContent{Data: picture(), MIMEType: "image/png"}, &sdk.TextContent{Text: "See above."}), nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "For the conformance suite."}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if c := accepted(r.Params.InputResponses, "user_context"); c != nil {
			return promptOf(&sdk.TextContent{Text: fmt.Sprint("Context: ", c["context"])}), nil
		}
		return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": ask("context", "string")}}, nil
	})
}

// flip is a desktop whose tool list changes with every call.
func flip() (*fakeBridge, func()) {
	f := oneEditor()
	calls := int64(0)
	return f, func() {
		calls++
		f.publish(editor(100+calls, with(hostabi.Action{Name: fmt.Sprintf("more_%d", calls), Title: "More"})))
	}
}
