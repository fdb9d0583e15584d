package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"oriel.dev/oriel/hostabi"
)

// newActions completes an adapter's actions to tools of window id, or of the
// application if that is "".
func newActions(id string, list []hostabi.Action) ([]Action, error) {
	out := make([]Action, 0, len(list))
	for _, a := range list {
		in, err := inputSchema(a, id != "")
		if err != nil {
			return nil, fmt.Errorf("action %q: %w", a.Name, err)
		}
		result, err := resultSchema(a, id != "")
		if err != nil {
			return nil, fmt.Errorf("action %q: %w", a.Name, err)
		}
		act := Action{Action: a, InputSchema: in, OutputSchema: OutputSchema(result)}
		if id != "" {
			act.Tool = id + "__" + a.Name
		}
		out = append(out, act)
	}
	return out, nil
}

// inputSchema is the adapter's schema with expectedVersion added to a window's
// writing actions.
func inputSchema(a hostabi.Action, ofWindow bool) ([]byte, error) {
	schema := map[string]any{"type": "object"}
	if a.Input != "" {
		if err := json.Unmarshal([]byte(a.Input), &schema); err != nil {
			return nil, fmt.Errorf("reading the input schema: %w", err)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	properties = maps.Clone(properties)
	if properties == nil {
		properties = map[string]any{}
	}
	if ofWindow && !a.ReadOnly {
		properties["expectedVersion"] = map[string]any{
			"type": "integer", "description": "the window's version that this is based on; refused as stale_state if it differs",
		}
	}
	schema["properties"] = properties
	return json.Marshal(schema)
}

// resultSchema is what the host answers of every act, of a window's with its
// version and what changed in it, with the adapter's own fields.
func resultSchema(a hostabi.Action, ofWindow bool) ([]byte, error) {
	properties := map[string]any{
		"effect": map[string]any{"type": "string", "enum": []hostabi.Effect{hostabi.Confirmed, hostabi.Unchanged, hostabi.Unconfirmed}},
	}
	required := []string{"effect"}
	if ofWindow {
		properties["version"] = map[string]any{"type": "integer"}
		properties["changed"] = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
		required = append(required, "version", "changed")
	}
	result := map[string]any{"type": "object"}
	if a.Output != "" {
		if err := json.Unmarshal([]byte(a.Output), &result); err != nil {
			return nil, fmt.Errorf("reading the output schema: %w", err)
		}
		own, _ := result["properties"].(map[string]any)
		for name, schema := range own {
			if _, ours := properties[name]; !ours {
				properties[name] = schema
			}
		}
		if more, ok := result["required"].([]any); ok {
			for _, r := range more {
				if s, ok := r.(string); ok && !slices.Contains(required, s) {
					required = append(required, s)
				}
			}
		}
	}
	result["properties"], result["required"] = properties, required
	return json.Marshal(result)
}

// OutputSchema is the schema of every tool's answer, of which the result has the
// given one. It admits the error object too, since strict clients validate that
// as well.
func OutputSchema(result []byte) []byte {
	text := map[string]any{"type": "string"}
	return appendJSON(nil, map[string]any{
		"type": "object",
		"properties": map[string]any{
			"message":         text,
			"openedWindowIds": map[string]any{"type": "array", "items": text},
			"result":          json.RawMessage(result),
			"code": map[string]any{"type": "string", "enum": []Code{
				StaleState, ValidationFailed, BlockedByModal, WindowNotFound, ActionNotAvailable, ActionTimeout,
			}},
			"reason":         text,
			"currentVersion": map[string]any{"type": "integer"},
			"fields": map[string]any{"type": "array", "items": map[string]any{
				"type": "object", "properties": map[string]any{"field": text, "error": text}, "required": []string{"field", "error"},
			}},
		},
		"anyOf": []any{map[string]any{"required": []string{"result"}}, map[string]any{"required": []string{"code", "message"}}},
	})
}
