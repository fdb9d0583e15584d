package linux

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// errUnpaired says that a window's pair is not what it was: look again.
var errUnpaired = errors.New("the window is paired with another element now")

// observe takes one look. With last set, a window whose element goes away just
// then has no content, but is there.
func (j *joint) observe(ctx context.Context, id desktop.WindowID, last bool) (desktop.Observation, error) {
	if _, ok := j.apps.pair(id); !ok {
		if _, err := j.detail(ctx, id); err != nil {
			return desktop.Observation{}, err
		}
		if err := j.apps.resolve(ctx); err != nil && ctx.Err() != nil {
			return desktop.Observation{}, err
		}
	}
	o := desktop.Observation{Generation: j.hints.generation(id), Taken: time.Now()}
	d, err := j.detail(ctx, id)
	if err != nil {
		return desktop.Observation{}, err
	}
	r := atspi.Reading{}
	p, paired := j.apps.pair(id)
	if paired {
		r, err = j.read(ctx, p, d)
		if last && errors.Is(err, errUnpaired) {
			r, err = atspi.Reading{Partial: true, Why: whyChanging}, nil
		}
		if err != nil {
			return desktop.Observation{}, err
		}
		if j.claim(ctx, p, d, r) {
			if d, err = j.detail(ctx, id); err != nil {
				return desktop.Observation{}, err
			}
		}
	}
	if len(r.Nodes) > 0 {
		j.apps.stands(id, r.Nodes[0].States)
	}
	o.Window = j.window(d)
	o.Tree = j.assemble(p, d, o.Window, r)
	return o, nil
}

// detail asks the window system about a window.
func (j *joint) detail(ctx context.Context, id desktop.WindowID) (x11.Detail, error) {
	d, err := j.x.Windows().Detail(ctx, id)
	if err == nil {
		j.apps.see(d)
	}
	return d, err
}

// claim takes X popups over that were thought to be those of another window of
// the same client but that this one's elements lie in, and reports whether it
// took any. The toolkit whose popups do not name their owner is the one whose
// coordinates are those of the surface.
func (j *joint) claim(ctx context.Context, p pair, d x11.Detail, r atspi.Reading) bool {
	mine := partners(p.app.Space(), d.Geometry.Popups, r.Popups)
	if p.app.Space() != atspi.SurfaceSpace || !slices.Contains(mine, -1) {
		return false
	}
	all, err := j.x.Windows().Details(ctx)
	if err != nil {
		return false
	}
	taken := false
	for i, popup := range r.Popups {
		if mine[i] >= 0 || popup.Bounds.Empty() {
			continue
		}
		if xid, from := j.apps.stray(all, d, popup); xid != 0 {
			j.x.Windows().Claim(xid, d.Window.ID)
			j.hints.moved(from, d.Window.ID)
			taken = true
		}
	}
	return taken
}

// stray finds the X popup of another window of the same client that looks like
// a popup of a reading and that no element of the other window lies in.
func (a *apps) stray(all []x11.Detail, d x11.Detail, popup atspi.Popup) (uint32, desktop.WindowID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, other := range all {
		s := a.windows[other.Window.ID]
		if other.Window.ID == d.Window.ID || other.Geometry.Client != d.Geometry.Client || s == nil {
			continue
		}
		for k, x := range other.Geometry.Popups {
			_, alike := likeness(atspi.SurfaceSpace, x, popup, false)
			if alike && !slices.ContainsFunc(s.layout.shifts, func(l shift) bool { return l.surface == uint32(k+1) }) {
				return x.XID, other.Window.ID
			}
		}
	}
	return 0, 0
}

// read reads the elements of a window and its popups.
func (j *joint) read(ctx context.Context, p pair, d x11.Detail) (atspi.Reading, error) {
	bus := j.apps.connection()
	if bus == nil {
		return atspi.Reading{Partial: true, Why: whyNoBus}, nil
	}
	if j.apps.isHung(p.app.Bus) {
		return atspi.Reading{}, notAnswering(p.app)
	}
	opt := atspi.ReadOptions{}
	if len(d.Geometry.Popups) > 0 {
		opt.Popups = j.popups(ctx, bus, p.app)
	}
	r, err := bus.Read(ctx, p.app, p.top.Path, opt)
	switch {
	case errors.Is(err, desktop.ErrGone):
		j.apps.unpair(d.Window.ID)
		return r, errUnpaired
	case err == nil && len(r.Nodes) > 0 && j.apps.doubtful(d, r.Nodes[0]) && j.recheck(ctx, bus, p.app):
		return r, errUnpaired
	case err != nil:
		j.apps.doubt(p.app)
		return r, err
	case r.Partial:
		j.apps.doubt(p.app)
	}
	return r, nil
}

