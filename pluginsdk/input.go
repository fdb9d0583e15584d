package pluginsdk

import "oriel.dev/oriel/hostabi"

// The functions of oriel:input send what a person's hands would. Points are
// relative to the window; [tree.Cursor.WindowBounds] gives them.

// Move moves the pointer.
func Move(x, y int32) error { return do(inputMove, &hostabi.MoveRequest{X: x, Y: y}) }

// Click clicks once with the left button.
func Click(x, y int32) error { return ClickWith(hostabi.ClickRequest{X: x, Y: y}) }

// ClickWith clicks with any button, number and modifiers.
func ClickWith(r hostabi.ClickRequest) error { return do(inputClick, &r) }

// Drag drags from one point to another.
func Drag(r hostabi.DragRequest) error { return do(inputDrag, &r) }

// Scroll turns the wheel at a point by notches to the right and downwards.
func Scroll(x, y int32, dx, dy int) error {
	return do(inputScroll, &hostabi.ScrollRequest{X: x, Y: y, DX: dx, DY: dy})
}

// Keys presses chords one after the other: "ctrl+s", "Return".
func Keys(chords ...string) error { return do(inputKeys, &hostabi.KeysRequest{Chords: chords}) }

// Type types text into what has the focus.
func Type(text string) error { return do(inputText, &hostabi.TypeRequest{Text: text}) }
