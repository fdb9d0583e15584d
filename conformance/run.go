package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Options say how to check.
type Options struct {
	// Act allows calls of actions that say they are read-only, and to set a field
	// to the value that it has.
	Act bool
	// Strict takes the server for one application and allows nothing beside the
	// protocol.
	Strict bool
	// Shared says that all connections of a command reach the same server.
	Shared bool
	// Timeout bounds every answer; 0 means 30 seconds.
	Timeout time.Duration
	// Watch is how long the state is watched for changes, in each revision; 0
	// means 3 seconds.
	Watch time.Duration
	// Grace is how long a notification may take; 0 means 5 seconds.
	Grace time.Duration
}

// Run checks a server. It always reports; a server that cannot be reached fails.
// What it could not do before ctx ended is not tested.
func Run(ctx context.Context, t Target, o Options) *Report {
	o.Timeout = cmp.Or(o.Timeout, 30*time.Second)
	o.Watch, o.Grace = cmp.Or(o.Watch, 3*time.Second), cmp.Or(o.Grace, 5*time.Second)
	l := &log{ended: func() bool { return ctx.Err() != nil }}
	report := &Report{}
	shared := o.Shared || t.shared
	past := newHistory()
	var refusals []error
	for _, revision := range []string{legacy, modern} {
		if !shared {
			past = newHistory()
		}
		r := &run{log: l, target: t, opts: o, shared: shared, past: past, revision: revision, begin: time.Now(), known: map[string]*tool{}, once: map[string]bool{}}
		server, err := r.all(ctx)
		switch {
		case err != nil:
			refusals = append(refusals, err)
		case server != "":
			report.Server = server
			report.Revisions = append(report.Revisions, revision)
		}
	}
	if len(report.Revisions) == 0 {
		l.fail("B01", nil, "no connection: %v", errors.Join(refusals...))
	} else {
		for _, err := range refusals {
			l.untested("B01", "%v", err)
		}
	}
	report.Results = l.results()
	return report
}

// run is the check in one revision.
type run struct {
	*log
	target   Target
	opts     Options
	shared   bool
	past     *history
	known    map[string]*tool // judged by itself before, by its JSON
	once     map[string]bool  // failures seen once, by requirement and reason
	revision string
	begin    time.Time
	follows  bool // whether changes are to be announced by now

	raw    string    // the last answer with a state
	latest *snapshot // that state

	// What the session that looks was told: the state, the names of the tools,
	// the operable windows.
	states, lists, verdicts looks
}

// state is a snapshot and the tools listed while it held.
type state struct {
	*snapshot
	tools []*tool
}

// errNotOffered says that a server speaks the other revision alone.
var errNotOffered = errors.New("is not offered")

// all checks everything and returns the server's name.
func (r *run) all(ctx context.Context) (string, error) {
	s, err := r.connect(ctx)
	if err != nil {
		return "", err
	}
	defer s.Close() //nolint:errcheck // the checks are done
	server := r.greeting(s)
	r.resource(ctx, s)
	if err := s.subscribe(ctx); err != nil {
		r.fail("B01", nil, "subscribing to %s: %v", windowsURI, err)
	}
	others, silent := r.companions(ctx)
	r.follows = true
	r.confirm(ctx, func(l *log) bool {
		st, ok := r.stable(ctx, s)
		if ok {
			l.listing(st.tools, st.snapshot, r.past.gone, r.opts.Strict)
		}
		return ok
	})
	r.refusals(ctx, s)
	if r.opts.Act {
		r.acts(ctx, s)
	}
	r.watch(ctx, s)
	r.closed(ctx, s)
	r.notifications(ctx, s, others)
	r.together(ctx, s, others, silent)
	return server, nil
}

// connect opens the session that looks.
func (r *run) connect(ctx context.Context) (*session, error) {
	s, err := connect(ctx, r.target, r.revision, r.opts.Timeout)
	if err != nil {
		return nil, err
	}
	if got := s.InitializeResult().ProtocolVersion; r.revision == modern && got < modern {
		_ = s.Close()
		return nil, fmt.Errorf("revision %s %w", modern, errNotOffered)
	}
	return s, nil
}

