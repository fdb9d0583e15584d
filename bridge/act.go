package bridge

import (
	"encoding/json"

	"oriel.dev/oriel/hostabi"
)

// Request asks for one act.
type Request struct {
	Client string // who asks, for the audit log
	// Window is the id of the window to act on; or App is the handle of an
	// application, for an action of its own.
	Window, App string
	Action      string // the action's name without prefix
	Args        json.RawMessage
	// ExpectedVersion refuses the act if the window's version differs when it
	// is carried out; nil does not compare.
	ExpectedVersion *int64
}

// Result is what an act that was carried out did.
type Result struct {
	// App is the application's handle, if the act was one of its own.
	App             string
	Message         string
	OpenedWindowIDs []string
	// Effect says what was seen of the act; Version is the window's version
	// afterwards (of its last view, if it closed) and Changed the ids of the
	// blocks that differ. An application's act has neither of the two.
	Effect  hostabi.Effect
	Version int64
	Changed []string
	// Value is the action's own result, a JSON object, or nil.
	Value json.RawMessage
}
