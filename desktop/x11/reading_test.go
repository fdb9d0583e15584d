package x11

import (
	"image/color"
	"slices"
	"testing"

	"github.com/jezek/xgb/xproto"
	"pgregory.net/rapid"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// paper is a display without connections, for what only computes.
func paper() *Display {
	l := &link{setup: &xproto.SetupInfo{ResourceIdMask: 0xffff, ResourceIdBase: 0xf0000}, root: 1}
	d := &Display{events: l, questions: l, hands: l, atoms: atoms{stateModal: 101, stateHidden: 102, stateMaxHorz: 103, stateMaxVert: 104, stateFullscreen: 105, stateAttention: 106}}
	d.names = &names{l: l, name: map[xproto.Atom]string{
		201: "_NET_WM_WINDOW_TYPE_DIALOG", 202: "_KDE_NET_WM_WINDOW_TYPE_OVERRIDE", 203: "_NET_WM_WINDOW_TYPE_POPUP_MENU",
	}}
	d.model.init()
	return d
}

func TestDetails(t *testing.T) {
	d := paper()
	const a, b, c = 0x10001, 0x10002, 0x20001 // two of one client, one of another
	r := &reading{active: a, current: 0, windows: []*packet{
		{xid: b, mapped: true, transient: a, states: []xproto.Atom{101, 106}, types: []xproto.Atom{202, 201}, class: "Editor"},
		{xid: a, mapped: true, class: "Editor", bounds: tree.Rect{X: 10, Y: 20, W: 300, H: 200}, frame: Extents{5, 6, 7, 8}, states: []xproto.Atom{103, 104}},
		{xid: c, mapped: true, appID: "org.Example.App", hasDesktop: true, desktop: 2, pidProperty: 77},
		{xid: 0x30001, mapped: true}, // without an episode
	}, popups: []*packet{
		{xid: 0x10010, bounds: tree.Rect{W: 1, H: 2}, types: []xproto.Atom{203}},
		{xid: 0x10011, transient: 0x10010},
		{xid: 0x10012, transient: b},
		{xid: 0x20010},
		{xid: 0x90001},
	}}
	l := look{ids: map[xproto.Window]desktop.WindowID{a: 1, b: 2, c: 3}, focused: map[uint32]xproto.Window{0x10000: b}}
	got, err := d.details(t.Context(), r, l)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	dialog, main, other := got[0], got[1], got[2]
	if w := dialog.Window; w.ID != 2 || w.Owner != 1 || !w.Modal || w.Role != "dialog" || w.States != tree.WindowUrgent || w.App.Name != "editor" {
		t.Errorf("the dialog reads %+v", w)
	}
	if w := main.Window; w.Bounds != (tree.Rect{X: 15, Y: 27, W: 289, H: 185}) || w.States != tree.WindowActive|tree.WindowMaximized || w.Role != "normal" || !w.Active {
		t.Errorf("the window reads %+v", w)
	}
	if w := other.Window; !w.Minimized || w.App.Name != "org.example.app" || w.App.PID != 77 || w.App.ID != 77 {
		t.Errorf("the other window reads %+v", w)
	}
	popups := func(d Detail) (ids []uint32) {
		for _, p := range d.Geometry.Popups {
			ids = append(ids, p.XID)
		}
		return
	}
	// The active window gets its client's menus, and these their submenus.
	if p := popups(main); !slices.Equal(p, []uint32{0x10010, 0x10011}) || main.Geometry.Popups[0].Role != "popup-menu" || len(main.Window.Popups) != 2 {
		t.Errorf("the window has the popups %x", p)
	}
	if p := popups(dialog); !slices.Equal(p, []uint32{0x10012}) {
		t.Errorf("the dialog has the popups %x", p)
	}
	if p := popups(other); len(p) != 0 {
		t.Errorf("a window on another workspace has the popups %x", p)
	}
	r.active = c
	if got, _ = d.details(t.Context(), r, l); len(got[0].Geometry.Popups) != 3 {
		t.Errorf("while another program is active, the window that had the focus last has %x", popups(got[0]))
	}
}

func TestGroups(t *testing.T) {
	d := paper()
	const leader, a, b, c = 0x10000, 0x10001, 0x10002, 0x20001
	r := &reading{windows: []*packet{
		{xid: b, leader: leader, transient: leader},
		{xid: a, leader: leader},
		{xid: c, leader: 0x20000},
	}}
	l := look{ids: map[xproto.Window]desktop.WindowID{a: 1, b: 2, c: 3}}
	got, err := d.details(t.Context(), r, l)
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Window.Group != leader || got[1].Window.Group != leader || got[2].Window.Group != 0 || got[0].Window.Owner != 0 {
		t.Errorf("the groups are %#x, %#x, %#x", got[0].Window.Group, got[1].Window.Group, got[2].Window.Group)
	}
	// Two windows that name each other, or themselves, are no trap.
	r.windows[0].transient, r.windows[1].transient, r.windows[2].transient = a, b, c
	r.popups = []*packet{{xid: 0x10010, transient: 0x10011}, {xid: 0x10011, transient: 0x10010}}
	if got, err = d.details(t.Context(), r, l); err != nil || got[0].Window.Owner != 1 || got[1].Window.Owner != 2 || got[2].Window.Owner != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestHostileProperties: other programs write what they like.
func TestHostileProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replies := make([]*xproto.GetPropertyReply, len((&Display{}).properties()))
		for i := range replies {
			if rapid.Bool().Draw(t, "absent") {
				continue
			}
			replies[i] = &xproto.GetPropertyReply{
				Format:   rapid.SampledFrom([]byte{0, 8, 16, 32}).Draw(t, "format"),
				ValueLen: rapid.Uint32Range(0, 1<<20).Draw(t, "length"),
				Value:    rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "value"),
			}
		}
		p := &packet{}
		p.fill(replies)
		if in := inside(tree.Rect{W: 10, H: 10}, p.frame); in.Empty() {
			t.Fatalf("nothing is left inside %+v", p.frame)
		}
	})
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{"": "", "plain\x00": "plain", "grüße": "grüße", "gr\xfc\xdfe": "grüße"} {
		if got := text(&xproto.GetPropertyReply{Format: 8, Value: []byte(in)}); got != want {
			t.Errorf("%q reads %q, want %q", in, got, want)
		}
	}
}

