package x11

import (
	"context"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// rootEvents is what is wanted of the root window.
const rootEvents = xproto.EventMaskSubstructureNotify | xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify

// setUp negotiates the extensions and makes the roles.
func (d *Display) setUp(ctx context.Context) error {
	_, err := ask(ctx, d.questions, func(x *xgb.Conn) (any, error) {
		if err := d.atoms.load(x); err != nil {
			return nil, err
		}
		d.questionExtensions(x)
		return nil, nil
	})
	if err != nil {
		return fmt.Errorf("asking for its extensions: %w", err)
	}
	_, err = ask(ctx, d.events, func(x *xgb.Conn) (any, error) {
		d.eventExtensions(x)
		return nil, d.makeOwnWindow(x)
	})
	if err != nil {
		return fmt.Errorf("preparing for its events: %w", err)
	}
	d.names = &names{l: d.questions, name: make(map[xproto.Atom]string)}
	d.windows, d.capture, d.selection = &Windows{d}, newCapture(d), newSelection(d)
	d.input, err = newInput(ctx, d)
	return err
}

// questionExtensions sets up what makes pictures and tells of clients. Each is
// optional: without it the role that needs it says so.
func (d *Display) questionExtensions(x *xgb.Conn) {
	l := d.questions
	if _, err := l.extension("MIT-SHM"); err == nil {
		_, err := shm.QueryVersion(x).Reply()
		d.shm = err == nil
	}
	if _, err := l.extension("RANDR"); err == nil {
		r, err := randr.QueryVersion(x, 1, 5).Reply()
		d.randr = err == nil && (r.MajorVersion > 1 || r.MinorVersion >= 5)
	}
	if _, err := l.extension("X-Resource"); err == nil {
		r, err := res.QueryVersion(x, 1, 2).Reply()
		d.resources = err == nil && (r.ServerMajor > 1 || r.ServerMinor >= 2)
	}
	if _, err := l.extension("Composite"); err == nil {
		_, _ = composite.QueryVersion(x, 0, 4).Reply()
	}
}

// eventExtensions sets up what the event loop asks for without waiting.
func (d *Display) eventExtensions(x *xgb.Conn) {
	l := d.events
	if _, err := l.extension("XFIXES"); err != nil {
		return // Damage and Composite build on it
	}
	if e, err := l.extension("DAMAGE"); err == nil {
		_, err := damage.QueryVersion(x, 1, 1).Reply()
		d.damage, d.damageEvent = err == nil, e.event
	}
	if _, err := l.extension("Composite"); err == nil {
		r, err := composite.QueryVersion(x, 0, 4).Reply()
		d.composite = err == nil && (r.MajorVersion > 0 || r.MinorVersion >= 2)
	}
}

func (d *Display) makeOwnWindow(x *xgb.Conn) error {
	w, err := xproto.NewWindowId(x)
	if err != nil {
		return err
	}
	err = xproto.CreateWindowChecked(x, 0, w, d.events.root, -10, -10, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, xproto.EventMaskPropertyChange}).Check()
	d.own = w
	return err
}

// newInput makes the input role with its own extensions and probe window.
func newInput(ctx context.Context, d *Display) (*Input, error) {
	in := &Input{d: d, acts: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
	_, err := ask(ctx, d.hands, func(x *xgb.Conn) (any, error) {
		if _, err := d.hands.extension("XTEST"); err != nil {
			return nil, err
		}
		if _, err := xtest.GetVersion(x, 2, 2).Reply(); err != nil {
			return nil, err
		}
		e, err := d.hands.extension("XKEYBOARD")
		if err != nil {
			return nil, err
		}
		in.xkb = e.opcode
		if err := useXKB(d.hands, e.opcode); err != nil {
			return nil, err
		}
		if in.probe, err = xproto.NewWindowId(x); err != nil {
			return nil, err
		}
		return nil, xproto.CreateWindowChecked(x, 0, in.probe, d.hands.root, -10, -10, 1, 1, 0,
			xproto.WindowClassInputOnly, 0, xproto.CwOverrideRedirect, []uint32{1}).Check()
	})
	if err != nil {
		return nil, fmt.Errorf("preparing for input: %w", err)
	}
	return in, nil
}

// startWatching selects the root's events first and looks second, so that no
// window falls between.
func (d *Display) startWatching(ctx context.Context) error {
	x := d.events.x
	xproto.ChangeWindowAttributes(x, d.events.root, xproto.CwEventMask, []uint32{rootEvents})
	if err := d.Sync(ctx); err != nil {
		return err
	}
	found, err := ask(ctx, d.questions, d.scan)
	if err != nil {
		return fmt.Errorf("looking at its windows: %w", err)
	}
	d.model.setManager(found.manager)
	for _, w := range found.windows {
		d.queue.put(adopted(w))
	}
	return d.Sync(ctx)
}

// found is a first look at the whole desktop.
type found struct {
	manager uint32 // the window manager's client, 0 without one
	windows []foundWindow
}

type foundWindow struct {
	xid    xproto.Window
	popup  bool
	mapped bool
	parent xproto.Window
	// managed: the window manager lists it, so it has an episode even while it
	// is not mapped. iconic: it is known to be iconified and not withdrawn.
	managed, iconic bool
}

// scan lists the root's children and the managed windows inside their frames.
func (d *Display) scan(x *xgb.Conn) (found, error) {
	var f found
	root := d.questions.root
	list := cardinals(x, root, d.atoms.netClientList)
	f.manager = d.managerClient(x)
	kids, err := xproto.QueryTree(x, root).Reply()
	if err != nil {
		return f, err
	}
	candidates := append([]xproto.Window(nil), kids.Children...)
	for _, w := range list {
		candidates = append(candidates, xproto.Window(w))
	}
	attrs := make([]xproto.GetWindowAttributesCookie, len(candidates))
	trees := make([]xproto.QueryTreeCookie, len(candidates))
	for i, w := range candidates {
		attrs[i], trees[i] = xproto.GetWindowAttributes(x, w), xproto.QueryTree(x, w)
	}
	for i, w := range candidates {
		a, err := attrs[i].Reply()
		t, err2 := trees[i].Reply()
		if err != nil || err2 != nil {
			continue
		}
		f.windows = append(f.windows, foundWindow{
			xid: w, popup: a.OverrideRedirect,
			mapped: a.MapState != xproto.MapStateUnmapped, parent: t.Parent,
		})
	}
	return f, nil
}

// managerClient returns the client of the running window manager, 0 without
// one: the window that the root names must name itself.
func (d *Display) managerClient(x *xgb.Conn) uint32 {
	w := cardinals(x, d.questions.root, d.atoms.netSupportingWMCheck)
	if len(w) == 0 {
		return 0
	}
	self := cardinals(x, xproto.Window(w[0]), d.atoms.netSupportingWMCheck)
	if len(self) == 0 || self[0] != w[0] {
		return 0
	}
	return d.client(xproto.Window(w[0]))
}

// cardinals reads a property of 32-bit numbers; nil if there is none.
func cardinals(x *xgb.Conn, w xproto.Window, a xproto.Atom) []uint32 {
	r, err := xproto.GetProperty(x, false, w, a, xproto.GetPropertyTypeAny, 0, 4096).Reply()
	if err != nil {
		return nil
	}
	return numbers(r)
}

func numbers(r *xproto.GetPropertyReply) []uint32 {
	if r == nil || r.Format != 32 {
		return nil
	}
	out := make([]uint32, 0, r.ValueLen)
	for i := 0; i+4 <= len(r.Value); i += 4 {
		out = append(out, xgb.Get32(r.Value[i:]))
	}
	return out
}
