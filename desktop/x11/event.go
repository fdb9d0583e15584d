package x11

import "oriel.dev/oriel/desktop"

// Kind is what an [Event] is about.
type Kind uint8

// The kinds of events.
const (
	// ListChanged: something that List tells may have changed. Window is the
	// window concerned, or 0 if windows may have come or gone.
	ListChanged Kind = iota + 1
	// Configured: the window moved, was resized, or got other extents; window
	// 0 is the screen.
	Configured
	// PropertyChanged: a property that List does not tell.
	PropertyChanged
	// Damaged: pixels of the window or its popup were drawn. At most one comes
	// in 20 ms for each, but for those that Sync asks for.
	Damaged
	// PopupsChanged: a popup of the window's X client opened, closed or moved.
	// Every window of the client gets one.
	PopupsChanged
	// Focus: the active window changed (Window 0), or the window or something
	// in it gained or lost the keyboard focus.
	Focus
	// Lost: the connection ended. It is delivered once, as the last event.
	Lost
)

var kinds = [...]string{"", "ListChanged", "Configured", "PropertyChanged", "Damaged", "PopupsChanged", "Focus", "Lost"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "?"
}

// Event is a hint that something may have changed.
type Event struct {
	Kind   Kind
	Window desktop.WindowID
}
