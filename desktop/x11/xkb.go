package x11

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"

	"github.com/jezek/xgb"

	"oriel.dev/oriel/desktop"
)

// The core keyboard mapping does not tell which symbols belong to which group
// when groups have different numbers of levels, and not what CapsLock does to a
// key. The keyboard extension tells both. Its requests are few, so they are
// written here; its events are never asked for.

// Minor opcodes of the keyboard extension.
const (
	xkbUse        = 0
	xkbGetState   = 4
	xkbLatchLock  = 5
	xkbGetMap     = 8
	xkbCoreDevice = 0x100
)

// Parts of a map.
const (
	xkbTypes   = 1 << 0
	xkbSyms    = 1 << 1
	xkbModsMap = 1 << 2
)

var errShortReply = errors.New("the keyboard map is cut short")

// useXKB tells the server that the link speaks the extension.
func useXKB(l *link, opcode byte) error {
	req := []byte{opcode, xkbUse, 2, 0, 1, 0, 0, 0} // version 1.0
	r, err := l.send(req).Reply()
	if err != nil {
		return err
	}
	if r[1] == 0 {
		return fmt.Errorf("the X server speaks another version of XKEYBOARD: %w", desktop.ErrUnsupported)
	}
	return nil
}

func stateRequest(opcode byte) []byte {
	req := []byte{opcode, xkbGetState, 2, 0, 0, 0, 0, 0}
	xgb.Put16(req[4:], xkbCoreDevice)
	return req
}

func mapRequest(opcode byte) []byte {
	req := make([]byte, 28)
	req[0], req[1] = opcode, xkbGetMap
	xgb.Put16(req[2:], 7)
	xgb.Put16(req[4:], xkbCoreDevice)
	xgb.Put16(req[6:], xkbTypes|xkbSyms|xkbModsMap) // whole
	return req
}

// lockRequest sets the locked ones of the affected modifiers, and the group.
func lockRequest(opcode, affect, mods, group byte) []byte {
	req := make([]byte, 16)
	req[0], req[1] = opcode, xkbLatchLock
	xgb.Put16(req[2:], 4)
	xgb.Put16(req[4:], xkbCoreDevice)
	req[6], req[7] = affect, mods
	req[8], req[9] = 1, group
	return req
}

// keyState is what is held, latched and locked now.
type keyState struct {
	held, latched, locked byte // modifiers
	group, lockedGroup    byte
}

func parseState(b []byte) (keyState, error) {
	if len(b) < 32 {
		return keyState{}, errShortReply
	}
	return keyState{held: b[9], latched: b[10], locked: b[11], group: b[12], lockedGroup: b[13]}, nil
}

// The modifiers of the core protocol.
const (
	modShift   byte = 1 << 0
	modLock    byte = 1 << 1
	modControl byte = 1 << 2
	modAlt     byte = 1 << 3 // Mod1
	modSuper   byte = 1 << 6 // Mod4
)

// keymap is what the keys of the present layout make.
type keymap struct {
	raw   []byte // the reply without its sequence number: equal maps are equal here
	types []keyType
	keys  map[byte]*key
	mods  map[byte]byte // keycode → the modifiers it sets
	num   byte          // the modifier of the NumLock key, 0 without one
}

// keyType tells which level the modifiers choose.
type keyType struct {
	mask    byte // the modifiers that it looks at
	entries []typeEntry
}

type typeEntry struct{ mask, level byte }

// level returns the level that modifiers choose.
func (t *keyType) level(mods byte) byte {
	for _, e := range t.entries {
		if e.mask == mods&t.mask {
			return e.level
		}
	}
	return 0
}

type key struct {
	types  [4]byte
	groups int
	beyond byte // what a group beyond the key's own becomes
	width  int
	syms   []keysym
}

// group returns the group that counts for the key while the keyboard is in g.
func (k *key) group(g int) int {
	switch {
	case k.groups == 0 || g < k.groups:
		return g
	case k.beyond&0xc0 == 0x40:
		return k.groups - 1
	case k.beyond&0xc0 == 0x80:
		if r := int(k.beyond>>4) & 3; r < k.groups {
			return r
		}
		return 0
	}
	return g % k.groups
}

func (k *key) sym(group, level int) keysym {
	if i := group*k.width + level; level < k.width && i < len(k.syms) {
		return k.syms[i]
	}
	return 0
}

// cursor reads a reply; beyond its end it reads zeros and remembers.
type cursor struct {
	b     []byte
	short bool
}

