package bridge

import (
	"oriel.dev/oriel/hostabi"
)

// Snapshot is the whole state that clients read, at one moment. It is immutable
// and made only from observations; a newer one replaces it whole.
type Snapshot struct {
	// Seq rises by one with every published snapshot.
	Seq uint64
	// Operable are the ids of the windows that take input now, in the order of
	// Windows: the single verdict on operability.
	Operable []string
	// Windows are sorted by age, oldest first.
	Windows []*Window
	// Apps are the applications of the windows, in the order of their oldest one.
	Apps []*App
	// Notice says why there are no windows, when the desktop itself is gone;
	// else "".
	Notice string

	byID map[string]*Window
	text []byte // app://windows, encoded once
}

// Window is one window of a snapshot. It is immutable and shared between
// snapshots for as long as it does not change.
type Window struct {
	ID    string // name-safe, never reused: "w12"
	App   string // handle of the application: "mousepad"
	Title string
	Modal bool
	// OwnerID is the window that this modal hangs under, or "".
	OwnerID string
	// Version rises strictly with every change of Blocks or Summary, and only
	// then.
	Version int64
	Summary string
	Blocks  []Block
	// Operable repeats the verdict of the snapshot. BlockedBy is the window
	// that takes the input instead, where there is one.
	Operable  bool
	BlockedBy string
	// Actions are what the adapter offers, unavailable ones included.
	Actions []Action
	// AppActions are those that the adapter offers for the whole application,
	// unavailable ones included. Their Tool is empty; see App.
	AppActions []Action
	// Adapter is the id and version of the adapter that made the view.
	Adapter string

	whole *Window // that this is a part of; see Snapshot.Within
	text  []byte  // the window in app://windows, encoded once; nil in tests
}

// Block is a block with its id.
type Block struct {
	ID string
	hostabi.Block
	// MimeType and URL are set on media: a small data: URL.
	MimeType, URL string
}

// Action is one action of a window.
type Action struct {
	hostabi.Action
	// Tool is the name of the tool: {winId}__{action}, or {app}__{action}.
	Tool string
	// InputSchema and OutputSchema are complete JSON schemas of the tool:
	// Action.Input with expectedVersion added to a window's writing actions, and
	// Action.Output within the common result, admitting the error object.
	InputSchema, OutputSchema []byte
}

// Window returns the window with the id, or nil.
func (s *Snapshot) Window(id string) *Window { return s.byID[id] }

// JSON returns the text of app://windows. The caller must not change it.
func (s *Snapshot) JSON() []byte { return s.text }
