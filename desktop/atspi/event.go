package atspi

// Kind is a kind of [Event].
type Kind uint8

// The kinds.
const (
	// Changed is everything that may change what a reading shows and has no
	// kind of its own: names, values, bounds, selections, the caret.
	Changed Kind = iota + 1
	ChildrenChanged
	StateChanged
	TextChanged
	// WindowChanged is a top-level that came, went, or became active.
	WindowChanged
	// Busy is an application or a document that began (On) or ceased to load.
	Busy
	// Focused is an element that got the keyboard focus.
	Focused
	// AppAdded and AppGone name an application by Bus; Path is "".
	AppAdded
	AppGone
	// Lost ends all: the bus is gone. It is the last event and has no Bus.
	Lost
)

// Event is one thing that an application said, or that the bus said of it. It
// is a hint to look again.
type Event struct {
	Kind Kind
	Bus  string // the application's unique name, as in [App]
	Path string // the element's path, "" for those about the application
	// Name is the event's own name and detail: "StateChanged:showing".
	Name string
	// On tells a state that was set from one that was unset.
	On bool
}
