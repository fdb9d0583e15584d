package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// maxDepth ends a walk that goes in circles. Real trees are less than 64 deep.
const maxDepth = 200

// hardChildren is the number of children above which GetChildren is never
// called: an application that says it has two thousand million children stops
// answering while it makes them.
const hardChildren = 2000

// reader reads one window. It is used by one goroutine.
type reader struct {
	*pipe
	app   App
	how   strategy
	nodes int    // most objects that are read
	since uint64 // when it began, by the clock of the identities

	cached map[ref]item
	// byParent holds the cached children of each object in their order; complete
	// only where as many are cached as the parent reports.
	byParent map[ref][]ref
	// shown holds the objects in view, nil if the toolkit did not tell.
	shown map[ref]bool

	seen map[ref]bool
	// denied counts objects that answered with an error, over those that were
	// not read for their number.
	denied, over int
}

func (b *Bus) newReader(ctx context.Context, app App, nodes int) *reader {
	since := b.ids.tick(app.Bus)
	if nodes <= 0 {
		nodes = b.limits.Nodes
	}
	if app.Toolkit == "" { // it was busy when it was listed; how to read it depends on the toolkit
		if a := b.describe(ctx, app.Bus); a.Toolkit != "" {
			app = a
		}
	}
	return &reader{pipe: newPipe(ctx, b), app: app, how: strategies[app.Toolkit], nodes: nodes, since: since, seen: map[ref]bool{}}
}

// Read reads a top-level and all that can be seen in it. What the application
// does not answer in time leaves the reading partial; [desktop.ErrNotAnswering]
// says that it answered nothing at all, [desktop.ErrGone] that it has no such
// top-level.
func (b *Bus) Read(ctx context.Context, app App, top string, opt ReadOptions) (Reading, error) {
	deadline := opt.Deadline
	if deadline <= 0 {
		deadline = b.limits.Deadline
	}
	inner, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()

	r := b.newReader(inner, app, opt.Nodes)
	root := &elem{ref: ref{app.Bus, top}, count: -1}
	tops := []*elem{root}
	for _, p := range opt.Popups {
		tops = append(tops, &elem{ref: ref{app.Bus, p}, count: -1})
	}
	err := r.readAll(tops)
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil {
		return Reading{}, fmt.Errorf("reading a window of %s: %w", app.Name, b.reason(err))
	}
	if root.status == statusGone || root.status == statusDenied {
		return Reading{}, fmt.Errorf("reading a window of %s: %w", app.Name, desktop.ErrGone)
	}
	out := r.reading(root, tops[1:], deadline)
	if !out.Partial {
		b.ids.settle(app.Bus, r.since)
	}
	return out, nil
}

// readAll reads the trees below the given objects.
func (r *reader) readAll(tops []*elem) error {
	if r.how.cache {
		if err := r.readCache(); err != nil {
			return err
		}
	}
	if r.how.matches {
		for _, t := range tops {
			r.match(t)
		}
		if err := r.settleRun(r.run()); err != nil {
			return err
		}
	}
	for _, t := range tops {
		r.visit(t)
	}
	return r.settleRun(r.run())
}

// settleRun turns the end of the time into an error only if nothing came.
func (r *reader) settleRun(err error) error {
	if errors.Is(err, context.DeadlineExceeded) && r.answered > 0 {
		return nil
	}
	return err
}

// reading prunes and flattens what was read.
func (r *reader) reading(root *elem, popups []*elem, deadline time.Duration) Reading {
	late := r.ctx.Err() != nil
	if r.how.sparse {
		shiftDrawn(root)
	}
	tidyTree(root, r.how)
	for _, p := range popups {
		if p.status != statusRead {
			continue
		}
		tidyTree(p, r.how)
		if len(p.kids) > 0 || p.n.Name != "" {
			p.parent = root
			root.kids = append(root.kids, p)
		}
	}
	f := flattener{ids: r.bus.ids, limit: r.nodes, surfaceSpace: r.app.Space() == SurfaceSpace, fleeting: r.how.fleeting, since: r.since}
	out := f.flatten(root, popups)
	out.Calls = r.sent
	r.over += f.over
	switch {
	case late:
		out.Why = fmt.Sprintf("the application did not answer within %s", deadline)
	case r.denied > 0:
		out.Why = fmt.Sprintf("the application answered with an error for %d of its elements", r.denied)
	case r.over > 0:
		out.Why = fmt.Sprintf("the window has more than %d elements", r.nodes)
	}
	out.Partial = out.Why != ""
	return out
}

