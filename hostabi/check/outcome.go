package check

import (
	"encoding/json"
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
)

var (
	codes = []hostabi.Code{
		hostabi.CodeInvalid, hostabi.CodeUnavailable, hostabi.CodeGone, hostabi.CodeTimeout, hostabi.CodeDenied,
		hostabi.CodeUnsupported, hostabi.CodeNoFocus, hostabi.CodeCovered, hostabi.CodeInternal,
	}
	effects = []hostabi.Effect{"", hostabi.Confirmed, hostabi.Unchanged, hostabi.Unconfirmed}
)

// maxMessage is what a message may measure, in characters.
const maxMessage = 1000

// Outcome checks what an adapter returned from invoke for the action, and brings
// its texts into shape.
func Outcome(o *hostabi.Outcome, a hostabi.Action) error {
	var p problems
	if o.Fault != nil {
		if o.Message != "" || o.Result != "" || o.Effect != "" {
			p.add("fault", "comes with a message, result or effect; an outcome is either a fault or what was done")
		}
		fault(&p, o.Fault)
		return p.err("outcome")
	}
	o.Message = hostabi.Cut(Line(o.Message), maxMessage)
	if !slices.Contains(effects, o.Effect) {
		p.add("effect", "is %q; it must be one of %q or empty", o.Effect, effects[1:])
	}
	if len(o.Result) > MaxView {
		p.add("result", "has %d bytes; the most is %d", len(o.Result), MaxView)
	} else {
		result(&p, o.Result, a.Output)
	}
	return p.err("outcome")
}

// fault checks a fault, and brings its texts into shape.
func fault(p *problems, f *hostabi.Fault) {
	f.Message = hostabi.Cut(Line(f.Message), maxMessage)
	if !slices.Contains(codes, f.Code) {
		p.add("fault.code", "is %q; it must be one of %q", f.Code, codes)
	}
	if f.Message == "" {
		p.add("fault.message", "is empty; say what is wrong and what to do")
	}
	for i := range f.Fields {
		f.Fields[i].Field = hostabi.Cut(Line(f.Fields[i].Field), maxLabel)
		f.Fields[i].Error = hostabi.Cut(Line(f.Fields[i].Error), maxMessage)
	}
}

// result checks a result against the action's output schema.
func result(p *problems, text, schema string) {
	switch {
	case text == "" && schema == "":
		return
	case text == "":
		p.add("result", "is missing; the action has an output schema")
		return
	}
	var v map[string]any
	if _, err := hostabi.Parse(text); err != nil {
		p.add("result", "%v; write a JSON object", err)
		return
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil || v == nil {
		p.add("result", "is no JSON object; write one")
		return
	}
	if schema == "" {
		return
	}
	s, err := compile(schema)
	if err != nil {
		p.add("output", "%v", err)
		return
	}
	if err := s.Validate(v); err != nil {
		p.add("result", "%s", strings.TrimSpace(reason(err)))
	}
}