// greeting judges the answer to the handshake (B01, B02).
func (r *run) greeting(s *session) string {
	raw := s.tap.result("initialize")
	if r.revision == modern {
		raw = s.tap.result("server/discover")
	}
	var g struct {
		Capabilities struct {
			Resources struct{ Subscribe, ListChanged bool }
			Tools     struct{ ListChanged bool }
		}
		Instructions string
		ServerInfo   struct{ Name, Version string }
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		r.fail("B01", raw, "the handshake cannot be read: %v", err)
	}
	c := g.Capabilities
	switch {
	case !c.Resources.Subscribe || !c.Tools.ListChanged:
		r.fail("B01", raw, "%s: resources.subscribe and tools.listChanged must be declared", r.revision)
	case c.Resources.ListChanged && r.opts.Strict:
		r.fail("B01", raw, "%s: resources.listChanged is declared, but the one resource never changes", r.revision)
	default:
		r.pass("B01", nil, "%s: declares resources.subscribe and tools.listChanged", r.revision)
	}
	r.instructions(g.Instructions)
	if info := s.InitializeResult().ServerInfo; info != nil {
		return strings.TrimSpace(info.Name + " " + info.Version)
	}
	return "unnamed"
}

// maxInstructions is where clients cut the instructions, in bytes.
const maxInstructions = 2048

// points are words that the recommended text cannot do without, in its order.
var points = []string{windowsURI, "operableWindowIds", "blocks", "__", "expectedVersion", "stale_state", "isError", "validation_failed"}

// order is how the parts of the text follow each other: reading, operating,
// concurrent writes, failures.
var order = []string{windowsURI, "__", "expectedVersion", "isError"}

func (r *run) instructions(text string) {
	if len(text) > maxInstructions {
		r.advise("B02", nil, "the instructions are %d bytes long; clients cut them at %d", len(text), maxInstructions)
	}
	for _, p := range points {
		if !strings.Contains(text, p) {
			r.advise("B02", text, "the instructions do not speak of %s", p)
		}
	}
	place := -1
	for _, p := range order {
		if at := strings.Index(text, p); at >= 0 && at < place {
			r.advise("B02", text, "the instructions speak of %s too early", p)
		} else {
			place = at
		}
	}
	r.pass("B02", nil, "%d bytes, all points", len(text))
}

// resource judges what is listed and how it is read (B03, B04, B01).
func (r *run) resource(ctx context.Context, s *session) {
	listed, a, err := s.resources(ctx)
	var one struct {
		URI string `json:"uri"`
	}
	switch {
	case err != nil:
		r.fail("B03", a.raw, "resources/list: %v", err)
	case len(listed) != 1 || json.Unmarshal(listed[0], &one) != nil || one.URI != windowsURI:
		r.fail("B03", a.raw, "%d resources are listed, want %s alone", len(listed), windowsURI)
	default:
		r.pass("B03", listed[0], "one resource")
	}
	a, err = s.read(ctx)
	if err != nil {
		r.fail("B04", a.raw, "resources/read: %v", err)
		return
	}
	var res struct {
		CacheScope string `json:"cacheScope"`
	}
	if r.revision != modern {
		return
	}
	if json.Unmarshal(a.raw, &res) != nil || res.CacheScope != "private" {
		r.fail("B01", res.CacheScope, "cacheScope of resources/read must be private")
	}
}

// look reads the state, judges it and returns it, or nil.
func (r *run) look(ctx context.Context, s *session) *snapshot {
	a, err := s.read(ctx)
	if err != nil {
		if ctx.Err() == nil {
			r.fail("B04", nil, "resources/read: %v", err)
		}
		return nil
	}
	snap := r.latest
	if string(a.raw) != r.raw || snap == nil {
		if snap = r.snapshot(a.raw, r.opts.Strict); snap == nil {
			return nil
		}
		r.past.follow(r.log, snap)
		r.raw, r.latest = string(a.raw), snap
	}
	if r.follows {
		r.states = r.states.with(look{a.start, a.end, snap.text})
		r.verdicts = r.verdicts.with(look{a.start, a.end, set(snap.operable)})
	}
	return snap
}

