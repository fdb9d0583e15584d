package desktoptest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Input is one act of input that reached the desktop, for tests to compare.
type Input struct {
	Method  string           // "Click", "Type", "Paste", …
	Window  desktop.WindowID // that got it, 0 for none
	At, To  desktop.Point
	Button  desktop.Button
	Count   int
	Mods    desktop.Modifiers
	DX, DY  int
	Chords  []desktop.Chord
	Text    string
	Ignored bool // the window was blocked by a modal one
}

// Inputs returns all input so far, in order.
func (d *Desktop) Inputs() []Input {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.inputs)
}

// Grab makes another program hold or give back a grab of the input.
func (d *Desktop) Grab(held bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.grabbed = held
}

// OnKey sets what a window does with a chord besides what a text field does.
// It runs without the desktop's lock.
func (d *Desktop) OnKey(do func(desktop.WindowID, desktop.Chord)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onKey = do
}

type inputRole struct{ d *Desktop }

func (r inputRole) Position(ctx context.Context) (desktop.Point, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pointer, d.begin(ctx, "Position")
}

// point begins pointer input: it proves the target and logs the act. The
// caller holds mu.
func (d *Desktop) point(ctx context.Context, t desktop.Target, in Input) (*window, error) {
	if err := d.begin(ctx, in.Method); err != nil {
		return nil, err
	}
	if d.grabbed {
		return nil, fmt.Errorf("sending %s: %w", in.Method, desktop.ErrGrabbed)
	}
	hit := d.at(in.At)
	if t.Window != 0 {
		w := d.find(t.Window)
		switch {
		case w == nil:
			return nil, fmt.Errorf("sending %s to window %d: %w", in.Method, t.Window, desktop.ErrGone)
		case hit == w:
		case w.covers(in.At) && !w.Minimized:
			return nil, fmt.Errorf("sending %s to window %d: %w", in.Method, t.Window, desktop.ErrCovered)
		default:
			return nil, fmt.Errorf("sending %s to window %d: %w", in.Method, t.Window, desktop.ErrOutside)
		}
	}
	d.pointer = in.At
	if in.Method == "Drag" {
		d.pointer = in.To
	}
	if hit != nil {
		in.Window, in.Ignored = hit.ID, d.blocked(hit)
	}
	d.inputs = append(d.inputs, in)
	if in.Ignored {
		hit = nil
	}
	return hit, nil
}

// at returns the topmost window at a pixel. The caller holds mu.
func (d *Desktop) at(p desktop.Point) *window {
	for _, w := range slices.Backward(d.windows) {
		if !w.Minimized && w.covers(p) {
			return w
		}
	}
	return nil
}

func (w *window) covers(p desktop.Point) bool {
	return w.Bounds.Contains(p.X, p.Y) ||
		slices.ContainsFunc(w.Popups, func(r tree.Rect) bool { return r.Contains(p.X, p.Y) })
}

// hit returns the innermost showing element at a pixel of the screen that has
// an action or takes the focus, or -1.
func (w *window) hit(p desktop.Point) int {
	best := -1
	if w.tree == nil {
		return best
	}
	for i, n := range w.tree.Nodes {
		origin := w.Bounds
		if n.Surface > 0 {
			if int(n.Surface) > len(w.Popups) {
				continue
			}
			origin = w.Popups[n.Surface-1]
		}
		if n.HasBounds && n.Bounds.Contains(p.X-origin.X, p.Y-origin.Y) && n.States.Has(tree.StateShowing) &&
			(len(n.Actions) > 0 || n.States.Has(tree.StateFocusable)) {
			best = i
		}
	}
	return best
}

func (r inputRole) Move(ctx context.Context, t desktop.Target, p desktop.Point) error {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.point(ctx, t, Input{Method: "Move", At: p})
	return err
}

func (r inputRole) Drag(ctx context.Context, t desktop.Target, from, to desktop.Point, b desktop.Button, mods desktop.Modifiers) error {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.point(ctx, t, Input{Method: "Drag", At: from, To: to, Button: b, Mods: mods})
	return err
}

func (r inputRole) Scroll(ctx context.Context, t desktop.Target, p desktop.Point, dx, dy int, mods desktop.Modifiers) error {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.point(ctx, t, Input{Method: "Scroll", At: p, DX: dx, DY: dy, Mods: mods})
	return err
}

func (r inputRole) Click(ctx context.Context, t desktop.Target, p desktop.Point, b desktop.Button, count int, mods desktop.Modifiers) error {
	d := r.d
	d.mu.Lock()
	w, err := d.point(ctx, t, Input{Method: "Click", At: p, Button: b, Count: count, Mods: mods})
	if err != nil || w == nil || b != desktop.Left {
		d.mu.Unlock()
		return err
	}
	if !w.Active {
		d.activate(w)
	}
	i := w.hit(p)
	if i < 0 || d.hung[w.App.ID] != nil {
		d.mu.Unlock()
		return nil
	}
	n := w.tree.Nodes[i]
	d.mu.Unlock()
	// Whether the application likes it is not the sender's concern.
	if n.States.Has(tree.StateFocusable) {
		_ = d.perform(w.ID, n.ID, desktop.Deed{Kind: desktop.Focus})
	}
	if len(n.Actions) > 0 {
		_ = d.perform(w.ID, n.ID, desktop.Deed{Kind: desktop.DoAction})
	}
	return nil
}

