//go:build desktop

package x11

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

func TestListDescribesRealApplications(t *testing.T) {
	d, _ := open(t, shared)
	xterm := run(t, shared, "xterm", "-T", "terminal", "-geometry", "40x10+700+500")
	zenity := run(t, shared, "zenity", "--question", "--text", "sure?", "--title", "asking")
	term, ask := titled(t, d, "terminal"), titled(t, d, "asking")
	w := term.Window
	if w.Class != "XTerm" || w.Instance != "xterm" || w.App.PID != xterm.Process.Pid || w.App.Name != "xterm" || w.App.Process != "xterm" || w.Role != "normal" {
		t.Errorf("xterm reads %+v", w)
	}
	if w.Bounds.X < 690 || w.Bounds.Y < 490 || w.Bounds.W < 200 || w.Bounds.H < 100 {
		t.Errorf("xterm lies at %+v", w.Bounds)
	}
	if ask.Window.App.PID != zenity.Process.Pid || ask.Window.App.Process != "zenity" || ask.Window.Role != "dialog" || ask.Geometry.Leader == 0 {
		t.Errorf("zenity reads %+v", ask)
	}
	if err := d.Windows().Close(within(t), ask.Window.ID); err != nil {
		t.Fatal(err)
	}
	gone(t, d, ask.Window.ID)
}

func gone(t testing.TB, d *Display, id desktop.WindowID) {
	t.Helper()
	wait(t, fmt.Sprintf("window %d to be gone", id), func() bool {
		_, err := d.Windows().Detail(within(t), id)
		if err != nil && !errors.Is(err, desktop.ErrGone) {
			t.Fatal(err)
		}
		return err != nil
	})
}

func TestMapEpisodes(t *testing.T) {
	d, rec := open(t, shared)
	p := newPeer(t, shared)
	w := p.window("episodic", 50, 60, 200, 100, 0xff0000, false)
	p.show(w)
	first := titled(t, d, "episodic")
	if b := first.Window.Bounds; b.W != 200 || b.H != 100 {
		t.Errorf("the bounds are %+v", b)
	}

	p.iconify(w)
	wait(t, "the window to be iconified", func() bool { return titled(t, d, "episodic").Window.Minimized })
	if again := titled(t, d, "episodic"); again.Window.ID != first.Window.ID {
		t.Errorf("iconifying gave a new id: %d, then %d", first.Window.ID, again.Window.ID)
	}
	activate(t, d, first.Window.ID)
	if again := detailOf(t, d, first.Window.ID); again.Window.Minimized || !again.Window.Active {
		t.Errorf("after activation: %+v", again.Window)
	}

	rec.take()
	p.withdraw(w)
	if err := d.Sync(within(t)); err != nil {
		t.Fatal(err)
	}
	if !rec.has(ListChanged, 0) {
		t.Error("withdrawing told nothing")
	}
	gone(t, d, first.Window.ID)
	p.show(w)
	second := titled(t, d, "episodic")
	if second.Window.ID == first.Window.ID {
		t.Error("a window shown again kept its id")
	}

	// As fast as toolkits hide one dialog and show the next with the same XID.
	for range 20 {
		p.withdraw(w)
		p.showAgain(w)
	}
	third := titled(t, d, "episodic")
	if third.Window.ID <= second.Window.ID {
		t.Errorf("after hiding and showing: %d, before %d", third.Window.ID, second.Window.ID)
	}
	xproto.DestroyWindow(p.x, w)
	gone(t, d, third.Window.ID)
	if _, err := d.Windows().Geometry(within(t), first.Window.ID); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("an old id gives %v", err)
	}
}

