package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Masked stands where a secret was. Its length says nothing of the secret's.
const Masked = "••••••"

// wordLength is the length in characters from which a secret is also masked
// where it stands as a word of its own. A shorter one is a common word or
// number by chance, so it is masked only where it is all of a value: the whole
// text, or what stands between quotes.
const wordLength = 4

// Mask replaces every secret in text that stands there as a whole value: as
// the whole text, between quotes, or as words of its own. A word that merely
// contains a secret stays as it is.
func Mask(text string, secrets []string) string {
	for _, s := range longestFirst(secrets) {
		if text == s {
			return Masked
		}
		text = maskOne(text, s)
		if e := escaped(s); e != s {
			text = maskOne(text, e)
		}
	}
	return text
}

// MaskJSON masks the values of a JSON text; keys stay. What is not JSON is
// masked as text.
func MaskJSON(raw json.RawMessage, secrets []string) json.RawMessage {
	if len(raw) == 0 || len(secrets) == 0 {
		return raw
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		return json.RawMessage(Mask(string(raw), secrets))
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(maskValue(v, longestFirst(secrets))); err != nil {
		return json.RawMessage(Mask(string(raw), secrets))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func maskValue(v any, secrets []string) any {
	switch v := v.(type) {
	case string:
		return Mask(v, secrets)
	case json.Number:
		if slices.Contains(secrets, v.String()) {
			return Masked
		}
	case []any:
		for i := range v {
			v[i] = maskValue(v[i], secrets)
		}
	case map[string]any:
		for k := range v {
			v[k] = maskValue(v[k], secrets)
		}
	}
	return v
}

// longestFirst orders the secrets so that one which contains another is masked
// whole. Blank ones are dropped: they would mask everything or nothing.
func longestFirst(secrets []string) []string {
	out := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return strings.TrimSpace(s) == "" || s == Masked })
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

func maskOne(text, secret string) string {
	asWord := utf8.RuneCountInString(secret) >= wordLength
	var out strings.Builder
	start := 0 // of what is not yet written
	for at := 0; ; {
		i := strings.Index(text[at:], secret)
		if i < 0 {
			break
		}
		i += at
		end := i + len(secret)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if isQuote(before) && isQuote(after) || asWord && isEdge(before, i == 0) && isEdge(after, end == len(text)) {
			out.WriteString(text[start:i])
			out.WriteString(Masked)
			start, at = end, end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		at = i + size
	}
	if start == 0 {
		return text
	}
	out.WriteString(text[start:])
	return out.String()
}

func isEdge(r rune, outside bool) bool {
	return outside || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_'
}

func isQuote(r rune) bool { return strings.ContainsRune("\"'`“”‘’„«»", r) }

// escaped is how a secret looks inside a JSON or Go string.
func escaped(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return string(b[1 : len(b)-1])
}
