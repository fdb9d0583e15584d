package window

import (
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Texts are counted in characters towards agents. Qt and LibreOffice count in
// UTF-16 units, in which an emoji is two.

// pageUnits is how much of a text is read at a time, maxCounted how much at most
// to count its characters.
const (
	pageUnits  = 100_000
	maxCounted = 4 << 20
)

// countsUTF16 reports whether a toolkit counts its texts in UTF-16 units.
func countsUTF16(toolkit string) bool {
	return strings.HasPrefix(toolkit, "qt") || toolkit == "libreoffice"
}

// units is how long a text is for a toolkit.
func units(s string, utf16 bool) int64 {
	n := int64(utf8.RuneCountInString(s))
	if utf16 {
		for _, r := range s {
			if r > 0xffff {
				n++
			}
		}
	}
	return n
}

// Whole reports whether the observation holds all of a field's text.
func (f *Field) Whole() bool {
	info, ok := f.Node.TextInfo()
	return !ok || info.First == 0 && info.Length <= units(f.Node.Text(), f.utf16)
}

// shown is a field's text cut to n characters, with a note if that is not all.
// how says what action reads the rest.
func (f *Field) shown(n int, how string) string {
	raw := []rune(shownText(f.Node))
	if len(raw) <= n && f.Whole() {
		return CleanText(string(raw))
	}
	raw = raw[:min(len(raw), n)]
	of := " characters of a longer text"
	if info, ok := f.Node.TextInfo(); ok && !f.utf16 {
		of = " of " + itoa(max(info.First+info.Length, int64(len(raw)))) + " characters"
	} else if f.Whole() {
		of = " of " + itoa(int64(utf8.RuneCountInString(f.Node.Text()))) + " characters"
	}
	return CleanText(string(raw)) + "\n[" + itoa(int64(len(raw))) + of + "; the rest by " + how + "]"
}

// reads reports whether read_text reads the field.
func (f *Field) reads() bool {
	switch {
	case f.Sensitive || f.Kind != Area && f.Kind != Line:
		return false
	case f.Kind == Area || f.Document:
		return true
	}
	return !f.Whole() || utf8.RuneCountInString(f.Node.Text()) > maxValue
}

// readCharacters reads n characters from the one numbered offset on, and tells
// how many there are in all.
func readCharacters(c tree.Cursor, utf16 bool, offset, n int64) (text string, total int64, err error) {
	if utf16 {
		return readUnits(c, offset, n)
	}
	text, err = pluginsdk.ReadText(c.ID(), offset, int(n))
	if info, ok := c.TextInfo(); ok {
		total = info.Length
	}
	if text != "" {
		total = max(total, offset+int64(utf8.RuneCountInString(text)))
	}
	return text, total, err
}

// readUnits is readCharacters for a text that is counted in UTF-16 units: it
// counts from the start.
func readUnits(c tree.Cursor, offset, n int64) (text string, total int64, err error) {
	length := int64(0)
	if info, ok := c.TextInfo(); ok {
		length = info.Length
	}
	var b strings.Builder
	at := int64(0)
	for at < min(length, maxCounted) {
		want := min(pageUnits, length-at)
		page, err := pluginsdk.ReadText(c.ID(), at, int(want))
		if err != nil {
			return "", 0, err
		}
		if at+want < length {
			page = withoutHalf(page)
		}
		if page == "" {
			break
		}
		for _, r := range page {
			if total >= offset && total < offset+n {
				b.WriteRune(r)
			}
			total++
		}
		at += units(page, true)
	}
	if at >= maxCounted {
		total += max(length-at, 0) // at most
	}
	return b.String(), total, nil
}

// withoutHalf leaves out the last character of a page: it may be the half of one
// that the page cuts, which Qt writes as a question mark.
func withoutHalf(page string) string {
	if r, size := utf8.DecodeLastRuneInString(page); (r == '?' || r == utf8.RuneError) && len(page) > size {
		return page[:len(page)-size]
	}
	return page
}

// ReadPart reads the characters that the arguments offset and length name.
func ReadPart(f *Field, args hostabi.Value) (*hostabi.Outcome, error) {
	offset, n := span(args, "length", defaultRead, maxRead)
	text, total, err := readCharacters(f.Node, f.utf16, offset, n)
	if err != nil {
		return nil, err
	}
	return textRead(text, offset, total), nil
}

// textRead is the outcome of reading a part of a text. What cannot be shown is
// left out of it, so next says where the following part begins.
func textRead(text string, offset, total int64) *hostabi.Outcome {
	n, shown := int64(utf8.RuneCountInString(text)), CleanText(text)
	message := "Characters " + itoa(offset) + " to " + itoa(offset+n) + " of " + itoa(total)
	if left := n - int64(utf8.RuneCountInString(shown)); left > 0 {
		message += ", without " + plural(int(left), "character") + " that cannot be shown"
	}
	return &hostabi.Outcome{
		Message: message + ".",
		Result:  new(Object).Set("text", shown).Set("next", offset+n).Set("total", total).JSON(),
		Effect:  hostabi.Unchanged,
	}
}

// TextResult is the schema of what [ReadPart] returns.
func TextResult() string {
	return new(Schema).String("text", "The part, without characters that cannot be shown", true).
		Int("next", "The offset of the part that follows", true, 0).
		Int("total", "Characters in the whole text", true, 0).JSON()
}