// list lists the tools, or returns nil.
func (r *run) list(ctx context.Context, s *session) []*tool {
	tools, a, err := s.tools(ctx)
	if err != nil {
		id := "B18"
		if errors.Is(err, errNull) {
			id = "B32"
		}
		if ctx.Err() == nil {
			r.fail(id, a.raw, "tools/list: %v", err)
		}
		return nil
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		if slices.Contains(names, t.Name) {
			r.fail("B17", t.Name, "two tools have the same name")
		}
		names[i] = t.Name
		if old := r.known[string(t.raw)]; old != nil {
			t.output = old.output
			continue
		}
		r.tool(t)
		r.known[string(t.raw)] = t
	}
	if r.follows {
		r.lists = r.lists.with(look{a.start, a.end, set(names)})
	}
	if tools == nil {
		tools = []*tool{}
	}
	return tools
}

// tries is how often something is tried that needs the desktop to hold still.
const tries = 6

// stable reads the state and the tools so that they belong together.
func (r *run) stable(ctx context.Context, s *session) (*state, bool) {
	for range tries {
		before := r.look(ctx, s)
		if before == nil {
			return nil, false
		}
		tools := r.list(ctx, s)
		after := r.look(ctx, s)
		if tools == nil || after == nil {
			return nil, false
		}
		if before.text == after.text {
			own(tools, after)
			return &state{after, tools}, true
		}
	}
	return nil, false
}

// confirm makes a check that compares several answers, until it passes or the
// same failure was seen twice. check reports false where nothing can be said.
func (r *run) confirm(ctx context.Context, check func(*log) bool) {
	for i := range tries {
		l := &log{}
		if check(l) {
			if r.settle(l) {
				return
			}
			continue // at once, before anything changes
		}
		select {
		case <-time.After(time.Duration(i) * pollEvery):
		case <-ctx.Done():
			return
		}
	}
	r.untested("B18", "the windows would not hold still")
}

// settle takes what a check found that compares several answers, a failure only
// once it is seen for the second time: between answers that are equal something
// may have come and gone. It reports false if there is a failure to be seen again.
func (r *run) settle(l *log) bool {
	settled := true
	for id, findings := range l.found {
		for _, f := range findings {
			key := id + f.Why
			if f.Verdict != Fail || r.once[key] {
				r.add(id, f)
				continue
			}
			r.once[key] = true
			settled = false
		}
	}
	return settled
}

// companions are further connections, where all reach the same server: one that
// is subscribed and one that is not.
func (r *run) companions(ctx context.Context) (others []*session, silent *session) {
	if !r.shared {
		return nil, nil
	}
	for _, subscribed := range []bool{true, false} {
		s, err := r.connect(ctx)
		if err == nil && subscribed {
			err = s.subscribe(ctx)
		}
		switch {
		case err != nil:
			r.fail("B06", nil, "a further connection: %v", err)
		case subscribed:
			others = append(others, s)
		default:
			silent = s
		}
	}
	return others, silent
}

// together judges that all connections see one state (B05, B06), and ends them.
func (r *run) together(ctx context.Context, s *session, others []*session, silent *session) {
	if !r.shared {
		return
	}
	if silent != nil {
		if updated, _ := silent.notified(); len(updated) > 0 {
			r.fail("B06", nil, "a connection that did not subscribe got resources/updated")
		}
		_ = silent.Close()
	}
	for _, other := range others {
		r.same(ctx, "B06", s, other, "another connection reads another state")
		_ = other.Close()
	}
	again, err := r.connect(ctx)
	if err != nil {
		r.fail("B05", nil, "connecting again: %v", err)
		return
	}
	defer again.Close() //nolint:errcheck // the checks are done
	r.same(ctx, "B05", s, again, "a new connection does not read the whole state at once")
}

// same judges that two sessions read the same state.
func (r *run) same(ctx context.Context, id string, a, b *session, otherwise string) {
	r.confirm(ctx, func(l *log) bool {
		before := r.look(ctx, a)
		middle, err := b.read(ctx)
		after := r.look(ctx, a)
		if before == nil || after == nil || before.text != after.text {
			return false
		}
		if err != nil {
			l.fail(id, nil, "resources/read: %v", err)
			return true
		}
		if other := (&log{}).snapshot(middle.raw, r.opts.Strict); other == nil || other.text != after.text {
			l.fail(id, middle.raw, "%s", otherwise)
		} else {
			l.pass(id, nil, "%d windows, the same for all", len(other.windows))
		}
		return true
	})
}
