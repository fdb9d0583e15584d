package x11

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Windows implements [desktop.Windows] by EWMH, and without a window manager
// by the root's children.
type Windows struct{ d *Display }

var _ desktop.Windows = (*Windows)(nil)

// Extents are the widths of a border.
type Extents struct{ Left, Right, Top, Bottom int32 }

// Popup is one mapped override-redirect window.
type Popup struct {
	XID    uint32
	Bounds tree.Rect // the whole X window, screen pixels
	Frame  Extents   // _GTK_FRAME_EXTENTS
	PID    int       // of the X client, 0 if unknown
	Role   string    // EWMH type: "popup-menu", "tooltip", …; "" if unset
}

// Geometry is what the window system knows of a window beyond [desktop.Window].
type Geometry struct {
	Window desktop.WindowID
	XID    uint32
	// Client is the resource base of the X client that made the window. Two
	// windows with the same Client belong to one connection.
	Client uint32
	PID    int // of the X client, 0 if unknown
	// Leader is the window group's leader (WM_HINTS), or 0.
	Leader uint32
	// Bounds is the whole X window, screen pixels. [desktop.Window].Bounds is
	// this without Frame, which is the shadow that the application draws.
	Bounds tree.Rect
	Frame  Extents
	// Popups are the window's open popups, topmost first, in the order of
	// [desktop.Window].Popups.
	Popups []Popup
}

// Detail is all that is known of one window.
type Detail struct {
	Window   desktop.Window
	Geometry Geometry
}

// List implements [desktop.Windows]. The topmost window comes first.
func (w *Windows) List(ctx context.Context) ([]desktop.Window, error) {
	all, err := w.Details(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]desktop.Window, len(all))
	for i := range all {
		out[i] = all[i].Window
	}
	return out, nil
}

// Geometry reads where a window and its popups are.
func (w *Windows) Geometry(ctx context.Context, id desktop.WindowID) (Geometry, error) {
	d, err := w.Detail(ctx, id)
	return d.Geometry, err
}

// Detail reads one window. One that is gone gives [desktop.ErrGone].
func (w *Windows) Detail(ctx context.Context, id desktop.WindowID) (Detail, error) {
	all, err := w.Details(ctx)
	if err != nil {
		return Detail{}, err
	}
	for _, d := range all {
		if d.Window.ID == id {
			return d, nil
		}
	}
	return Detail{}, fmt.Errorf("looking for window %d: %w", id, desktop.ErrGone)
}

// readings bounds how often a desktop that changes while it is read is read
// again. The last reading is taken as it is.
const readings = 4

// Details is List with what only X11 knows.
func (w *Windows) Details(ctx context.Context) ([]Detail, error) {
	d := w.d
	if err := d.Sync(ctx); err != nil {
		return nil, fmt.Errorf("listing windows: %w", err)
	}
	for n := 1; ; n++ {
		before := d.model.look()
		r, err := ask(ctx, d.questions, func(x *xgb.Conn) (*reading, error) { return d.read(x, before.popups) })
		if err != nil {
			return nil, fmt.Errorf("listing windows: %w", err)
		}
		missed := d.missed(r, before)
		for _, a := range missed {
			d.queue.put(a)
		}
		if err := d.Sync(ctx); err != nil {
			return nil, fmt.Errorf("listing windows: %w", err)
		}
		after := d.model.look()
		if n == readings || len(missed) == 0 && after.episodes == before.episodes {
			return d.details(ctx, r, after)
		}
	}
}

// look is a copy of what the model says at one moment.
type look struct {
	episodes uint64
	manager  uint32
	ids      map[xproto.Window]desktop.WindowID
	doubts   map[xproto.Window]bool
	popups   []xproto.Window
	records  map[xproto.Window]*record
	focused  map[uint32]xproto.Window
}

func (m *model) look() look {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := look{
		episodes: m.episodes, manager: m.manager,
		ids: make(map[xproto.Window]desktop.WindowID), doubts: make(map[xproto.Window]bool),
		records: make(map[xproto.Window]*record), focused: make(map[uint32]xproto.Window),
	}
	for xid, r := range m.byXID {
		l.records[xid] = r
		switch {
		case r.popup && r.mapped:
			l.popups = append(l.popups, xid)
		case r.id != 0:
			l.ids[xid], l.doubts[xid] = r.id, r.doubt
		}
	}
	maps.Copy(l.focused, m.focused)
	return l
}

// missed tells the loop of managed windows that it has no episode for, and of
// those that are iconified where it could not tell.
func (d *Display) missed(r *reading, before look) []adopted {
	var out []adopted
	if r.manager != before.manager {
		d.model.setManager(r.manager)
	}
	for _, p := range r.windows {
		a := adopted{xid: p.xid, parent: p.parent, mapped: p.mapped, managed: true, iconic: p.iconic}
		_, known := before.ids[p.xid]
		switch {
		case !known && (p.mapped || p.iconic || r.elsewhere(p)):
			out = append(out, a)
		case known && before.doubts[p.xid] && p.iconic:
			out = append(out, a)
		}
	}
	// Ids rise with age, and the window manager lists the oldest first.
	slices.SortStableFunc(out, func(a, b adopted) int {
		return cmp.Compare(slices.Index(r.ages, a.xid), slices.Index(r.ages, b.xid))
	})
	return out
}

