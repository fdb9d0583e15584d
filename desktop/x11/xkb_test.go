package x11

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// recorded returns the map that a real server gave for a layout.
func recorded(t testing.TB, layout string) *keymap {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", layout+".xkb"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := parseMap(b)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// made returns what a stroke makes when a server is in a state.
func (m *keymap) made(s stroke, locked byte) keysym {
	k := m.keys[s.code]
	g := k.group(int(s.group))
	return k.sym(g, int(m.types[k.types[g]].level(s.mods|locked)))
}

// TestC21_StrokesMakeWhatIsWanted: whatever is locked, the stroke found for a
// character makes it, with keys that exist.
func TestC21_StrokesMakeWhatIsWanted(t *testing.T) {
	for layout, chars := range map[string]string{
		"us":    "aZ09 !@#$%^&*()_+{}|:\"<>?`~\\",
		"de":    "aZ09 äöüÄÖÜß@[]{}|\\~€µ²³°§\"'#+*<>",
		"fr":    "aZ09 éèçàù@[]{}|~#\\€&\"'(-_)=$*!:;,?./§%µ£",
		"us+ru": "aZ09 привет ПРИВЕТ ёЁ №",
	} {
		m := recorded(t, layout)
		runes := []rune(chars)
		rapid.Check(t, func(t *rapid.T) {
			r := rapid.SampledFrom(runes).Draw(t, "character")
			state := keyState{
				locked: rapid.SampledFrom([]byte{0, modLock, 1 << 4, modLock | 1<<4}).Draw(t, "locked"),
				group:  rapid.ByteRange(0, 1).Draw(t, "group"),
			}
			s, ok := m.find(wanted{char: r}, state)
			if !ok {
				t.Fatalf("%s: no key makes %q", layout, r)
			}
			if c, _ := m.made(s, s.locked).char(); c != r {
				t.Fatalf("%s: %+v makes %q, want %q", layout, s, c, r)
			}
			if holders, ok := m.holders(s.mods); !ok || s.mods&modLock != 0 || len(holders) > 3 {
				t.Fatalf("%s: %+v is held by %v", layout, s, holders)
			}
		})
	}
}

func TestStrokesUseTheFewestKeys(t *testing.T) {
	for _, c := range []struct {
		layout, key string
		want        stroke
	}{
		{"us", "a", stroke{code: 38}},
		{"us", "A", stroke{code: 38, mods: modShift}},
		{"us", "Return", stroke{code: 36}},
		{"us", "ISO_Left_Tab", stroke{code: 23, mods: modShift}},
		{"us", "KP_4", stroke{code: 83, locked: 1 << 4}},
		{"us", "KP_Left", stroke{code: 83}},
		{"de", "at", stroke{code: 24, mods: 1 << 7}},
		{"de", "z", stroke{code: 29}},
		{"us+ru", "Cyrillic_a", stroke{}},
		{"us+ru", "U0444", stroke{code: 38, group: 1}},
		{"us+ru", "ф", stroke{code: 38, group: 1}},
	} {
		w, ok := wantedKey(c.key)
		if !ok {
			if c.want != (stroke{}) {
				t.Errorf("%s is not known", c.key)
			}
			continue
		}
		if got, ok := recorded(t, c.layout).find(w, keyState{}); !ok || got != c.want {
			t.Errorf("%s on %s: %+v, %v, want %+v", c.key, c.layout, got, ok, c.want)
		}
	}
	m := recorded(t, "us")
	for _, r := range "é我🙂ф" {
		if s, ok := m.find(wanted{char: r}, keyState{}); ok {
			t.Errorf("%q is made by %+v", r, s)
		}
	}
}

func TestGroupsBeyondAKeysOwn(t *testing.T) {
	for _, c := range []struct {
		groups    int
		beyond    byte
		group, is int
	}{{0, 0, 3, 3}, {2, 0, 1, 1}, {2, 0, 3, 1}, {2, 0x40, 3, 1}, {2, 0x40, 2, 1}, {2, 0x90, 3, 1}, {2, 0xb0, 3, 0}} {
		k := key{groups: c.groups, beyond: c.beyond}
		if got := k.group(c.group); got != c.is {
			t.Errorf("%+v: group %d becomes %d, want %d", k, c.group, got, c.is)
		}
	}
}

func FuzzParseMap(f *testing.F) {
	for _, layout := range []string{"us", "us+ru"} {
		b, err := os.ReadFile(filepath.Join("testdata", layout+".xkb"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		m, err := parseMap(b)
		if !bytes.Equal(b, before) {
			t.Error("the reply was changed")
		}
		if err == nil {
			m.find(wanted{char: 'a'}, keyState{group: 1})
			m.holders(0xff)
		}
	})
}

func TestKeysyms(t *testing.T) {
	for s, want := range map[keysym]rune{
		'a': 'a', 0xe9: 'é', 0x1a1: 'Ą', 0x6c1: 'а', 0x6e1: 'А', 0x7e1: 'α', 0x20ac: '€', 0x13bd: 'œ', 0xaa9: '—', 0xad0: '‘',
		unicodeSyms + 0x1f642: '🙂', 0x0100 + unicodeSyms: 'Ā',
	} {
		if r, ok := s.char(); !ok || r != want {
			t.Errorf("%#x is %q, %v, want %q", uint32(s), r, ok, want)
		}
	}
	for _, s := range []keysym{0, 0x7f, 0x80, symReturn, symShiftL, 0xffb1, unicodeSyms, 0x02000000, 0x1a4} {
		if r, ok := s.char(); ok {
			t.Errorf("%#x is %q", uint32(s), r)
		}
	}
	for key, want := range map[string]wanted{
		"Return": {sym: symReturn}, "F35": {sym: 0xffe0}, "eacute": {char: 'é'}, "ydiaeresis": {char: 'ÿ'}, "nobreakspace": {char: 0xa0},
		"a": {char: 'a'}, "我": {char: '我'}, "U20AC": {char: '€'}, "EuroSign": {char: '€'}, "\n": {sym: symReturn}, "asciitilde": {char: '~'},
		"KP_0": {sym: 0xffb0}, "Page_Up": {sym: 0xff55}, "Prior": {sym: 0xff55}, "space": {char: ' '}, "U": {char: 'U'},
	} {
		if got, ok := wantedKey(key); !ok || got != want {
			t.Errorf("%q is %+v, %v, want %+v", key, got, ok, want)
		}
	}
	for _, key := range []string{"", "ab", "Nokey", "U12", "U110000", "\x01", "\x7f", "\xff"} {
		if got, ok := wantedKey(key); ok {
			t.Errorf("%q is %+v", key, got)
		}
	}
	if n := len(strings.Fields(latin1Names)); n != 95+96 {
		t.Errorf("%d names of Latin-1", n)
	}
}

// TestNamesAndCharactersAgree: a key asked for by its character or by its name
// is the same key.
func TestNamesAndCharactersAgree(t *testing.T) {
	for name, s := range symNames() {
		r, ok := s.char()
		if !ok || utf8.RuneLen(r) < 0 {
			continue
		}
		byName, _ := wantedKey(name)
		byChar, ok := wantedKey(string(r))
		if !ok || byName != byChar {
			t.Errorf("%s is %+v, %q is %+v", name, byName, r, byChar)
		}
	}
}
