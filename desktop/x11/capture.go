package x11

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"sync"

	memory "github.com/gen2brain/shm"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/composite"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/shm"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Capture implements [desktop.Capture]. The server writes pixels into memory
// that it shares with this process where it can.
type Capture struct {
	d *Display

	// mu guards segment, and its memory while a picture is in it.
	mu      sync.Mutex
	segment segment
}

var _ desktop.Capture = (*Capture)(nil)

func newCapture(d *Display) *Capture { return &Capture{d: d} }

// segment is memory shared with the server, as large as the largest picture
// yet.
type segment struct {
	id     shm.Seg
	pixels []byte
}

// Displays implements [desktop.Capture].
func (c *Capture) Displays(ctx context.Context) ([]desktop.Display, error) {
	out, err := ask(ctx, c.d.questions, func(x *xgb.Conn) ([]desktop.Display, error) {
		var out []desktop.Display
		if c.d.randr {
			r, err := randr.GetMonitors(x, c.d.questions.root, true).Reply()
			if err != nil {
				return nil, err
			}
			for i, m := range r.Monitors {
				out = append(out, desktop.Display{
					Index: i, Primary: m.Primary,
					Bounds: tree.Rect{X: int32(m.X), Y: int32(m.Y), W: int32(m.Width), H: int32(m.Height)},
				})
			}
		}
		if len(out) == 0 {
			r, err := c.screen(x)
			return []desktop.Display{{Bounds: r, Primary: true}}, err
		}
		return out, nil
	})
	return out, wrap(err, "listing displays")
}

func (c *Capture) screen(x *xgb.Conn) (tree.Rect, error) {
	g, err := xproto.GetGeometry(x, xproto.Drawable(c.d.questions.root)).Reply()
	if err != nil {
		return tree.Rect{}, err
	}
	return tree.Rect{W: int32(g.Width), H: int32(g.Height)}, nil
}

// Screen implements [desktop.Capture]. What lies beyond the screen is black.
func (c *Capture) Screen(ctx context.Context, r tree.Rect) (*image.RGBA, error) {
	if r.Empty() || r.W > 1<<15 || r.H > 1<<15 {
		return nil, fmt.Errorf("taking a picture of the screen: %d×%d pixels: %w", r.W, r.H, desktop.ErrOutside)
	}
	img, err := ask(ctx, c.d.questions, func(x *xgb.Conn) (*image.RGBA, error) {
		whole, err := c.screen(x)
		if err != nil {
			return nil, err
		}
		seen := r.Intersect(whole)
		if seen.Empty() {
			return nil, desktop.ErrOutside
		}
		img, err := c.grab(x, xproto.Drawable(c.d.questions.root), seen)
		if err != nil || seen == r {
			return img, err
		}
		return placed(img, r, seen), nil
	})
	return img, wrap(err, "taking a picture of the screen")
}

// placed puts a picture of seen into one of r.
func placed(img *image.RGBA, r, seen tree.Rect) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, int(r.W), int(r.H)))
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 0xff
	}
	for y := range int(seen.H) {
		copy(out.Pix[out.PixOffset(int(seen.X-r.X), int(seen.Y-r.Y)+y):], img.Pix[y*img.Stride:][:4*seen.W])
	}
	return out
}

// Window implements [desktop.Capture]. The picture's first pixel is the first
// of [desktop.Window].Bounds.
func (c *Capture) Window(ctx context.Context, id desktop.WindowID) (*image.RGBA, error) {
	d := c.d
	xid, ok := d.model.window(id)
	if !ok {
		return nil, fmt.Errorf("taking a picture of window %d: %w", id, desktop.ErrGone)
	}
	if !d.composite {
		return nil, fmt.Errorf("taking a picture of window %d: the X server lacks Composite 0.2: %w", id, desktop.ErrUnsupported)
	}
	img, err := ask(ctx, d.questions, func(x *xgb.Conn) (*image.RGBA, error) { return c.window(x, xid) })
	var gone xproto.WindowError
	switch {
	case errors.As(err, &gone):
		err = desktop.ErrGone
	case isBadWindow(err):
		err = fmt.Errorf("it is minimised, so it has no pixels: activate it first: %w", desktop.ErrUnsupported)
	}
	return img, wrap(err, fmt.Sprintf("taking a picture of window %d", id))
}