func TestPixelsBecomeRGBA(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.Int32Range(1, 9).Draw(t, "w"), rapid.Int32Range(1, 9).Draw(t, "h")
		src := rapid.SliceOfN(rapid.Byte(), int(4*w*h), int(4*w*h)+16).Draw(t, "pixels")
		img := rgba(src, tree.Rect{W: w, H: h})
		for i := range int(w * h) {
			want := color.RGBA{src[4*i+2], src[4*i+1], src[4*i], 0xff}
			if got := img.RGBAAt(i%int(w), i/int(w)); got != want {
				t.Fatalf("pixel %d is %v, want %v", i, got, want)
			}
		}
	})
}

func TestAPictureBeyondTheScreen(t *testing.T) {
	seen, r := tree.Rect{X: 0, Y: 0, W: 2, H: 2}, tree.Rect{X: -1, Y: -1, W: 3, H: 3}
	part := rgba(slices.Repeat([]byte{1, 2, 3, 0}, 4), seen)
	img := placed(part, r, seen)
	if img.RGBAAt(0, 0) != (color.RGBA{A: 0xff}) || img.RGBAAt(1, 1) != (color.RGBA{3, 2, 1, 0xff}) || img.RGBAAt(2, 2) != (color.RGBA{3, 2, 1, 0xff}) {
		t.Errorf("the picture is %v", img.Pix)
	}
}

func TestModelKeepsEpisodesApart(t *testing.T) {
	var m model
	m.init()
	r, isNew := m.add(7, false, 1)
	if !isNew {
		t.Fatal("not new")
	}
	first := m.beginEpisode(r)
	if again := m.beginEpisode(r); again != first || first == 0 {
		t.Errorf("an episode in an episode: %d, %d", first, again)
	}
	if w, ok := m.window(first); !ok || w != 7 {
		t.Errorf("the window is %d, %v", w, ok)
	}
	if ended := m.endEpisode(r); ended != first {
		t.Errorf("%d ended", ended)
	}
	if _, ok := m.window(first); ok {
		t.Error("an ended episode has a window")
	}
	if second := m.beginEpisode(r); second <= first {
		t.Errorf("the second is %d, the first %d", second, first)
	}
	m.forget(r)
	if len(m.byID) != 0 || len(m.byXID) != 0 {
		t.Error("a destroyed window is remembered")
	}
	popup, _ := m.add(8, true, 1)
	if m.beginEpisode(popup) != 0 {
		t.Error("a popup has an episode")
	}
}

func TestMapRequestsAreWellFormed(t *testing.T) {
	for name, req := range map[string][]byte{"state": stateRequest(9), "map": mapRequest(9), "lock": lockRequest(9, 2, 0, 1)} {
		if len(req)%4 != 0 || int(req[2])*4 != len(req) || req[0] != 9 {
			t.Errorf("%s: % x", name, req)
		}
	}
}
