package x11

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// everyDesktop is the number of the workspace of windows that are on all.
const everyDesktop = 0xFFFFFFFF

// reading is one look at the desktop as the server has it.
type reading struct {
	manager uint32
	active  xproto.Window
	current uint32          // workspace
	windows []*packet       // topmost first
	popups  []*packet       // topmost first
	ages    []xproto.Window // of the managed ones, oldest first
}

// packet is what was read of one window.
type packet struct {
	xid, parent              xproto.Window
	mapped, iconic, stateful bool // stateful: it carries WM_STATE
	override, inputOnly      bool
	bounds                   tree.Rect
	frame                    Extents
	title, class, instance   string
	appID                    string
	pidProperty              int
	desktop                  uint32
	hasDesktop               bool
	transient, leader        xproto.Window
	states, types            []xproto.Atom
	urgent                   bool
}

// elsewhere reports whether the window lives on another workspace.
func (r *reading) elsewhere(p *packet) bool {
	return p.hasDesktop && p.desktop != everyDesktop && p.desktop != r.current
}

// read looks at everything in three round trips.
func (d *Display) read(x *xgb.Conn, popups []xproto.Window) (*reading, error) {
	root, a := d.questions.root, &d.atoms
	prop := func(p xproto.Atom) xproto.GetPropertyCookie {
		return xproto.GetProperty(x, false, root, p, xproto.GetPropertyTypeAny, 0, 4096)
	}
	stacking, listing := prop(a.netClientListStacking), prop(a.netClientList)
	active, current := prop(a.netActiveWindow), prop(a.netCurrentDesktop)
	children := xproto.QueryTree(x, root)
	r := &reading{}
	order := replyNumbers(stacking)
	list := replyNumbers(listing)
	if len(order) == 0 {
		order = list
	}
	r.ages = windowsOf(list)
	r.active = xproto.Window(first(replyNumbers(active)))
	r.current = first(replyNumbers(current))
	kids, err := children.Reply()
	if err != nil {
		return nil, err
	}
	if r.manager = d.managerClient(x); r.manager != 0 {
		r.windows = d.packets(x, windowsOf(order))
	} else {
		r.windows = d.unmanaged(x, kids.Children)
		r.active = d.focusedAmong(x, r.windows)
	}
	slices.Reverse(r.windows)
	r.popups = d.packets(x, popups)
	r.popups = slices.DeleteFunc(r.popups, func(p *packet) bool {
		return !p.mapped || p.inputOnly || p.bounds.W <= 1 || p.bounds.H <= 1
	})
	place := make(map[xproto.Window]int, len(kids.Children))
	for i, w := range kids.Children {
		place[w] = i
	}
	slices.SortFunc(r.popups, func(p, q *packet) int { return cmp.Compare(place[q.xid], place[p.xid]) })
	return r, nil
}

// unmanaged finds top-level windows where no window manager lists them.
func (d *Display) unmanaged(x *xgb.Conn, kids []xproto.Window) []*packet {
	all := d.packets(x, kids)
	return slices.DeleteFunc(all, func(p *packet) bool {
		return d.ours(p.xid) || p.inputOnly || !p.stateful && (p.override || !p.mapped)
	})
}

func (d *Display) focusedAmong(x *xgb.Conn, windows []*packet) xproto.Window {
	f, err := xproto.GetInputFocus(x).Reply()
	if err != nil {
		return 0
	}
	chain := ancestors(x, f.Focus)
	for _, p := range windows {
		if slices.Contains(chain, p.xid) {
			return p.xid
		}
	}
	return 0
}

// packetCookies are the questions about one window.
type packetCookies struct {
	attributes xproto.GetWindowAttributesCookie
	geometry   xproto.GetGeometryCookie
	place      xproto.TranslateCoordinatesCookie
	family     xproto.QueryTreeCookie
	properties []xproto.GetPropertyCookie
}

// properties are the properties that List tells of, in the order in which
// packet.fill takes them.
func (d *Display) properties() []xproto.Atom {
	a := &d.atoms
	return []xproto.Atom{
		a.netWMName, xproto.AtomWmName, xproto.AtomWmClass, a.netWMPID, a.netWMDesktop, a.netWMState,
		a.netWMWindowType, a.wmState, xproto.AtomWmTransientFor, xproto.AtomWmHints, a.gtkFrameExtents,
		a.gtkApplicationID, a.kdeDesktopFile,
	}
}

