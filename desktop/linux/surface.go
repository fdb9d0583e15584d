package linux

import (
	"slices"

	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// shift is what is added to the bounds that a toolkit reports to make them
// relative to a surface of the window.
type shift struct {
	surface uint32
	dx, dy  int32
	known   bool // false: nobody can tell where the nodes lie
}

// layout tells where the nodes of a reading lie. Index 0 is for the window's own
// nodes, index n for those of the reading's n-th popup.
type layout struct{ shifts []shift }

// surfacesOf returns a window's surfaces, in the order of its popups.
func surfacesOf(w x11.Detail) []tree.Surface {
	var out []tree.Surface
	for _, p := range w.Geometry.Popups {
		out = append(out, tree.Surface{Bounds: content(p)})
	}
	return out
}

// lay finds the layout of a reading.
func lay(space atspi.Space, w x11.Detail, r atspi.Reading) layout {
	l := layout{shifts: []shift{ownShift(space, w, r.Nodes)}}
	partner := partners(space, w.Geometry.Popups, r.Popups)
	for i, p := range r.Popups {
		x := partner[i]
		switch {
		case x >= 0 && space == atspi.ScreenSpace:
			o := content(w.Geometry.Popups[x])
			l.shifts = append(l.shifts, shift{uint32(x + 1), -o.X, -o.Y, true})
		case x >= 0:
			l.shifts = append(l.shifts, shift{uint32(x + 1), -p.Bounds.X, -p.Bounds.Y, true})
		case space == atspi.ScreenSpace:
			// Drawn within the window: its coordinates are good as they are.
			l.shifts = append(l.shifts, l.shifts[0])
		default:
			l.shifts = append(l.shifts, shift{})
		}
	}
	return l
}

// find sets the popups apart that a reading does not: what is below the first
// node that lies where an X popup lies.
func find(space atspi.Space, xs []x11.Popup, r *atspi.Reading) {
	if space != atspi.ScreenSpace {
		return
	}
	partner := partners(space, xs, r.Popups)
	for k, x := range xs {
		if slices.Contains(partner, k) {
			continue
		}
		i := slices.IndexFunc(r.Nodes, func(n tree.Node) bool {
			return n.Surface == 0 && n.HasBounds && n.Parent >= 0 && same(n.Bounds, content(x))
		})
		if i < 0 {
			continue
		}
		r.Popups = append(r.Popups, atspi.Popup{Node: i, Bounds: r.Nodes[i].Bounds})
		for n := i; n < i+int(r.Nodes[i].Subtree); n++ {
			r.Nodes[n].Surface = uint32(len(r.Popups))
		}
	}
}

// same allows for the borders that one side counts and the other does not.
func same(a, b tree.Rect) bool {
	n := area(a.Intersect(b))
	return n > 0 && 10*n >= 9*max(area(a), area(b))
}

// ownShift is the shift of the nodes that lie in the window itself. Where a
// toolkit counts from the window's content without saying how wide the shadow
// around it is, the shadow is as wide on both sides.
func ownShift(space atspi.Space, w x11.Detail, nodes []tree.Node) shift {
	b := w.Window.Bounds
	if space == atspi.ScreenSpace {
		return shift{dx: -b.X, dy: -b.Y, known: true}
	}
	s := shift{known: true}
	if w.Geometry.Frame == (x11.Extents{}) && len(nodes) > 0 && nodes[0].HasBounds {
		s.dx = max(0, (b.W-nodes[0].Bounds.W)/2)
		s.dy = max(0, (b.H-nodes[0].Bounds.H)/2)
	}
	return s
}

// partners finds for each popup of a reading the X popup that shows it, or -1.
func partners(space atspi.Space, xs []x11.Popup, ps []atspi.Popup) []int {
	out := make([]int, len(ps))
	taken := make([]bool, len(xs))
	for i, p := range ps {
		out[i] = -1
		best := int64(-1 << 62)
		for k, x := range xs {
			if taken[k] {
				continue
			}
			if n, ok := likeness(space, x, p, len(xs) == 1 && len(ps) == 1); ok && n > best {
				out[i], best = k, n
			}
		}
		if out[i] >= 0 {
			taken[out[i]] = true
		}
	}
	return out
}

// likeness tells how much an X popup looks like a popup of a reading: by their
// common area where coordinates can be compared, else by their size.
func likeness(space atspi.Space, x x11.Popup, p atspi.Popup, only bool) (int64, bool) {
	if p.Bounds.Empty() {
		return 0, only
	}
	if space == atspi.ScreenSpace {
		n := area(x.Bounds.Intersect(p.Bounds))
		return n, 2*n >= min(area(x.Bounds), area(p.Bounds))
	}
	w, h := content(x).W-p.Bounds.W, content(x).H-p.Bounds.H
	return -int64(max(w, -w)) - int64(max(h, -h)), only || near(w, 0) && near(h, 0)
}

// content is a popup without the shadow around it.
func content(p x11.Popup) tree.Rect {
	return tree.Rect{
		X: p.Bounds.X + p.Frame.Left, Y: p.Bounds.Y + p.Frame.Top,
		W: p.Bounds.W - p.Frame.Left - p.Frame.Right, H: p.Bounds.H - p.Frame.Top - p.Frame.Bottom,
	}
}

func area(r tree.Rect) int64 { return int64(r.W) * int64(r.H) }

// apply gives nodes the surfaces of the window and bounds relative to them. A
// node's Surface is the number of its popup in the reading before, and the
// number of its surface in the window after.
func (l layout) apply(nodes []tree.Node) {
	for i := range nodes {
		n := &nodes[i]
		s := shift{}
		if int(n.Surface) < len(l.shifts) {
			s = l.shifts[n.Surface]
		}
		n.Surface = s.surface
		n.HasBounds = n.HasBounds && s.known
		if !n.HasBounds {
			n.Bounds = tree.Rect{}
			continue
		}
		n.Bounds.X += s.dx
		n.Bounds.Y += s.dy
	}
}
