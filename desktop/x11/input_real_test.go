//go:build desktop

package x11

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/linux/virtual"
)

// keysToLead is how many keys are sent while the focus is moved about.
const keysToLead = 10_000

// stage is two windows of two clients, the first active.
type stage struct {
	d         *Display
	p, q      *peer
	mine, her xproto.Window
	me, she   desktop.WindowID
}

func newStage(t testing.TB, v *virtual.Desktop) *stage {
	t.Helper()
	d, _ := open(t, v)
	s := &stage{d: d, p: newPeer(t, v), q: newPeer(t, v)}
	s.mine = s.p.window("mine", 100, 100, 300, 200, 0xffffff, false)
	s.her = s.q.window("hers", 300, 200, 300, 200, 0x808080, false)
	s.p.show(s.mine)
	s.q.show(s.her)
	s.me, s.she = titled(t, d, "mine").Window.ID, titled(t, d, "hers").Window.ID
	activate(t, d, s.she)
	activate(t, d, s.me)
	s.p.take()
	s.q.take()
	return s
}

// presses counts key presses.
func presses(events []xgb.Event) int {
	n := 0
	for _, e := range events {
		if _, ok := e.(xproto.KeyPressEvent); ok {
			n++
		}
	}
	return n
}

// nothingHeld checks that no key and no button is down.
func nothingHeld(t testing.TB, p *peer) {
	t.Helper()
	k, err := xproto.QueryKeymap(p.x).Reply()
	p.check(err)
	for i, b := range k.Keys {
		if b != 0 {
			t.Errorf("keys %d–%d are down: %08b", 8*i, 8*i+7, b)
		}
	}
	m, err := xproto.QueryPointer(p.x, p.root).Reply()
	p.check(err)
	if m.Mask&^(xproto.KeyButMaskLock|xproto.KeyButMaskMod2) != 0 {
		t.Errorf("modifiers or buttons are down: %#x", m.Mask)
	}
}

func (s *stage) type_(text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return s.d.Input().Type(ctx, desktop.Target{Window: s.me}, text)
}

// TestC18_NoKeyGoesAstray sends keys while another client moves the focus to
// and fro as fast as it can.
func TestC18_NoKeyGoesAstray(t *testing.T) {
	s := newStage(t, shared)
	mover := newPeer(t, shared)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(rand.IntN(3000)) * time.Microsecond):
			}
			w := s.mine
			if n%3 == 0 {
				w = s.her
			}
			xproto.SetInputFocus(mover.x, xproto.InputFocusParent, w, xproto.TimeCurrentTime)
		}
	}()
	begin := time.Now()
	sent, refused, mine, hers := 0, 0, 0, 0
	for sent < keysToLead && time.Since(begin) < 50*time.Second {
		err := s.type_("sixteen letters.")
		switch {
		case err == nil:
			sent += 16
		case errors.Is(err, desktop.ErrNoFocus):
			refused++
		default:
			t.Fatal(err)
		}
		hers += presses(s.q.take())
		mine += presses(s.p.take())
	}
	close(stop)
	<-stopped
	if hers != 0 || mine != sent || sent < keysToLead {
		t.Errorf("of %d keys sent, %d went to the window and %d to another", sent, mine, hers)
	}
	if refused == 0 {
		t.Error("nothing was refused: the focus was not moved at all")
	}
	t.Logf("%d keys sent, %d calls refused, 0 astray wanted, %d seen, in %v", sent, refused, hers, time.Since(begin))
	nothingHeld(t, s.p)
}