// window takes the pixmap that the server keeps for the window, which holds its
// pixels wherever it is on the screen and whatever covers it.
func (c *Capture) window(x *xgb.Conn, w xproto.Window) (*image.RGBA, error) {
	geometry := xproto.GetGeometry(x, xproto.Drawable(w))
	frame := xproto.GetProperty(x, false, w, c.d.atoms.gtkFrameExtents, xproto.GetPropertyTypeAny, 0, 4)
	p, err := xproto.NewPixmapId(x)
	if err != nil {
		return nil, err
	}
	named := composite.NameWindowPixmapChecked(x, w, p)
	g, err := geometry.Reply()
	if err != nil {
		return nil, xproto.WindowError{}
	}
	var e Extents
	if n := replyNumbers(frame); len(n) >= 4 {
		e = Extents{int32(n[0]), int32(n[1]), int32(n[2]), int32(n[3])}
	}
	if err := named.Check(); err != nil {
		return nil, err
	}
	defer xproto.FreePixmap(x, p)
	b := int32(g.BorderWidth)
	return c.grab(x, xproto.Drawable(p), inside(tree.Rect{X: b, Y: b, W: int32(g.Width), H: int32(g.Height)}, e))
}

// grab takes a picture of a part of a drawable.
func (c *Capture) grab(x *xgb.Conn, from xproto.Drawable, r tree.Rect) (*image.RGBA, error) {
	if err := c.understood(); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	size := 4 * int(r.W) * int(r.H)
	if c.d.shm && c.room(x, size) {
		_, err := shm.GetImage(x, from, int16(r.X), int16(r.Y), uint16(r.W), uint16(r.H), ^uint32(0),
			xproto.ImageFormatZPixmap, c.segment.id, 0).Reply()
		if err != nil {
			return nil, err
		}
		return rgba(c.segment.pixels, r), nil
	}
	img, err := xproto.GetImage(x, xproto.ImageFormatZPixmap, from, int16(r.X), int16(r.Y), uint16(r.W), uint16(r.H), ^uint32(0)).Reply()
	if err != nil {
		return nil, err
	}
	if len(img.Data) < size {
		return nil, fmt.Errorf("the X server sent %d of %d bytes: %w", len(img.Data), size, desktop.ErrUnsupported)
	}
	return rgba(img.Data, r), nil
}

// understood checks that pixels come as four bytes, blue first.
func (c *Capture) understood() error {
	s := c.d.questions.setup
	depth := byte(0)
	for _, root := range s.Roots {
		if root.Root == c.d.questions.root {
			depth = root.RootDepth
		}
	}
	for _, f := range s.PixmapFormats {
		if f.Depth == depth && f.BitsPerPixel == 32 && s.ImageByteOrder == xproto.ImageOrderLSBFirst {
			return nil
		}
	}
	return fmt.Errorf("pixels of depth %d: %w", depth, desktop.ErrUnsupported)
}

// room makes the segment large enough. Without shared memory (the server may be
// on another machine) pictures go through the connection.
func (c *Capture) room(x *xgb.Conn, size int) bool {
	if len(c.segment.pixels) >= size {
		return true
	}
	c.drop(x)
	id, err := memory.Get(memory.IPC_PRIVATE, size, memory.IPC_CREAT|0o600)
	if err != nil {
		return false
	}
	// Marked for removal, it lives until the last of the two lets go of it,
	// by whatever way that one ends.
	defer func() { _, _ = memory.Ctl(id, memory.IPC_RMID, nil) }()
	pixels, err := memory.At(id, 0, 0)
	if err != nil {
		return false
	}
	seg, err := shm.NewSegId(x)
	if err == nil {
		err = shm.AttachChecked(x, seg, uint32(id), false).Check()
	}
	if err != nil {
		_ = memory.Dt(pixels)
		c.d.shm = false
		return false
	}
	c.segment = segment{seg, pixels}
	return true
}

func (c *Capture) drop(x *xgb.Conn) {
	if c.segment.pixels == nil {
		return
	}
	shm.Detach(x, c.segment.id)
	_ = memory.Dt(c.segment.pixels)
	c.segment = segment{}
}

// free gives the memory back when the connection has ended.
func (c *Capture) free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.segment.pixels != nil {
		_ = memory.Dt(c.segment.pixels)
		c.segment = segment{}
	}
}

// rgba turns pixels of the server into a picture, two at a time.
func rgba(src []byte, r tree.Rect) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, int(r.W), int(r.H)))
	dst := img.Pix
	src = src[:len(dst)]
	const (
		green = 0x0000ff000000ff00
		low   = 0x000000ff000000ff
		alpha = 0xff000000ff000000
	)
	n := len(dst) &^ 7
	for i := 0; i < n; i += 8 {
		v := binary.LittleEndian.Uint64(src[i : i+8])
		binary.LittleEndian.PutUint64(dst[i:i+8], v&green|v>>16&low|(v&low)<<16|alpha)
	}
	if n < len(dst) {
		dst[n], dst[n+1], dst[n+2], dst[n+3] = src[n+2], src[n+1], src[n], 0xff
	}
	return img
}
