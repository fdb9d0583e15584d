package mcp

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop"
)

// codes are all that a refusal may bear.
var codes = []bridge.Code{bridge.StaleState, bridge.ValidationFailed, bridge.BlockedByModal, bridge.WindowNotFound, bridge.ActionNotAvailable, bridge.ActionTimeout}

// shown is app://windows as a client reads it.
type shown struct {
	Windows []struct {
		ID, Title string
		Version   int64
		Blocks    []struct{ Items []struct{ Value string } }
	}
}

// world is what the test knows of the desktop.
type world struct {
	*desk
	server *Server
	url    string

	mu     sync.Mutex // guards what follows
	forms  []form     // that were opened, the closed ones too
	words  int        // given out so far
	faults []string
}

// form is a window of the world. Its title is its own.
type form struct {
	id      desktop.WindowID
	title   string
	kept    []string // words that were typed or confirmed
	refused []string // words of writes that were refused
}

func (w *world) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

func (w *world) word(who string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.words++
	return fmt.Sprintf("%s%d ", who, w.words)
}

// note remembers what became of a word.
func (w *world) note(title, word string, kept bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.IndexFunc(w.forms, func(f form) bool { return f.title == title })
	switch {
	case i < 0:
	case kept:
		w.forms[i].kept = append(w.forms[i].kept, word)
	default:
		w.forms[i].refused = append(w.forms[i].refused, word)
	}
}

// pick returns a form that is open, or was.
func (w *world) pick(n int) form {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.forms[n%len(w.forms)]
}

func (w *world) show(owner desktop.WindowID) {
	title := strings.TrimSpace(w.word("Form"))
	id := w.open(title, owner)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forms = append(w.forms, form{id: id, title: title})
}

// client is one agent, which may lose its connection and come again.
type client struct {
	*world
	t       *testing.T
	version string
	http    bool
	session *sdk.ClientSession
	events  *events
}

// join connects the client and subscribes.
func (c *client) join() {
	c.t.Helper()
	if c.session != nil {
		c.session.Close()
	}
	c.events = newEvents()
	transport := sdk.Transport(&sdk.StreamableClientTransport{Endpoint: c.url + "/mcp", HTTPClient: &http.Client{Transport: bearer{testToken}}})
	if !c.http {
		transport = pipe(c.t, c.server, Face{})
	}
	session, err := c.events.client().Connect(c.t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: c.version})
	if err == nil {
		c.session = session
		err = session.Subscribe(c.t.Context(), &sdk.SubscribeParams{URI: windowsURI})
	}
	if err != nil {
		c.fault("joining by %s: %v", c.version, err)
	}
}

// read reads the desktop. No window that was published before is shown older.
func (c *client) read() (s shown) {
	floor := c.bridge.Snapshot()
	res, err := c.session.ReadResource(c.t.Context(), &sdk.ReadResourceParams{URI: windowsURI})
	if err == nil {
		err = json.Unmarshal([]byte(res.Contents[0].Text), &s)
	}
	if err != nil {
		c.fault("reading: %v", err)
		return shown{}
	}
	for _, w := range s.Windows {
		if before := floor.Window(w.ID); before != nil && w.Version < before.Version {
			c.fault("%s is shown at %d after %d was published", w.ID, w.Version, before.Version)
		}
	}
	return s
}

// write reads, thinks and adds a word to a form, at a version that may be an old one.
func (c *client) write(n int, old int64, fixed bool) {
	s := c.read()
	if len(s.Windows) == 0 {
		return
	}
	w, word := s.Windows[n%len(s.Windows)], c.word("agent")
	if len(w.Blocks) == 0 {
		return // it has only just opened
	}
	params := &sdk.CallToolParams{Name: w.ID + "__set", Arguments: map[string]any{"value": w.Blocks[0].Items[0].Value + word, "expectedVersion": w.Version - old}}
	if fixed {
		args := params.Arguments.(map[string]any)
		delete(args, "expectedVersion")
		params = &sdk.CallToolParams{Name: actTool, Arguments: map[string]any{"winId": w.ID, "action": "set", "args": args, "expectedVersion": w.Version - old}}
	}
	m, refused := c.call(params)
	switch result, _ := m["result"].(map[string]any); {
	case refused:
		c.note(w.Title, word, false)
	case old > 0:
		c.fault("a write at version %d - %d was carried out", w.Version, old)
	case result["effect"] == "confirmed":
		c.note(w.Title, word, true)
	}
}

// call calls a tool and checks what every answer keeps to.
func (c *client) call(params *sdk.CallToolParams) (m map[string]any, refused bool) {
	res, err := c.session.CallTool(c.t.Context(), params)
	if err != nil {
		c.fault("%s: %v", params.Name, err)
		return nil, true
	}
	m, _ = res.StructuredContent.(map[string]any)
	code, _ := m["code"].(string)
	if res.IsError && !slices.Contains(codes, bridge.Code(code)) {
		c.fault("%s was refused with %v", params.Name, m)
	}
	if res.IsError && code == string(bridge.StaleState) && m["currentVersion"] == nil {
		c.fault("%s: a stale refusal without the current version: %v", params.Name, m)
	}
	return m, res.IsError
}

// do carries out one step of an agent.
func (c *client) do(step, n int) {
	switch step {
	case 0, 1, 2:
		c.write(n, 0, n%2 == 0)
	case 3:
		c.write(n, 1, n%2 == 0)
	case 4: // whatever is listed, at once or a little later, can be called or is refused well
		list, err := c.session.ListTools(c.t.Context(), nil)
		if err != nil {
			c.fault("listing: %v", err)
			return
		}
		names := slices.DeleteFunc(slices.Clone(list.Tools), func(tool *sdk.Tool) bool { return !strings.HasSuffix(tool.Name, "__look") })
		if len(names) > 0 {
			c.call(&sdk.CallToolParams{Name: names[n%len(names)].Name})
		}
	case 5:
		c.join()
	}
}

