package conformance

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// tool is one listed tool.
type tool struct {
	raw         json.RawMessage
	Name        string                     `json:"name"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Input       json.RawMessage            `json:"inputSchema"`
	Output      json.RawMessage            `json:"outputSchema"`
	Annotations map[string]json.RawMessage `json:"annotations"`

	// window is the window that it belongs to, or nil.
	window *window
	// action is what follows the window's id in the name.
	action string
	// output is Output once it is compiled.
	output *jsonschema.Resolved
}

func (t *tool) hint(name string) bool { return string(t.Annotations[name]) == "true" }

func (t *tool) readOnly() bool { return t.hint("readOnlyHint") }

// args are the arguments that the input schema names, and the required ones
// but for expectedVersion.
func (t *tool) args() (properties map[string]json.RawMessage, required []string) {
	var in struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(t.Input, &in) // a schema that is none names nothing
	return in.Properties, slices.DeleteFunc(in.Required, func(name string) bool { return name == "expectedVersion" })
}

// evidence is the tool without its schemas.
func (t *tool) evidence() any {
	return map[string]any{"name": t.Name, "title": t.Title, "annotations": t.Annotations}
}

var toolName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// own finds the window of each tool.
func own(tools []*tool, s *snapshot) {
	for _, t := range tools {
		t.window, t.action = nil, ""
		for _, w := range s.windows {
			if rest, ok := strings.CutPrefix(t.Name, w.id+"__"); ok && (t.window == nil || len(w.id) > len(t.window.id)) {
				t.window, t.action = w, rest
			}
		}
	}
}

// tool judges a tool by itself.
func (l *log) tool(t *tool) {
	if !toolName.MatchString(t.Name) {
		l.fail("B17", t.Name, "a tool's name is longer than 40 characters or has others than [A-Za-z0-9_-]")
	}
	if t.Title == "" || t.Description == "" {
		l.advise("B17", t.evidence(), "%s has no title or no description", t.Name)
	}
	l.schemas(t)
	l.annotations(t)
}

// listing judges tools that were listed while the state was s.
func (l *log) listing(tools []*tool, s *snapshot, gone map[string]bool, strict bool) {
	own(tools, s)
	n := 0
	for _, t := range tools {
		if t.window == nil {
			l.unowned(t, s, gone, strict)
			continue
		}
		if n++; !s.isOperable(t.window.id) {
			l.fail("B18", t.evidence(), "%s is listed and window %s is not operable", t.Name, t.window.id)
		}
		if !t.readOnly() {
			l.guarded(t)
		}
	}
	switch {
	case len(tools) == 0:
		l.pass("B32", nil, "no tool was listed, and that was answered as []")
	case l.failures("B18") == 0:
		l.pass("B17", tools[0].Name, "%d tools, %d of windows", len(tools), n)
		l.pass("B18", nil, "all %d tools of windows are of operable ones", n)
	}
}

// unowned judges a tool that belongs to no window of the state.
func (l *log) unowned(t *tool, s *snapshot, gone map[string]bool, strict bool) {
	prefix, _, ok := strings.Cut(t.Name, "__")
	closed := false
	for id := range gone {
		closed = closed || strings.HasPrefix(t.Name, id+"__")
	}
	switch {
	case closed:
		l.fail("B18", t.evidence(), "%s is listed and its window has gone", t.Name)
	case ok && (prefix == "app" || !strict):
		l.applicationAction(t, s, prefix)
	case strict:
		l.fail("B18", t.evidence(), "%s belongs to no window and is no action of the application", t.Name)
	}
}

// applicationAction judges an action of an application (B33).
func (l *log) applicationAction(t *tool, s *snapshot, app string) {
	properties, _ := t.args()
	modal := slices.ContainsFunc(s.windows, func(w *window) bool {
		return isApplicationModal(w) && (app == "app" || w.app == app)
	})
	switch {
	case properties["expectedVersion"] != nil:
		l.fail("B33", t.Input, "%s takes expectedVersion, but belongs to no window", t.Name)
	case modal:
		l.fail("B33", t.evidence(), "%s is listed under an application modal", t.Name)
	default:
		l.pass("B33", t.Name, "actions of the application have their form")
	}
}

// guarded judges that a writing tool accepts expectedVersion and can do without.
func (l *log) guarded(t *tool) {
	var in struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(t.Input, &in) // judged with the other schemas
	if in.Properties["expectedVersion"] == nil || slices.Contains(in.Required, "expectedVersion") {
		l.fail("B23", t.Input, "%s writes, and expectedVersion is not one of its optional arguments", t.Name)
	}
}

func (l *log) annotations(t *tool) {
	if t.readOnly() && t.hint("destructiveHint") {
		l.fail("B26", t.evidence(), "%s says that it only reads and that it destroys", t.Name)
	}
	for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint"} {
		if t.Annotations[name] == nil {
			l.advise("B26", t.evidence(), "%s does not say its %s", t.Name, name)
		}
	}
	l.pass("B26", nil, "no annotation contradicts another")
}

// errorObjects are the errors that every output schema must admit.
var errorObjects = []string{
	`{"code":"stale_state","message":"m","currentVersion":9007199254740993}`,
	`{"code":"validation_failed","message":"m","fields":[{"field":"f","error":"e"}]}`,
	`{"code":"blocked_by_modal","message":"m"}`,
	`{"code":"window_not_found","message":"m"}`,
	`{"code":"action_not_available","message":"m"}`,
	`{"code":"action_timeout","message":"m"}`,
}

// schemas judges that a tool's schemas compile and that its answers may be
// errors (B21).
func (l *log) schemas(t *tool) {
	if _, err := compile(t.Input); err != nil {
		l.fail("B21", t.Input, "%s: its inputSchema does not compile: %v", t.Name, err)
		return
	}
	if len(t.Output) == 0 {
		l.fail("B21", t.evidence(), "%s has no outputSchema", t.Name)
		return
	}
	var err error
	if t.output, err = compile(t.Output); err != nil {
		l.fail("B21", t.Output, "%s: its outputSchema does not compile: %v", t.Name, err)
		return
	}
	for _, text := range errorObjects {
		if err := validate(t.output, text); err != nil {
			l.fail("B21", t.Output, "%s: its outputSchema does not admit the error %s: %v", t.Name, text, err)
			return
		}
	}
	l.pass("B21", nil, "schemas compile and admit errors")
}

func compile(raw json.RawMessage) (*jsonschema.Resolved, error) {
	var root struct {
		Type any `json:"type"`
	}
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, err
	}
	if root.Type != "object" {
		return nil, fmt.Errorf("its type is %v, want object", root.Type)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

func validate(s *jsonschema.Resolved, text string) error {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	return s.Validate(v)
}
