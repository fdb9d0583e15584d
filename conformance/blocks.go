package conformance

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// shape is what a block type has beside type, id and sensitive: each field's test
// and whether it must be there.
type shape map[string]struct {
	is       func(any) bool
	required bool
}

func isString(v any) bool { _, ok := v.(string); return ok }
func isBool(v any) bool   { _, ok := v.(bool); return ok }
func isAny(any) bool      { return true }
func isArray(v any) bool  { _, ok := v.([]any); return ok }

func isCount(v any) bool { n, ok := integer(v); return ok && n >= 0 }

func integer(v any) (int64, bool) {
	number, ok := v.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, 64)
	return n, ok && err == nil
}

func isSeverity(v any) bool {
	return slices.Contains([]any{"info", "warn", "error", "success"}, v)
}

func isURL(v any) bool {
	s, _ := v.(string)
	for _, scheme := range []string{"https://", "file://", "data:"} {
		if strings.HasPrefix(s, scheme) {
			return true
		}
	}
	return false
}

func arrayOf(is func(any) bool) func(any) bool {
	return func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(e any) bool { return !is(e) })
	}
}

func isField(v any) bool {
	m, ok := v.(map[string]any)
	_, value := m["value"]
	sensitive, marked := m["sensitive"]
	return ok && isString(m["label"]) && value && (!marked || isBool(sensitive)) && len(unknown(m, "label", "value", "sensitive")) == 0
}

// shapes are the seven types.
var shapes = map[string]shape{
	"text":   {"text": {isString, true}},
	"fields": {"items": {arrayOf(isField), true}},
	"table": {
		"columns": {arrayOf(isString), true}, "rows": {arrayOf(isArray), true},
		"offset": {isCount, false}, "total": {isCount, false},
	},
	"list":   {"items": {isArray, true}, "ordered": {isBool, false}, "offset": {isCount, false}, "total": {isCount, false}},
	"notice": {"severity": {isSeverity, true}, "text": {isString, true}},
	"media":  {"mimeType": {isString, true}, "url": {isURL, true}, "alt": {isString, false}},
	"custom": {"payload": {isAny, true}},
}

// block judges one block: its shape (B13), its size (B14), its secrets (B15).
func (l *log) block(w *window, b map[string]any) {
	kind, _ := b["type"].(string)
	sh, ok := shapes[kind]
	if !ok {
		l.fail("B13", b, "window %s: %q is none of the seven block types", w.id, kind)
		return
	}
	before := l.failures("B13")
	known := []string{"type", "id", "sensitive"}
	if mark, has := b["sensitive"]; has && !isBool(mark) {
		l.fail("B13", b, "window %s: sensitive of a %s block is no boolean", w.id, kind)
	}
	for name, field := range sh {
		known = append(known, name)
		if v, has := b[name]; !has && field.required || has && !field.is(v) {
			l.fail("B13", b, "window %s: %s of a %s block is missing or of another shape", w.id, name, kind)
		}
	}
	if extra := unknown(b, known...); len(extra) > 0 {
		l.fail("B13", b, "window %s: a %s block has no field %s", w.id, kind, strings.Join(extra, ", "))
	}
	if l.failures("B13") > before {
		return
	}
	l.pass("B13", nil, "every block has exactly the fields of its type")
	switch kind {
	case "table":
		l.size(w, b, b["rows"].([]any))
		columns := len(b["columns"].([]any))
		for i, row := range b["rows"].([]any) {
			if n := len(row.([]any)); n != columns {
				l.fail("B14", b, "window %s: row %d has %d cells for %d columns", w.id, i, n, columns)
			}
		}
	case "list":
		l.size(w, b, b["items"].([]any))
	}
	l.secrets(w, kind, b)
}

// size judges offset and total of what may be cut short.
func (l *log) size(w *window, b map[string]any, shown []any) {
	offset, _ := integer(b["offset"])
	total, has := integer(b["total"])
	switch {
	case !has && offset > 0:
		l.fail("B14", b, "window %s: starts at %d, so it is cut short, and has no total", w.id, offset)
	case has && total < offset+int64(len(shown)):
		l.fail("B14", b, "window %s: total is %d, but %d are shown from %d", w.id, total, len(shown), offset)
	default:
		l.pass("B14", nil, "sizes agree")
	}
}

// placeholder is a word that stands for a value; mask is a value made of signs.
var (
	placeholder = regexp.MustCompile(`(?i)^\W*(redacted|masked|hidden|sensitive|secret|removed|protected|filtered|omitted)\W*$`)
	mask        = regexp.MustCompile(`^[^\pL\pN]*$`)
)

func isMasked(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return mask.MatchString(v) || placeholder.MatchString(v)
	case []any:
		return !slices.ContainsFunc(v, func(e any) bool { return !isMasked(e) })
	case map[string]any:
		for _, e := range v {
			if !isMasked(e) {
				return false
			}
		}
		return true
	}
	return false // a number or a boolean says what it is
}

// secrets judges that what is marked is masked. The evidence leaves it out.
func (l *log) secrets(w *window, kind string, b map[string]any) {
	if b["sensitive"] == true {
		ok := true
		for _, name := range []string{"text", "rows", "payload", "alt"} {
			ok = ok && isMasked(b[name])
		}
		if kind == "list" {
			ok = ok && isMasked(b["items"])
		}
		l.secret(ok, w, kind)
	}
	items, _ := b["items"].([]any)
	for _, item := range items {
		if field, ok := item.(map[string]any); ok && kind == "fields" && (field["sensitive"] == true || b["sensitive"] == true) {
			l.secret(isMasked(field["value"]), w, "the field "+cut(field["label"]))
		}
	}
}

func (l *log) secret(masked bool, w *window, what string) {
	if masked {
		l.pass("B15", nil, "what is marked as sensitive is masked (what the logs hold cannot be seen)")
	} else {
		l.fail("B15", nil, "window %s: %s is marked as sensitive and can be read (not shown here)", w.id, what)
	}
}
