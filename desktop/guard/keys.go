package guard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"oriel.dev/oriel/desktop"
)

// ErrDangerous is returned for a chord that ends sessions, switches consoles or
// closes what it was not meant for.
var ErrDangerous = errors.New("this key combination is refused")

// builtin are the chords that no agent may press on a Linux desktop.
var builtin = []string{
	"alt+f4", "ctrl+alt+backspace", "ctrl+alt+delete", "ctrl+alt+escape", "ctrl+alt+l", "super+l",
	"alt+sysrq", "ctrl+alt+end",
}

// dangerous is a set of chords in canonical form.
type dangerous map[desktop.Chord]bool

func newDangerous(more []string) (dangerous, error) {
	d := dangerous{}
	for n := 1; n <= 12; n++ {
		d[desktop.Chord{Mods: desktop.Control | desktop.Alt, Key: "f" + strconv.Itoa(n)}] = true
	}
	for _, list := range [][]string{builtin, more} {
		for _, s := range list {
			c, err := ParseChord(s)
			if err != nil {
				return nil, err
			}
			d[canonical(c)] = true
		}
	}
	return d, nil
}

// check refuses c if it is dangerous, however it is spelled. Additional
// modifiers do not make a dangerous chord harmless.
func (d dangerous) check(c desktop.Chord) error {
	c = canonical(c)
	for bad := range d {
		if bad.Key == c.Key && c.Mods&bad.Mods == bad.Mods {
			return fmt.Errorf("%s: %w; use the window's own actions instead", FormatChord(c), ErrDangerous)
		}
	}
	return nil
}

// aliases are other names of keys, in lower case.
var aliases = map[string]string{
	"del": "delete", "kp_delete": "delete", "esc": "escape", "enter": "return", "kp_enter": "return",
	"sys_req": "sysrq", "print": "sysrq", "back_space": "backspace", "kp_end": "end", "terminate_server": "backspace",
}

// KnowsKey tells whether a name is one of those by which keys are refused beside
// their own, such as esc.
func KnowsKey(name string) bool {
	name = strings.ToLower(name)
	_, alias := aliases[name]
	return alias || strings.HasPrefix(name, "xf86switch_vt_") || slices.Contains(slices.Collect(maps.Values(aliases)), name)
}

// canonical folds case and aliases, so that a chord has one spelling.
func canonical(c desktop.Chord) desktop.Chord {
	key := strings.ToLower(c.Key)
	if name, ok := aliases[key]; ok {
		key = name
	}
	if rest, ok := strings.CutPrefix(key, "xf86switch_vt_"); ok {
		return desktop.Chord{Mods: desktop.Control | desktop.Alt, Key: "f" + rest}
	}
	return desktop.Chord{Mods: c.Mods, Key: key}
}

var modifierNames = map[string]desktop.Modifiers{
	"shift": desktop.Shift, "ctrl": desktop.Control, "control": desktop.Control, "alt": desktop.Alt, "option": desktop.Alt,
	"meta": desktop.Alt, "super": desktop.Super, "win": desktop.Super, "cmd": desktop.Super,
}

// ParseChord reads a chord such as "ctrl+shift+s". The last part is the key;
// "+" itself is written "plus".
func ParseChord(s string) (desktop.Chord, error) {
	parts := strings.Split(s, "+")
	var c desktop.Chord
	for _, m := range parts[:len(parts)-1] {
		mod, ok := modifierNames[strings.ToLower(strings.TrimSpace(m))]
		if !ok {
			return c, fmt.Errorf("reading the key combination %q: %q is no modifier; use shift, ctrl, alt or super", s, m)
		}
		c.Mods |= mod
	}
	c.Key = strings.TrimSpace(parts[len(parts)-1])
	if c.Key == "" {
		return c, fmt.Errorf("reading the key combination %q: the key is missing; write for example ctrl+s, and plus for +", s)
	}
	return c, nil
}

// FormatChord writes a chord as [ParseChord] reads it.
func FormatChord(c desktop.Chord) string {
	var b strings.Builder
	for _, m := range []struct {
		mod  desktop.Modifiers
		name string
	}{{desktop.Control, "ctrl"}, {desktop.Alt, "alt"}, {desktop.Shift, "shift"}, {desktop.Super, "super"}} {
		if c.Mods&m.mod != 0 {
			b.WriteString(m.name + "+")
		}
	}
	return b.String() + c.Key
}