// Close implements [desktop.Windows].
func (w *Windows) Close(ctx context.Context, id desktop.WindowID) error {
	d := w.d
	xid, ok := d.model.window(id)
	if !ok {
		return fmt.Errorf("closing window %d: %w", id, desktop.ErrGone)
	}
	_, err := ask(ctx, d.questions, func(x *xgb.Conn) (any, error) {
		if !slices.Contains(cardinals(x, xid, d.atoms.wmProtocols), uint32(d.atoms.wmDeleteWindow)) {
			return nil, d.rootMessage(x, xid, d.atoms.netCloseWindow, 0, 2)
		}
		msg := xproto.ClientMessageEvent{
			Format: 32, Window: xid, Type: d.atoms.wmProtocols,
			Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(d.atoms.wmDeleteWindow), xproto.TimeCurrentTime, 0, 0, 0}),
		}
		return nil, xproto.SendEventChecked(x, false, xid, 0, string(msg.Bytes())).Check()
	})
	if isBadWindow(err) {
		err = desktop.ErrGone
	}
	if err != nil {
		return fmt.Errorf("closing window %d: %w", id, err)
	}
	return nil
}

// rootMessage asks the window manager for something.
func (d *Display) rootMessage(x *xgb.Conn, w xproto.Window, kind xproto.Atom, data ...uint32) error {
	data = append(data, make([]uint32, 5-len(data))...)
	msg := xproto.ClientMessageEvent{Format: 32, Window: w, Type: kind, Data: xproto.ClientMessageDataUnionData32New(data)}
	return xproto.SendEventChecked(x, false, d.questions.root,
		xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(msg.Bytes())).Check()
}

// activation is how long the window manager may take over an activation.
const activation = 2 * time.Second

// Activate implements [desktop.Windows]. It returns when the window manager
// calls the window active and the keyboard focus has arrived in it.
func (w *Windows) Activate(ctx context.Context, id desktop.WindowID) error {
	d := w.d
	if err := w.activate(ctx, id); err != nil {
		return fmt.Errorf("activating window %d: %w", id, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, activation, fmt.Errorf("the window manager did not make it active: %w", desktop.ErrRefused))
	defer cancel()
	for {
		changed := d.model.next()
		xid, ok := d.model.window(id)
		if !ok {
			return fmt.Errorf("activating window %d: %w", id, desktop.ErrGone)
		}
		active, err := ask(ctx, d.questions, func(x *xgb.Conn) (bool, error) { return d.isActive(x, xid), nil })
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("activating window %d: %w", id, context.Cause(ctx))
		case err != nil:
			return fmt.Errorf("activating window %d: %w", id, err)
		case active:
			return nil
		}
		select {
		case <-changed:
		case <-time.After(50 * time.Millisecond): // the focus may move inside the window without an event
		case <-d.loopDone:
			return desktop.ErrDisconnected
		case <-ctx.Done():
			return fmt.Errorf("activating window %d: %w", id, context.Cause(ctx))
		}
	}
}

func (w *Windows) activate(ctx context.Context, id desktop.WindowID) error {
	d := w.d
	xid, ok := d.model.window(id)
	if !ok {
		return desktop.ErrGone
	}
	now, err := d.serverTime(ctx)
	if err != nil {
		return err
	}
	_, err = ask(ctx, d.questions, func(x *xgb.Conn) (any, error) {
		if d.managerClient(x) == 0 {
			return nil, raise(x, xid)
		}
		there, here := cardinals(x, xid, d.atoms.netWMDesktop), cardinals(x, d.questions.root, d.atoms.netCurrentDesktop)
		if len(there) > 0 && len(here) > 0 && there[0] != here[0] && there[0] != everyDesktop {
			if err := d.rootMessage(x, d.questions.root, d.atoms.netCurrentDesktop, there[0], uint32(now)); err != nil {
				return nil, err
			}
		}
		return nil, d.rootMessage(x, xid, d.atoms.netActiveWindow, 2, uint32(now), 0)
	})
	return err
}

// raise is activation without a window manager.
func raise(x *xgb.Conn, w xproto.Window) error {
	err := xproto.ConfigureWindowChecked(x, w, xproto.ConfigWindowStackMode, []uint32{xproto.StackModeAbove}).Check()
	if err != nil {
		return err
	}
	return xproto.SetInputFocusChecked(x, xproto.InputFocusParent, w, xproto.TimeCurrentTime).Check()
}

func (d *Display) isActive(x *xgb.Conn, w xproto.Window) bool {
	if d.managerClient(x) != 0 {
		if a := cardinals(x, d.questions.root, d.atoms.netActiveWindow); len(a) == 0 || xproto.Window(a[0]) != w {
			return false
		}
	}
	f, err := xproto.GetInputFocus(x).Reply()
	return err == nil && slices.Contains(ancestors(x, f.Focus), w)
}

// ancestors returns a window, its parent, and so on, without the root.
func ancestors(x *xgb.Conn, w xproto.Window) []xproto.Window {
	var chain []xproto.Window
	for w > 1 && len(chain) < 64 {
		t, err := xproto.QueryTree(x, w).Reply()
		if err != nil || w == t.Root {
			break
		}
		chain = append(chain, w)
		w = t.Parent
	}
	return chain
}

func isBadWindow(err error) bool {
	switch err.(type) {
	case xproto.WindowError, xproto.DrawableError, xproto.MatchError:
		return true
	}
	return false
}
