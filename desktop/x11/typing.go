package x11

import (
	"context"
	"fmt"
	"strings"

	"oriel.dev/oriel/desktop"
)

// chord is a key with the modifiers that its caller wants held.
type chord struct {
	key  wanted
	mods desktop.Modifiers
}

// Keys implements [desktop.Input].
func (i *Input) Keys(ctx context.Context, t desktop.Target, chords []desktop.Chord) error {
	list := make([]chord, len(chords))
	for n, c := range chords {
		key, ok := wantedKey(c.Key)
		if !ok {
			return fmt.Errorf("pressing keys: %q is neither a key's name nor one character: %w", c.Key, desktop.ErrUnsupported)
		}
		list[n] = chord{key, c.Mods}
	}
	return i.act(ctx, "pressing keys", func() error {
		return i.send(ctx, t, list, func(n int) string { return chords[n].Key })
	})
}

// Type implements [desktop.Input]. A line end is Return, a tab is Tab.
func (i *Input) Type(ctx context.Context, t desktop.Target, text string) error {
	var list []chord
	runes := []rune(strings.ReplaceAll(text, "\r\n", "\n"))
	for _, r := range runes {
		key, ok := wantedRune(r)
		if !ok {
			return fmt.Errorf("typing: no key makes %q: %w", r, desktop.ErrUnsupported)
		}
		list = append(list, chord{key: key})
	}
	return i.act(ctx, "typing", func() error {
		return i.send(ctx, t, list, func(n int) string { return string(runes[n]) })
	})
}

// send presses chords. The first section plans them all, so that what cannot be
// typed is refused before anything is sent. A later section that finds another
// layout plans anew.
func (i *Input) send(ctx context.Context, t desktop.Target, list []chord, name func(int) string) error {
	a, err := i.aim(ctx, t)
	if err != nil {
		return err
	}
	var planned *keymap
	var state keyState
	var plan []keyPlan
	return i.portions(ctx, a, need{keys: true, keyMap: true}, len(list), func(s *section, from, to int) error {
		if planned != s.keys || state != s.now {
			p, err := s.plan(list, name)
			if err != nil {
				return err
			}
			plan, planned, state = p, s.keys, s.now
		}
		s.play(plan[from:to])
		return nil
	}, func() {})
}

// keyPlan is a stroke with the keys of all its modifiers.
type keyPlan struct {
	stroke
	holders []byte
}

func (s *section) plan(list []chord, name func(int) string) ([]keyPlan, error) {
	out := make([]keyPlan, len(list))
	known := make(map[chord]keyPlan)
	for n, c := range list {
		p, ok := known[c]
		if !ok {
			st, found := s.keys.find(c.key, s.now)
			if found {
				p.stroke = st
				p.holders, found = s.keys.holders(st.mods | coreMods(c.mods))
			}
			if !found {
				return nil, fmt.Errorf("no key of the present layout makes %q: %w", name(n), desktop.ErrUnsupported)
			}
			known[c] = p
		}
		out[n] = p
	}
	return out, nil
}

// play presses the strokes. CapsLock, NumLock and the layout are switched and
// switched back within the same write, so a person never finds them changed.
func (s *section) play(plan []keyPlan) {
	w := s.in.d.hands.wire
	w.cork()
	defer w.uncork()
	type locks struct{ mods, group byte }
	affected := modLock | s.keys.num
	before := locks{s.now.locked & affected, s.now.lockedGroup}
	now := before
	lock := func(l locks) {
		if l != now {
			s.x.NewRequest(lockRequest(s.in.xkb, affected, l.mods, l.group), s.x.NewCookie(false, false))
			now = l
		}
	}
	defer func() { lock(before) }()
	for _, p := range plan {
		// The group in force is the locked one plus what is latched or held,
		// which a section does not start with.
		want := locks{p.locked, p.group}
		if p.group == s.now.group {
			want.group = s.now.lockedGroup
		}
		lock(want)
		for _, h := range p.holders {
			s.press(h)
		}
		s.press(p.code)
		for len(s.down) > 0 {
			s.release()
		}
	}
}

func coreMods(m desktop.Modifiers) byte {
	var out byte
	for _, p := range []struct {
		has  desktop.Modifiers
		mask byte
	}{{desktop.Shift, modShift}, {desktop.Control, modControl}, {desktop.Alt, modAlt}, {desktop.Super, modSuper}} {
		if m&p.has != 0 {
			out |= p.mask
		}
	}
	return out
}

// modifierKeys returns the keys that hold the modifiers.
func (s *section) modifierKeys(m desktop.Modifiers) ([]byte, error) {
	if m == 0 {
		return nil, nil
	}
	codes, ok := s.keys.holders(coreMods(m))
	if !ok {
		return nil, fmt.Errorf("the present layout lacks a modifier key: %w", desktop.ErrUnsupported)
	}
	return codes, nil
}