func (c *cursor) take(n int) []byte {
	if n > len(c.b) {
		c.short, c.b = true, nil
		return make([]byte, n)
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func parseMap(b []byte) (*keymap, error) {
	if len(b) < 40 {
		return nil, errShortReply
	}
	m := &keymap{raw: bytes.Clone(b), keys: make(map[byte]*key), mods: make(map[byte]byte)}
	m.raw[2], m.raw[3] = 0, 0
	nTypes, firstSym, nSyms, nMods := int(b[15]), b[17], int(b[20]), int(b[33])
	c := &cursor{b: b[40:]}
	for range nTypes {
		m.types = append(m.types, parseType(c))
	}
	for i := range nSyms {
		head := c.take(8)
		k := &key{types: [4]byte(head[:4]), groups: int(head[4] & 0xf), beyond: head[4], width: int(head[5])}
		n := int(xgb.Get16(head[6:]))
		syms := c.take(4 * n)
		for j := range n {
			k.syms = append(k.syms, keysym(xgb.Get32(syms[4*j:])))
		}
		m.keys[firstSym+byte(i)] = k
		if c.short {
			return nil, errShortReply
		}
	}
	for range nMods {
		e := c.take(2)
		m.mods[e[0]] = e[1]
	}
	if c.short {
		return nil, errShortReply
	}
	for code, mods := range m.mods {
		if k := m.keys[code]; k != nil && k.sym(0, 0) == symNumLock {
			m.num |= mods
		}
	}
	return m, nil
}

func parseType(c *cursor) keyType {
	head := c.take(8)
	t := keyType{mask: head[0]}
	n, preserve := int(head[5]), head[6] != 0
	for range n {
		if e := c.take(8); e[0] != 0 { // active: its virtual modifiers are bound
			t.entries = append(t.entries, typeEntry{e[1], e[2]})
		}
	}
	if preserve {
		c.take(4 * n)
	}
	return t
}

// stroke is one key to press, with all that must hold meanwhile.
type stroke struct {
	code   byte
	mods   byte // to be held
	group  byte
	locked byte // of CapsLock and NumLock, what is to be locked; CapsLock never is
}

// find returns how to make w, with the fewest modifiers: with the present group
// and NumLock if any key does, else with the other NumLock (which chooses
// between the digits and the arrows of the keypad), else in another group.
func (m *keymap) find(w wanted, s keyState) (stroke, bool) {
	for i := range byte(4) {
		for _, flip := range []byte{0, m.num} {
			st, ok := m.inGroup(w, (s.group+i)&3, i > 0, (s.locked^flip)&^modLock)
			if ok {
				st.locked &= m.num
				return st, true
			}
		}
	}
	return stroke{}, false
}

// inGroup returns the best key for w in a group; own leaves out keys that only
// show another group there.
func (m *keymap) inGroup(w wanted, group byte, own bool, locked byte) (stroke, bool) {
	best, ok := stroke{}, false
	for code := 255; code >= 8; code-- { // the lowest of equals wins
		k := m.keys[byte(code)]
		if k == nil || k.groups == 0 || own && int(group) >= k.groups {
			continue
		}
		st, found := m.onKey(byte(code), k, w, group, locked)
		if found && (!ok || bits.OnesCount8(st.mods) <= bits.OnesCount8(best.mods)) {
			best, ok = st, true
		}
	}
	return best, ok
}

// onKey returns how to make w by one key.
func (m *keymap) onKey(code byte, k *key, w wanted, group, locked byte) (stroke, bool) {
	g := k.group(int(group))
	if ti := int(k.types[g&3]); ti < len(m.types) {
		t := &m.types[ti]
		masks := []byte{0}
		for _, e := range t.entries {
			masks = append(masks, e.mask)
		}
		best, ok := stroke{}, false
		for _, mask := range masks {
			press := mask &^ locked
			if press&modLock != 0 || !w.matches(k.sym(g, int(t.level(locked|press)))) || !m.canHold(press) {
				continue
			}
			if !ok || bits.OnesCount8(press) < bits.OnesCount8(best.mods) {
				best, ok = stroke{code, press, group, locked}, true
			}
		}
		return best, ok
	}
	return stroke{}, false
}

// canHold reports whether there are keys for all modifiers.
func (m *keymap) canHold(mods byte) bool {
	_, ok := m.holders(mods)
	return ok
}

// preferred are the keys to hold for modifiers, best first. Keys that lock are
// never held.
var preferred = []keysym{symShiftL, symControlL, symAltL, symSuperL, symLevel3, symLevel5}

// holders returns a key for each modifier.
func (m *keymap) holders(mods byte) ([]byte, bool) {
	var codes []byte
	for bit := byte(1); bit != 0; bit <<= 1 {
		if mods&bit == 0 {
			continue
		}
		code, ok := m.holder(bit)
		if !ok {
			return nil, false
		}
		codes = append(codes, code)
	}
	return codes, true
}

func (m *keymap) holder(bit byte) (byte, bool) {
	best, rank := byte(0), len(preferred)+1
	for c := 8; c < 256; c++ {
		code := byte(c)
		if m.mods[code] != bit || m.keys[code] == nil {
			continue
		}
		sym := m.keys[code].sym(0, 0)
		if sym == symCapsLock || sym == symNumLock || sym == symShiftLock || sym == symLevel3Latch || sym == symLevel3Lock || sym == 0 {
			continue
		}
		r := len(preferred)
		for i, p := range preferred {
			if p == sym {
				r = i
			}
		}
		if r < rank {
			best, rank = code, r
		}
	}
	return best, best != 0
}
