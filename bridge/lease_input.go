package bridge

import (
	"context"
	"fmt"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
)

// point makes a screen point of one relative to the window, as the window
// stands now.
func (l *lease) point(ctx context.Context, x, y int32) (desktop.Point, error) {
	b := l.act.b
	if err := b.relist(ctx); err != nil {
		return desktop.Point{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[l.act.id]
	if e == nil {
		return desktop.Point{}, desktop.ErrGone
	}
	r := e.win.Bounds
	p := desktop.Point{X: r.X + x, Y: r.Y + y}
	if r.Contains(p.X, p.Y) {
		return p, nil
	}
	for _, popup := range e.win.Popups {
		if popup.Contains(p.X, p.Y) {
			return p, nil
		}
	}
	return p, fmt.Errorf("point %d,%d: %w", x, y, desktop.ErrOutside)
}

func (l *lease) move(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.MoveRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	p, err := l.point(ctx, r.X, r.Y)
	if err != nil {
		return nil, err
	}
	return l.sent(l.act.hands.Move(ctx, l.target, p))
}

func (l *lease) click(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.ClickRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	button, mods, err := buttonAndModifiers(r.Button, r.Modifiers)
	if err != nil {
		return nil, err
	}
	p, err := l.point(ctx, r.X, r.Y)
	if err != nil {
		return nil, err
	}
	return l.sent(l.act.hands.Click(ctx, l.target, p, button, min(max(r.Count, 1), 3), mods))
}

func (l *lease) drag(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.DragRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	button, mods, err := buttonAndModifiers(r.Button, r.Modifiers)
	if err != nil {
		return nil, err
	}
	from, err := l.point(ctx, r.X, r.Y)
	if err != nil {
		return nil, err
	}
	to, err := l.point(ctx, r.ToX, r.ToY)
	if err != nil {
		return nil, err
	}
	return l.sent(l.act.hands.Drag(ctx, l.target, from, to, button, mods))
}

func (l *lease) scroll(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.ScrollRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	p, err := l.point(ctx, r.X, r.Y)
	if err != nil {
		return nil, err
	}
	if max(r.DX, -r.DX, r.DY, -r.DY) > maxNotches {
		return nil, invalid("dy", fmt.Sprintf("scroll at most %d notches at a time", maxNotches))
	}
	return l.sent(l.act.hands.Scroll(ctx, l.target, p, r.DX, r.DY, 0))
}

func (l *lease) keys(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.KeysRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	chords := make([]desktop.Chord, len(r.Chords))
	for i, s := range r.Chords {
		c, err := guard.ParseChord(s)
		if err != nil {
			return nil, invalid("chords", err.Error())
		}
		chords[i] = c
	}
	return l.sent(l.act.hands.Keys(ctx, l.target, chords))
}

func (l *lease) typeText(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.TypeRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	return l.sent(l.act.hands.Text(ctx, l.target, r.Text))
}

func buttonAndModifiers(button string, modifiers []string) (desktop.Button, desktop.Modifiers, error) {
	b, ok := map[string]desktop.Button{"": desktop.Left, "left": desktop.Left, "middle": desktop.Middle, "right": desktop.Right}[button]
	if !ok {
		return 0, 0, invalid("button", "use left, middle or right")
	}
	var mods desktop.Modifiers
	for _, m := range modifiers {
		c, err := guard.ParseChord(m + "+a")
		if err != nil {
			return 0, 0, invalid("modifiers", "use shift, ctrl, alt or super")
		}
		mods |= c.Mods
	}
	return b, mods, nil
}

func invalid(field, why string) *hostabi.Fault {
	return &hostabi.Fault{Code: hostabi.CodeInvalid, Message: field + ": " + why, Fields: []hostabi.FieldFault{{Field: field, Error: why}}}
}
