package hostabi

import (
	"encoding/binary"
	"errors"

	"oriel.dev/oriel/tree"
)

// The host functions take and return what follows. A request is a JSON object,
// whose members are listed with each type; members with their zero value may be
// left out, unknown ones are refused. A reply is what the function's comment
// says; "nothing" is a reply proper of length zero.
//
//	function                request           reply
//	oriel:tree observe      {}                an encoded tree: a fresh look at the window
//	oriel:tree children     ChildrenRequest   an encoded tree: node 0 is the node asked about
//	oriel:tree cells        CellsRequest      an encoded tree: node 0 is the table, the cells are its children
//	oriel:tree text         TextRequest       the characters as UTF-8
//	oriel:a11y action       ActionRequest     nothing
//	oriel:a11y set_text     SetTextRequest    nothing
//	oriel:a11y set_value    SetValueRequest   nothing
//	oriel:a11y select       SelectRequest     nothing
//	oriel:a11y select_text  SelectTextRequest nothing
//	oriel:a11y focus        NodeRequest       nothing
//	oriel:a11y scroll_to    NodeRequest       nothing
//	oriel:window close      {}                nothing
//	oriel:window activate   {}                nothing
//	oriel:input move        MoveRequest       nothing
//	oriel:input click       ClickRequest      nothing
//	oriel:input drag        DragRequest       nothing
//	oriel:input scroll      ScrollRequest     nothing
//	oriel:input keys        KeysRequest       nothing
//	oriel:input text        TypeRequest       nothing
//	oriel:capture window    CaptureRequest    Image
//	oriel:capture find      FindRequest       FindReply
//	oriel:ocr text          OCRRequest        OCRReply
//	oriel:clipboard types   {}                TypesReply
//	oriel:clipboard read    ClipRequest       the content as it is
//	oriel:clipboard write   ClipWriteRequest  nothing
//	oriel:kv get            KVRequest         the value as it is; a Fault with CodeGone if there is none
//	oriel:kv set            KVSetRequest      nothing
//	oriel:kv delete         KVRequest         nothing, also if there was none
//	oriel:wait change       WaitRequest       WaitReply
//	oriel:log write         LogRequest        nothing
//
// All of them concern the window of the call and its popups. Points and regions
// are pixels relative to the window's client area. Every function may answer
// CodeDenied (not granted, or outside what was granted), CodeGone (the window
// or the element is no longer there), CodeTimeout (the application did not
// answer) and CodeUnsupported (not on this desktop, or not by this element).
// Acting functions return when the application has taken the request; what it
// made of it is seen by observing again.

// Node ids travel as strings of decimal digits ("id": "18446744073709551615").

// ChildrenRequest asks for N children of a node from the one numbered Offset
// on, with what lies below them. N is at most 1,000.
type ChildrenRequest struct {
	ID     tree.NodeID // id
	Offset int64       // offset
	N      int         // n
}

// CellsRequest asks for a block of a table's cells, at most 10,000.
type CellsRequest struct {
	ID            tree.NodeID // id
	Row, Column   int64       // row, column
	Rows, Columns int         // rows, columns
}

// TextRequest asks for N characters of a node's text from the one numbered
// From on. What is sensitive comes masked.
type TextRequest struct {
	ID   tree.NodeID // id
	From int64       // from
	N    int         // n
}

// NodeRequest names the node that is to get the focus or to be scrolled into
// view.
type NodeRequest struct {
	ID tree.NodeID // id
}

// ActionRequest has a node carry out one of its actions.
type ActionRequest struct {
	ID     tree.NodeID // id
	Number int         // number: its place among the node's actions
}

// SetTextRequest puts text into an editable element: in place of all that is in
// it, or with Insert before the character numbered At.
type SetTextRequest struct {
	ID     tree.NodeID // id
	Text   string      // text
	Insert bool        // insert
	At     int64       // at
}

// SetValueRequest sets a slider or spin button.
type SetValueRequest struct {
	ID    tree.NodeID // id
	Value float64     // value
}

// SelectRequest selects a child of a container, or takes it from the selection.
type SelectRequest struct {
	ID       tree.NodeID // id: the container
	Child    int64       // child: its number among all children
	Deselect bool        // deselect
}

// SelectTextRequest selects the characters from Start up to, not including,
// End. If they are equal it places the caret.
type SelectTextRequest struct {
	ID         tree.NodeID // id
	Start, End int64       // start, end
}

// MoveRequest moves the pointer.
type MoveRequest struct {
	X, Y int32 // x, y
}

