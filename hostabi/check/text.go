package check

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line of harmless text: control characters and those
// that change the direction of text are removed, runs of white space are one
// space, the ends are trimmed.
func Line(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case Harmful(r):
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

// clean reports whether s is plain ASCII that Line would not change, which
// most text is.
func clean(s string) bool {
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

// Harmful reports whether r is a control character, or one that overrides or
// isolates the direction of what follows and so can make a text look like
// another. White space is none.
func Harmful(r rune) bool {
	switch {
	case unicode.IsSpace(r):
		return false
	case unicode.IsControl(r):
		return true
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xE0000 && r <= 0xE007F: // tags: invisible text that models read
		return true
	}
	return false
}

// Lines is Line for text of several lines: line breaks and tabs stay.
func Lines(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !Harmful(r) && r != '\r' && r != '\v' && r != '\f' {
			return r
		}
		return -1
	}, s)
}

// cut shortens s to n characters, the last of which is then an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	i := 0
	for at := range s {
		if i == n-1 {
			return s[:at] + "…"
		}
		i++
	}
	return s
}
