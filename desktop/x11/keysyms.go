package x11

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// keysym is the meaning of a key at one level: a character or a function.
type keysym uint32

// unicodeSyms is added to a code point to give its keysym.
const unicodeSyms = 0x01000000

// The keysyms that this package needs by name.
const (
	symTab         keysym = 0xff09
	symReturn      keysym = 0xff0d
	symNumLock     keysym = 0xff7f
	symShiftL      keysym = 0xffe1
	symControlL    keysym = 0xffe3
	symCapsLock    keysym = 0xffe5
	symShiftLock   keysym = 0xffe6
	symAltL        keysym = 0xffe9
	symSuperL      keysym = 0xffeb
	symLevel3      keysym = 0xfe03
	symLevel5      keysym = 0xfe11
	symLevel3Latch keysym = 0xfe04
	symLevel3Lock  keysym = 0xfe05
)

// latin1 reports whether a code point is its own keysym.
func latin1(r rune) bool { return r >= 0x20 && r < 0x7f || r >= 0xa0 && r <= 0xff }

var legacy = sync.OnceValue(func() map[keysym]rune {
	m := make(map[keysym]rune)
	for _, run := range legacyRunes {
		s := keysym(run.first)
		for _, r := range run.runes {
			if r != utf8.RuneError {
				m[s] = r
			}
			s++
		}
	}
	return m
})

// char returns the character that a keysym stands for. Keypad keys make
// characters too, but depend on NumLock, so they do not count.
func (s keysym) char() (rune, bool) {
	switch {
	case latin1(rune(s)):
		return rune(s), true
	case s > unicodeSyms && s <= unicodeSyms+utf8.MaxRune:
		return rune(s - unicodeSyms), true
	}
	r, ok := legacy()[s]
	return r, ok
}

var symNames = sync.OnceValue(func() map[string]keysym {
	m := make(map[string]keysym)
	for i, name := range strings.Fields(latin1Names) {
		s := keysym(0x20 + i)
		if s >= 0x7f {
			s += 0xa0 - 0x7f
		}
		m[name] = s
	}
	for entry := range strings.FieldsSeq(keyNames) {
		name, hex, _ := strings.Cut(entry, "=")
		n, err := strconv.ParseUint(hex, 16, 32)
		if err == nil {
			m[name] = keysym(n)
		}
	}
	return m
})

// wanted is what a chord or a text asks a key for: a keysym, or any keysym that
// makes a character.
type wanted struct {
	sym  keysym
	char rune // 0 if a keysym is wanted
}

func (w wanted) matches(s keysym) bool {
	if w.char == 0 {
		return s == w.sym
	}
	r, ok := s.char()
	return ok && r == w.char
}

// wantedKey reads the key of a chord: an X keysym name, "U" with a code point
// in hexadecimal, or one character.
func wantedKey(key string) (wanted, bool) {
	if s, ok := symNames()[key]; ok {
		if r, ok := s.char(); ok {
			return wanted{char: r}, true
		}
		return wanted{sym: s}, true
	}
	if r, size := utf8.DecodeRuneInString(key); size == len(key) && r != utf8.RuneError {
		return wantedRune(r)
	}
	if hex, ok := strings.CutPrefix(key, "U"); ok && len(hex) >= 4 {
		n, err := strconv.ParseUint(hex, 16, 32)
		if err == nil && n <= utf8.MaxRune {
			return wantedRune(rune(n))
		}
	}
	return wanted{}, false
}

// KnowsKey tells whether a chord can name a key so, in upper or lower case.
func KnowsKey(name string) bool {
	if _, ok := wantedKey(name); ok {
		return true
	}
	for known := range symNames() {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

// wantedRune returns what makes a character of a text.
func wantedRune(r rune) (wanted, bool) {
	switch {
	case r == '\n' || r == '\r':
		return wanted{sym: symReturn}, true
	case r == '\t':
		return wanted{sym: symTab}, true
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return wanted{}, false
	}
	return wanted{char: r}, true
}
