package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// nameSafe is what ids and names are made of.
var nameSafe = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// snapshot is one state of app://windows. What is missing or of the wrong type is
// zero here and has been found by then.
type snapshot struct {
	operable []string
	windows  []*window
	text     string // the same for the same state, in whatever order
}

// window is one window of a snapshot.
type window struct {
	raw      map[string]any
	id       string
	app      string
	title    string
	modal    bool
	owner    string // "" for none
	version  int64
	versions bool // whether it has a version
	blocks   []map[string]any
	content  string // blocks and summary, for comparing
}

func (s *snapshot) window(id string) *window {
	for _, w := range s.windows {
		if w.id == id {
			return w
		}
	}
	return nil
}

func (s *snapshot) isOperable(id string) bool { return slices.Contains(s.operable, id) }

// decode reads JSON with its numbers as they are.
func decode(text string, v any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("something follows the value")
	}
	return nil
}

// unwrap judges the wrapping of a read (B04) and returns the text in it.
func (l *log) unwrap(raw json.RawMessage) (string, bool) {
	var res struct {
		Contents []map[string]any `json:"contents"`
	}
	if err := json.Unmarshal(raw, &res); err != nil || len(res.Contents) != 1 {
		l.fail("B04", raw, "resources/read has %d contents, want one", len(res.Contents))
		return "", false
	}
	c := res.Contents[0]
	text, isText := c["text"].(string)
	if c["uri"] != windowsURI || c["mimeType"] != "application/json" || !isText || c["blob"] != nil {
		l.fail("B04", raw, "the content is not one text of %s with mimeType application/json", windowsURI)
		return text, isText
	}
	return text, true
}

// snapshot judges one state by itself and returns it, or nil if it is none.
func (l *log) snapshot(raw json.RawMessage, strict bool) *snapshot {
	text, ok := l.unwrap(raw)
	if !ok {
		return nil
	}
	var m map[string]any
	if err := decode(text, &m); err != nil || m == nil {
		l.fail("B04", text, "the text is no JSON object: %v", err)
		return nil
	}
	windows, ok := m["windows"].([]any)
	if !ok {
		l.fail("B04", text, "windows is no array")
		return nil
	}
	l.pass("B04", nil, "one text of %d bytes, %d windows", len(text), len(windows))
	s := &snapshot{}
	operable, ok := m["operableWindowIds"].([]any)
	if !ok {
		l.fail("B32", m["operableWindowIds"], "operableWindowIds is no array; an empty one is []")
		return nil
	}
	for _, id := range operable {
		if id, ok := id.(string); ok {
			s.operable = append(s.operable, id)
		} else {
			l.fail("B07", operable, "operableWindowIds holds something that is no string")
		}
	}
	for _, raw := range windows {
		obj, ok := raw.(map[string]any)
		if !ok {
			l.fail("B10", raw, "a window is no object")
			continue
		}
		s.windows = append(s.windows, l.window(obj, strict))
	}
	if extra := unknown(m, "operableWindowIds", "windows"); strict && len(extra) > 0 {
		l.fail("B04", extra, "the snapshot has fields beside operableWindowIds and windows")
	}
	s.text = canonical(m)
	l.ids(s)
	l.topology(s, strict)
	if len(s.operable) == 0 {
		l.pass("B32", nil, "no window was operable, and the state could be read")
	}
	return s
}

// canonical encodes a state with its arrays that have no order sorted.
func canonical(m map[string]any) string {
	sorted := func(v any) any {
		list, ok := v.([]any)
		if !ok {
			return v
		}
		out := make([]string, len(list))
		for i, e := range list {
			out[i] = encode(e)
		}
		slices.Sort(out)
		return out
	}
	return encode(map[string]any{"operable": sorted(m["operableWindowIds"]), "windows": sorted(m["windows"])})
}

