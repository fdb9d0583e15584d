package conformance

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// success judges the answer of a call that did its work (B20).
func (l *log) success(t *tool, s *snapshot, r *reply) {
	var m map[string]any
	if decode(string(r.Structured), &m) != nil || m == nil {
		l.fail("B20", r.raw, "%s: the answer has no structuredContent", t.Name)
		return
	}
	before := l.failures("B20")
	if _, has := m["ok"]; has {
		l.fail("B20", r.raw, "%s: the answer has the flag ok; an answer that is no error is success", t.Name)
	}
	if message, has := m["message"]; has && !isString(message) {
		l.fail("B20", r.raw, "%s: message is no string", t.Name)
	} else if !has {
		l.advise("B20", r.raw, "%s: the answer has no message", t.Name)
	}
	if opened, has := m["openedWindowIds"]; has && !arrayOf(isString)(opened) {
		l.fail("B20", r.raw, "%s: openedWindowIds is no array of ids", t.Name)
	}
	l.effect(t, s, m, r)
	message, _ := m["message"].(string)
	mirrored, told := false, message == ""
	for _, c := range r.Content {
		var twin map[string]any
		mirrored = mirrored || decode(c.Text, &twin) == nil && encode(twin) == encode(m)
		told = told || strings.Contains(c.Text, message)
	}
	if !mirrored || !told {
		l.advise("B20", r.raw, "%s: content does not hold the message and the same JSON", t.Name)
	}
	l.conforms(t.Name, t, r)
	if l.failures("B20") == before {
		l.pass("B20", r.raw, "%s: answered as it should", t.Name)
	}
}

// effect judges the part of a result that is the same for every action. after is
// the state read after it.
func (l *log) effect(t *tool, after *snapshot, m map[string]any, r *reply) {
	result, ok := m["result"].(map[string]any)
	if _, has := m["result"]; has && !ok {
		l.fail("B20", r.raw, "%s: result is no object", t.Name)
		return
	}
	if effect, has := result["effect"]; !has {
		l.advise("B20", r.raw, "%s: result does not tell its effect", t.Name)
	} else if !slices.Contains([]any{"confirmed", "unchanged", "unconfirmed"}, effect) {
		l.fail("B20", r.raw, "%s: effect is %v", t.Name, effect)
	}
	version, has := result["version"]
	if !has {
		l.advise("B20", r.raw, "%s: result does not tell the window's version", t.Name)
		return
	}
	n, ok := integer(version)
	now := after.window(t.window.id)
	if !ok || now != nil && now.versions && now.version < n {
		l.fail("B20", r.raw, "%s: version is no integer, or above that of the state read afterwards", t.Name)
	}
}

// maxReads bounds how many read-only actions are called.
const maxReads = 8

// acts calls what changes nothing.
func (r *run) acts(ctx context.Context, s *session) {
	st, ok := r.stable(ctx, s)
	if !ok {
		r.untested("B20", "the windows would not hold still")
		return
	}
	seen := map[string]bool{}
	for _, t := range st.tools {
		args, ok := offered(t)
		if !ok || t.window == nil || !t.readOnly() || t.hint("openWorldHint") || seen[t.action] || len(seen) == maxReads {
			continue
		}
		seen[t.action] = true
		r.act(ctx, s, t, args)
	}
	if len(seen) == 0 {
		r.untested("B20", "no action of a window says that it is read-only and can be called without knowing the application")
	}
	for _, t := range st.tools {
		if args := present(t); args != nil {
			r.reset(ctx, s, t, args)
			return
		}
	}
	r.untested("B23", "no idempotent action sets a field by its label, so nothing was set to the value it has")
}

// offered returns the required arguments of a tool if its schema offers values
// for all of them: the first of each.
func offered(t *tool) (map[string]any, bool) {
	properties, required := t.args()
	args := map[string]any{}
	for _, name := range required {
		var takes struct {
			Enum []any `json:"enum"`
		}
		if json.Unmarshal(properties[name], &takes) != nil || len(takes.Enum) == 0 {
			return nil, false
		}
		args[name] = takes.Enum[0]
	}
	return args, true
}