// readCache takes the basic facts of all objects that the toolkit keeps. A toolkit
// that does not answer it in a part of the time is walked instead.
func (r *reader) readCache() error {
	ctx := r.ctx
	if t, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, time.Now().Add(time.Until(t)/2))
		defer cancel()
	}
	r.sent++
	c := <-r.bus.conn.Object(r.app.Bus, "/org/a11y/atspi/cache").GoWithContext(ctx, ifacePrefix+"Cache.GetItems", 0, make(chan *dbus.Call, 1)).Done
	if c.Err != nil {
		if r.ctx.Err() != nil || r.bus.closed() {
			return c.Err
		}
		return nil // an old or a busy toolkit: the walk asks object by object
	}
	r.answered++
	items, _ := first(c.Body).([][]any)
	r.cached = make(map[ref]item, len(items))
	r.byParent = map[ref][]ref{}
	for _, v := range items {
		if i, ok := itemOf(v); ok {
			r.cached[i.self] = i
			r.byParent[i.parent] = append(r.byParent[i.parent], i.self)
		}
	}
	for _, kids := range r.byParent {
		slices.SortStableFunc(kids, func(a, b ref) int { return r.cached[a].index - r.cached[b].index })
	}
	return nil
}

// matchRule is what Collection.GetMatches takes: states, attributes, roles and
// interfaces, each with how they are to match, and whether to turn it round.
type matchRule struct {
	States     []int32
	StateMode  int32
	Attributes map[string]string
	AttrMode   int32
	Roles      []int32
	RoleMode   int32
	Ifaces     []string
	IfaceMode  int32
	Invert     bool
}

// match asks for the objects below e that are in view.
func (r *reader) match(e *elem) {
	const all, canonical = 1, 1
	rule := matchRule{
		States: []int32{int32(rawShowing), 0}, StateMode: all,
		Attributes: map[string]string{}, AttrMode: all, Roles: []int32{}, RoleMode: all, Ifaces: []string{}, IfaceMode: all,
	}
	r.send(e.ref, ifacePrefix+"Collection.GetMatches", func(body []any, err error) {
		refs, ok := first(body).([][]any)
		if err != nil || !ok {
			return
		}
		if r.shown == nil {
			r.shown = map[ref]bool{}
		}
		r.shown[e.ref] = true
		for _, v := range refs {
			if to, ok := refOf(v); ok {
				r.shown[to] = true
			}
		}
	}, rule, uint32(canonical), int32(0), true)
}

// visit reads an object and what is below it.
func (r *reader) visit(e *elem) {
	switch {
	case r.seen[e.ref]:
		e.status = statusGone // a second way to an object that was read: a duplicate, or a circle
		return
	case len(r.seen) >= 4*r.nodes:
		e.status = statusGone
		r.over++
		return
	}
	r.seen[e.ref] = true
	if i, ok := r.cached[e.ref]; ok {
		e.fill(i, r.how)
		r.counted(e)
		return
	}
	r.base(e, func() { r.placed(e) })
}

// counted asks for the number of children where the cache does not hold it.
func (r *reader) counted(e *elem) {
	if e.count >= 0 {
		r.placed(e)
		return
	}
	r.get(e.ref, accessible, "ChildCount", func(v any, err error) {
		if err != nil {
			r.deny(e, err)
			return
		}
		n, _ := v.(int32)
		e.count = int64(n)
		r.placed(e)
	})
}

// fact is one of the basic facts of an object: what a method answers, or a property.
type fact struct {
	name     string
	property bool
	set      func(e *elem, v any)
}

var (
	factState  = fact{"GetState", false, (*elem).setStates}
	factRole   = fact{"GetRole", false, (*elem).setRole}
	factIfaces = fact{"GetInterfaces", false, (*elem).setIfaces}
	factCount  = fact{"ChildCount", true, (*elem).setCount}
)