// ClickRequest clicks at a point. The host refuses with CodeCovered where
// another window lies over it.
type ClickRequest struct {
	X, Y      int32    // x, y
	Button    string   // button: "left" (also if empty), "middle", "right"
	Count     int      // count: 1 (also if 0) to 3
	Modifiers []string // modifiers: of "shift", "ctrl", "alt", "super"
}

// DragRequest drags from one point to another.
type DragRequest struct {
	X, Y      int32    // x, y
	ToX, ToY  int32    // to_x, to_y
	Button    string   // button, as for a click
	Modifiers []string // modifiers, as for a click
}

// ScrollRequest turns the wheel at a point. DX and DY are notches to the right
// and downwards.
type ScrollRequest struct {
	X, Y   int32 // x, y
	DX, DY int   // dx, dy
}

// KeysRequest presses chords one after the other, such as "ctrl+shift+s",
// "Return", "F10". The host refuses with CodeNoFocus if the keyboard focus is
// not the window's.
type KeysRequest struct {
	Chords []string // chords
}

// TypeRequest types text into what has the focus.
type TypeRequest struct {
	Text string // text
}

// CaptureRequest asks for a region's pixels; nil is the whole window. In
// translate they are those of the observation's frame.
type CaptureRequest struct {
	Region *Region // region: {x, y, w, h}
}

// FindRequest asks where a picture appears in the window.
type FindRequest struct {
	PNG       []byte  // png, in base64
	Region    *Region // region: where to look; nil is everywhere
	Threshold float64 // threshold: least likeness from 0 to 1; 0.9 if zero
}

// FindReply lists where it appears, the most alike first.
type FindReply struct {
	Matches []FoundMatch // matches
}

// FoundMatch is one place.
type FoundMatch struct {
	X, Y, W, H int32   // x, y, w, h
	Score      float64 // score: likeness from 0 to 1
}

// OCRRequest asks for the text that is seen in a region, as CaptureRequest.
type OCRRequest struct {
	Region *Region // region
}

// OCRReply lists the words that were seen, in reading order.
type OCRReply struct {
	Words []Word // words
}

// Word is one word that was seen.
type Word struct {
	Text       string  // text
	X, Y, W, H int32   // x, y, w, h
	Line       int     // line: words of one line share it
	Confidence float64 // confidence: from 0 to 1
}

// TypesReply lists the types that the clipboard's content comes in.
type TypesReply struct {
	Types []string // types
}

// ClipRequest asks for the clipboard's content in one type.
type ClipRequest struct {
	Type string // type: "text/plain;charset=utf-8"
}

// ClipWriteRequest replaces the clipboard's content.
type ClipWriteRequest struct {
	Type string // type
	Data []byte // data, in base64
}

// KVRequest names a value that the adapter keeps with the host.
type KVRequest struct {
	Key string // key
}

// KVSetRequest keeps a value.
type KVSetRequest struct {
	Key  string // key
	Data []byte // data, in base64
}

// WaitRequest waits until the window differs from the last observation that
// this call was given: its input, or what observe returned since. A change in
// between is therefore never missed.
type WaitRequest struct {
	TimeoutMS int64 // timeout_ms
}

// WaitReply says whether it did before the time was over, and how long it took.
// An adapter has no clock of its own.
type WaitReply struct {
	Changed  bool  // changed
	WaitedMS int64 // waited_ms
}

// LogRequest writes a line to the host's log.
type LogRequest struct {
	Level string // level: "debug", "info", "warn", "error"
	Text  string // text
}

// Image is a picture: its size in pixels, and four bytes a pixel (red, green,
// blue, 255) by rows without padding. On the wire the width and the height as
// u32, little endian, come first.
type Image struct {
	W, H int32
	RGBA []byte
}

// AppendImage appends the image.
func AppendImage(dst []byte, i *Image) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(i.W))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(i.H))
	return append(dst, i.RGBA...)
}

// ParseImage reads an image; the pixels share b's memory.
func ParseImage(b []byte) (Image, error) {
	if len(b) < 8 {
		return Image{}, errors.New("reading image: shorter than its header")
	}
	w, h := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	if w > 1<<15 || h > 1<<15 || uint64(w)*uint64(h)*4 != uint64(len(b)-8) {
		return Image{}, errors.New("reading image: its size does not fit its pixels")
	}
	return Image{int32(w), int32(h), b[8:]}, nil
}

// Message is a request or a reply that travels as a JSON object.
type Message interface{ fields(c *codec) }

// Append appends m as JSON.
func Append(dst []byte, m Message) []byte { return write(dst, m.fields) }

// Read fills m, a pointer to a zero request or reply, from JSON.
func Read(b []byte, m Message) error { return read("request", string(b), m.fields) }