func TestOwnersGroupsAndStates(t *testing.T) {
	d, _ := open(t, shared)
	p := newPeer(t, shared)
	owner := p.window("owner", 100, 100, 300, 200, 0xffffff, false)
	p.show(owner)
	dialog := p.window("child", 150, 150, 100, 80, 0x808080, false)
	p.set(dialog, "WM_TRANSIENT_FOR", xproto.AtomWindow, uint32(owner))
	p.set(dialog, "_NET_WM_STATE", xproto.AtomAtom, uint32(p.atom("_NET_WM_STATE_MODAL")))
	p.set(dialog, "_NET_WM_WINDOW_TYPE", xproto.AtomAtom, uint32(p.atom("_NET_WM_WINDOW_TYPE_DIALOG")))
	p.show(dialog)
	group := p.window("grouped", 400, 400, 100, 80, 0x808080, false)
	p.set(group, "WM_TRANSIENT_FOR", xproto.AtomWindow, uint32(p.root))
	hints := make([]uint32, 9)
	hints[0], hints[8] = 1<<6, uint32(owner)
	p.set(group, "WM_HINTS", xproto.AtomWmHints, hints...)
	p.show(group)

	o, c, g := titled(t, d, "owner"), titled(t, d, "child"), titled(t, d, "grouped")
	if c.Window.Owner != o.Window.ID || !c.Window.Modal || c.Window.Role != "dialog" {
		t.Errorf("the dialog reads %+v", c.Window)
	}
	if g.Window.Owner != 0 || g.Window.Group == 0 || g.Geometry.Leader != uint32(owner) {
		t.Errorf("the group's dialog reads %+v", g)
	}
	if o.Geometry.Client != c.Geometry.Client {
		t.Error("windows of one client have different bases")
	}

	maximise := xproto.ClientMessageEvent{Format: 32, Window: owner, Type: p.atom("_NET_WM_STATE"), Data: xproto.ClientMessageDataUnionData32New(
		[]uint32{1, uint32(p.atom("_NET_WM_STATE_MAXIMIZED_VERT")), uint32(p.atom("_NET_WM_STATE_MAXIMIZED_HORZ")), 2, 0})}
	p.check(xproto.SendEventChecked(p.x, false, p.root, xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(maximise.Bytes())).Check())
	wait(t, "the window to be maximised", func() bool {
		return detailOf(t, d, o.Window.ID).Window.States&tree.WindowMaximized != 0
	})
}

func TestC14_PopupsBelongToTheirWindow(t *testing.T) {
	d, rec := open(t, shared)
	p, q := newPeer(t, shared), newPeer(t, shared)
	main := p.window("main", 100, 100, 300, 200, 0xffffff, false)
	second := p.window("second", 500, 100, 300, 200, 0xffffff, false)
	other := q.window("other", 100, 400, 300, 200, 0xffffff, false)
	p.show(main)
	p.show(second)
	q.show(other)
	m, s, o := titled(t, d, "main"), titled(t, d, "second"), titled(t, d, "other")
	activate(t, d, s.Window.ID)
	activate(t, d, m.Window.ID)
	activate(t, d, o.Window.ID)
	rec.take()

	menu := p.window("menu", 120, 130, 90, 150, 0xff00ff, true)
	p.show(menu)
	got := detailOf(t, d, m.Window.ID)
	want := tree.Rect{X: 120, Y: 130, W: 90, H: 150}
	if !slices.Equal(got.Window.Popups, []tree.Rect{want}) || got.Geometry.Popups[0].XID != uint32(menu) {
		t.Errorf("the window that had the focus last has the popups %+v", got.Geometry.Popups)
	}
	if n := detailOf(t, d, s.Window.ID).Window.Popups; len(n) != 0 {
		t.Errorf("the other window of the client has %v", n)
	}
	if n := detailOf(t, d, o.Window.ID).Window.Popups; len(n) != 0 {
		t.Errorf("the window of the other client has %v", n)
	}
	if !rec.has(PopupsChanged, m.Window.ID) {
		t.Error("the popup was not told of")
	}

	sub := p.window("submenu", 210, 140, 90, 50, 0xff00ff, true)
	p.set(sub, "WM_TRANSIENT_FOR", xproto.AtomWindow, uint32(second))
	p.show(sub)
	if n := detailOf(t, d, s.Window.ID).Geometry.Popups; len(n) != 1 || n[0].XID != uint32(sub) || n[0].PID != os.Getpid() {
		t.Errorf("a popup that names its owner went to %+v", n)
	}
	rec.take()
	p.check(xproto.UnmapWindowChecked(p.x, menu).Check())
	if n := detailOf(t, d, m.Window.ID).Window.Popups; len(n) != 0 {
		t.Errorf("after closing it, the window has %v", n)
	}
	if !rec.has(PopupsChanged, m.Window.ID) {
		t.Error("the closing was not told of")
	}
}