// base asks for the basic facts of an object.
func (r *reader) base(e *elem, then func()) {
	name := fact{"Name", true, func(e *elem, v any) { e.setName(v, r.how) }}
	description := fact{"Description", true, (*elem).setDescription}
	if !r.how.frugal {
		r.gather(e, then, factState, factRole, factIfaces, name, description, factCount)
		return
	}
	r.gather(e, func() {
		e.settle()
		if !e.has(rawShowing) && e.parent != nil && !e.listed && !e.popupOfItem() {
			e.status = statusHidden
			return
		}
		facts := []fact{name}
		if e.direct = e.parent != nil && e.n.Role != tree.RoleUnknown && !isList(e.n.Role) && !e.has(rawDescendants); !e.direct {
			facts = append(facts, factCount)
		}
		if k, ok := r.bus.lasting.find(e); ok {
			e.n.Ifaces = k.ifaces
		} else if plainWidget(e.n.Role) {
			e.n.Ifaces = tree.IfaceAction
			if e.has(rawShowing) {
				e.n.Ifaces |= tree.IfaceComponent
			}
		} else {
			facts = append(facts, factIfaces)
			then = r.keepThen(e, then)
		}
		if acts(e) || e.parent == nil || e.n.Role == tree.RoleImage || e.n.Role == tree.RoleIcon {
			facts = append(facts, description)
		}
		r.gather(e, then, facts...)
	}, factState, factRole)
}

// keepThen keeps the interfaces of an object before it goes on.
func (r *reader) keepThen(e *elem, then func()) func() {
	return func() {
		r.keep(e, false)
		then()
	}
}

// popupOfItem reports whether an object is the closed menu in an item of Qt's.
func (e *elem) popupOfItem() bool {
	return e.n.Role == tree.RolePopupMenu && e.parent.n.Role == tree.RoleMenuItem
}

// plainWidget reports whether Qt's widgets of the role have no interfaces but
// those that all have.
func plainWidget(role tree.Role) bool {
	switch role {
	case tree.RoleButton, tree.RoleToggleButton, tree.RoleCheckBox, tree.RoleRadioButton, tree.RoleLabel, tree.RoleMenuBar, tree.RoleMenu,
		tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RolePopupMenu, tree.RoleSeparator, tree.RoleToolBar,
		tree.RoleStatusBar, tree.RoleTab, tree.RoleWindow, tree.RoleListItem:
		return true
	}
	return false
}

// gather asks for facts of an object, and goes on once it has told all of them.
func (r *reader) gather(e *elem, then func(), facts ...fact) {
	left := len(facts)
	for _, f := range facts {
		answer := func(v any, err error) {
			left--
			if err == nil {
				f.set(e, v)
			} else {
				r.deny(e, err)
			}
			if left == 0 && e.status == statusPending {
				then()
			}
		}
		if f.property {
			r.get(e.ref, accessible, f.name, answer)
			continue
		}
		r.send(e.ref, accessible+"."+f.name, func(body []any, err error) { answer(first(body), err) })
	}
}

// deny takes note of an object that does not tell its basic facts. One that
// vanished meanwhile is no fault.
func (r *reader) deny(e *elem, err error) {
	if e.status != statusPending {
		return
	}
	if errors.Is(r.bus.reason(err), desktop.ErrGone) {
		e.status = statusGone
		return
	}
	e.status = statusDenied
	r.denied++
}

// placed goes on once the basic facts of an object are known.
func (r *reader) placed(e *elem) {
	if e.has(rawDefunct) {
		e.status = statusGone
		return
	}
	e.status = statusRead
	e.settle()
	top := e.parent == nil
	visible := rawShowing
	if r.how.byExtents {
		visible = rawVisible
	}
	if !e.has(visible) && !top && !e.keptHidden() {
		e.status = statusHidden
		return
	}
	if !e.n.Ifaces.Has(tree.IfaceComponent) || r.placeless(e) || top && !e.has(rawShowing) {
		if !top {
			e.clip = e.parent.clip
		}
		r.inside(e)
		return
	}
	r.extents(e, func() {
		if r.how.byExtents && !r.inView(e, top) {
			e.status = statusHidden
			return
		}
		r.inside(e)
	})
}

