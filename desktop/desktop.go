// Package desktop holds the words for a desktop and the roles that a backend
// plays: [Windows], [Tree], [Input], [Capture], [Selection], [Watch].
//
// A backend fills the roles it has in a [Desktop]; a nil role means that the
// platform lacks it, and whoever needs it answers [ErrUnsupported]. The suite
// in desktop/desktoptest says what every implementation of a role must do.
//
// All coordinates are physical screen pixels unless a field says otherwise.
// Every method takes a context whose deadline it honours; none may hang on an
// application or an X server that is silent.
package desktop

import (
	"context"
	"errors"
	"image"
	"time"

	"oriel.dev/oriel/tree"
)

// Desktop is one connected desktop. A nil role is unsupported here.
type Desktop struct {
	Windows   Windows
	Tree      Tree
	Input     Input
	Capture   Capture
	Selection Selection
	Watch     Watch
	// Close ends every connection, process and goroutine of the backend. It
	// may be called more than once.
	Close func() error
}

// The closed set of reasons for which a desktop refuses. Backends wrap them
// with what was tried; callers compare with errors.Is.
var (
	ErrUnsupported  = errors.New("not supported on this desktop")
	ErrGone         = errors.New("the window or element is gone")
	ErrNotAnswering = errors.New("the application is not answering")
	ErrNoFocus      = errors.New("the window does not have the keyboard focus")
	ErrCovered      = errors.New("another window covers the point")
	ErrOutside      = errors.New("the point lies outside the window")
	ErrGrabbed      = errors.New("another program has grabbed the input")
	ErrRefused      = errors.New("the application refused")
	ErrDisconnected = errors.New("the connection to the desktop is lost")
)

// WindowID names one map episode of a window: from the moment it is mapped
// until it is withdrawn or destroyed. Iconified and other-workspace windows
// live on. An ID is never used twice in one process, and of two windows the younger
// has the higher one.
type WindowID uint64

// AppID names a running application: the windows of one process share it.
type AppID uint64

// Point is a pixel of the screen.
type Point struct{ X, Y int32 }

// Window is what the window system says of one top-level window.
type Window struct {
	ID  WindowID
	App App
	// Title is _NET_WM_NAME or WM_NAME, unfiltered: never trust it.
	Title           string
	Class, Instance string
	// Role is the EWMH type: "normal", "dialog", "utility", "splash", ….
	Role string
	// Owner is the window that this one is transient for, or 0. Group is set
	// when it is transient for its whole group instead (WM_TRANSIENT_FOR names
	// the root window or the group's leader), or when the toolkit's modals
	// block a window group: Group then names the group, and windows with the
	// same non-zero Group are blocked together.
	Owner WindowID
	Group uint64
	// Modal by the window system or by the accessibility tree, either.
	Modal     bool
	Bounds    tree.Rect // the client area
	Active    bool
	Minimized bool // iconified, or on another workspace: nothing of it can be seen
	States    tree.WindowStates
	// Popups are its open override-redirect windows, topmost first.
	Popups []tree.Rect
	// Hung is set while the application does not answer; everything else is
	// then what was last known.
	Hung bool
	// Accessible is set when the accessibility bus has a tree for the window.
	Accessible bool
}

// App says which program a window belongs to.
type App struct {
	ID  AppID
	PID int // 0 if unknown
	// Name is the desktop file's name where known, else the class in lower
	// case: "mousepad", "org.gnome.calculator".
	Name string
	// Process is the base name of the executable, "" if unknown.
	Process string
	// Toolkit as in [tree.Window].
	Toolkit string
}

// Windows lists and manages top-level windows.
type Windows interface {
	// List returns all windows after a round trip to the window system, so
	// that it holds everything that happened before the call.
	List(ctx context.Context) ([]Window, error)
	// Close asks a window to close itself (WM_DELETE_WINDOW). It does not wait
	// for it to go.
	Close(ctx context.Context, id WindowID) error
	// Activate raises a window, brings its workspace or iconified state back
	// and gives it the focus. It returns once the window system says so.
	Activate(ctx context.Context, id WindowID) error
}

// Generation counts what may have changed a window. It only ever rises.
type Generation uint64

// Observation is one complete look at one window.
type Observation struct {
	Window Window
	// Generation is the window's generation when the look began: what happened
	// during it makes the observation old, never silently stale.
	Generation Generation
	Taken      time.Time
	// Tree is pruned once for every adapter: duplicates, invisible nodes and
	// unnamed layout nodes are gone; a node with an action, a value, editable
	// text or a relation is not. Its bounds are relative to each surface.
	Tree *tree.Tree
}

