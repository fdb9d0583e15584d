package mcp

import "encoding/json"

// The schemas of the fixed tools. Every output schema admits the error object as
// well as the success: strict clients validate the one like the other.
var (
	readInput = json.RawMessage(`{
  "type": "object",
  "properties": {
    "window": {"type": "string", "description": "the id of one window; leave out for all"},
    "since": {"type": "string", "description": "the state that an earlier read with the same window answered; if nothing changed, only unchanged is answered"}
  },
  "additionalProperties": false
}`)

	readOutput = outputSchema(`{
  "type": "object",
  "properties": {
    "state": {"type": "string", "description": "pass it as since next time"},
    "unchanged": {"type": "boolean"},
    "operableWindowIds": {"type": "array", "items": {"type": "string"}},
    "windows": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "id": {"type": "string"}, "app": {"type": "string"}, "title": {"type": "string"}, "modal": {"type": "boolean"},
        "ownerId": {"type": ["string", "null"]}, "version": {"type": "integer"}, "summary": {"type": "string"},
        "blocks": {"type": "array", "items": {"type": "object"}},
        "operable": {"type": "boolean"}, "blockedBy": {"type": "string"},
        "actions": {"type": "array", "items": {"type": "object"}}
      },
      "required": ["id", "title", "modal", "ownerId", "version", "blocks", "operable", "actions"]
    }}
  },
  "required": ["state", "unchanged"]
}`)

	actInput = json.RawMessage(`{
  "type": "object",
  "properties": {
    "winId": {"type": "string", "description": "the window's id"},
    "action": {"type": "string", "description": "the name of one of the window's actions"},
    "args": {"type": "object", "description": "the arguments, by the action's schema"},
    "expectedVersion": {"type": "integer", "description": "the window's version that this is based on; refused as stale_state if it differs"}
  },
  "required": ["winId", "action"],
  "additionalProperties": false
}`)

	actOutput = outputSchema(`{
  "type": "object",
  "properties": {
    "effect": {"type": "string", "enum": ["confirmed", "unchanged", "unconfirmed"]},
    "version": {"type": "integer"},
    "changed": {"type": "array", "items": {"type": "string"}}
  },
  "required": ["effect", "version", "changed"]
}`)
)

// outputSchema is the schema of an answer whose result has the given one.
func outputSchema(result string) json.RawMessage {
	return json.RawMessage(`{
  "type": "object",
  "properties": {
    "message": {"type": "string"},
    "openedWindowIds": {"type": "array", "items": {"type": "string"}},
    "result": ` + result + `,
    "code": {"type": "string", "enum": ["stale_state", "validation_failed", "blocked_by_modal", "window_not_found", "action_not_available", "action_timeout"]},
    "reason": {"type": "string"},
    "currentVersion": {"type": "integer"},
    "fields": {"type": "array", "items": {
      "type": "object",
      "properties": {"field": {"type": "string"}, "error": {"type": "string"}},
      "required": ["field", "error"]
    }}
  },
  "anyOf": [{"required": ["result"]}, {"required": ["code", "message"]}]
}`)
}
