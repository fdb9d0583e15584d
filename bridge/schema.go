package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"oriel.dev/oriel/hostabi"
)

// newAction completes an adapter's action to a tool of window id.
func newAction(id string, a hostabi.Action) (Action, error) {
	in, err := inputSchema(a)
	if err != nil {
		return Action{}, err
	}
	out, err := outputSchema(a)
	if err != nil {
		return Action{}, err
	}
	return Action{Action: a, Tool: id + "__" + a.Name, InputSchema: in, OutputSchema: out}, nil
}

// inputSchema is the adapter's schema with expectedVersion added to writing
// actions.
func inputSchema(a hostabi.Action) ([]byte, error) {
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
	if !a.ReadOnly {
		properties["expectedVersion"] = map[string]any{
			"type": "integer", "description": "the window's version that this is based on; refused as stale_state if it differs",
		}
	}
	schema["properties"] = properties
	return json.Marshal(schema)
}

// outputSchema is the common result with the adapter's own fields in result. It
// admits the error object too, since strict clients validate that as well.
func outputSchema(a hostabi.Action) ([]byte, error) {
	properties := map[string]any{
		"effect":  map[string]any{"type": "string", "enum": []string{"confirmed", "unchanged", "unconfirmed"}},
		"version": map[string]any{"type": "integer"},
		"changed": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	}
	result := map[string]any{"type": "object"}
	required := []string{"effect", "version", "changed"}
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
	return json.Marshal(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"message":         map[string]any{"type": "string"},
			"openedWindowIds": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			"result":          result,
			"code": map[string]any{"type": "string", "enum": []Code{
				StaleState, ValidationFailed, BlockedByModal, WindowNotFound, ActionNotAvailable, ActionTimeout,
			}},
			"reason":         map[string]any{"type": "string"},
			"currentVersion": map[string]any{"type": "integer"},
			"fields": map[string]any{"type": "array", "items": map[string]any{
				"type": "object", "properties": map[string]any{
					"field": map[string]any{"type": "string"}, "error": map[string]any{"type": "string"},
				}, "required": []string{"field", "error"},
			}},
		},
		"anyOf": []any{map[string]any{"required": []string{"result"}}, map[string]any{"required": []string{"code", "message"}}},
	})
}
