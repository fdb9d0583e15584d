package bridge

import (
	"encoding/json"

	"oriel.dev/oriel/hostabi"
)

// Request asks for one act.
type Request struct {
	Client string // who asks, for the audit log
	Window string // window id
	Action string // action name without the window's prefix
	Args   json.RawMessage
	// ExpectedVersion refuses the act if the window's version differs when it
	// is carried out; nil does not compare.
	ExpectedVersion *int64
}

// Result is what an act that was carried out did.
type Result struct {
	Message         string
	OpenedWindowIDs []string
	// Effect says what was seen of the act; Version is the window's version
	// afterwards (of its last view, if it closed) and Changed the ids of the
	// blocks that differ.
	Effect  hostabi.Effect
	Version int64
	Changed []string
	// Value is the action's own result, a JSON object, or nil.
	Value json.RawMessage
}
