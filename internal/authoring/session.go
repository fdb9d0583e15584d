package authoring

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox"
)

// SessionFormat is the version of the form of session files.
const SessionFormat = "oriel-session/1"

// Session is one action of an adapter on a live window: what it was given, what
// it asked of the host and was told, and what came of it. It is a JSON file that
// can be replayed where there is no desktop.
type Session struct {
	Format  string          `json:"format"`
	Adapter string          `json:"adapter"` // id and version that recorded it
	Window  string          `json:"window"`  // its title
	Action  string          `json:"action"`
	Args    json.RawMessage `json:"args"`
	Took    float64         `json:"took_ms"`
	Outcome json.RawMessage `json:"outcome"`
	Calls   []SessionCall   `json:"host_calls"`
	// Observation is the tree that the action was checked against.
	Observation json.RawMessage `json:"observation"`
}

// SessionCall is one call of a host function: the request, and of the following
// members at most one.
type SessionCall struct {
	Function string          `json:"function"` // "oriel:a11y set_text"
	Took     float64         `json:"took_ms"`
	Request  json.RawMessage `json:"request,omitempty"`
	Fault    json.RawMessage `json:"fault,omitempty"`
	Tree     json.RawMessage `json:"tree,omitempty"`   // observe, children, cells
	Text     string          `json:"text,omitempty"`   // text
	Reply    json.RawMessage `json:"reply,omitempty"`  // what is JSON
	Base64   string          `json:"base64,omitempty"` // anything else
}

// Record makes a session of the trace of an invoke. Lines for the log are left
// out: they are not answered.
func Record(t sandbox.Trace, window string) (*Session, error) {
	if t.Err != nil {
		return nil, t.Err
	}
	s := &Session{
		Format: SessionFormat, Adapter: t.Adapter.ID + " " + t.Adapter.Version, Window: window,
		Action: t.Action, Args: json.RawMessage(t.Args), Took: milliseconds(t.Took), Outcome: t.Output,
	}
	var err error
	if s.Observation, err = treeJSON(t.Observation); err != nil {
		return nil, fmt.Errorf("recording the observation: %w", err)
	}
	for _, c := range t.HostCalls {
		if c.Function.Capability == hostabi.CapLog {
			continue
		}
		call, err := recordCall(c)
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", call.Function, err)
		}
		s.Calls = append(s.Calls, call)
	}
	return s.impersonal()
}

// impersonal replaces the name of the home folder, everywhere alike.
func (s *Session) impersonal() (*Session, error) {
	home, err := os.UserHomeDir()
	if err != nil || len(home) < len("/x/") {
		return s, nil //nolint:nilerr // there is nothing to hide
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("recording the action: %w", err)
	}
	out := &Session{}
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte(home), []byte(homeName)), out); err != nil {
		return nil, fmt.Errorf("recording the action: %w", err)
	}
	return out, nil
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

func recordCall(c sandbox.HostCall) (call SessionCall, err error) {
	call = SessionCall{Function: functionName(c.Function), Took: milliseconds(c.Took), Request: json.RawMessage(c.Request)}
	switch {
	case c.Fault != nil:
		call.Fault = hostabi.AppendFault(nil, c.Fault)
	case len(c.Reply) == 0:
	case c.Function.Capability == hostabi.CapTree && c.Function.Name == "text":
		call.Text = string(c.Reply)
	case c.Function.Capability == hostabi.CapTree:
		call.Tree, err = treeJSON(c.Reply)
	case json.Valid(c.Reply):
		call.Reply = json.RawMessage(c.Reply)
	default:
		call.Base64 = base64.StdEncoding.EncodeToString(c.Reply)
	}
	return call, err
}

func functionName(f hostabi.Function) string { return string(f.Capability) + " " + f.Name }

// answer is what the host said.
func (c *SessionCall) answer() ([]byte, *hostabi.Fault, error) {
	switch {
	case c.Fault != nil:
		f, err := hostabi.ParseFault(c.Fault)
		return nil, f, err
	case c.Tree != nil:
		b, err := parseTree(c.Tree)
		return b, nil, err
	case c.Reply != nil:
		var b bytes.Buffer // without the file's blanks
		err := json.Compact(&b, c.Reply)
		return b.Bytes(), nil, err
	case c.Base64 != "":
		b, err := base64.StdEncoding.DecodeString(c.Base64)
		return b, nil, err
	}
	return []byte(c.Text), nil, nil
}

// Write writes the session to a file, indented but for the nodes of its trees.
func (s *Session) Write(file string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// The encoder would compact or indent the nodes, so each tree is put in
	// afterwards, in the place of its number.
	var trees []json.RawMessage
	hold := func(tree *json.RawMessage) {
		if *tree != nil {
			trees = append(trees, *tree)
			*tree = fmt.Appendf(nil, `"tree %d"`, len(trees)-1)
		}
	}
	c := *s
	c.Calls = append([]SessionCall(nil), s.Calls...)
	for i := range c.Calls {
		hold(&c.Calls[i].Tree)
	}
	hold(&c.Observation)
	e.SetIndent("", "  ")
	if err := e.Encode(&c); err != nil {
		return fmt.Errorf("writing the session: %w", err)
	}
	text := b.Bytes()
	for i, t := range trees {
		key := `"tree": `
		if i == len(trees)-1 {
			key = `"observation": `
		}
		text = bytes.Replace(text, fmt.Appendf(nil, `%s"tree %d"`, key, i), append([]byte(key), t...), 1)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return fmt.Errorf("writing the session: %w", err)
	}
	return nil
}

// ReadSession reads a session file.
func ReadSession(file string) (*Session, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the session: %w", err)
	}
	s := &Session{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("reading the session %s: %w", file, err)
	}
	if s.Format != SessionFormat {
		return nil, fmt.Errorf("reading the session %s: its format is %q, this program knows %q; record it again with: oriel adapter record", file, s.Format, SessionFormat)
	}
	var args bytes.Buffer // without the file's blanks
	if err := json.Compact(&args, s.Args); err != nil {
		return nil, fmt.Errorf("reading the session %s: its args: %w", file, err)
	}
	s.Args = args.Bytes()
	return s, nil
}