// popups lists the top-levels of an application that are popups.
func (j *joint) popups(ctx context.Context, bus *atspi.Bus, app atspi.App) []string {
	tops, err := bus.TopLevels(ctx, app)
	if err != nil {
		j.apps.doubt(app)
		return nil
	}
	var out []string
	for _, top := range tops {
		if top.Popup && top.States.Has(tree.StateShowing) {
			out = append(out, top.Path)
		}
	}
	return out
}

func notAnswering(app atspi.App) error {
	return fmt.Errorf("reading %s: %w", app.Name, desktop.ErrNotAnswering)
}

// assemble makes the tree of what both sides said.
func (j *joint) assemble(p pair, d x11.Detail, w desktop.Window, r atspi.Reading) *tree.Tree {
	find(p.app.Space(), d.Geometry.Popups, &r)
	l := lay(p.app.Space(), d, r)
	j.apps.remember(w.ID, l, r.Nodes, true)
	l.apply(r.Nodes)
	t := j.tree(d, w, r)
	if t.Why == "" {
		t.Why = j.why(p, w, r)
	}
	return t
}

// tree makes a tree of nodes that are in their places.
func (j *joint) tree(d x11.Detail, w desktop.Window, r atspi.Reading) *tree.Tree {
	t := &tree.Tree{Nodes: r.Nodes, Partial: r.Partial, Why: r.Why}
	maskSecrets(t.Nodes)
	t.Window = tree.Window{
		Handle: uint64(w.ID), Owner: uint64(w.Owner), Title: w.Title,
		Class: w.Class, Instance: w.Instance, App: w.App.Name, Process: w.App.Process,
		Toolkit: w.App.Toolkit, Role: w.Role, Bounds: w.Bounds, Modal: w.Modal,
		States: w.States, Surfaces: surfacesOf(d),
	}
	if w.Active {
		t.Window.States |= tree.WindowActive
	}
	if w.Minimized {
		t.Window.States |= tree.WindowMinimized
	}
	return t
}

// stands takes in the states of a window's element. No event tells that it became
// modal or ceased to be, so whoever was told otherwise is to list again.
func (a *apps) stands(id desktop.WindowID, now tree.States) {
	a.mu.Lock()
	s := a.windows[id]
	turned := s != nil && (s.pair.top.States^now)&tree.StateModal != 0
	if s != nil {
		s.pair.top.States = now
	}
	a.mu.Unlock()
	if turned {
		a.hints.relist()
	}
}

// remember keeps which elements of a window were read, and where its surfaces
// are. Elements that are read one by one later lie on the surface of the
// element that they hang under. One that was secret once stays so: a toolkit calls
// a password whose characters a person has made visible a text like any other.
func (a *apps) remember(id desktop.WindowID, l layout, nodes []tree.Node, whole bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.windows[id]
	if s == nil {
		return
	}
	if whole {
		s.layout = l
	}
	before := s.nodes
	if s.nodes == nil || whole && len(s.nodes)+len(nodes) > maxNodes {
		s.nodes = make(map[tree.NodeID]element, len(nodes))
	}
	if !whole && len(s.nodes)+len(nodes) > maxNodes {
		return
	}
	for i := range nodes {
		n := &nodes[i]
		n.Sensitive = n.Sensitive || n.Role == tree.RolePassword || before[n.ID].secret
		s.nodes[n.ID] = element{n.Surface, len(n.Actions), n.Sensitive}
	}
}

// maskSecrets sees to it that no password leaves, whatever a toolkit says.
func maskSecrets(nodes []tree.Node) {
	for i := range nodes {
		n := &nodes[i]
		if n.Sensitive || n.Role == tree.RolePassword {
			n.Sensitive = true
			n.Text = masked(n.Text)
		}
	}
}

func masked(s string) string { return strings.Repeat("•", len([]rune(s))) }

// What to tell a person about a window without content.
const (
	whyChanging = "the window's content went away while it was being read; look again"
	whyNoBus    = "the accessibility bus is not running, so the window's content cannot be read; start at-spi2-core"
	whyOff      = "the application offers no accessibility, so the window's content cannot be read; " +
		"use its pixels, or start it anew after accessibility is switched on for the desktop"
	whyChromium = "the application's accessibility is switched off, so the window's content cannot be read; " +
		"start it with --force-renderer-accessibility, or switch a screen reader on before it starts"
)

// why says why a window has no content, or "" if it has some.
func (j *joint) why(p pair, w desktop.Window, r atspi.Reading) string {
	switch {
	case j.apps.connection() == nil:
		return whyNoBus
	case p.app.Bus == "" && isChromium(process(w.App.PID)):
		return whyChromium
	case p.app.Bus == "":
		return whyOff
	case p.app.Toolkit == "chromium" && !hasDocument(r.Nodes):
		return whyChromium
	}
	return ""
}

// hasDocument reports whether a document in the tree has content.
func hasDocument(nodes []tree.Node) bool {
	for _, n := range nodes {
		if n.Role == tree.RoleDocument && n.ChildrenTotal > 0 {
			return true
		}
	}
	return false
}