// TestManyClients lets agents on every transport read, write and lose their
// connections, while a person types and windows open and close. B23, B25: effects
// come one at a time and none of the words that were typed or confirmed is lost,
// none that was refused appears. B22, B31, B18: see the checks.
func TestManyClients(t *testing.T) {
	fewer(t, "25")
	w := &world{desk: newDesk(t)}
	w.server = newServer(t, w.bridge)
	ts := httptest.NewServer(w.server.Handler())
	t.Cleanup(ts.Close)
	w.url = ts.URL
	var clients []*client
	for _, tr := range transports {
		c := &client{world: w, t: t, version: tr.version, http: tr.http}
		c.join()
		t.Cleanup(func() { c.session.Close() })
		clients = append(clients, c)
	}
	rapid.Check(t, func(rt *rapid.T) {
		w.begin()
		numbers := rapid.SliceOfN(rapid.IntRange(0, 99), 1, 4)
		var actors sync.WaitGroup
		for i, c := range clients {
			steps, which := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 3).Draw(rt, fmt.Sprintf("steps of agent %d", i)), numbers.Draw(rt, "which")
			actors.Go(func() {
				for i, step := range steps {
					c.do(step, which[i%len(which)])
				}
			})
		}
		typed, opened := numbers.Draw(rt, "typed into"), numbers.Draw(rt, "opened and closed")
		actors.Go(func() {
			for _, n := range typed {
				f, word := w.pick(n), w.word("person")
				if w.types(f.id, word) {
					w.note(f.title, word, true)
				}
			}
		})
		actors.Go(func() {
			for _, n := range opened {
				switch f := w.pick(n); n % 3 {
				case 0:
					w.show(0)
				case 1:
					if _, _, open := w.Window(f.id); open {
						w.show(f.id)
					}
				case 2:
					w.CloseWindow(f.id)
				}
			}
		})
		actors.Wait()
		w.check(rt, clients)
	})
}

// fewer lowers rapid's number of checks, unless the flag asks for another one.
func fewer(t *testing.T, checks string) {
	f := flag.Lookup("rapid.checks")
	if f.Value.String() != f.DefValue {
		return
	}
	if err := f.Value.Set(checks); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(f.DefValue) }) // it was that before
}

// begin leaves two new forms on the desktop.
func (w *world) begin() {
	for _, f := range w.forms {
		if _, _, open := w.Window(f.id); open {
			w.CloseWindow(f.id)
		}
	}
	w.forms, w.faults = nil, nil
	w.show(0)
	w.show(0)
}

// check compares what is left once all is quiet.
func (w *world) check(rt *rapid.T, clients []*client) {
	rt.Helper()
	for _, fault := range w.faults {
		rt.Error(fault)
	}
	if n := w.overlaps.Swap(0); n > 0 {
		rt.Errorf("%d acts ran beside another one", n)
	}
	if rt.Failed() {
		rt.FailNow()
	}
	for _, f := range w.forms {
		text := w.text(f.id)
		if _, _, open := w.Window(f.id); !open {
			continue
		}
		for _, word := range f.kept {
			if !strings.Contains(text, word) {
				rt.Errorf("%q is lost from %q", word, text)
			}
		}
		for _, word := range f.refused {
			if strings.Contains(text, word) {
				rt.Errorf("%q was refused but is in %q", word, text)
			}
		}
	}
	for i, c := range clients {
		w.quiet(rt, func() string { return w.differs(c) }, fmt.Sprintf("agent %d", i))
	}
	// Every agent is still told, those too that came again. A stream is opened in
	// the background, so one change may be too early for it.
	w.show(0)
	last := w.pick(len(w.forms) - 1)
	for i, c := range clients {
		for len(c.events.updated) > 0 {
			<-c.events.updated
		}
		w.quiet(rt, func() string {
			if len(c.events.updated) > 0 {
				return ""
			}
			w.types(last.id, "more ")
			return "was told nothing"
		}, fmt.Sprintf("agent %d", i))
	}
}

// differs says in what a client's view is not that of the desktop.
func (w *world) differs(c *client) string {
	snap := w.bridge.Snapshot()
	open := 0
	for _, f := range w.forms {
		if _, _, there := w.Window(f.id); !there {
			continue
		}
		open++
		if i := slices.IndexFunc(snap.Windows, func(x *bridge.Window) bool { return x.Title == f.title }); i < 0 || len(snap.Windows[i].Blocks) == 0 || snap.Windows[i].Blocks[0].Items[0].Value != w.text(f.id) {
			return f.title + " is not shown as it is"
		}
	}
	if open != len(snap.Windows) {
		return fmt.Sprintf("%d of %d windows are shown", len(snap.Windows), open)
	}
	want := []string{actTool, readTool}
	for _, id := range snap.Operable {
		for _, a := range snap.Window(id).Actions {
			if a.Unavailable == "" {
				want = append(want, a.Tool)
			}
		}
	}
	slices.Sort(want)
	if got := toolNames(c.t, c.session); !slices.Equal(got, want) {
		return fmt.Sprintf("the tools are %v, want %v", got, want)
	}
	if got := readText(c.t, c.session); got != string(snap.JSON()) {
		return fmt.Sprintf("reads %s, want %s", got, snap.JSON())
	}
	return ""
}

// quiet waits until wrong says nothing any more.
func (w *world) quiet(rt *rapid.T, wrong func() string, who string) {
	rt.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(20 * time.Second); ; <-look.C {
		said := wrong()
		if said == "" {
			return
		}
		if time.Now().After(end) {
			rt.Fatalf("%s: %s", who, said)
		}
	}
}
