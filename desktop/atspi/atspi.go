// Package atspi reads and drives applications over the accessibility bus of a
// Linux desktop (AT-SPI 2 on D-Bus).
//
// A [Bus] is one connection. It lists applications and their top-level
// elements, reads a window as a pruned flat tree with the strategy that suits
// its toolkit, carries out deeds, and reports events in the order in which the
// bus delivered them.
//
// # Order
//
// [Config.Event] runs in the goroutine that reads the bus, before any later
// message is looked at. So when [Bus.Ping] returns, every event that the
// application sent before it answered has been reported: a ping is a barrier.
//
// # Coordinates
//
// Bounds are what the toolkit reports; the package joins nothing with the
// window system. GTK3, Qt5, Chromium and LibreOffice report screen pixels. GTK4
// reports pixels relative to the surface that an element is drawn on; the
// origin is the top-left corner of the window's content, without the shadow
// that client-side decorations add. See [Space].
//
// A Bus may be used by several goroutines at once.
package atspi

import (
	"time"

	"oriel.dev/oriel/tree"
)

// Config says how to open a [Bus].
type Config struct {
	// SessionBus is the address of the session bus; "" means that of the
	// environment (DBUS_SESSION_BUS_ADDRESS).
	SessionBus string
	// Event is told of every event, in order, by the goroutine that reads the
	// bus: it must return at once and must not call the Bus. nil hears nothing.
	Event  func(Event)
	Limits Limits
}

// Limits bound one reading. The zero value of each field means its default.
type Limits struct {
	Nodes    int           // most nodes of one reading; 4,000
	Children int           // most children of one list or table that are read; 200
	Text     int           // most characters of one element's text; 4,000
	Deadline time.Duration // longest time for one reading; 1.5 s
	InFlight int           // calls to one application that await their answer; 16
}

func (l Limits) withDefaults() Limits {
	def := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&l.Nodes, 4000)
	def(&l.Children, 200)
	def(&l.Text, 4000)
	def(&l.InFlight, 16)
	if l.Deadline <= 0 {
		l.Deadline = 1500 * time.Millisecond
	}
	return l
}

// App is one application on the bus.
type App struct {
	Bus     string // its unique name, never used twice while the bus lives
	PID     int    // 0 if unknown
	Name    string // as it calls itself
	Toolkit string // as in [tree.Window]: "gtk3", "gtk4", "qt5", "chromium", "libreoffice", else the toolkit's own word in lower case
	// ToolkitVersion is what the toolkit says of itself, such as "3.24.38".
	ToolkitVersion string
}

// Space says how the bounds of an application's nodes are to be read.
type Space uint8

// The spaces.
const (
	// ScreenSpace bounds are screen pixels.
	ScreenSpace Space = iota
	// SurfaceSpace bounds are relative to the content of the surface that the
	// node lies on: the window, or the popup that its Surface names.
	SurfaceSpace
)

// Space tells the space of the application's bounds.
func (a App) Space() Space {
	if a.Toolkit == toolkitGTK4 {
		return SurfaceSpace
	}
	return ScreenSpace
}

// TopLevel is one child of an application: a window, a dialog, or a popup that
// the toolkit does not hang under the window that opened it.
type TopLevel struct {
	Path   string // the object path; for [Bus.Read]
	ID     tree.NodeID
	Name   string
	Role   tree.Role
	States tree.States // [tree.StateModal], [tree.StateActive] and [tree.StateShowing] among them
	// Bounds are in the application's [Space], if HasBounds.
	Bounds    tree.Rect
	HasBounds bool
	// Popup is set for a menu, a tooltip or a combo box's list that is a
	// top-level of its own. It is read together with its window, by
	// [ReadOptions.Popups].
	Popup bool
}

// ReadOptions says what one reading takes in.
type ReadOptions struct {
	// Popups are the paths of the top-levels of the same application that belong to the
	// window. Each becomes a child of node 0 with a surface of its own.
	Popups []string
	// Deadline and Nodes override those of [Limits] if they are not zero.
	Deadline time.Duration
	Nodes    int
}

// Reading is what was read of one window.
type Reading struct {
	// Nodes are in pre-order with Parent and Subtree set; Nodes[0] is the
	// top-level's own node.
	Nodes []tree.Node
	// Popups are the open popups. Popups[i] holds the nodes with Surface i+1.
	Popups []Popup
	// Partial is set when not all could be read; Why says so for a person.
	Partial bool
	Why     string
	// Calls is how many calls were made to the application.
	Calls int
}

// Popup is one open popup of a reading.
type Popup struct {
	Node int // index in Reading.Nodes of the node that begins it
	// Bounds cover its nodes, in the application's [Space]; empty if unknown.
	// Within SurfaceSpace they begin at 0,0 and have the size of the popup's own
	// surface, and the nodes' bounds are relative to that surface.
	Bounds tree.Rect
	// TopLevel is the path of the top-level if the popup is one of its own.
	TopLevel string
}