// keyboard begins key input, as point does for the pointer. The caller holds
// mu.
func (d *Desktop) keyboard(ctx context.Context, t desktop.Target, in Input) (*window, error) {
	if err := d.begin(ctx, in.Method); err != nil {
		return nil, err
	}
	if d.grabbed {
		return nil, fmt.Errorf("sending %s: %w", in.Method, desktop.ErrGrabbed)
	}
	var active *window
	for _, w := range d.windows {
		if w.Active {
			active = w
		}
	}
	if t.Window != 0 {
		w := d.find(t.Window)
		if w == nil {
			return nil, fmt.Errorf("sending %s to window %d: %w", in.Method, t.Window, desktop.ErrGone)
		}
		if w != active {
			return nil, fmt.Errorf("sending %s to window %d: %w", in.Method, t.Window, desktop.ErrNoFocus)
		}
	}
	if active != nil {
		in.Window, in.Ignored = active.ID, d.blocked(active)
	}
	d.inputs = append(d.inputs, in)
	if in.Ignored || active != nil && d.hung[active.App.ID] != nil {
		active = nil
	}
	return active, nil
}

func (r inputRole) Type(ctx context.Context, t desktop.Target, text string) error {
	if strings.ContainsFunc(text, func(c rune) bool { return c > '~' || c < ' ' && c != '\n' && c != '\t' }) {
		return fmt.Errorf("typing: no key of the us layout makes a character: %w", desktop.ErrUnsupported)
	}
	return r.d.enter(ctx, t, Input{Method: "Type", Text: text})
}

// enter puts text where the focus is.
func (d *Desktop) enter(ctx context.Context, t desktop.Target, in Input) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	w, err := d.keyboard(ctx, t, in)
	if err != nil || w == nil {
		return err
	}
	d.insert(w, in.Text)
	return nil
}

// insert replaces the selection of the focused field by text. The caller holds
// mu.
func (d *Desktop) insert(w *window, text string) {
	d.field(w, func(n *tree.Node) {
		old, info := []rune(w.read(n)), n.TextInfo
		from, to := clamp(int64(info.Caret), info.Length), clamp(int64(info.Caret), info.Length)
		if info.SelStart >= 0 {
			from, to = int64(info.SelStart), int64(info.SelEnd)
		}
		w.write(n, string(old[:from])+text+string(old[to:]))
		n.TextInfo.Caret = int32(from) + int32(len([]rune(text)))
	})
}

// field changes the focused editable element, if there is one. The caller
// holds mu.
func (d *Desktop) field(w *window, change func(*tree.Node)) {
	t := cloneTree(w.tree)
	if t == nil {
		return
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.States.Has(tree.StateFocused|tree.StateEnabled) && n.Ifaces.Has(tree.IfaceEditableText) && n.TextInfo != nil {
			change(n)
			w.tree = t
			d.touch(w)
			return
		}
	}
}

func (r inputRole) Keys(ctx context.Context, t desktop.Target, chords []desktop.Chord) error {
	d := r.d
	d.mu.Lock()
	w, err := d.keyboard(ctx, t, Input{Method: "Keys", Chords: slices.Clone(chords)})
	do := d.onKey
	if err != nil || w == nil {
		d.mu.Unlock()
		return err
	}
	for _, c := range chords {
		d.press(w, c)
	}
	d.mu.Unlock()
	for _, c := range chords {
		if do != nil {
			do(w.ID, c)
		}
	}
	return nil
}

// press does what a text field does with a chord. The caller holds mu.
func (d *Desktop) press(w *window, c desktop.Chord) {
	switch {
	case c == desktop.Chord{Key: "Return"}:
		d.insert(w, "\n")
	case c == desktop.Chord{Mods: desktop.Control, Key: "a"}:
		d.field(w, func(n *tree.Node) {
			mark(n.TextInfo, desktop.Deed{Kind: desktop.SelectText, End: n.TextInfo.Length})
		})
	case c == desktop.Chord{Key: "BackSpace"}:
		d.field(w, func(n *tree.Node) {
			if n.TextInfo.SelStart < 0 && n.TextInfo.Caret > 0 {
				n.TextInfo.SelStart, n.TextInfo.SelEnd = n.TextInfo.Caret-1, n.TextInfo.Caret
			}
		})
		d.insert(w, "")
	case c.Mods&^desktop.Shift == 0 && len([]rune(c.Key)) == 1:
		d.insert(w, c.Key)
	}
}
