package bridge

import (
	"encoding/json"
	"errors"
	"maps"
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

// secrets are the argument values that nobody may see again: if one argument
// names a sensitive field of the window, or of a window of the application, all
// the others.
func (b *Bridge) secrets(r Request) []string {
	sensitive := map[string]bool{}
	for _, w := range b.Snapshot().Windows {
		if w.ID == r.Window || r.App != "" && w.App == r.App {
			maps.Copy(sensitive, w.sensitiveLabels())
		}
	}
	var args map[string]any
	if len(sensitive) == 0 || json.Unmarshal(r.Args, &args) != nil {
		return nil
	}
	var named bool
	var others []string
	for _, v := range args {
		s, ok := v.(string)
		switch {
		case ok && sensitive[strings.ToLower(s)]:
			named = true
		case ok:
			others = append(others, s)
		default:
			others = append(others, string(appendJSON(nil, v)))
		}
	}
	if !named {
		return nil
	}
	return others
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
