package bridge

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/hostabi"
)

// markSensitive returns v with the fields marked whose labels match one of the
// patterns: an administrator knows of secrets that neither the application nor
// its adapter marks. v itself may be shared and stays as it is.
func markSensitive(v *hostabi.View, patterns []*regexp.Regexp) *hostabi.View {
	if len(patterns) == 0 {
		return v
	}
	out := *v
	out.Blocks = slices.Clone(v.Blocks)
	for i := range out.Blocks {
		items := slices.Clone(out.Blocks[i].Items)
		for j := range items {
			matches := func(p *regexp.Regexp) bool { return p.MatchString(items[j].Label) }
			items[j].Sensitive = items[j].Sensitive || slices.ContainsFunc(patterns, matches)
		}
		out.Blocks[i].Items = items
	}
	return &out
}

// secrets are the argument values that nobody may see again. Where a window has
// sensitive fields, or is not known, every value is one, unless the arguments name
// another field of it, or the action's own schema lists the value.
func (b *Bridge) secrets(r Request) []string {
	var args map[string]any
	if json.Unmarshal(r.Args, &args) != nil {
		return nil // it is refused without being looked at
	}
	w := b.Snapshot().Window(r.Window)
	if w == nil && r.App != "" {
		return nil // an action of the application concerns no field
	}
	known, schema := "", ""
	if w != nil {
		sensitive := w.sensitiveLabels()
		if len(sensitive) == 0 {
			return nil
		}
		for _, v := range args {
			if s, ok := v.(string); ok && w.hasField(s) && !sensitive[strings.ToLower(s)] {
				return nil
			}
			if s, ok := v.(string); ok && sensitive[strings.ToLower(s)] {
				known = s
			}
		}
		if i := slices.IndexFunc(w.Actions, func(a Action) bool { return a.Name == r.Action }); i >= 0 {
			schema = w.Actions[i].Input
		}
	}
	var out []string
	for _, s := range scalars(args, nil) {
		if s != known && !strings.Contains(schema, string(appendJSON(nil, s))) {
			out = append(out, s)
		}
	}
	return out
}

// hasField reports whether a field of the window has the label.
func (w *Window) hasField(label string) bool {
	return slices.ContainsFunc(w.Blocks, func(b Block) bool {
		return slices.ContainsFunc(b.Items, func(f hostabi.Field) bool { return strings.EqualFold(f.Label, label) })
	})
}

// scalars gathers the texts and numbers of a JSON value, at any depth.
func scalars(v any, out []string) []string {
	switch v := v.(type) {
	case string:
		return append(out, v)
	case float64:
		return append(out, string(appendJSON(nil, v)))
	case []any:
		for _, e := range v {
			out = scalars(e, out)
		}
	case map[string]any:
		for _, e := range v {
			out = scalars(e, out)
		}
	}
	return out
}

// mask takes secrets out of what an adapter says of an act.
func mask(res *Result, secrets []string) *Result {
	if res != nil && len(secrets) > 0 {
		res.Message, res.Value = audit.Mask(res.Message, secrets), audit.MaskJSON(res.Value, secrets)
	}
	return res
}

// maskError takes secrets out of a refusal.
func maskError(err error, secrets []string) error {
	var e *Error
	if len(secrets) > 0 && errors.As(err, &e) {
		e.Message = audit.Mask(e.Message, secrets)
		for i := range e.Fields {
			e.Fields[i].Error = audit.Mask(e.Fields[i].Error, secrets)
		}
	}
	return err
}
