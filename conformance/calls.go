package conformance

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
)

// The codes of failures.
const (
	staleState         = "stale_state"
	validationFailed   = "validation_failed"
	blockedByModal     = "blocked_by_modal"
	windowNotFound     = "window_not_found"
	actionNotAvailable = "action_not_available"
	actionTimeout      = "action_timeout"
)

var codes = []string{staleState, validationFailed, blockedByModal, windowNotFound, actionNotAvailable, actionTimeout}

// toolError is the error object.
type toolError struct {
	Code           string          `json:"code"`
	Message        string          `json:"message"`
	CurrentVersion json.RawMessage `json:"currentVersion"`
	Fields         []struct {
		Field string `json:"field"`
		Error string `json:"error"`
	} `json:"fields"`
}

// refusal judges a failed call (B22) and returns its error object, or nil.
func (l *log) refusal(name string, t *tool, r *reply) *toolError {
	var e toolError
	switch {
	case r.refused != nil:
		l.fail("B22", r.refused, "%s: refused by an error of JSON-RPC, not by isError and a code", name)
		return nil
	case !r.IsError:
		l.fail("B22", r.raw, "%s: must fail, and its answer is no error", name)
		return nil
	case len(r.Structured) == 0:
		l.fail("B22", r.raw, "%s: the error has no structuredContent", name)
		return nil
	}
	if err := json.Unmarshal(r.Structured, &e); err != nil {
		l.fail("B22", r.raw, "%s: the error object cannot be read: %v", name, err)
		return nil
	}
	if !slices.Contains(codes, e.Code) || e.Message == "" {
		l.fail("B22", r.raw, "%s: code is none of the six, or there is no message", name)
		return nil
	}
	version := json.Number(e.CurrentVersion)
	if _, ok := integer(version); e.Code == staleState && !ok {
		l.fail("B22", r.raw, "%s: stale_state without currentVersion", name)
		return nil
	}
	if e.Code == validationFailed && !l.fields(name, t, &e, r) {
		return nil
	}
	if len(r.Content) == 0 {
		l.advise("B22", r.raw, "%s: content is empty; some clients read nothing else", name)
	}
	l.conforms(name, t, r)
	return &e
}

// fields judges that a rejected argument is named.
func (l *log) fields(name string, t *tool, e *toolError, r *reply) bool {
	if len(e.Fields) == 0 {
		l.fail("B22", r.raw, "%s: validation_failed without fields", name)
		return false
	}
	for _, f := range e.Fields {
		known := t == nil
		if t != nil {
			properties, _ := t.args()
			head, _, _ := strings.Cut(strings.ReplaceAll(f.Field, "[", "."), ".")
			known = properties[head] != nil
		}
		if f.Field == "" || f.Error == "" || !known {
			l.fail("B22", r.raw, "%s: a field of validation_failed names no argument, or no error", name)
			return false
		}
	}
	return true
}

// conforms judges an answer by its tool's outputSchema.
func (l *log) conforms(name string, t *tool, r *reply) {
	if t == nil || t.output == nil || len(r.Structured) == 0 {
		return
	}
	if err := validate(t.output, string(r.Structured)); err != nil {
		l.fail("B21", r.raw, "%s: its answer does not hold to its outputSchema: %v", name, err)
		return
	}
	l.pass("B21", nil, "answers hold to their schemas")
}

// madeUp is a name that nothing has.
func madeUp() string { return "none-" + strings.ToLower(rand.Text()[:8]) }