func TestC16_TwentyWindowsClosed(t *testing.T) {
	d, _ := open(t, shared)
	p := newPeer(t, shared)
	var windows []xproto.Window
	for i := range 20 {
		w := p.window(fmt.Sprintf("many%d", i), int16(20*i), 50, 100, 100, 0x00ff00, false)
		p.show(w)
		windows = append(windows, w)
	}
	count := func() int {
		n := 0
		for _, w := range list(t, d) {
			if len(w.Window.Instance) > 4 && w.Window.Instance[:4] == "many" {
				n++
			}
		}
		return n
	}
	wait(t, "twenty windows", func() bool { return count() == 20 })
	begin := time.Now()
	list(t, d)
	t.Logf("a list of %d windows takes %v", len(list(t, d)), time.Since(begin))
	begin = time.Now()
	for _, w := range windows {
		xproto.DestroyWindow(p.x, w)
	}
	p.x.Sync()
	n := count()
	for n > 0 && time.Since(begin) < time.Second {
		n = count()
	}
	if n > 0 {
		t.Errorf("%d windows are left after a second", n)
	}
	t.Logf("twenty windows were gone after %v", time.Since(begin))
}

func TestActivate(t *testing.T) {
	d, rec := open(t, shared)
	p := newPeer(t, shared)
	a, b := p.window("first", 100, 100, 200, 200, 0xffffff, false), p.window("last", 200, 200, 200, 200, 0xffffff, false)
	p.show(a)
	p.show(b)
	first, last := titled(t, d, "first"), titled(t, d, "last")
	for _, id := range []desktop.WindowID{first.Window.ID, last.Window.ID, first.Window.ID} {
		activate(t, d, id)
		if w := detailOf(t, d, id); !w.Window.Active || w.Window.States&tree.WindowActive == 0 {
			t.Errorf("after activation: %+v", w.Window)
		}
	}
	if !rec.has(Focus, 0) || !rec.has(Focus, first.Window.ID) {
		t.Error("the focus was not told of")
	}
	// Another workspace is left for this one.
	p.set(p.root, "_NET_DESKTOP_NAMES", p.atom("UTF8_STRING"))
	move := xproto.ClientMessageEvent{Format: 32, Window: b, Type: p.atom("_NET_WM_DESKTOP"), Data: xproto.ClientMessageDataUnionData32New([]uint32{1, 2, 0, 0, 0})}
	p.check(xproto.SendEventChecked(p.x, false, p.root, xproto.EventMaskSubstructureRedirect|xproto.EventMaskSubstructureNotify, string(move.Bytes())).Check())
	wait(t, "the window to be on another workspace", func() bool { return detailOf(t, d, last.Window.ID).Window.Minimized })
	activate(t, d, last.Window.ID)
	if w := detailOf(t, d, last.Window.ID); w.Window.Minimized || !w.Window.Active {
		t.Errorf("after activation on another workspace: %+v", w.Window)
	}
	activate(t, d, first.Window.ID) // the shared desktop goes back to its first workspace
}

func TestWithoutWindowManager(t *testing.T) {
	v := start(t, noManager)
	d, _ := open(t, v)
	p := newPeer(t, v)
	w := p.window("bare", 10, 20, 200, 100, 0xffffff, false)
	menu := p.window("popup", 30, 40, 50, 60, 0, true)
	p.show(w)
	p.show(menu)
	got := titled(t, d, "bare")
	if want := (tree.Rect{X: 10, Y: 20, W: 200, H: 100}); got.Window.Bounds != want || len(got.Window.Popups) != 1 {
		t.Errorf("the window reads %+v", got)
	}
	activate(t, d, got.Window.ID)
	if !detailOf(t, d, got.Window.ID).Window.Active {
		t.Error("the window is not active")
	}
	p.check(xproto.UnmapWindowChecked(p.x, w).Check())
	gone(t, d, got.Window.ID)
	p.show(w)
	if again := titled(t, d, "bare"); again.Window.ID == got.Window.ID {
		t.Error("the window kept its id")
	}
}
