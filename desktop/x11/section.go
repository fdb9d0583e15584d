package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// section is one input section: the server is grabbed, so between the check and
// the keys nothing else can happen, and nobody else can be waited for.
type section struct {
	x    *xgb.Conn
	in   *Input
	aim  *aim
	keys *keymap
	now  keyState
	// focus and pointer are where input would go.
	focus   xproto.Window
	pointer *xproto.QueryPointerReply
	// down holds what this section has pressed and not yet let go of.
	down []pressed
}

// pressed is a key or button that is down.
type pressed struct {
	button bool
	code   byte
}

// aim is what input is meant for, as it was read before the section.
type aim struct {
	id     desktop.WindowID // 0: whatever is there
	window xproto.Window
	client uint32
	bounds tree.Rect
	// others are the other windows that have an episode, of all clients.
	others []xproto.Window
	popups []xproto.Window
	// menu: the target's client, or any without a target, shows a menu or a
	// list. Toolkits grab the pointer and the keyboard for one, so a grab is
	// then taken to be theirs.
	menu bool
}

// aim reads what a section will have to prove.
func (i *Input) aim(ctx context.Context, t desktop.Target) (*aim, error) {
	all, err := i.d.windows.Details(ctx)
	if err != nil {
		return nil, err
	}
	a := &aim{id: t.Window}
	for _, d := range all {
		g := d.Geometry
		mine := t.Window == d.Window.ID
		switch {
		case mine:
			a.window, a.client, a.bounds = xproto.Window(g.XID), g.Client, g.Bounds
			for _, p := range g.Popups {
				a.popups = append(a.popups, xproto.Window(p.XID))
			}
		case t.Window != 0:
			a.others = append(a.others, xproto.Window(g.XID))
		}
	}
	if t.Window != 0 && a.window == 0 {
		return nil, desktop.ErrGone
	}
	for _, d := range all {
		if t.Window == 0 || d.Geometry.Client == a.client {
			a.menu = a.menu || slices.ContainsFunc(d.Geometry.Popups, func(p Popup) bool { return p.grabs() })
		}
	}
	return a, nil
}

// grabs reports whether toolkits grab the input while such a popup is open.
func (p Popup) grabs() bool {
	switch p.Role {
	case "tooltip", "notification", "dnd", "splash", "dock", "desktop":
		return false
	}
	return true
}

// patienceWithGrabs is how long a section waits for a grab to end: a window
// manager holds one for the moment in which it handles a click.
const (
	patienceWithGrabs = 500 * time.Millisecond
	grabPause         = 10 * time.Millisecond
)

// need says what a section must prove before it sends.
type need struct {
	keys    bool // the focus is in the target
	keyMap  bool // the keymap is wanted
	at      []desktop.Point
	dragged bool // we hold a button, so the pointer is grabbed by our doing
}

