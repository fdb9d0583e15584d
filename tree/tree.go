// Package tree holds the words for an accessibility tree and its flat encoding.
//
// The host fills a [Tree] from the accessibility bus, encodes it once with
// [Append] and hands the bytes to an adapter, which reads them in place with a
// [Reader]. Recordings use the same bytes. The package imports nothing of the
// project, so host, guests and recordings share it.
//
// Roles, states and relations carry the names of AT-SPI 2 in lower case with
// hyphens; numbers are ours and, once released, never reordered.
package tree

// Rect is a rectangle in pixels. The origin is the top-left corner of the
// surface that the owner of the Rect names: a node's Bounds are relative to
// its [Node.Surface], a window's Bounds are in screen coordinates.
type Rect struct {
	X, Y, W, H int32
}

// Empty reports whether r covers no pixel.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the pixel x,y lies in r.
func (r Rect) Contains(x, y int32) bool {
	return x >= r.X && y >= r.Y && int64(x) < int64(r.X)+int64(r.W) && int64(y) < int64(r.Y)+int64(r.H)
}

// Center returns the pixel in the middle of r.
func (r Rect) Center() (x, y int32) { return r.X + r.W/2, r.Y + r.H/2 }

// Intersect returns the part that r and s share, or the zero Rect.
func (r Rect) Intersect(s Rect) Rect {
	x0, y0 := max(r.X, s.X), max(r.Y, s.Y)
	x1, y1 := min(r.X+r.W, s.X+s.W), min(r.Y+r.H, s.Y+s.H)
	if x1 <= x0 || y1 <= y0 {
		return Rect{}
	}
	return Rect{x0, y0, x1 - x0, y1 - y0}
}

// A Tree is one observation of one window: what the window system and the
// accessibility bus said of it in one look.
type Tree struct {
	Window Window
	Frame  Frame
	// Nodes are in pre-order; Nodes[0] is the window's own node, so a Tree
	// without accessibility has no nodes. Parent and Subtree tie them.
	Nodes []Node
	// Partial is set when the application did not answer all of it in time;
	// Why says so in words for a person.
	Partial bool
	Why     string
}

// Window is what the window system and the accessibility bus know of the
// window as a whole.
type Window struct {
	// Handle names the window towards the host for the length of one call. It
	// is opaque and means nothing later.
	Handle uint64
	// Owner is the handle of the window that this one belongs to, or 0.
	Owner uint64
	Title string
	// Class and Instance are WM_CLASS; App is the desktop file's name without
	// ".desktop" where known, else the class in lower case.
	Class, Instance, App string
	// Process is the executable's base name; AppVersion its version if known.
	Process, AppVersion string
	// Toolkit is the accessibility toolkit's name in lower case: "gtk3",
	// "gtk4", "qt5", "chromium", "libreoffice", or "" without accessibility.
	Toolkit string
	// Role is the window's EWMH type: "normal", "dialog", "utility", ….
	Role   string
	Bounds Rect // of the client area, screen pixels
	Modal  bool
	States WindowStates
	// Surfaces are the window's open popups (menus, combo boxes). Surface 0 is
	// the window itself; a node with Surface n lies in Surfaces[n-1].
	Surfaces []Surface
}

// Surface is one popup of a window.
type Surface struct {
	Bounds Rect // screen pixels
}

// WindowStates is a set of facts about a window.
type WindowStates uint32

// The window states.
const (
	WindowActive    WindowStates = 1 << iota // has the input focus by the window manager's word
	WindowMinimized                          // iconified, or on another workspace
	WindowMaximized
	WindowFullscreen
	WindowUrgent // demands attention
)

// Frame names the frozen picture that belongs to an observation, if one was
// taken. Digest is empty without one.
type Frame struct {
	Digest string // hex SHA-256 of the pixels
	W, H   int32
}

// NodeID names an element for as long as the application keeps it. It is
// stable across observations of one window and unique in the application.
type NodeID uint64

// Node is one element of a tree.
type Node struct {
	ID      NodeID
	Parent  int32  // index of the parent in Tree.Nodes, -1 for the root
	Subtree uint32 // number of nodes in this subtree, this one included
	Role    Role
	States  States
	Ifaces  Interfaces
	// Bounds are relative to the surface. They mean something only if
	// HasBounds; an unmapped element has none.
	Bounds    Rect
	HasBounds bool
	Surface   uint32
	Name      string
	// Description is what the toolkit says beyond the name (a tooltip).
	Description string
	// Text is the content of an element with the Text interface, cut to the
	// reader's limit; TextInfo.Length is the whole length in characters.
	Text string
	// Sensitive marks a password or what the toolkit marks alike. The host
	// masks Text before the tree leaves it.
	Sensitive bool

	// ChildrenTotal is how many children the toolkit reports, -1 unknown.
	// ChildrenFirst is the number of the first included child, and
	// ChildrenCount how many are included. End says why it ends there.
	ChildrenTotal int64
	ChildrenFirst int64
	ChildrenCount uint32
	End           End

	Attributes []Attribute
	Actions    []Action
	Relations  []Relation
	Value      *Value
	TextInfo   *TextInfo
	Table      *Table
	Cell       *Cell
}

// End says why the included children of a node end where they do.
type End uint8

// The reasons. EndComplete is the zero value: all children are included.
const (
	EndComplete End = iota
	EndCut          // more exist; the reader's limit was reached
	EndVirtual      // the toolkit makes children on demand and does not say how many there are
	EndTimeout      // the application did not answer in time
	EndDenied       // the application answered with an error
)

// Attribute is one key and value of an element, such as "placeholder-text".
type Attribute struct{ Key, Value string }

// Action is one thing that an element says it can do. Its number is its place
// in Node.Actions.
type Action struct{ Name, Description, KeyBinding string }

// Relation points from an element to another.
type Relation struct {
	Kind   RelationKind
	Target NodeID
}

// RelationKind is a kind of relation, by AT-SPI's names.
type RelationKind uint16

// The relations that adapters get.
const (
	LabelledBy RelationKind = iota + 1
	LabelFor
	DescribedBy
	MemberOf
	ControllerFor
	ControlledBy
	PopupFor
	ErrorMessage
)

// Value is the state of a slider, spin button or progress bar.
type Value struct{ Current, Min, Max, Step float64 }

// TextInfo is what goes with Node.Text. Offsets are in characters; -1 means
// none.
type TextInfo struct {
	Length           int64
	Caret            int32
	SelStart, SelEnd int32
	First            int64 // offset of the first character in Node.Text
}

// Table gives the dimensions of a table; -1 means unknown.
type Table struct{ Rows, Columns int64 }

// Cell places a node in the table that it lies in. The headers are the NodeIDs
// of its header cells, or 0.
type Cell struct {
	Row, Column             uint32
	RowSpan, ColumnSpan     uint32
	RowHeader, ColumnHeader NodeID
}
