// Package hostabi is the contract between the host and an adapter, version
// oriel/1: the manifest, the capabilities and their functions, the view that an
// adapter makes of an observation, its actions, and the errors of either side.
//
// It is compiled into every adapter, so it is small: no reflection, no
// encoding/json. Views and calls are written by an append encoder and read by
// [Parse].
//
// # Calling convention
//
// An adapter is a WebAssembly reactor. It exports its memory and
//
//	oriel_alloc(size i32) -> ptr i32
//	oriel_translate(ptr i32, len i32) -> i64
//	oriel_invoke(ptr i32, len i32) -> i64
//
// The host asks for a buffer with oriel_alloc, writes the input, and calls. The
// result is ptr<<32 | len of the output, which stays valid until the next call.
// The input of translate is an encoded observation (package tree); its output
// is a JSON [View], or an object with a [Fault] as its only member "fault". The
// input of invoke is a [Call] (see [AppendCall]); its output is a JSON [Outcome].
// A returned length of zero is a fault of the adapter. oriel_invoke may be
// missing, which means no actions. An export _initialize is called once, first.
//
// A host function takes a JSON request and returns the length of its reply,
// which the adapter then takes with oriel:host take:
//
//	<module> <function>(ptr i32, len i32) -> i32
//	oriel:host take(ptr i32, cap i32)
//
// The first byte of a reply is 0 for success, followed by the reply proper, or
// 1, followed by a JSON [Fault]. The host never calls into an adapter from
// within a host function.
package hostabi

// ABI is the version of the contract that this package speaks, as a manifest
// declares it.
const ABI = "oriel/1"

// ABIExtism is the version of the same contract for modules that are made with an
// Extism PDK: the same inputs, outputs, requests and replies, but all of them in
// Extism's memory. Such a module exports
//
//	oriel_translate() -> i32
//	oriel_invoke() -> i32
//
// It reads its input and sets its output with its PDK and returns 0; anything
// else is a fault of the adapter. A host function takes the offset of the block
// that holds the request and returns that of the reply's, which the adapter
// frees:
//
//	<module> <function>(offset i64) -> i64
const ABIExtism = "extism/1"

// ManifestSection is the name of the custom section that holds the manifest as
// JSON.
const ManifestSection = "oriel.manifest"

// Code says why an adapter or the host refused. It is a closed set that crosses
// the wire as text and is never reordered; the bridge maps it to the protocol's
// codes.
type Code string

// The codes.
const (
	CodeInvalid     Code = "invalid_argument" // Fields says which and why
	CodeUnavailable Code = "not_available"    // the action cannot be done now
	CodeGone        Code = "gone"             // the element or window is no longer there
	CodeTimeout     Code = "timeout"          // the application did not answer; nothing was done
	CodeDenied      Code = "denied"           // a capability was not granted, or the host forbids the deed
	CodeUnsupported Code = "unsupported"      // this desktop or application cannot do it
	CodeNoFocus     Code = "no_focus"         // the window did not have the focus; nothing was sent
	CodeCovered     Code = "covered"          // another window covers the point; nothing was sent
	CodeInternal    Code = "internal"         // a fault of the adapter or the host
)

// Fault is a refusal. It is an error on both sides.
type Fault struct {
	Code    Code
	Message string // for a person, ends in what to do
	// Capability is set with CodeDenied: what was missing.
	Capability Capability
	// Fields is set with CodeInvalid.
	Fields []FieldFault
}

// FieldFault says what is wrong with one argument.
type FieldFault struct{ Field, Error string }

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// View is what an adapter makes of one observation. Everything in it is text
// for an agent to read; the host validates it, masks it and gives ids to keys.
type View struct {
	Title   string
	Summary string // one sentence: what the window shows now
	Blocks  []Block
	Actions []Action
	// AppActions are actions of the application rather than of this window.
	AppActions []Action
}

// BlockType is one of the protocol's seven.
type BlockType string

// The block types.
const (
	Text   BlockType = "text"
	Fields BlockType = "fields"
	Table  BlockType = "table"
	List   BlockType = "list"
	Notice BlockType = "notice"
	Media  BlockType = "media"
	Custom BlockType = "custom"
)

// Block is one semantic piece of a window's content. Type says which of the
// other fields are used; the rest must be empty.
type Block struct {
	// Key names the block within its window for as long as it means the same
	// thing. The host maps keys to block ids that are never reused.
	Key       string
	Type      BlockType
	Sensitive bool

	Text     string   // text, notice
	Severity Severity // notice

	Items []Field // fields

	Columns []string   // table
	Rows    [][]Scalar // table; each as long as Columns

	List    []Scalar // list
	Ordered bool     // list

	// Truncated is set when rows or items were left out: Total is then how many
	// there are (or are known), Offset the number of the first included one.
	Truncated bool
	Offset    int64
	Total     int64

	Region Region // media: a part of the window that the host takes the picture of
	Alt    string // media

	Payload string // custom: JSON text
}

// Field is one labelled value of a fields block.
type Field struct {
	Label     string
	Value     Scalar
	Sensitive bool
}

// Region is a rectangle in pixels relative to the window.
type Region struct{ X, Y, W, H int32 }

// Scalar is nil, a string, a bool, an int64 or a float64.
type Scalar any

// Severity is the tone of a notice.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warn    Severity = "warn"
	Error   Severity = "error"
	Success Severity = "success"
)

// Action is one thing that an agent can do to a window through its adapter.
type Action struct {
	// Name is at most 24 characters of [a-z0-9_]; the tool is {winId}__{name}.
	Name        string
	Title       string
	Description string
	// Input is the JSON schema of the arguments, an object schema; "" means no
	// arguments. Output is the schema of Outcome.Result; "" means none.
	Input  string
	Output string
	// The annotations of MCP. ReadOnly actions take no expectedVersion.
	ReadOnly, Destructive, Idempotent, OpenWorld bool
	// Unavailable hides the action and says why; "" means available.
	Unavailable string
	// Patience is how many milliseconds the host waits for a first effect
	// before it calls the effect unconfirmed; 0 means the host's default.
	Patience int64
}

// Call is the input of invoke.
type Call struct {
	Action string
	Args   string // JSON object, valid by Action.Input
	// Observation is the fresh observation that the action was checked against.
	Observation []byte
}

// Effect says what is known of what an action did.
type Effect string

// The effects.
const (
	Confirmed   Effect = "confirmed"   // seen in the state
	Unchanged   Effect = "unchanged"   // the state was so before
	Unconfirmed Effect = "unconfirmed" // sent, and nothing was seen of it
)

// Outcome is the output of invoke: either a Fault or what was done.
type Outcome struct {
	Fault   *Fault
	Message string
	Result  string // JSON object by Action.Output, "" for none
	// Effect is what the adapter knows by reading back, or "" to let the host
	// find out by looking.
	Effect Effect
}