// act calls a tool and judges its answer.
func (r *run) act(ctx context.Context, s *session, t *tool, args map[string]any) {
	answer, err := s.call(ctx, t.Name, args)
	if err != nil {
		r.fail("B20", nil, "%s: no answer: %v", t.Name, err)
		return
	}
	after := r.look(ctx, s)
	switch {
	case answer.IsError || answer.refused != nil:
		r.refusal(t.Name, t, answer)
	case after != nil:
		r.success(t, after, answer)
	}
}

// reset sets a field to the value that it has: first by a wrong version, which
// must touch nothing, then by the right one.
func (r *run) reset(ctx context.Context, s *session, t *tool, args map[string]any) {
	args["expectedVersion"] = t.window.version + 1_000_000
	answer, err := s.call(ctx, t.Name, args)
	if err != nil {
		r.fail("B23", nil, "%s: no answer: %v", t.Name, err)
		return
	}
	if e := r.stale(t, answer); e != nil {
		r.pass("B23", answer.raw, "%s with a wrong expectedVersion was refused", t.Name)
	}
	now := r.look(ctx, s)
	if now == nil || now.window(t.window.id) == nil || now.window(t.window.id).content != t.window.content {
		return // another's doing; the value may no longer be the present one
	}
	args["expectedVersion"] = now.window(t.window.id).version
	r.act(ctx, s, t, args)
}

// stale judges an answer that must be stale_state, or tell that the window has
// gone meanwhile.
func (r *run) stale(t *tool, answer *reply) *toolError {
	if !answer.IsError && answer.refused == nil {
		r.fail("B23", answer.raw, "%s: carried out although expectedVersion was wrong", t.Name)
		return nil
	}
	e := r.refusal(t.Name, t, answer)
	if e != nil && slices.Contains([]string{validationFailed, actionTimeout}, e.Code) {
		r.fail("B23", answer.raw, "%s with a wrong expectedVersion: answered %s, want stale_state", t.Name, e.Code)
		return nil
	}
	if e != nil && e.Code != staleState {
		return nil
	}
	return e
}

// The names that the two arguments of an action that sets a field go by.
var (
	fieldNames = []string{"field", "label", "name", "key"}
	valueNames = []string{"value", "text"}
)

// maxValue is how long a value may be that is set again: a longer one may be
// shown cut.
const maxValue = 60

// present returns arguments that set a field to the value it has, if the tool is
// one that can, and it is sure that this is harmless.
func present(t *tool) map[string]any {
	properties, required := t.args()
	if t.window == nil || t.readOnly() || !t.hint("idempotentHint") || t.hint("destructiveHint") || t.hint("openWorldHint") ||
		len(required) != 2 || properties["expectedVersion"] == nil || !t.window.versions {
		return nil
	}
	field, value := required[0], required[1]
	if slices.Contains(valueNames, field) {
		field, value = value, field
	}
	if !slices.Contains(fieldNames, field) || !slices.Contains(valueNames, value) {
		return nil
	}
	var takes struct {
		Enum []string `json:"enum"`
	}
	_ = json.Unmarshal(properties[field], &takes) // without an enum, any label
	labels := map[string]int{}
	args := map[string]any{}
	for label, text := range t.window.values() {
		labels[label]++
		if label == "" || takes.Enum != nil && !slices.Contains(takes.Enum, label) || len(text) > maxValue || strings.ContainsAny(text, "\n…") {
			continue
		}
		if old, has := args[value]; !has || old == "" { // rather one that is filled in
			args[field], args[value] = label, text
		}
	}
	if label, _ := args[field].(string); labels[label] != 1 {
		return nil
	}
	return args
}

// values are the labels of all fields that hold text, with it. Of a secret there
// is the label alone.
func (w *window) values() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, b := range w.blocks {
			items, _ := b["items"].([]any)
			for _, item := range items {
				f, _ := item.(map[string]any)
				label, _ := f["label"].(string)
				text, isText := f["value"].(string)
				if !isText || text != "" && isMasked(text) || f["sensitive"] == true || b["sensitive"] == true {
					text = "…" // is set by nobody
				}
				if !yield(label, text) {
					return
				}
			}
		}
	}
}
