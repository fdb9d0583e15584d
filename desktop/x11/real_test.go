//go:build desktop

package x11

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux/virtual"
)

// shared is the desktop of the tests that leave it as they found it.
var shared *virtual.Desktop

func TestMain(m *testing.M) {
	if title := os.Getenv(typistTarget); title != "" {
		typist(title)
	}
	var err error
	if shared, err = virtual.Start(context.Background(), virtual.Config{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	shared.Close()
	os.Exit(code)
}

// recorder keeps the events of a display.
type recorder struct {
	mu     sync.Mutex // guards events
	events []Event
}

func (r *recorder) event(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) take() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.events
	r.events = nil
	return e
}

func (r *recorder) has(k Kind, id desktop.WindowID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.events, Event{k, id})
}

// open connects to a desktop for the length of the test.
func open(t testing.TB, v *virtual.Desktop) (*Display, *recorder) {
	t.Helper()
	r := &recorder{}
	d, err := Open(t.Context(), Config{Display: v.Display(), Event: r.event})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, r
}

// start gives the test a desktop of its own.
func start(t testing.TB, cfg virtual.Config) *virtual.Desktop {
	t.Helper()
	v, err := virtual.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// within bounds one call.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// wait looks until holds does.
func wait(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("waiting for %s: it did not happen in 10 s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// list returns all windows.
func list(t testing.TB, d *Display) []Detail {
	t.Helper()
	all, err := d.Windows().Details(within(t))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// titled waits for a window with a title.
func titled(t testing.TB, d *Display, title string) Detail {
	t.Helper()
	var found Detail
	wait(t, "the window "+title, func() bool {
		for _, w := range list(t, d) {
			if strings.Contains(w.Window.Title, title) {
				found = w
				return true
			}
		}
		return false
	})
	return found
}

// detailOf reads one window that must be there.
func detailOf(t testing.TB, d *Display, id desktop.WindowID) Detail {
	t.Helper()
	w, err := d.Windows().Detail(within(t), id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// run starts a program for the length of the test.
func run(t testing.TB, v *virtual.Desktop, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := v.Command(name, args...)
	ended, err := v.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return cmd
}

// activate makes a window active.
func activate(t testing.TB, d *Display, id desktop.WindowID) {
	t.Helper()
	if err := d.Windows().Activate(within(t), id); err != nil {
		t.Fatal(err)
	}
}

// peer is a small X client: what applications do, done by hand.
type peer struct {
	t    testing.TB
	x    *xgb.Conn
	root xproto.Window
	own  xproto.Window // gets the mark that take waits for
	mark chan struct{} // the mark has come through the event loop

	mu     sync.Mutex // guards events
	events []xgb.Event
}

// newPeer connects a client for the length of the test.
func newPeer(t testing.TB, v *virtual.Desktop) *peer {
	t.Helper()
	x, err := xgb.NewConnDisplay(v.Display())
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, x: x, root: xproto.Setup(x).DefaultScreen(x).Root, mark: make(chan struct{}, 1)}
	p.own, err = xproto.NewWindowId(x)
	p.check(err)
	p.check(xproto.CreateWindowChecked(x, 0, p.own, p.root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0, nil).Check())
	e, err := xproto.QueryExtension(x, 5, "XTEST").Reply()
	p.check(err)
	x.ExtLock.Lock()
	x.Extensions["XTEST"] = e.MajorOpcode
	x.ExtLock.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			ev, xerr := x.WaitForEvent()
			if ev == nil && xerr == nil {
				return
			}
			if m, ok := ev.(xproto.ClientMessageEvent); ok && m.Window == p.own {
				p.mark <- struct{}{}
				continue
			}
			p.mu.Lock()
			p.events = append(p.events, ev)
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		x.Close()
		<-done
	})
	return p
}

// take returns the events since the last call: all that the server had sent
// before it, since a message to itself comes behind them.
func (p *peer) take() []xgb.Event {
	p.t.Helper()
	m := xproto.ClientMessageEvent{Format: 32, Window: p.own, Type: xproto.AtomString, Data: xproto.ClientMessageDataUnionData32New(make([]uint32, 5))}
	p.check(xproto.SendEventChecked(p.x, false, p.own, 0, string(m.Bytes())).Check())
	select {
	case <-p.mark:
	case <-time.After(10 * time.Second):
		p.t.Fatal("the X server does not send events")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.events
	p.events = nil
	return e
}

func (p *peer) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) atom(name string) xproto.Atom {
	p.t.Helper()
	r, err := xproto.InternAtom(p.x, false, uint16(len(name)), name).Reply()
	p.check(err)
	return r.Atom
}

// set writes a property of 32-bit numbers.
func (p *peer) set(w xproto.Window, name string, typ xproto.Atom, values ...uint32) {
	p.t.Helper()
	p.check(xproto.ChangePropertyChecked(p.x, xproto.PropModeReplace, w, p.atom(name), typ, 32, uint32(len(values)), pack(values)).Check())
}

// window makes a window of one colour; it is not mapped yet.
func (p *peer) window(title string, x, y int16, w, h uint16, colour uint32, override bool) xproto.Window {
	p.t.Helper()
	id, err := xproto.NewWindowId(p.x)
	p.check(err)
	flag := uint32(0)
	if override {
		flag = 1
	}
	p.check(xproto.CreateWindowChecked(p.x, 0, id, p.root, x, y, w, h, 0, xproto.WindowClassInputOutput, 0,
		xproto.CwBackPixel|xproto.CwOverrideRedirect|xproto.CwEventMask,
		[]uint32{colour, flag, xproto.EventMaskKeyPress | xproto.EventMaskKeyRelease | xproto.EventMaskButtonPress | xproto.EventMaskButtonRelease |
			xproto.EventMaskPointerMotion | xproto.EventMaskFocusChange | xproto.EventMaskStructureNotify | xproto.EventMaskPropertyChange}).Check())
	p.check(xproto.ChangePropertyChecked(p.x, xproto.PropModeReplace, id, xproto.AtomWmName, xproto.AtomString, 8, uint32(len(title)), []byte(title)).Check())
	class := title + "\x00" + strings.ToUpper(title[:1]) + title[1:] + "\x00"
	p.check(xproto.ChangePropertyChecked(p.x, xproto.PropModeReplace, id, xproto.AtomWmClass, xproto.AtomString, 8, uint32(len(class)), []byte(class)).Check())
	// WM_NORMAL_HINTS with USPosition: window managers keep the place.
	hints := make([]uint32, 18)
	hints[0] = 1
	p.set(id, "WM_NORMAL_HINTS", xproto.AtomWmSizeHints, hints...)
	return id
}

func (p *peer) show(w xproto.Window) {
	p.t.Helper()
	p.check(xproto.MapWindowChecked(p.x, w).Check())
}

// showAgain shows a window until it is shown: a window manager that is still
// busy with the withdrawal may swallow the wish.
func (p *peer) showAgain(w xproto.Window) {
	p.t.Helper()
	for n := 0; ; n++ {
		if n%100 == 0 {
			p.show(w)
		}
		a, err := xproto.GetWindowAttributes(p.x, w).Reply()
		p.check(err)
		if a.MapState == xproto.MapStateViewable {
			return
		}
		if n == 1000 {
			p.t.Fatal("the window was not shown")
		}
		<-time.After(time.Millisecond)
	}
}

// withdraw hides a window as toolkits do.
func (p *peer) withdraw(w xproto.Window) {
	p.t.Helper()
	p.check(xproto.UnmapWindowChecked(p.x, w).Check())
	ev := xproto.UnmapNotifyEvent{Event: p.root, Window: w}
	p.check(xproto.SendEventChecked(p.x, false, p.root, xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(ev.Bytes())).Check())
}

// iconify asks the window manager to.
func (p *peer) iconify(w xproto.Window) {
	p.t.Helper()
	msg := xproto.ClientMessageEvent{
		Format: 32, Window: w, Type: p.atom("WM_CHANGE_STATE"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{3, 0, 0, 0, 0}),
	}
	p.check(xproto.SendEventChecked(p.x, false, p.root, xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(msg.Bytes())).Check())
}