// unknown names the members beside the known ones.
func unknown(m map[string]any, known ...string) []string {
	var out []string
	for name := range m {
		if !slices.Contains(known, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// window judges the fields of a window (B10, B11) and its blocks.
func (l *log) window(m map[string]any, strict bool) *window {
	w := &window{raw: m}
	var ok bool
	before := l.failures("B10")
	if w.id, ok = m["id"].(string); !ok || w.id == "" {
		l.fail("B10", m, "a window has no id")
	}
	if w.title, ok = m["title"].(string); !ok {
		l.fail("B10", m, "window %s: title is no string", w.id)
	}
	if w.modal, ok = m["modal"].(bool); !ok {
		l.fail("B10", m, "window %s: modal is no boolean", w.id)
	}
	owner, has := m["ownerId"]
	if w.owner, ok = owner.(string); !has || (!ok && owner != nil) || (ok && w.owner == "") {
		l.fail("B10", m, "window %s: ownerId is neither an id nor null", w.id)
	}
	if summary, has := m["summary"]; has {
		if _, ok := summary.(string); !ok {
			l.fail("B10", m, "window %s: summary is no string", w.id)
		}
	}
	blocks, ok := m["blocks"].([]any)
	if !ok {
		l.fail("B10", m, "window %s: blocks is no array; an empty one is []", w.id)
	}
	w.app, _ = m["app"].(string)
	if extra := unknown(m, "id", "title", "modal", "ownerId", "version", "summary", "blocks"); strict && len(extra) > 0 {
		l.fail("B10", extra, "window %s has fields that the protocol does not know", w.id)
	}
	if l.failures("B10") == before {
		l.pass("B10", nil, "every window has its fields")
	}
	number, ok := m["version"].(json.Number)
	version, err := strconv.ParseInt(number.String(), 10, 64)
	if w.version, w.versions = version, ok && err == nil; !w.versions {
		l.fail("B11", m["version"], "window %s: version is no 64-bit integer", w.id)
	}
	w.content = encode([]any{m["summary"], blocks})
	for _, raw := range blocks {
		b, ok := raw.(map[string]any)
		if !ok {
			l.fail("B13", raw, "window %s: a block is no object", w.id)
			continue
		}
		w.blocks = append(w.blocks, b)
		l.block(w, b)
	}
	l.comprehensible(w)
	return w
}

// ids judges that ids are unique and name-safe (B12).
func (l *log) ids(s *snapshot) {
	before := l.failures("B12")
	seen := map[string]bool{}
	for _, w := range s.windows {
		switch {
		case w.id == "":
			continue
		case !nameSafe.MatchString(w.id):
			l.fail("B12", w.id, "a window's id has characters beside [A-Za-z0-9_-]")
		case seen[w.id]:
			l.fail("B12", w.id, "two windows have the same id")
		}
		seen[w.id] = true
		blocks := map[string]bool{}
		for _, b := range w.blocks {
			id, has := b["id"]
			name, ok := id.(string)
			switch {
			case has && (!ok || name == ""):
				l.fail("B12", b, "window %s: a block's id is no string", w.id)
			case has && blocks[name]:
				l.fail("B12", b, "window %s: two blocks have the same id", w.id)
			case !has:
				l.advise("B12", b, "window %s: a block has no id to refer to it by", w.id)
			}
			blocks[name] = true
		}
	}
	if l.failures("B12") == before {
		l.pass("B12", nil, "ids are unique and name-safe")
	}
}

// codeName is a label that only a program can love.
var codeName = regexp.MustCompile(`^[a-z]+_[a-z0-9_]*\d+$`)

// comprehensible advises on what a model will not understand (B16).
func (l *log) comprehensible(w *window) {
	if summary, _ := w.raw["summary"].(string); strings.TrimSpace(summary) == "" {
		l.advise("B16", w.title, "window %s has no summary", w.id)
	}
	custom := 0
	for _, b := range w.blocks {
		if b["type"] == "custom" {
			custom++
		}
		items, _ := b["items"].([]any)
		for _, item := range items {
			if field, ok := item.(map[string]any); ok && b["type"] == "fields" {
				if label, _ := field["label"].(string); codeName.MatchString(label) {
					l.advise("B16", item, "window %s: a label is the name of a widget", w.id)
				}
			}
		}
	}
	if custom > 0 && custom == len(w.blocks) {
		l.advise("B16", nil, "window %s: all blocks are custom", w.id)
	}
	l.pass("B16", nil, "summaries and labels are there")
}
