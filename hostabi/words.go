package hostabi

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s on one line: without the characters that drop says, with one
// space for each run of white space, and none at the ends.
func Line(s string, drop func(rune) bool) string {
	if isLine(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case drop(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isLine reports whether s is plain ASCII that [Line] would not change, which
// most text is.
func isLine(s string) bool {
	last := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return s == "" || last != ' '
}

// Cut shortens s to n characters, the last of which is then an ellipsis.
func Cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for at := range s {
		if i == n-1 {
			return strings.TrimSpace(s[:at]) + "…"
		}
		i++
	}
	return s
}