// packets asks about all windows at once. Windows that are gone are left out.
func (d *Display) packets(x *xgb.Conn, windows []xproto.Window) []*packet {
	asked := make([]packetCookies, len(windows))
	properties := d.properties()
	wire := d.questions.wire
	wire.cork()
	for i, w := range windows {
		c := &asked[i]
		c.attributes = xproto.GetWindowAttributes(x, w)
		c.geometry = xproto.GetGeometry(x, xproto.Drawable(w))
		c.place = xproto.TranslateCoordinates(x, w, d.questions.root, 0, 0)
		c.family = xproto.QueryTree(x, w)
		for _, p := range properties {
			c.properties = append(c.properties, xproto.GetProperty(x, false, w, p, xproto.GetPropertyTypeAny, 0, 1024))
		}
	}
	wire.uncork()
	var out []*packet
	for i, w := range windows {
		if p := asked[i].packet(w); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// packet collects the answers about one window, nil if it is gone.
func (c *packetCookies) packet(w xproto.Window) *packet {
	attributes, err1 := c.attributes.Reply()
	geometry, err2 := c.geometry.Reply()
	place, err3 := c.place.Reply()
	family, err4 := c.family.Reply()
	replies := make([]*xproto.GetPropertyReply, len(c.properties))
	for i, p := range c.properties {
		replies[i], _ = p.Reply()
	}
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return nil
	}
	p := &packet{
		xid: w, parent: family.Parent,
		mapped:    attributes.MapState != xproto.MapStateUnmapped,
		override:  attributes.OverrideRedirect,
		inputOnly: attributes.Class == xproto.WindowClassInputOnly,
		bounds:    tree.Rect{X: int32(place.DstX), Y: int32(place.DstY), W: int32(geometry.Width), H: int32(geometry.Height)},
	}
	p.fill(replies)
	return p
}

func (p *packet) fill(r []*xproto.GetPropertyReply) {
	p.title = text(r[0])
	if p.title == "" {
		p.title = text(r[1])
	}
	instance, class, _ := strings.Cut(raw(r[2]), "\x00")
	p.instance, p.class = utf8OrLatin1(instance), utf8OrLatin1(strings.TrimRight(class, "\x00"))
	p.pidProperty = int(first(numbers(r[3])))
	if n := numbers(r[4]); len(n) > 0 {
		p.desktop, p.hasDesktop = n[0], true
	}
	p.states, p.types = atomsOf(r[5]), atomsOf(r[6])
	if n := numbers(r[7]); len(n) > 0 {
		p.stateful, p.iconic = n[0] != 0, n[0] == wmStateIconic
	}
	p.transient = xproto.Window(first(numbers(r[8])))
	if n := numbers(r[9]); len(n) >= 9 {
		if n[0]&hintWindowGroup != 0 {
			p.leader = xproto.Window(n[8])
		}
		p.urgent = n[0]&hintUrgency != 0
	}
	if n := numbers(r[10]); len(n) >= 4 {
		p.frame = Extents{int32(n[0]), int32(n[1]), int32(n[2]), int32(n[3])}
	}
	p.appID = cmp.Or(text(r[11]), strings.TrimSuffix(filepath.Base(text(r[12])), ".desktop"))
	if p.appID == "." {
		p.appID = ""
	}
}

// Numbers of the ICCCM.
const (
	wmStateIconic   = 3
	hintWindowGroup = 1 << 6
	hintUrgency     = 1 << 8
)

func replyNumbers(c xproto.GetPropertyCookie) []uint32 {
	r, err := c.Reply()
	if err != nil {
		return nil
	}
	return numbers(r)
}

func first(n []uint32) uint32 {
	if len(n) == 0 {
		return 0
	}
	return n[0]
}

func windowsOf(n []uint32) []xproto.Window {
	out := make([]xproto.Window, len(n))
	for i, v := range n {
		out[i] = xproto.Window(v)
	}
	return out
}

func atomsOf(r *xproto.GetPropertyReply) []xproto.Atom {
	n := numbers(r)
	out := make([]xproto.Atom, len(n))
	for i, v := range n {
		out[i] = xproto.Atom(v)
	}
	return out
}

func raw(r *xproto.GetPropertyReply) string {
	if r == nil || r.Format != 8 {
		return ""
	}
	return string(r.Value)
}

func text(r *xproto.GetPropertyReply) string { return utf8OrLatin1(strings.TrimRight(raw(r), "\x00")) }

// utf8OrLatin1 reads the text of old programs, which is Latin-1.
func utf8OrLatin1(s string) string {
	if clean := strings.ToValidUTF8(s, ""); clean == s {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(rune(s[i]))
	}
	return b.String()
}

// details turns a reading into windows with the ids of a look at the model.
func (d *Display) details(ctx context.Context, r *reading, l look) ([]Detail, error) {
	roles, err := d.roles(ctx, r)
	if err != nil {
		return nil, err
	}
	pids := d.pids(ctx, r, l)
	var out []Detail
	at := make(map[xproto.Window]int) // place in out
	for _, p := range r.windows {
		id, ok := l.ids[p.xid]
		if !ok {
			continue
		}
		at[p.xid] = len(out)
		pid := cmp.Or(pids[p.xid], p.pidProperty)
		out = append(out, Detail{
			Geometry: Geometry{Window: id, XID: uint32(p.xid), Client: d.client(p.xid), PID: pid, Leader: uint32(p.leader), Bounds: p.bounds, Frame: p.frame},
			Window:   d.window(p, r, id, pid, roles[p.xid]),
		})
	}
	d.relate(out, r, l, at)
	for _, p := range r.popups {
		i, ok := d.popupOwner(p, out, at, r, l)
		if !ok {
			continue
		}
		out[i].Window.Popups = append(out[i].Window.Popups, p.bounds)
		out[i].Geometry.Popups = append(out[i].Geometry.Popups, Popup{uint32(p.xid), p.bounds, p.frame, cmp.Or(pids[p.xid], p.pidProperty), roles[p.xid]})
	}
	return out, nil
}

func (d *Display) window(p *packet, r *reading, id desktop.WindowID, pid int, role string) desktop.Window {
	a := &d.atoms
	has := func(s xproto.Atom) bool { return slices.Contains(p.states, s) }
	w := desktop.Window{
		ID: id, Title: p.title, Class: p.class, Instance: p.instance, Role: role,
		Modal: has(a.stateModal), Bounds: inside(p.bounds, p.frame), Active: p.xid == r.active,
		Minimized: p.iconic || has(a.stateHidden) || !p.mapped || r.elsewhere(p),
		App:       desktop.App{ID: desktop.AppID(pid), PID: pid, Name: strings.ToLower(cmp.Or(p.appID, p.class)), Process: process(pid)},
	}
	if pid == 0 {
		w.App.ID = desktop.AppID(1<<32 | uint64(d.client(p.xid)))
	}
	if w.Role == "" {
		w.Role = "normal"
		if p.transient != 0 {
			w.Role = "dialog"
		}
	}
	for _, s := range []struct {
		on    bool
		state tree.WindowStates
	}{
		{w.Active, tree.WindowActive},
		{w.Minimized, tree.WindowMinimized},
		{has(a.stateMaxHorz) && has(a.stateMaxVert), tree.WindowMaximized},
		{has(a.stateFullscreen), tree.WindowFullscreen},
		{p.urgent || has(a.stateAttention), tree.WindowUrgent},
	} {
		if s.on {
			w.States |= s.state
		}
	}
	return w
}

// relate fills owners and groups. A window that is transient for its group
// blocks the windows of the group, so these carry the group's number too.
func (d *Display) relate(out []Detail, r *reading, l look, at map[xproto.Window]int) {
	group := func(p *packet) uint64 { return uint64(cmp.Or(uint32(p.leader), d.client(p.xid))) }
	groups := make(map[uint64]bool)
	for _, p := range r.windows {
		i, ok := at[p.xid]
		if !ok || p.transient == 0 {
			continue
		}
		if _, listed := at[p.transient]; listed && p.transient != p.xid {
			out[i].Window.Owner = l.ids[p.transient]
		} else if p.transient == d.questions.root || p.transient == p.leader {
			groups[group(p)] = true
		}
	}
	for _, p := range r.windows {
		if i, ok := at[p.xid]; ok && groups[group(p)] && out[i].Window.Owner == 0 {
			out[i].Window.Group = group(p)
		}
	}
}

// popupOwner returns the place of the window that a popup belongs to: of those
// of its client the one that it is transient for, else the one that it was
// claimed for, else the active one, else the one that had the focus last, else
// the topmost.
func (d *Display) popupOwner(p *packet, out []Detail, at map[xproto.Window]int, r *reading, l look) (int, bool) {
	client := d.client(p.xid)
	for w, seen := p.transient, 0; w != 0 && seen < 8; seen++ { // a submenu is transient for its menu
		if i, ok := at[w]; ok {
			return i, true
		}
		next := xproto.Window(0)
		for _, q := range r.popups {
			if q.xid == w {
				next = q.transient
			}
		}
		w = next
	}
	if id := d.model.claimed(p.xid); id != 0 {
		i := slices.IndexFunc(out, func(o Detail) bool { return o.Window.ID == id })
		if i >= 0 {
			return i, true
		}
	}
	for _, w := range []xproto.Window{r.active, l.focused[client]} {
		if i, ok := at[w]; ok && out[i].Geometry.Client == client {
			return i, true
		}
	}
	for i := range out {
		if out[i].Geometry.Client == client && !out[i].Window.Minimized {
			return i, true
		}
	}
	return 0, false
}

func inside(r tree.Rect, e Extents) tree.Rect {
	in := tree.Rect{X: r.X + e.Left, Y: r.Y + e.Top, W: r.W - e.Left - e.Right, H: r.H - e.Top - e.Bottom}
	if in.Empty() {
		return r
	}
	return in
}

// roles names the EWMH types of all windows: the first one that we know the
// prefix of, as "popup-menu".
func (d *Display) roles(ctx context.Context, r *reading) (map[xproto.Window]string, error) {
	all := append(slices.Clone(r.windows), r.popups...)
	var list []xproto.Atom
	for _, p := range all {
		list = append(list, p.types...)
	}
	names, err := d.names.of(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("naming window types: %w", err)
	}
	out := make(map[xproto.Window]string, len(all))
	for _, p := range all {
		for range p.types {
			if t, ok := strings.CutPrefix(names[0], "_NET_WM_WINDOW_TYPE_"); ok && out[p.xid] == "" {
				out[p.xid] = strings.ReplaceAll(strings.ToLower(t), "_", "-")
			}
			names = names[1:]
		}
	}
	return out, nil
}
