package x11

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// Input implements [desktop.Input] by XTEST. What it does on the screen it does
// in sections, see the package's comment.
type Input struct {
	d     *Display
	xkb   byte
	probe xproto.Window // never mapped
	// acts holds a token while one of the role's methods is at work: they take
	// turns as a whole.
	acts chan struct{}
	// turn holds a token while a section is at work, and guards cached and held.
	turn   chan struct{}
	cached *keymap
	// held is what sections left down, and holding tells that there is some.
	held    []pressed
	holding atomic.Bool
}

var _ desktop.Input = (*Input)(nil)

// perSection is the most keys or wheel notches of one section, and pause what
// other clients get between two.
const (
	perSection = 16
	pause      = 3 * time.Millisecond
)

// keymap parses a map unless it is the one known already. It is for sections.
func (i *Input) keymap(reply []byte) (*keymap, error) {
	if c := i.cached; c != nil && len(c.raw) == len(reply) && bytes.Equal(c.raw[4:], reply[4:]) {
		return c, nil
	}
	m, err := parseMap(reply)
	if err == nil {
		i.cached = m
	}
	return m, err
}

// act runs one of the role's methods in its turn.
func (i *Input) act(ctx context.Context, what string, f func() error) error {
	if err := take(ctx, i.acts); err != nil {
		return wrap(err, what)
	}
	defer func() { <-i.acts }()
	return wrap(f(), what)
}

// Move implements [desktop.Input].
func (i *Input) Move(ctx context.Context, t desktop.Target, p desktop.Point) error {
	return i.act(ctx, "moving the pointer", func() error {
		a, err := i.aimAt(ctx, t, p)
		if err != nil {
			return err
		}
		return i.section(ctx, a, need{at: []desktop.Point{p}}, func(s *section) error {
			s.together(func() { s.move(p) })
			return nil
		})
	})
}

// Click implements [desktop.Input].
func (i *Input) Click(ctx context.Context, t desktop.Target, p desktop.Point, b desktop.Button, count int, mods desktop.Modifiers) error {
	if b < desktop.Left || b > desktop.Right || count < 1 || count > 3 {
		return fmt.Errorf("clicking: button %d, %d times: %w", b, count, desktop.ErrUnsupported)
	}
	return i.act(ctx, "clicking", func() error {
		return i.buttons(ctx, t, p, slices.Repeat([]byte{byte(b)}, count), mods)
	})
}

// buttons presses and releases buttons at a point while modifiers are held, in
// as many sections as it takes, and returns once the server counts all as
// released.
func (i *Input) buttons(ctx context.Context, t desktop.Target, p desktop.Point, list []byte, mods desktop.Modifiers) error {
	a, err := i.aimAt(ctx, t, p)
	if err != nil {
		return err
	}
	n := need{at: []desktop.Point{p}, keyMap: mods != 0}
	finish := func() {
		i.released(ctx)
		i.letGo(a, nil)
	}
	err = i.portions(ctx, a, n, len(list), func(s *section, from, to int) error {
		keys, err := s.modifierKeys(mods)
		if err != nil {
			return err
		}
		return s.buttonsWith(keys, func() {
			s.move(p)
			for _, b := range list[from:to] {
				s.button(b)
				s.release()
			}
		})
	}, finish)
	if err == nil || errors.Is(err, desktop.ErrInterrupted) {
		finish()
	}
	return err
}

// letGo releases what sections left down, after moving the pointer if a point
// is given. It depends on no caller's context, and waits for a section that its
// caller has given up.
func (i *Input) letGo(a *aim, at *desktop.Point) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if len(i.turn) == 0 && !i.holding.Load() {
		return
	}
	// The only errors are the loss of the connection and a server that has
	// stopped for so long that it will be lost.
	_ = i.section(ctx, a, need{dragged: true}, func(s *section) error {
		s.takeBack()
		s.together(func() {
			if at != nil && len(s.down) > 0 {
				s.move(*at)
			}
		})
		return nil
	})
}

// Scroll implements [desktop.Input].
func (i *Input) Scroll(ctx context.Context, t desktop.Target, p desktop.Point, dx, dy int, mods desktop.Modifiers) error {
	var notches []byte
	for _, w := range []struct {
		n              int
		forward, other byte
	}{{dy, 5, 4}, {dx, 7, 6}} {
		for range max(w.n, -w.n) {
			if w.n > 0 {
				notches = append(notches, w.forward)
			} else {
				notches = append(notches, w.other)
			}
		}
	}
	return i.act(ctx, "scrolling", func() error { return i.buttons(ctx, t, p, notches, mods) })
}

// settle is how long a window manager may hold a click back to look at it.
const settle = 250 * time.Millisecond

