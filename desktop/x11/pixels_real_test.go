//go:build desktop

package x11

import (
	"errors"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// only reports whether a picture has one colour.
func only(img *image.RGBA, colour uint32) bool {
	want := [4]byte{byte(colour >> 16), byte(colour >> 8), byte(colour), 0xff}
	for i := 0; i < len(img.Pix); i += 4 {
		if [4]byte(img.Pix[i:i+4]) != want {
			return false
		}
	}
	return true
}

func TestCapture(t *testing.T) {
	d, _ := open(t, shared)
	c := d.Capture()
	p := newPeer(t, shared)
	const below, above = 0x336699, 0xcc8811
	w := p.window("below", 200, 200, 301, 151, below, false)
	p.show(w)
	id := titled(t, d, "below").Window.ID
	wait(t, "the window's pixels", func() bool {
		img, err := c.Window(within(t), id)
		return err == nil && only(img, below)
	})
	b := detailOf(t, d, id).Window.Bounds
	part := tree.Rect{X: b.X + 3, Y: b.Y + 5, W: 101, H: 53}
	if img, err := c.Screen(within(t), part); err != nil || img.Rect != image.Rect(0, 0, 101, 53) || !only(img, below) {
		t.Errorf("a part of the screen: %v", err)
	}

	cover := p.window("above", 100, 100, 600, 500, above, false)
	p.show(cover)
	activate(t, d, titled(t, d, "above").Window.ID)
	wait(t, "the other window's pixels", func() bool {
		img, err := c.Screen(within(t), part)
		return err == nil && only(img, above)
	})
	if img, err := c.Window(within(t), id); err != nil || img.Rect != image.Rect(0, 0, int(b.W), int(b.H)) || !only(img, below) {
		t.Errorf("a covered window: %v", err)
	}
	// It goes on being drawn while it is covered.
	p.check(xproto.ChangeWindowAttributesChecked(p.x, w, xproto.CwBackPixel, []uint32{0xabcdef}).Check())
	p.check(xproto.ClearAreaChecked(p.x, false, w, 0, 0, 0, 0).Check())
	if img, err := c.Window(within(t), id); err != nil || !only(img, 0xabcdef) {
		t.Errorf("a covered window drawn anew: %v", err)
	}
	// Half out of the screen.
	p.check(xproto.ConfigureWindowChecked(p.x, w, xproto.ConfigWindowX|xproto.ConfigWindowY, []uint32{1800, 1000}).Check())
	wait(t, "the window to move", func() bool { return detailOf(t, d, id).Window.Bounds.X > 1700 })
	if img, err := c.Window(within(t), id); err != nil || !only(img, 0xabcdef) {
		t.Errorf("a window half out of the screen: %v", err)
	}
	p.iconify(w)
	wait(t, "the window to be iconified", func() bool { return detailOf(t, d, id).Window.Minimized })
	if _, err := c.Window(within(t), id); !errors.Is(err, desktop.ErrUnsupported) {
		t.Errorf("an iconified window gives %v", err)
	}
	xproto.DestroyWindow(p.x, w)
	gone(t, d, id)
	if _, err := c.Window(within(t), id); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("a window that is gone gives %v", err)
	}
}

func TestScreenBeyondItsEdges(t *testing.T) {
	d, _ := open(t, shared)
	img, err := d.Capture().Screen(within(t), tree.Rect{X: 1910, Y: -10, W: 20, H: 20})
	if err != nil || img.Rect != image.Rect(0, 0, 20, 20) {
		t.Fatal(err)
	}
	if !only(img.SubImage(image.Rect(10, 10, 20, 20)).(*image.RGBA), 0) && img.RGBAAt(15, 15).A != 0xff {
		t.Error("what lies beyond the screen is not black")
	}
	for _, r := range []tree.Rect{{}, {X: 5000, Y: 0, W: 1, H: 1}, {W: 1 << 20, H: 1 << 20}} {
		if _, err := d.Capture().Screen(within(t), r); !errors.Is(err, desktop.ErrOutside) {
			t.Errorf("%v gives %v", r, err)
		}
	}
	ds, err := d.Capture().Displays(within(t))
	if err != nil || len(ds) != 1 || ds[0].Bounds != (tree.Rect{W: 1920, H: 1080}) {
		t.Errorf("the displays are %+v, %v", ds, err)
	}
}