// Tree reads and drives applications by their accessibility interfaces.
type Tree interface {
	// Observe takes one look. An application that answers in part gives a
	// Tree with Partial set and no error; one that does not answer at all gives
	// ErrNotAnswering. A window without accessibility gives a Tree without
	// nodes.
	Observe(ctx context.Context, id WindowID) (Observation, error)
	// Children reads n children of a node from offset on, with their subtrees
	// cut as in Observe. Node 0 of the result is the node itself.
	Children(ctx context.Context, id WindowID, node tree.NodeID, offset int64, n int) (*tree.Tree, error)
	// Cells reads a block of cells of a table. Each comes as a child of node 0
	// (the table) with its Cell set.
	Cells(ctx context.Context, id WindowID, node tree.NodeID, row, column int64, rows, columns int) (*tree.Tree, error)
	// Text reads n characters of a node's text from offset on. Password text is
	// never returned in clear.
	Text(ctx context.Context, id WindowID, node tree.NodeID, from int64, n int) (string, error)
	// Act does one deed. It returns when the application has taken the request
	// or has had its chance to refuse it, at most 100 ms later: a deed that
	// opens a dialog may not answer before the dialog closes. The effect is
	// seen by looking again.
	Act(ctx context.Context, id WindowID, node tree.NodeID, deed Deed) error
	// Ping tells whether the application answers at all.
	Ping(ctx context.Context, id WindowID) error
}

// DeedKind is one kind of [Deed].
type DeedKind uint8

// The deeds, each by the AT-SPI interface that carries it out.
const (
	DoAction   DeedKind = iota + 1 // Action.DoAction(Number)
	SetText                        // EditableText.SetTextContents(Text)
	InsertText                     // EditableText.InsertText(Number, Text)
	SetValue                       // Value.CurrentValue = Float
	Select                         // Selection.SelectChild(Number) on the container
	Deselect                       // Selection.DeselectChild(Number) on the container
	Focus                          // Component.GrabFocus
	ScrollTo                       // Component.ScrollTo(anywhere)
	SetCaret                       // Text.SetCaretOffset(Number)
	SelectText                     // Text.SetSelection(0, Number, End)
)

// Deed is one act by accessibility on one node.
type Deed struct {
	Kind   DeedKind
	Number int64
	End    int64
	Float  float64
	Text   string
}

// Target says what input is meant for. Within one input section the backend
// proves that the keyboard focus belongs to the window's X client, or that the
// point resolves to the window or its popup, and that no other client holds a
// grab. The zero Target proves nothing but the last: input goes to whatever is
// there.
type Target struct{ Window WindowID }

// Button is a pointer button.
type Button uint8

// The buttons.
const (
	Left Button = iota + 1
	Middle
	Right
)

// Modifiers is a set of keys held during an act.
type Modifiers uint8

// The modifiers.
const (
	Shift Modifiers = 1 << iota
	Control
	Alt
	Super
)

// Chord is a key pressed and released while modifiers are held. Key is an X
// keysym name ("Return", "F4", "a", "eacute") or one character.
type Chord struct {
	Mods Modifiers
	Key  string
}

// Input moves the pointer and presses keys. Each method is one or more input
// sections; after it returns, by whatever way, nothing that it pressed is held.
// An error says that nothing was sent, unless it wraps [ErrInterrupted].
type Input interface {
	Move(ctx context.Context, t Target, p Point) error
	Click(ctx context.Context, t Target, p Point, b Button, count int, mods Modifiers) error
	Drag(ctx context.Context, t Target, from, to Point, b Button, mods Modifiers) error
	// Scroll turns the wheel dx notches right and dy notches down at p.
	Scroll(ctx context.Context, t Target, p Point, dx, dy int, mods Modifiers) error
	Keys(ctx context.Context, t Target, chords []Chord) error
	// Type presses the keys of the current layout that make text. A character
	// that no key makes gives ErrUnsupported before anything is sent.
	Type(ctx context.Context, t Target, text string) error
	Position(ctx context.Context) (Point, error)
}

// ErrInterrupted marks input of which a part had been sent when it was refused.
var ErrInterrupted = errors.New("a part of the input was sent")

// Display is one monitor.
type Display struct {
	Index   int
	Bounds  tree.Rect
	Primary bool
}

// Capture takes pictures.
type Capture interface {
	Displays(ctx context.Context) ([]Display, error)
	// Screen returns the pixels of a part of the screen as a person sees it.
	Screen(ctx context.Context, r tree.Rect) (*image.RGBA, error)
	// Window returns the pixels of a window's client area, covered or not.
	Window(ctx context.Context, id WindowID) (*image.RGBA, error)
}

// Selection is the clipboard.
type Selection interface {
	// Types lists what the present owner offers, as X targets / MIME types.
	Types(ctx context.Context) ([]string, error)
	Read(ctx context.Context, typ string) ([]byte, error)
	// Write takes the clipboard and offers data until another program takes it.
	Write(ctx context.Context, data map[string][]byte) error
	// Paste brings text into the focused element of the target by the clipboard
	// and puts back what was on it before.
	Paste(ctx context.Context, t Target, text string) error
}

// Changes says what may have changed since the last look. It is a hint: "look",
// never what is to be seen.
type Changes struct {
	// List is set when windows may have come, gone, or changed what List tells.
	List bool
	// Windows may have changed inside. Damaged ones only had pixels redrawn.
	Windows []WindowID
	Damaged []WindowID
	// Lost is set when the connection to the desktop ended. It is the last.
	Lost error
}

// Watch tells when to look again.
type Watch interface {
	// Next waits for changes and returns all since the last call. It is for one
	// caller. It returns an error only when ctx ends.
	Next(ctx context.Context) (Changes, error)
	// Barrier makes a round trip to the window system and to the window's
	// application, so that every event they sent before the call has been
	// counted, and returns the window's generation then. If that equals the
	// generation of an observation, the observation is fresh.
	Barrier(ctx context.Context, id WindowID) (Generation, error)
}
