package window

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
)

// maxLabel is the longest label in characters. Longer ones are sentences.
const maxLabel = 60

// Clean returns s as a person reads it: on one line, without control and
// direction characters, without the placeholders that stand for embedded
// objects.
func Clean(s string) string { return hostabi.Line(s, hidden) }

// hidden reports whether r shows nothing by itself: controls, marks of writing
// direction, soft hyphens, the object replacement character, icon fonts.
func hidden(r rune) bool {
	switch {
	case r == '\ufffc' || r == '\ufffd' || r == utf8.RuneError:
		return true
	case r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xe000 && r <= 0xf8ff: // private use
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// CleanText is Clean for text of several lines: it keeps line ends and tabs.
func CleanText(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = c >= ' ' && c < 0x7f || c == '\n' || c == '\t'
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\u2028' || r == '\u2029':
			return '\n'
		case hidden(r):
			return -1
		}
		return r
	}, s)
}

// Label makes a label of a name: cleaned, without the colon and the keyboard
// shortcut at its end, cut to a readable length.
func Label(s string) string {
	s = withoutMnemonic(Clean(s))
	s = withoutShortcut(s)
	s = strings.TrimSpace(strings.TrimRight(s, ":："))
	return Cut(s, maxLabel)
}

// Cut shortens s to n characters, the last of them then being an ellipsis.
func Cut(s string, n int) string { return hostabi.Cut(s, n) }

// withoutMnemonic undoes a name that tells its words twice, the first time with
// the underscore of the mnemonic: "_Retry Retry".
func withoutMnemonic(s string) string {
	half := len(s) / 2
	if len(s) > 2 && s[half] == ' ' && strings.Replace(s[:half], "_", "", 1) == s[half+1:] {
		return s[half+1:]
	}
	return s
}

// withoutShortcut removes a shortcut at the end of a tooltip: "Undo [Ctrl+Z]".
func withoutShortcut(s string) string {
	n := len(s)
	if n < 4 || s[n-1] != ']' && s[n-1] != ')' {
		return s
	}
	open := byte('[')
	if s[n-1] == ')' {
		open = '('
	}
	at := strings.LastIndexByte(s[:n-1], open)
	if at <= 0 || s[at-1] != ' ' {
		return s
	}
	if inner := s[at+1 : n-1]; !isShortcut(inner) {
		return s
	}
	return strings.TrimSpace(s[:at])
}

// isShortcut reports whether s names keys: "Ctrl+Z", "F5", "Escape", "/", "(".
func isShortcut(s string) bool {
	switch {
	case utf8.RuneCountInString(s) == 1:
		return !isDigit(s[0])
	case s == "Escape" || s == "Return" || s == "Delete" || s == "Backspace" || s == "Tab" || s == "Insert":
		return true
	case s[0] == 'F' && len(s) <= 3 && isDigit(s[1]):
		return true
	}
	for _, p := range [...]string{"Ctrl+", "Alt+", "Shift+", "Super+", "Meta+", "<"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// names gives out each label once: a second "Name" becomes "Name (2)".
type names struct{ taken map[string]int }

func (n *names) unique(label string) string {
	if n.taken == nil {
		n.taken = map[string]int{}
	}
	for {
		n.taken[label]++
		count := n.taken[label]
		if count == 1 {
			return label
		}
		next := label + " (" + itoa(int64(count)) + ")"
		if n.taken[next] == 0 {
			n.taken[next]++
			return next
		}
	}
}

// SameLabel reports whether an agent's word for an element means the label: the
// case of letters, an ellipsis and spaces at the ends make no difference.
func SameLabel(word, label string) bool {
	w := bare(word)
	return w != "" && (word == label || strings.EqualFold(w, bare(label)))
}

func bare(s string) string {
	s = Label(s)
	s = strings.TrimSuffix(strings.TrimSuffix(s, "..."), "…")
	return strings.TrimSpace(s)
}

// blockKey makes the key of a block that is about something with a label.
func blockKey(prefix, label string) string {
	const most = 100 // bytes; the host takes 128
	key := prefix + label
	if len(key) <= most {
		return key
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(key[cut]) {
		cut--
	}
	// What was cut off is told apart by its sum.
	sum := uint32(2166136261)
	for i := cut; i < len(key); i++ {
		sum = (sum ^ uint32(key[i])) * 16777619
	}
	return key[:cut] + "~" + itoa(int64(sum))
}