// TestCaptureWithoutSharedMemory takes the same picture through the connection.
func TestCaptureWithoutSharedMemory(t *testing.T) {
	d, _ := open(t, shared)
	r := tree.Rect{X: 1, Y: 2, W: 333, H: 77}
	a, err := d.Capture().Screen(within(t), r)
	if err != nil {
		t.Fatal(err)
	}
	if !d.shm || d.capture.segment.pixels == nil {
		t.Error("memory is not shared")
	}
	d.shm = false
	b, err := d.Capture().Screen(within(t), r)
	if err != nil || !slices.Equal(a.Pix, b.Pix) {
		t.Errorf("the pictures differ, %v", err)
	}
}

func TestDamage(t *testing.T) {
	d, rec := open(t, shared)
	p := newPeer(t, shared)
	w := p.window("drawn", 100, 100, 200, 100, 0xffffff, false)
	p.show(w)
	cover := p.window("cover", 50, 50, 400, 300, 0x808080, false)
	p.show(cover)
	id := titled(t, d, "drawn").Window.ID
	activate(t, d, titled(t, d, "cover").Window.ID)
	draw := func() {
		p.check(xproto.ClearAreaChecked(p.x, false, w, 10, 10, 5, 5).Check())
	}
	damages := func() int {
		n := 0
		for _, e := range rec.take() {
			if e == (Event{Damaged, id}) {
				n++
			}
		}
		return n
	}
	quiet := func() {
		for damages() > 0 {
			<-time.After(3 * damageInterval)
		}
	}
	<-time.After(3 * damageInterval)
	quiet()
	// Every drawing is told, though the window is covered, and none is told when
	// nothing is drawn.
	for range 5 {
		draw()
		wait(t, "the damage", func() bool { return damages() > 0 })
		quiet()
	}
	// A drawing that the barrier came after has been told before it returns,
	// also while the window's turn has not come.
	for range 50 {
		draw()
		if err := d.Sync(within(t)); err != nil {
			t.Fatal(err)
		}
		if damages() == 0 {
			t.Fatal("a drawing before the barrier was not told")
		}
	}
	<-time.After(3 * damageInterval)
	quiet()
	// A window that is drawn without end is told at most every 20 ms.
	begin := time.Now()
	for time.Since(begin) < 400*time.Millisecond {
		draw()
	}
	took := time.Since(begin)
	if n := damages(); n < 3 || n > int(took/damageInterval)+2 {
		t.Errorf("%d damages were told in %v", n, took)
	}
	// The last one is not lost.
	draw()
	<-time.After(3 * damageInterval)
	if damages() == 0 {
		t.Error("the last drawing was not told")
	}
}

func TestEventsOfAWindow(t *testing.T) {
	d, rec := open(t, shared)
	p := newPeer(t, shared)
	w := p.window("eventful", 100, 100, 200, 100, 0xffffff, false)
	p.show(w)
	id := titled(t, d, "eventful").Window.ID
	told := func(k Kind, do func()) {
		t.Helper()
		rec.take()
		do()
		wait(t, k.String(), func() bool { return rec.has(k, id) })
	}
	title := func(s string) func() {
		return func() {
			p.check(xproto.ChangePropertyChecked(p.x, xproto.PropModeReplace, w, xproto.AtomWmName, xproto.AtomString, 8, uint32(len(s)), []byte(s)).Check())
		}
	}
	told(ListChanged, title("eventful again"))
	told(ListChanged, func() { p.set(w, "WM_TRANSIENT_FOR", xproto.AtomWindow, uint32(p.root)) })
	told(PropertyChanged, func() { p.set(w, "SOMETHING", xproto.AtomCardinal, 1) })
	told(Configured, func() {
		p.check(xproto.ConfigureWindowChecked(p.x, w, xproto.ConfigWindowX|xproto.ConfigWindowWidth, []uint32{150, 250}).Check())
	})
	p.show(p.window("another", 400, 400, 100, 100, 0, false))
	activate(t, d, titled(t, d, "another").Window.ID)
	told(Focus, func() { activate(t, d, id) })
	if got := detailOf(t, d, id); got.Window.Title != "eventful again" || got.Window.Bounds.W != 250 {
		t.Errorf("the window reads %+v", got.Window)
	}
}