// section runs send in an input section. It waits for foreign grabs to end; it
// does not wait for the focus or for a window to come into view.
func (i *Input) section(ctx context.Context, a *aim, n need, send func(*section) error) error {
	deadline := time.Now().Add(patienceWithGrabs)
	for {
		busy, err := i.attempt(ctx, a, n, send)
		if err != nil || busy == nil {
			return err
		}
		if time.Now().After(deadline) {
			return busy
		}
		select {
		case <-time.After(grabPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// grace is how long a section that has begun is waited for when its caller's
// time is over: nobody should hear that it ended while keys are down. Only a
// server that has stopped takes longer.
const grace = 200 * time.Millisecond

// attempt runs one section, unless something is busy.
func (i *Input) attempt(ctx context.Context, a *aim, n need, send func(*section) error) (busy, err error) {
	if err := take(ctx, i.turn); err != nil {
		return nil, err
	}
	var once sync.Once
	done := func() { once.Do(func() { <-i.turn }) }
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	busy, err = ask(patient, i.d.hands, func(x *xgb.Conn) (error, error) {
		defer done()
		return (&section{x: x, in: i, aim: a}).run(n, send)
	})
	switch {
	case errors.Is(err, desktop.ErrDisconnected):
		done() // it may not have begun
	case err != nil && patient.Err() != nil:
		err = fmt.Errorf("%w: %w", desktop.ErrInterrupted, ctx.Err())
	}
	return busy, err
}

// run is the section itself. busy is set when a grab stood in the way.
func (s *section) run(n need, send func(*section) error) (busy, err error) {
	xproto.GrabServer(s.x)
	sent := false
	defer func() {
		s.letGo()
		xproto.UngrabServer(s.x)
		if _, lost := xproto.GetInputFocus(s.x).Reply(); lost != nil && sent && err == nil {
			err = fmt.Errorf("%w: %w", desktop.ErrInterrupted, desktop.ErrDisconnected)
		}
	}()
	if busy, err = s.look(n); err != nil || busy != nil {
		return busy, err
	}
	if err := s.prove(n); err != nil {
		return nil, err
	}
	sent = true
	return nil, send(s)
}

// look asks for everything that a section depends on in one round trip.
func (s *section) look(n need) (busy, err error) {
	l := s.in.d.hands
	l.wire.cork()
	pointer := xproto.QueryPointer(s.x, l.root)
	// A window that is not mapped cannot get a grab, but the server first tells
	// whether another client has one. So the probe never takes effect, and no
	// application sees its focus go and come.
	keyboardGrab := xproto.GrabKeyboard(s.x, false, s.in.probe, xproto.TimeCurrentTime, xproto.GrabModeAsync, xproto.GrabModeAsync)
	pointerGrab := xproto.GrabPointer(s.x, false, s.in.probe, 0, xproto.GrabModeAsync, xproto.GrabModeAsync, 0, 0, xproto.TimeCurrentTime)
	state, keys := l.send(stateRequest(s.in.xkb)), (*xgb.Cookie)(nil)
	if n.keyMap {
		keys = l.send(mapRequest(s.in.xkb))
	}
	focus := xproto.GetInputFocus(s.x)
	l.wire.uncork()
	f, err := focus.Reply()
	if err != nil {
		return nil, err
	}
	s.focus = f.Focus
	if s.pointer, err = pointer.Reply(); err != nil {
		return nil, err
	}
	k, err := keyboardGrab.Reply()
	if err != nil {
		return nil, err
	}
	p, err := pointerGrab.Reply()
	if err != nil {
		return nil, err
	}
	if err := s.readKeyboard(state, keys); err != nil {
		return nil, err
	}
	return s.grabbed(n, k.Status, p.Status), nil
}

func (s *section) readKeyboard(state, keys *xgb.Cookie) error {
	b, err := state.Reply()
	if err != nil {
		return err
	}
	if s.now, err = parseState(b); err != nil || keys == nil {
		return err
	}
	if b, err = keys.Reply(); err != nil {
		return err
	}
	s.keys, err = s.in.keymap(b)
	return err
}

// buttons are the state bits of the pointer's first five buttons.
const buttons = xproto.KeyButMaskButton1 | xproto.KeyButMaskButton2 | xproto.KeyButMaskButton3 | xproto.KeyButMaskButton4 | xproto.KeyButMaskButton5

// grabbed tells why input would not arrive, or arrive changed.
func (s *section) grabbed(n need, keyboard, pointer byte) error {
	if n.dragged {
		return nil
	}
	if s.now.held&^modLock != 0 || s.now.latched != 0 {
		return fmt.Errorf("a modifier key is held down: %w", desktop.ErrGrabbed)
	}
	if s.pointer.Mask&buttons != 0 {
		return fmt.Errorf("a mouse button is held down: %w", desktop.ErrGrabbed)
	}
	taken := func(status byte) bool {
		return status == xproto.GrabStatusAlreadyGrabbed || status == xproto.GrabStatusFrozen
	}
	if s.aim.menu || !taken(keyboard) && !taken(pointer) {
		return nil
	}
	if taken(keyboard) {
		return fmt.Errorf("the keyboard: %w", desktop.ErrGrabbed)
	}
	return fmt.Errorf("the pointer: %w", desktop.ErrGrabbed)
}

// prove checks that input would go to the target.
func (s *section) prove(n need) error {
	if s.aim.id == 0 {
		return nil
	}
	if n.keys {
		if err := s.proveFocus(); err != nil {
			return err
		}
	}
	for _, p := range n.at {
		if err := s.provePoint(p); err != nil {
			return err
		}
	}
	return nil
}

// proveFocus checks that the focus is in the target, or in an unmanaged window
// of its client. Toolkits focus a window inside their top-level window.
func (s *section) proveFocus() error {
	var chain []xproto.Window
	switch s.focus {
	case xproto.InputFocusNone:
	case xproto.InputFocusPointerRoot:
		chain = s.under(desktop.Point{X: int32(s.pointer.RootX), Y: int32(s.pointer.RootY)})
	default:
		if s.focus == s.aim.window {
			return nil
		}
		chain = ancestors(s.x, s.focus)
	}
	if slices.Contains(chain, s.aim.window) {
		return nil
	}
	if len(chain) > 0 && s.in.d.client(chain[0]) == s.aim.client && !s.anothers(chain) {
		return nil
	}
	return desktop.ErrNoFocus
}

// anothers reports whether a chain goes through another managed window.
func (s *section) anothers(chain []xproto.Window) bool {
	return slices.ContainsFunc(chain, func(w xproto.Window) bool { return slices.Contains(s.aim.others, w) })
}

// under returns the windows at a point, from the root's child down.
func (s *section) under(p desktop.Point) []xproto.Window {
	var chain []xproto.Window
	root := s.in.d.hands.root
	for w := root; len(chain) < 64; {
		r, err := xproto.TranslateCoordinates(s.x, root, w, int16(p.X), int16(p.Y)).Reply()
		if err != nil || r.Child == 0 {
			break
		}
		w = r.Child
		chain = append(chain, w)
	}
	return chain
}

// provePoint checks that the point lies on the target, on its frame, or on one
// of its popups.
func (s *section) provePoint(p desktop.Point) error {
	chain := s.under(p)
	if slices.Contains(chain, s.aim.window) {
		return nil
	}
	if len(chain) > 0 && slices.Contains(s.aim.popups, chain[0]) {
		return nil
	}
	path := ancestors(s.x, s.aim.window)
	if len(path) == 0 {
		return desktop.ErrGone
	}
	frame := path[len(path)-1]
	if len(chain) > 0 && chain[0] == frame && !s.anothers(chain) {
		return nil
	}
	if s.aim.bounds.Contains(p.X, p.Y) {
		return fmt.Errorf("%d,%d: %w", p.X, p.Y, desktop.ErrCovered)
	}
	return fmt.Errorf("%d,%d: %w", p.X, p.Y, desktop.ErrOutside)
}

// fake sends one made-up event.
func (s *section) fake(kind, detail byte, x, y int16) {
	xtest.FakeInput(s.x, kind, detail, 0, s.in.d.hands.root, x, y, 0)
}

func (s *section) press(code byte)  { s.fakeDown(pressed{false, code}) }
func (s *section) button(code byte) { s.fakeDown(pressed{true, code}) }

func (s *section) fakeDown(p pressed) {
	s.down = append(s.down, p)
	kind := byte(xproto.KeyPress)
	if p.button {
		kind = xproto.ButtonPress
	}
	s.fake(kind, p.code, 0, 0)
}

// release lets go of the last thing pressed.
func (s *section) release() {
	p := s.down[len(s.down)-1]
	s.down = s.down[:len(s.down)-1]
	kind := byte(xproto.KeyRelease)
	if p.button {
		kind = xproto.ButtonRelease
	}
	s.fake(kind, p.code, 0, 0)
}

// letGo releases everything, whatever happened.
func (s *section) letGo() {
	for len(s.down) > 0 {
		s.release()
	}
}

// move puts the pointer to a point.
func (s *section) move(p desktop.Point) {
	s.fake(xproto.MotionNotify, 0, int16(p.X), int16(p.Y))
}

// buttonsWith sends what f sends while keys are held. A window manager may hold
// a click back to look at it; the application then sees the keys that are down
// when the click is handed on, so they must outlast it and are left down.
func (s *section) buttonsWith(keys []byte, f func()) error {
	if len(keys) == 0 {
		s.together(f)
		return nil
	}
	w := s.in.d.hands.wire
	w.cork()
	for _, k := range keys {
		s.press(k)
	}
	f()
	w.uncork()
	p, err := xproto.QueryPointer(s.x, s.in.d.hands.root).Reply()
	if err == nil && p.Mask&buttons != 0 {
		s.leave()
	}
	return err
}

// leave keeps what is down beyond the section. Whoever has it done must call
// [Input.letGo].
func (s *section) leave() {
	s.in.held, s.down = append(s.in.held, s.down...), nil
	s.in.holding.Store(true)
}

// takeBack makes what earlier sections left down this section's own.
func (s *section) takeBack() {
	s.down, s.in.held = append(s.in.held, s.down...), nil
	s.in.holding.Store(false)
}

// together sends what f sends in one write, so that a press without its release
// never reaches the server, not even when this process is killed.
func (s *section) together(f func()) {
	w := s.in.d.hands.wire
	w.cork()
	defer w.uncork()
	f()
	for len(s.down) > 0 {
		s.release()
	}
}