func TestForeignGrabsAreRefused(t *testing.T) {
	s := newStage(t, shared)
	in := s.d.Input()
	grab := func(what string, on, off func()) {
		t.Run(what, func(t *testing.T) {
			on()
			defer off()
			s.p.take() // a held key arrives as itself
			s.q.take()
			if err := s.type_("secret"); !errors.Is(err, desktop.ErrGrabbed) {
				t.Errorf("typing gives %v", err)
			}
			if err := in.Click(within(t), desktop.Target{}, desktop.Point{X: 900, Y: 900}, desktop.Left, 1, 0); !errors.Is(err, desktop.ErrGrabbed) {
				t.Errorf("clicking without a target gives %v", err)
			}
			if n := presses(s.q.take()) + presses(s.p.take()); n != 0 {
				t.Errorf("%d keys were sent", n)
			}
		})
	}
	grab("keyboard", func() {
		r, err := xproto.GrabKeyboard(s.q.x, false, s.her, 0, xproto.GrabModeAsync, xproto.GrabModeAsync).Reply()
		if err != nil || r.Status != 0 {
			t.Fatal(err, r)
		}
	}, func() { xproto.UngrabKeyboard(s.q.x, 0); s.q.x.Sync() })
	grab("pointer", func() {
		r, err := xproto.GrabPointer(s.q.x, false, s.her, xproto.EventMaskButtonPress, xproto.GrabModeAsync, xproto.GrabModeAsync, 0, 0, 0).Reply()
		if err != nil || r.Status != 0 {
			t.Fatal(err, r)
		}
	}, func() { xproto.UngrabPointer(s.q.x, 0); s.q.x.Sync() })
	grab("a held modifier", func() {
		xtest.FakeInput(s.q.x, xproto.KeyPress, 50, 0, s.q.root, 0, 0, 0)
		s.q.x.Sync()
	}, func() { xtest.FakeInput(s.q.x, xproto.KeyRelease, 50, 0, s.q.root, 0, 0, 0); s.q.x.Sync() })
	s.p.take()
	if err := s.type_("free"); err != nil {
		t.Errorf("without a grab: %v", err)
	}
	got := 0
	wait(t, "the four keys", func() bool { got += presses(s.p.take()); return got == 4 })
}

