package guard

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// ErrOver is returned by hands that outlived their serial section.
var ErrOver = errors.New("the act is over")

// Hands act on the desktop for as long as their serial section lasts.
type Hands struct {
	guard *Guard
	rec   *audit.Record
	dead  atomic.Bool
	begin sync.Once
	lost  error // the record that the act has begun could not be written; set by begin
}

// Begun is the outcome in the first record of an act that does something. The last
// one has the true outcome; if it is missing, the host died in between.
const Begun = "begun"

// usable refuses dead hands and missing roles alike, and anything at all if it
// cannot be recorded.
func (h *Hands) usable(ctx context.Context, role string, have bool) error {
	if h.dead.Load() {
		return ErrOver
	}
	if !have {
		return fmt.Errorf("%s: %w", role, desktop.ErrUnsupported)
	}
	h.begin.Do(func() {
		rec := *h.rec
		rec.Outcome = Begun
		h.lost = h.guard.record(ctx, rec)
	})
	return h.lost
}

// Act does one deed by accessibility; see [desktop.Tree].
func (h *Hands) Act(ctx context.Context, id desktop.WindowID, node tree.NodeID, deed desktop.Deed) error {
	if err := h.usable(ctx, "accessibility", h.guard.desk.Tree != nil); err != nil {
		return err
	}
	return h.guard.desk.Tree.Act(ctx, id, node, deed)
}

// Close asks a window to close itself.
func (h *Hands) Close(ctx context.Context, id desktop.WindowID) error {
	if err := h.usable(ctx, "windows", h.guard.desk.Windows != nil); err != nil {
		return err
	}
	return h.guard.desk.Windows.Close(ctx, id)
}

// Activate raises a window and gives it the focus.
func (h *Hands) Activate(ctx context.Context, id desktop.WindowID) error {
	if err := h.usable(ctx, "windows", h.guard.desk.Windows != nil); err != nil {
		return err
	}
	return h.guard.desk.Windows.Activate(ctx, id)
}

// Move moves the pointer.
func (h *Hands) Move(ctx context.Context, t desktop.Target, p desktop.Point) error {
	if err := h.input(ctx); err != nil {
		return err
	}
	return h.guard.desk.Input.Move(ctx, t, p)
}

// Click presses and releases a button count times.
func (h *Hands) Click(ctx context.Context, t desktop.Target, p desktop.Point, b desktop.Button, count int, mods desktop.Modifiers) error {
	if err := h.input(ctx); err != nil {
		return err
	}
	return h.guard.desk.Input.Click(ctx, t, p, b, count, mods)
}

// Drag moves the pointer from one point to another with a button held.
func (h *Hands) Drag(ctx context.Context, t desktop.Target, from, to desktop.Point, b desktop.Button, mods desktop.Modifiers) error {
	if err := h.input(ctx); err != nil {
		return err
	}
	return h.guard.desk.Input.Drag(ctx, t, from, to, b, mods)
}

// Scroll turns the wheel.
func (h *Hands) Scroll(ctx context.Context, t desktop.Target, p desktop.Point, dx, dy int, mods desktop.Modifiers) error {
	if err := h.input(ctx); err != nil {
		return err
	}
	return h.guard.desk.Input.Scroll(ctx, t, p, dx, dy, mods)
}

// Keys presses chords. If one of them is dangerous none is sent.
func (h *Hands) Keys(ctx context.Context, t desktop.Target, chords []desktop.Chord) error {
	if err := h.input(ctx); err != nil {
		return err
	}
	for _, c := range chords {
		if err := h.guard.keys.check(c); err != nil {
			return err
		}
	}
	return h.guard.desk.Input.Keys(ctx, t, chords)
}

// Text brings text into the focused element: by keys of the present layout
// where they make it, else by the clipboard.
func (h *Hands) Text(ctx context.Context, t desktop.Target, text string) error {
	if err := h.input(ctx); err != nil {
		return err
	}
	err := h.guard.desk.Input.Type(ctx, t, text)
	if !errors.Is(err, desktop.ErrUnsupported) || h.guard.desk.Selection == nil {
		return err
	}
	return h.guard.desk.Selection.Paste(ctx, t, text)
}

// WriteClipboard puts data on the clipboard, by type.
func (h *Hands) WriteClipboard(ctx context.Context, data map[string][]byte) error {
	if err := h.usable(ctx, "clipboard", h.guard.desk.Selection != nil); err != nil {
		return err
	}
	return h.guard.desk.Selection.Write(ctx, data)
}

func (h *Hands) input(ctx context.Context) error {
	return h.usable(ctx, "input", h.guard.desk.Input != nil)
}
