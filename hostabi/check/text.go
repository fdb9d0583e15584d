package check

import (
	"strings"
	"unicode"

	"oriel.dev/oriel/hostabi"
)

// Line returns s as one line of harmless text: control characters and those
// that change the direction of text are removed, runs of white space are one
// space, the ends are trimmed.
func Line(s string) string { return hostabi.Line(s, Harmful) }

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