// released waits until the server counts no button as down. While a window
// manager holds a click back, the press has taken effect and the release waits.
// A person who holds a button is not waited for for long.
func (i *Input) released(ctx context.Context) {
	for end := time.Now().Add(settle); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		down, err := ask(ctx, i.d.questions, func(x *xgb.Conn) (bool, error) {
			r, err := xproto.QueryPointer(x, i.d.questions.root).Reply()
			return err == nil && r.Mask&buttons != 0, err
		})
		if err != nil || !down {
			return
		}
	}
}

// aimAt is aim for points, which the protocol can only name up to a limit.
func (i *Input) aimAt(ctx context.Context, t desktop.Target, points ...desktop.Point) (*aim, error) {
	for _, p := range points {
		if p.X < 0 || p.Y < 0 || p.X > 32767 || p.Y > 32767 {
			return nil, fmt.Errorf("%d,%d: %w", p.X, p.Y, desktop.ErrOutside)
		}
	}
	return i.aim(ctx, t)
}

// portions sends total things in as many sections as it takes, with between in
// between. An error after the first says that a part was sent.
func (i *Input) portions(ctx context.Context, a *aim, n need, total int, send func(s *section, from, to int) error, between func()) error {
	for from := 0; from < total; from += perSection {
		to := min(from+perSection, total)
		err := i.section(ctx, a, n, func(s *section) error { return send(s, from, to) })
		if err != nil {
			if from > 0 {
				return fmt.Errorf("after %d of %d: %w: %w", from, total, desktop.ErrInterrupted, err)
			}
			return err
		}
		if to < total {
			between()
			time.Sleep(pause)
		}
	}
	return nil
}

// A drag is drawn in steps, because applications take a jump for no drag.
const (
	dragSteps = 12
	dragPause = 15 * time.Millisecond
)

// Drag implements [desktop.Input]. Both ends must lie on the target. When ctx
// ends meanwhile, the pointer goes back to where it came from before the button
// is let go, so that nothing is dropped half-way.
func (i *Input) Drag(ctx context.Context, t desktop.Target, from, to desktop.Point, b desktop.Button, mods desktop.Modifiers) error {
	if b < desktop.Left || b > desktop.Right {
		return fmt.Errorf("dragging: button %d: %w", b, desktop.ErrUnsupported)
	}
	return i.act(ctx, "dragging", func() error { return i.drag(ctx, t, from, to, byte(b), mods) })
}

func (i *Input) drag(ctx context.Context, t desktop.Target, from, to desktop.Point, b byte, mods desktop.Modifiers) error {
	a, err := i.aimAt(ctx, t, from, to)
	if err != nil {
		return err
	}
	err = i.section(ctx, a, need{at: []desktop.Point{from, to}, keyMap: mods != 0}, func(s *section) error {
		keys, err := s.modifierKeys(mods)
		if err != nil {
			return err
		}
		s.move(from)
		for _, c := range keys {
			s.press(c)
		}
		s.button(b)
		s.leave()
		return nil
	})
	if err != nil {
		i.letGo(a, &from)
		return err
	}
	err = i.draw(ctx, a, from, to)
	i.released(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("%w: %w", desktop.ErrInterrupted, err)
	}
	return nil
}

// draw moves to the end of a drag whose button is down and lets go, by whatever
// way it returns.
func (i *Input) draw(ctx context.Context, a *aim, from, to desktop.Point) error {
	end := from
	defer func() { i.letGo(a, &end) }()
	for step := 1; step <= dragSteps; step++ {
		select {
		case <-time.After(dragPause):
		case <-ctx.Done():
			return ctx.Err()
		}
		p := between(from, to, step)
		err := i.section(ctx, a, need{dragged: true}, func(s *section) error {
			s.together(func() { s.move(p) })
			return nil
		})
		if err != nil {
			return err
		}
	}
	end = to
	return nil
}

func between(a, b desktop.Point, step int) desktop.Point {
	at := func(a, b int32) int32 { return a + int32(int64(b-a)*int64(step)/dragSteps) }
	return desktop.Point{X: at(a.X, b.X), Y: at(a.Y, b.Y)}
}

// Position implements [desktop.Input].
func (i *Input) Position(ctx context.Context) (desktop.Point, error) {
	p, err := ask(ctx, i.d.questions, func(x *xgb.Conn) (desktop.Point, error) {
		r, err := xproto.QueryPointer(x, i.d.questions.root).Reply()
		if err != nil {
			return desktop.Point{}, err
		}
		return desktop.Point{X: int32(r.RootX), Y: int32(r.RootY)}, nil
	})
	return p, wrap(err, "asking for the pointer's place")
}

// ReleaseAll lets go of every key and button that is down on the display, by
// whomever. It is for the moment after an injector died, see [desktop.Input].
func (i *Input) ReleaseAll(ctx context.Context) error {
	return releaseAll(ctx, i.d.hands)
}

func wrap(err error, what string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