// placeless reports whether the place of an object is not worth a call.
func (r *reader) placeless(e *elem) bool {
	return (r.how.byExtents || r.how.frugal && e.n.States&tree.StateFocusable == 0) && e.transparent()
}

func (r *reader) extents(e *elem, then func()) {
	r.send(e.ref, component+".GetExtents", func(body []any, err error) {
		if err == nil {
			e.setExtents(first(body))
		}
		then()
	}, r.how.coord())
}

// keptHidden reports whether an object is kept although it is out of view.
// Beside its entries a combo box has buttons, and a tab strip arrows: they are not.
func (e *elem) keptHidden() bool {
	if !e.listed {
		return false
	}
	switch e.parent.n.Role {
	case tree.RoleTabList:
		return e.n.Role == tree.RoleTab
	case tree.RoleComboBox:
		return !acts(e) || isMenuItem(e.n.Role)
	}
	return true
}

// transparent reports whether a place would tell nothing of an object: plain
// layout, which goes, and a text that repeats the name of what it is in.
func (e *elem) transparent() bool {
	switch {
	case e.parent == nil || popover(e):
		return false
	case e.n.Role == tree.RolePanel || e.n.Role == tree.RoleFiller:
		return e.n.Name == "" && (e.count > 0 || e.direct) && !e.n.Ifaces.Has(tree.IfaceValue)
	case e.n.Role == tree.RoleLabel:
		for p := e.parent; p != nil; p = p.parent {
			if takesLabels(p.n.Role) {
				return e.n.Name != "" && strings.Contains(p.n.Name, e.n.Name)
			}
			if !isLayout(p.n.Role) {
				return false
			}
		}
	}
	return false
}

// inside reads what an object holds.
func (r *reader) inside(e *elem) {
	if e.n.Role == tree.RoleMenuBar && e.n.Ifaces.Has(tree.IfaceComponent) && !e.n.HasBounds {
		e.status = statusHidden // LibreOffice's own one, behind that of the toolkit
		return
	}
	if !r.how.byExtents {
		e.clip = e.n.Bounds
		if p := e.parent; p != nil && !p.clip.Empty() {
			e.clip = e.n.Bounds.Intersect(p.clip)
			if !e.n.HasBounds {
				e.clip = p.clip
			}
		}
	}
	if r.how.sparse {
		r.askDrawn(e)
	}
	r.content(e)
	r.children(e)
}

// inView decides by the extents whether an object can be seen, for toolkits
// whose SHOWING does not tell.
func (r *reader) inView(e *elem, top bool) bool {
	if top || popover(e) {
		e.clip = e.n.Bounds
		e.n.States |= tree.StateShowing
		return top || e.n.HasBounds
	}
	if e.n.Role == tree.RolePanel && !e.n.HasBounds {
		e.clip = e.parent.clip
		return true // a page of a notebook is no widget and has no place, what is on it has
	}
	e.clip = e.parent.clip
	if !e.n.HasBounds || !e.clip.Empty() && e.n.Bounds.Intersect(e.clip).Empty() {
		e.n.States &^= tree.StateShowing
		e.n.HasBounds = false
		return e.listed
	}
	e.n.States |= tree.StateShowing
	if scrolls(e.n.Role) {
		e.clip = e.n.Bounds.Intersect(e.clip)
	}
	return true
}

// scrolls reports whether what lies outside of an object of the role is cut off.
func scrolls(role tree.Role) bool {
	return role == tree.RoleScrollPane || role == tree.RoleViewport
}

// popover reports whether a GTK4 object is drawn on a surface of its own.
func popover(e *elem) bool {
	switch e.class {
	case "GtkPopover", "GtkPopoverMenu", "GtkEmojiChooser", "GtkTreePopover", "GtkTooltipWindow", "GtkTextSelectionBubble":
		return true
	}
	return e.n.Role == tree.RoleToolTip
}