// TestAGrabThatEndsIsWaitedFor: window managers hold one for a moment.
func TestAGrabThatEndsIsWaitedFor(t *testing.T) {
	s := newStage(t, shared)
	if _, err := xproto.GrabPointer(s.q.x, false, s.her, 0, xproto.GrabModeAsync, xproto.GrabModeAsync, 0, 0, 0).Reply(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(60*time.Millisecond, func() { xproto.UngrabPointer(s.q.x, 0); s.q.x.Sync() })
	if err := s.type_("x"); err != nil {
		t.Error(err)
	}
}

// TestProbesDisturbNobody: looking for grabs must not make the application see
// its focus go and come.
func TestProbesDisturbNobody(t *testing.T) {
	s := newStage(t, shared)
	for range 20 {
		if err := s.type_("quiet"); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range s.p.take() {
		switch e.(type) {
		case xproto.FocusInEvent, xproto.FocusOutEvent:
			t.Errorf("the window got %v", e)
		}
	}
}

// TestC20_NamedKeysAndChords reads what arrives by the core keyboard mapping,
// which the implementation does not use.
func TestC20_NamedKeysAndChords(t *testing.T) {
	s := newStage(t, shared)
	mapping, err := xproto.GetKeyboardMapping(s.p.x, 8, 248).Reply()
	s.p.check(err)
	sym := func(code byte, level int) keysym {
		return keysym(mapping.Keysyms[int(code-8)*int(mapping.KeysymsPerKeycode)+level])
	}
	modifier := func(k keysym) bool { return k >= symShiftL && k <= 0xffee || k == symLevel3 }
	for _, c := range []struct {
		chord desktop.Chord
		sym   keysym
		state uint16
	}{
		{desktop.Chord{Key: "Return"}, 0xff0d, 0},
		{desktop.Chord{Key: "Escape"}, 0xff1b, 0},
		{desktop.Chord{Key: "Tab"}, 0xff09, 0},
		{desktop.Chord{Key: "BackSpace"}, 0xff08, 0},
		{desktop.Chord{Key: "Delete"}, 0xffff, 0},
		{desktop.Chord{Key: "Left"}, 0xff51, 0},
		{desktop.Chord{Key: "Page_Down"}, 0xff56, 0},
		{desktop.Chord{Key: "Home"}, 0xff50, 0},
		{desktop.Chord{Key: "Insert"}, 0xff63, 0},
		{desktop.Chord{Key: "Menu"}, 0xff67, 0},
		{desktop.Chord{Key: "F1"}, 0xffbe, 0},
		{desktop.Chord{Key: "F12"}, 0xffc9, 0},
		{desktop.Chord{Key: "KP_Enter"}, 0xff8d, 0},
		{desktop.Chord{Key: "KP_Add"}, 0xffab, 0},
		{desktop.Chord{Key: "KP_Left"}, 0xff96, 0},
		{desktop.Chord{Key: "KP_4"}, 0xffb4, xproto.ModMask2},
		{desktop.Chord{Key: "space"}, ' ', 0},
		{desktop.Chord{Key: "a"}, 'a', 0},
		{desktop.Chord{Key: "A"}, 'A', xproto.ModMaskShift},
		{desktop.Chord{Key: "plus"}, '+', xproto.ModMaskShift},
		{desktop.Chord{Mods: desktop.Control, Key: "c"}, 'c', xproto.ModMaskControl},
		{desktop.Chord{Mods: desktop.Control | desktop.Shift, Key: "z"}, 'Z', xproto.ModMaskControl | xproto.ModMaskShift},
		{desktop.Chord{Mods: desktop.Shift, Key: "Tab"}, 0xfe20, xproto.ModMaskShift},
		{desktop.Chord{Mods: desktop.Control | desktop.Alt, Key: "x"}, 'x', xproto.ModMaskControl | xproto.ModMask1},
		{desktop.Chord{Mods: desktop.Super, Key: "9"}, '9', xproto.ModMask4},
	} {
		if err := s.d.Input().Keys(within(t), desktop.Target{Window: s.me}, []desktop.Chord{c.chord}); err != nil {
			t.Errorf("%v: %v", c.chord, err)
			continue
		}
		var got []xproto.KeyPressEvent
		for _, e := range s.p.take() {
			if k, ok := e.(xproto.KeyPressEvent); ok && !modifier(sym(byte(k.Detail), 0)) {
				got = append(got, k)
			}
		}
		if len(got) != 1 {
			t.Errorf("%v: %d keys arrived", c.chord, len(got))
			continue
		}
		level := 0
		if got[0].State&(xproto.ModMaskShift|xproto.ModMask2) != 0 && sym(byte(got[0].Detail), 1) != 0 {
			level = 1
		}
		if sym(byte(got[0].Detail), level) != c.sym || got[0].State != c.state {
			t.Errorf("%v arrived as %#x with %#x, want %#x with %#x", c.chord, sym(byte(got[0].Detail), level), got[0].State, c.sym, c.state)
		}
		nothingHeld(t, s.p)
	}
	for _, key := range []string{"", "Foo", "ab", "U110000x"} {
		if err := s.d.Input().Keys(within(t), desktop.Target{}, []desktop.Chord{{Key: key}}); !errors.Is(err, desktop.ErrUnsupported) {
			t.Errorf("the key %q gives %v", key, err)
		}
	}
}

func TestUntypableTextSendsNothing(t *testing.T) {
	s := newStage(t, shared)
	for _, text := range []string{"ab🙂", "ab我", strings.Repeat("a", 40) + "é", "x\x00"} {
		if err := s.type_(text); !errors.Is(err, desktop.ErrUnsupported) || errors.Is(err, desktop.ErrInterrupted) {
			t.Errorf("%q gives %v", text, err)
		}
	}
	if n := presses(s.p.take()); n != 0 {
		t.Errorf("%d keys arrived", n)
	}
}

// entry types into a real text field and returns what the program read.
func entry(t *testing.T, v *virtual.Desktop, d *Display, text string, before func()) string {
	t.Helper()
	cmd := v.Command("zenity", "--entry", "--title", "field", "--text", "x")
	var out strings.Builder
	cmd.Stdout = &out
	ended, err := v.Launch(cmd)
	if err != nil {
		t.Fatal(err)
	}
	w := titled(t, d, "field")
	wait(t, "the field to be shown", func() bool { return detailOf(t, d, w.Window.ID).Window.Bounds.W > 100 })
	activate(t, d, w.Window.ID)
	if before != nil {
		before()
	}
	if err := d.Input().Type(within(t), desktop.Target{Window: w.Window.ID}, text); err != nil {
		t.Errorf("typing %q: %v", text, err)
		_ = cmd.Process.Kill()
	} else if err := d.Input().Keys(within(t), desktop.Target{Window: w.Window.ID}, []desktop.Chord{{Key: "Return"}}); err != nil {
		t.Error(err)
		_ = cmd.Process.Kill()
	}
	select {
	case <-ended:
	case <-time.After(5 * time.Second):
		t.Error("the dialog did not end")
		_ = cmd.Process.Kill()
		<-ended
	}
	gone(t, d, w.Window.ID)
	return strings.TrimSuffix(out.String(), "\n")
}

func TestC21_Layouts(t *testing.T) {
	v := start(t, virtual.Config{Width: 1024, Height: 768})
	d, _ := open(t, v)
	p := newPeer(t, v)
	for _, c := range []struct {
		layout []string
		text   string
		locked byte // group
	}{
		{[]string{"us"}, "The (quick) [brown] {fox} ~`|\\ <jumps> @#$%^&*+=_-\"';:?/", 0},
		{[]string{"de"}, "yzYZ äöüßÄÖÜ @[]{}|~\\ µ€² '\"§$%&/()=?;:_,.-#+*<>", 0},
		{[]string{"fr"}, "azertyAZERTY éèçàù 0123456789 @[]{}|~#\\^` €$*?./§!:;,&\"'(-_)=+<>", 0},
		{[]string{"us,ru"}, "Hello привет Мир! Ёлка №5", 0},
		{[]string{"us,ru"}, "Hello привет Мир!", 1},
		{[]string{"us,de"}, "yz {}@ äß ~|", 1},
		{[]string{"gr"}, "αβγ ΔΕΖ", 0},
		{[]string{"dvorak"}, "Dvorak, 'quoted' {x}", 0},
	} {
		t.Run(strings.Join(c.layout, " ")+string('0'+rune(c.locked)), func(t *testing.T) {
			setLayout(t, v, c.layout...)
			before := func() { lockGroup(t, d, c.locked) }
			if got := entry(t, v, d, c.text, before); got != c.text {
				t.Errorf("typed %q, the field holds %q", c.text, got)
			}
			if s := stateOf(t, d); s.lockedGroup != c.locked {
				t.Errorf("afterwards the layout is number %d, want %d", s.lockedGroup, c.locked)
			}
			lockGroup(t, d, 0)
			nothingHeld(t, p)
		})
	}
	setLayout(t, v, "de")
	t.Run("CapsLock", func(t *testing.T) {
		text := "Caps äÖü ß1!? @€"
		if err := d.Input().Keys(within(t), desktop.Target{}, []desktop.Chord{{Key: "Caps_Lock"}}); err != nil {
			t.Fatal(err)
		}
		if stateOf(t, d).locked&modLock == 0 {
			t.Fatal("CapsLock is not on")
		}
		if got := entry(t, v, d, text, nil); got != text {
			t.Errorf("typed %q, the field holds %q", text, got)
		}
		if stateOf(t, d).locked&modLock == 0 {
			t.Error("CapsLock went out")
		}
	})
}

func setLayout(t testing.TB, v *virtual.Desktop, args ...string) {
	t.Helper()
	if out, err := v.Command("setxkbmap", args...).CombinedOutput(); err != nil {
		t.Fatalf("setxkbmap: %v: %s", err, out)
	}
}

func stateOf(t testing.TB, d *Display) keyState {
	t.Helper()
	s, err := ask(within(t), d.hands, func(*xgb.Conn) (keyState, error) {
		b, err := d.hands.send(stateRequest(d.input.xkb)).Reply()
		if err != nil {
			return keyState{}, err
		}
		return parseState(b)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lockGroup(t testing.TB, d *Display, group byte) {
	t.Helper()
	_, err := ask(within(t), d.hands, func(x *xgb.Conn) (any, error) {
		x.NewRequest(lockRequest(d.input.xkb, 0, 0, group), x.NewCookie(false, false))
		x.Sync()
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPointsAreProved(t *testing.T) {
	s := newStage(t, shared)
	in := s.d.Input()
	activate(t, s.d, s.she)
	s.p.take()
	s.q.take()
	mine, hers := detailOf(t, s.d, s.me).Window.Bounds, detailOf(t, s.d, s.she).Window.Bounds
	both := mine.Intersect(hers)
	if both.Empty() {
		t.Fatalf("%v and %v do not overlap", mine, hers)
	}
	x, y := both.Center()
	me := desktop.Target{Window: s.me}
	menu := s.p.window("menu", int16(x)-10, int16(y)-10, 20, 20, 0xff, true)
	for _, c := range []struct {
		name string
		at   desktop.Point
		do   func()
		want error
	}{
		{"inside", desktop.Point{X: mine.X + 5, Y: mine.Y + 5}, nil, nil},
		{"on the frame", desktop.Point{X: mine.X + 50, Y: mine.Y - 8}, nil, nil},
		{"covered", desktop.Point{X: x, Y: y}, func() { activate(t, s.d, s.she) }, desktop.ErrCovered},
		{"outside", desktop.Point{X: 1500, Y: 900}, nil, desktop.ErrOutside},
		{"beyond the screen", desktop.Point{X: -1, Y: 900}, nil, desktop.ErrOutside},
		{"on a popup over another window", desktop.Point{X: x, Y: y}, func() { s.p.show(menu) }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.do != nil {
				c.do()
			}
			if err := in.Click(within(t), me, c.at, desktop.Left, 1, 0); !errors.Is(err, c.want) {
				t.Errorf("gives %v, want %v", err, c.want)
			}
			nothingHeld(t, s.p)
		})
	}
	for _, e := range s.q.take() {
		if _, ok := e.(xproto.ButtonPressEvent); ok {
			t.Errorf("the other window got %v", e)
		}
	}
}

func TestClickScrollDrag(t *testing.T) {
	s := newStage(t, shared)
	in, me := s.d.Input(), desktop.Target{Window: s.me}
	b := detailOf(t, s.d, s.me).Window.Bounds
	at := desktop.Point{X: b.X + 10, Y: b.Y + 20}
	got := func() (down, up []byte, moves int, states []uint16) {
		for _, e := range s.p.take() {
			switch e := e.(type) {
			case xproto.ButtonPressEvent:
				down, states = append(down, byte(e.Detail)), append(states, e.State)
			case xproto.ButtonReleaseEvent:
				up = append(up, byte(e.Detail))
			case xproto.MotionNotifyEvent:
				moves++
			}
		}
		return
	}
	// The window manager hands a click on after it has looked at it.
	settle := func(n int) (down, up []byte, moves int, states []uint16) {
		wait(t, "the buttons", func() bool {
			d, u, m, st := got()
			down, up, moves, states = append(down, d...), append(up, u...), moves+m, append(states, st...)
			return len(up) >= n
		})
		return
	}
	if err := in.Click(within(t), me, at, desktop.Right, 2, desktop.Control); err != nil {
		t.Fatal(err)
	}
	if d, u, _, st := settle(2); !slices.Equal(d, []byte{3, 3}) || !slices.Equal(u, d) || st[0] != xproto.ModMaskControl {
		t.Errorf("a double click with Control arrives as %v, %v with %v", d, u, st)
	}
	if p, err := in.Position(within(t)); err != nil || p != at {
		t.Errorf("the pointer is at %v, %v", p, err)
	}
	if err := in.Scroll(within(t), me, at, -1, 20, 0); err != nil {
		t.Fatal(err)
	}
	if d, _, _, _ := settle(21); !slices.Equal(d, append(slices.Repeat([]byte{5}, 20), 6)) {
		t.Errorf("scrolling arrives as %v", d)
	}
	end := desktop.Point{X: b.X + 200, Y: b.Y + 100}
	if err := in.Drag(within(t), me, at, end, desktop.Left, desktop.Shift); err != nil {
		t.Fatal(err)
	}
	if d, u, moves, st := settle(1); !slices.Equal(d, []byte{1}) || !slices.Equal(u, d) || moves < dragSteps-1 || st[0] != xproto.ModMaskShift {
		t.Errorf("a drag arrives as %v, %v with %d moves, %v", d, u, moves, st)
	}
	nothingHeld(t, s.p)
	if err := in.Drag(within(t), me, at, desktop.Point{X: 1500, Y: 900}, desktop.Left, 0); !errors.Is(err, desktop.ErrOutside) {
		t.Errorf("dragging out of the window gives %v", err)
	}
}

// TestNothingStaysPressed ends long input in the middle.
func TestNothingStaysPressed(t *testing.T) {
	s := newStage(t, shared)
	b := detailOf(t, s.d, s.me).Window.Bounds
	at, end := desktop.Point{X: b.X + 10, Y: b.Y + 20}, desktop.Point{X: b.X + 200, Y: b.Y + 100}
	me := desktop.Target{Window: s.me}
	for name, long := range map[string]func(context.Context) error{
		"typing": func(ctx context.Context) error { return s.d.Input().Type(ctx, me, strings.Repeat("SHOUTING! ", 200)) },
		"dragging": func(ctx context.Context) error {
			return s.d.Input().Drag(ctx, me, at, end, desktop.Left, desktop.Control)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 8 {
				ctx, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond+time.Duration(rand.IntN(60))*time.Millisecond)
				err := long(ctx)
				cancel()
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("gives %v", err)
				}
				nothingHeld(t, s.p)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.p.take()
	if err := s.d.Input().Type(ctx, me, "x"); !errors.Is(err, context.Canceled) || presses(s.p.take()) != 0 {
		t.Errorf("an ended context gives %v", err)
	}
}

// typistTarget is the environment variable that makes this program a typist: it
// names the window to type into.
const typistTarget = "ORIEL_TEST_TYPIST"

// typist types and clicks until it is killed.
func typist(title string) {
	ctx := context.Background()
	d, err := Open(ctx, Config{})
	if err != nil {
		os.Exit(1)
	}
	for {
		all, _ := d.Windows().List(ctx)
		for _, w := range all {
			if w.Title == title {
				me := desktop.Target{Window: w.ID}
				_ = d.Input().Type(ctx, me, "SHOUTING! ~@#")
				_ = d.Input().Click(ctx, me, desktop.Point{X: w.Bounds.X + 5, Y: w.Bounds.Y + 5}, desktop.Left, 1, 0)
			}
		}
	}
}

// TestC32_NothingStaysPressedAfterAKill kills a process that is typing.
func TestC32_NothingStaysPressedAfterAKill(t *testing.T) {
	s := newStage(t, shared)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		s.p.take()
		cmd := shared.Command(exe)
		cmd.Env = append(cmd.Env, typistTarget+"=mine")
		ended, err := shared.Launch(cmd)
		if err != nil {
			t.Fatal(err)
		}
		typed := 0
		wait(t, "the typing", func() bool { typed += presses(s.p.take()); return typed > 20 })
		<-time.After(time.Duration(rand.IntN(8000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		<-ended
		// A click that the window manager still holds back is handed on first.
		wait(t, "the button", func() bool {
			m, err := xproto.QueryPointer(s.p.x, s.p.root).Reply()
			return err == nil && m.Mask&buttons == 0
		})
		nothingHeld(t, s.p)
	}
}

func TestReleaseAll(t *testing.T) {
	s := newStage(t, shared)
	for name, release := range map[string]func() error{
		"by the role":    func() error { return s.d.Input().ReleaseAll(within(t)) },
		"from elsewhere": func() error { return ReleaseAll(within(t), shared.Display()) },
	} {
		for _, code := range []byte{50, 37, 38} {
			xtest.FakeInput(s.q.x, xproto.KeyPress, code, 0, s.q.root, 0, 0, 0)
		}
		s.q.x.Sync()
		if err := release(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		nothingHeld(t, s.p)
	}
}

// TestMenuOfARealApplication: an open menu has grabbed the input for the
// application that it belongs to, and can be chosen from.
func TestC14_MenuOfARealApplication(t *testing.T) {
	if _, err := exec.LookPath("mousepad"); err != nil {
		t.Fatal(err)
	}
	d, _ := open(t, shared)
	run(t, shared, "mousepad", "--disable-server")
	w := titled(t, d, "Mousepad")
	id := w.Window.ID
	wait(t, "the window to be settled", func() bool { return detailOf(t, d, id).Window.Bounds.W > 200 })
	activate(t, d, id)
	me := desktop.Target{Window: id}
	keys := func(list ...desktop.Chord) {
		t.Helper()
		if err := d.Input().Keys(within(t), me, list); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, "the menu", func() bool {
		keys(desktop.Chord{Mods: desktop.Alt, Key: "h"})
		<-time.After(200 * time.Millisecond)
		return len(detailOf(t, d, id).Window.Popups) == 1
	})
	menu := detailOf(t, d, id).Geometry.Popups[0]
	if menu.Role == "tooltip" || menu.Bounds.Empty() {
		t.Fatalf("the menu reads %+v", menu)
	}
	x, y := menu.Bounds.X+20, menu.Bounds.Y+menu.Bounds.H-12 // "About", the last item
	if err := d.Input().Click(within(t), me, desktop.Point{X: x, Y: y}, desktop.Left, 1, 0); err != nil {
		t.Fatal(err)
	}
	about := titled(t, d, "About")
	if about.Window.Owner != id {
		t.Errorf("the dialog that the menu opened reads %+v", about.Window)
	}
}
