package bridge

import "fmt"

// Code is one of the six codes of the protocol.
type Code string

// The codes. Causes beyond them travel in Error.Reason.
const (
	StaleState         Code = "stale_state"
	ValidationFailed   Code = "validation_failed"
	BlockedByModal     Code = "blocked_by_modal"
	WindowNotFound     Code = "window_not_found"
	ActionNotAvailable Code = "action_not_available"
	ActionTimeout      Code = "action_timeout"
)

// Error is a refused act. Nothing was done to the desktop.
type Error struct {
	Code    Code
	Message string // for a person or a model; ends in what to do
	// Reason is a finer cause within the code, such as "app_not_answering",
	// "no_focus", "covered", "denied", "adapter_failed"; "" if there is none.
	Reason         string
	CurrentVersion int64        // with StaleState
	Fields         []FieldError // with ValidationFailed
}

// FieldError says what is wrong with one argument.
type FieldError struct {
	Field string `json:"field"`
	Error string `json:"error"`
}

// Error returns code and message.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Code, e.Message) }

// AuditOutcome is what the audit log keeps of the error.
func (e *Error) AuditOutcome() string { return string(e.Code) }