// refusals calls what cannot be carried out and judges the answers.
func (r *run) refusals(ctx context.Context, s *session) {
	r.refused(ctx, s, "an unknown window", windowNotFound, func(*state) *madeCall {
		return &madeCall{name: madeUp() + "__close"}
	})
	r.refused(ctx, s, "an unknown action", actionNotAvailable, func(st *state) *madeCall {
		if len(st.operable) == 0 || st.window(st.operable[0]) == nil {
			return nil
		}
		w := st.operable[0]
		return &madeCall{name: w + "__" + madeUp(), while: func(now *snapshot) bool { return now.isOperable(w) }}
	})
	r.refused(ctx, s, "a blocked window", blockedByModal, func(st *state) *madeCall {
		for _, w := range st.windows {
			if st.covered(w) && !st.isOperable(w.id) {
				return &madeCall{name: w.id + "__" + madeUp(), while: func(now *snapshot) bool {
					again := now.window(w.id)
					return again != nil && now.covered(again) && !now.isOperable(w.id)
				}}
			}
		}
		return nil
	})
	r.refused(ctx, s, "an argument that is missing", validationFailed, func(st *state) *madeCall {
		t := incomplete(st.tools, func(*tool) bool { return true })
		if t == nil {
			return nil
		}
		return &madeCall{name: t.Name, tool: t, while: func(now *snapshot) bool { return now.isOperable(t.window.id) }}
	})
	r.refused(ctx, s, "an expectedVersion that is wrong", staleState, func(st *state) *madeCall {
		t := incomplete(st.tools, func(t *tool) bool {
			properties, _ := t.args()
			return !t.readOnly() && t.window.versions && properties["expectedVersion"] != nil
		})
		if t == nil {
			return nil
		}
		was := t.window.version
		return &madeCall{
			name: t.Name, tool: t, args: map[string]any{"expectedVersion": was + 1_000_000}, version: was,
			while: func(now *snapshot) bool { return now.isOperable(t.window.id) && now.window(t.window.id).version == was },
		}
	})
}

// closed calls into a window that has closed meanwhile, if one has.
func (r *run) closed(ctx context.Context, s *session) {
	for id := range r.past.gone {
		r.refused(ctx, s, "a window that has closed", windowNotFound, func(*state) *madeCall {
			return &madeCall{name: id + "__" + madeUp()}
		})
		return
	}
}

// incomplete is the least harmful tool that has a required argument to leave out.
func incomplete(tools []*tool, fits func(*tool) bool) *tool {
	fit := slices.DeleteFunc(slices.Clone(tools), func(t *tool) bool {
		_, required := t.args()
		return t.window == nil || len(required) == 0 || t.hint("destructiveHint") || !fits(t)
	})
	harm := func(t *tool) (n int) {
		for _, hint := range []string{"readOnlyHint", "idempotentHint"} {
			if !t.hint(hint) {
				n++
			}
		}
		return n
	}
	if len(fit) == 0 {
		return nil
	}
	return slices.MinFunc(fit, func(a, b *tool) int { return cmp.Compare(harm(a), harm(b)) })
}

// madeCall is a call that must be refused, for as long as while holds.
type madeCall struct {
	name    string
	tool    *tool
	args    map[string]any
	version int64 // that stale_state must tell
	while   func(*snapshot) bool
}

// refused makes a call that must be refused with a code.
func (r *run) refused(ctx context.Context, s *session, what, code string, pick func(*state) *madeCall) {
	r.confirm(ctx, func(l *log) bool {
		st, ok := r.stable(ctx, s)
		if !ok {
			return false
		}
		c := pick(st)
		if c == nil {
			l.untested("B22", "%s: nothing to call", what)
			return true
		}
		answer, err := s.call(ctx, c.name, c.args)
		if err != nil {
			l.fail("B22", nil, "%s: no answer: %v", what, err)
			return true
		}
		if after := r.look(ctx, s); c.while != nil && (after == nil || !c.while(after)) {
			return false
		}
		says := what
		if c.tool != nil {
			says = c.name + ", " + what
		}
		e := l.refusal(says, c.tool, answer)
		if c.while != nil && e != nil && e.Code != code && slices.Contains([]string{blockedByModal, windowNotFound}, e.Code) {
			return false // the check at execution knows what the state does not tell yet
		}
		switch {
		case e == nil:
		case e.Code != code && code == staleState:
			l.fail("B23", answer.raw, "%s: answered %s, want stale_state", says, e.Code)
		case e.Code != code:
			l.fail("B22", answer.raw, "%s: answered %s, want %s", says, e.Code, code)
		case code == staleState && string(e.CurrentVersion) != encode(c.version):
			l.fail("B22", answer.raw, "%s: currentVersion is %s, and the window's version %d", says, e.CurrentVersion, c.version)
		default:
			if code == staleState {
				l.pass("B23", answer.raw, "%s: refused", says)
			}
			l.pass("B22", answer.raw, "%s: %s", what, code)
		}
		return true
	})
}
