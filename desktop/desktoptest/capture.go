package desktoptest

import (
	"context"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

type captureRole struct{ d *Desktop }

func (r captureRole) Displays(ctx context.Context) ([]desktop.Display, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Displays"); err != nil {
		return nil, err
	}
	return []desktop.Display{{Bounds: d.Screen, Primary: true}}, nil
}

func (r captureRole) Screen(ctx context.Context, area tree.Rect) (*image.RGBA, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Screen"); err != nil {
		return nil, err
	}
	if d.Screen.Intersect(area) != area || area.Empty() {
		return nil, fmt.Errorf("capturing %v: %w", area, desktop.ErrOutside)
	}
	out := image.NewRGBA(image.Rect(0, 0, int(area.W), int(area.H)))
	fill(out, tree.Rect{W: area.W, H: area.H}, "background")
	for _, w := range d.windows {
		if !w.Minimized {
			w.paint(out, w.Bounds.X-area.X, w.Bounds.Y-area.Y)
		}
	}
	return out, nil
}

func (r captureRole) Window(ctx context.Context, id desktop.WindowID) (*image.RGBA, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Window"); err != nil {
		return nil, err
	}
	w := d.find(id)
	if w == nil || w.Minimized {
		return nil, fmt.Errorf("capturing window %d: %w", id, desktop.ErrGone)
	}
	out := image.NewRGBA(image.Rect(0, 0, int(w.Bounds.W), int(w.Bounds.H)))
	w.paint(out, 0, 0)
	return out, nil
}

// paint draws a window so that other content gives other pixels: each element
// is a field whose colour stands for what it says.
func (w *window) paint(out *image.RGBA, x, y int32) {
	fill(out, tree.Rect{X: x, Y: y, W: w.Bounds.W, H: w.Bounds.H}, fmt.Sprint(w.ID, w.Title))
	if w.tree == nil {
		return
	}
	for _, n := range w.tree.Nodes {
		if n.HasBounds && n.Surface == 0 && n.States.Has(tree.StateShowing) {
			b := n.Bounds
			fill(out, tree.Rect{X: x + b.X, Y: y + b.Y, W: b.W, H: b.H}, fmt.Sprint(n.ID, n.Name, n.Text, n.States))
		}
	}
}

func fill(out *image.RGBA, r tree.Rect, what string) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(what))
	s := h.Sum32()
	c := color.RGBA{R: uint8(s), G: uint8(s >> 8), B: uint8(s >> 16), A: 255}
	draw.Draw(out, image.Rect(int(r.X), int(r.Y), int(r.X+r.W), int(r.Y+r.H)), image.NewUniform(c), image.Point{}, draw.Src)
}
