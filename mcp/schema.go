package mcp

import (
	"encoding/json"

	"oriel.dev/oriel/bridge"
)

// The schemas of the fixed tools. Every output schema admits the error object as
// well as the success: strict clients validate the one like the other.
var (
	readInput = json.RawMessage(`{
  "type": "object",
  "properties": {
    "window": {"type": "string", "description": "the id of one window; leave out for all"},
    "since": {"type": ["string", "integer"], "description": "the state that an earlier read with the same arguments answered, or the version of the window; if nothing changed, only unchanged is answered"},
    "after": {"type": "string", "description": "the id at next of the page before: only the windows after it"},
    "limit": {"type": "integer", "minimum": 1, "description": "at most so many windows"}
  },
  "additionalProperties": false
}`)

	readOutput = outputSchema(`{
  "type": "object",
  "properties": {
    "state": {"type": "string", "description": "pass it as since next time"},
    "unchanged": {"type": "boolean"},
    "next": {"type": "string", "description": "there are more windows: read again with after set to this"},
    "operableWindowIds": {"type": "array", "items": {"type": "string"}},
    "apps": {"type": "array", "items": {
      "type": "object",
      "properties": {"app": {"type": "string"}, "actions": {"type": "array", "items": {"type": "object"}}},
      "required": ["app", "actions"]
    }},
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
    "winId": {"type": "string", "description": "the window's id, or the handle of an application for an action of its own"},
    "action": {"type": "string", "description": "the name of one of its actions"},
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
  "required": ["effect"]
}`)

	launchInput = json.RawMessage(`{
  "type": "object",
  "properties": {"app": {"type": "string", "description": "the name of an installed application"}},
  "required": ["app"],
  "additionalProperties": false
}`)

	launchOutput = outputSchema(`{
  "type": "object",
  "properties": {"effect": {"type": "string", "enum": ["confirmed", "unconfirmed"]}},
  "required": ["effect"]
}`)
)

func outputSchema(result string) json.RawMessage { return bridge.OutputSchema([]byte(result)) }
