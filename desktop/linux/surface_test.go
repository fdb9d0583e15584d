package linux

import (
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

func placedNode(surface uint32, b tree.Rect) tree.Node {
	return tree.Node{Surface: surface, Bounds: b, HasBounds: true}
}

func TestLayout(t *testing.T) {
	const screen, surface = atspi.ScreenSpace, atspi.SurfaceSpace
	type rect = tree.Rect
	tests := map[string]struct {
		space  atspi.Space
		client rect
		geo    x11.Geometry
		read   atspi.Reading
		want   []tree.Node
	}{
		"screen pixels": {
			space: screen, client: rect{X: 300, Y: 200, W: 400, H: 300},
			read: atspi.Reading{Nodes: []tree.Node{placedNode(0, rect{X: 300, Y: 200, W: 400, H: 300}), placedNode(0, rect{X: 310, Y: 250, W: 9, H: 8})}},
			want: []tree.Node{placedNode(0, rect{W: 400, H: 300}), placedNode(0, rect{X: 10, Y: 50, W: 9, H: 8})},
		},
		"pixels of the surface, shadow told": {
			space: surface, client: rect{X: 361, Y: 255, W: 360, H: 494},
			geo:  x11.Geometry{Bounds: rect{X: 300, Y: 200, W: 482, H: 616}, Frame: x11.Extents{Left: 61, Right: 61, Top: 55, Bottom: 67}},
			read: atspi.Reading{Nodes: []tree.Node{placedNode(0, rect{W: 360, H: 494}), placedNode(0, rect{X: 10, Y: 50, W: 9, H: 8})}},
			want: []tree.Node{placedNode(0, rect{W: 360, H: 494}), placedNode(0, rect{X: 10, Y: 50, W: 9, H: 8})},
		},
		"pixels of the surface, shadow not told": {
			space: surface, client: rect{X: 300, Y: 200, W: 365, H: 506},
			read: atspi.Reading{Nodes: []tree.Node{placedNode(0, rect{W: 355, H: 496}), placedNode(0, rect{X: 10, Y: 50, W: 9, H: 8})}},
			want: []tree.Node{placedNode(0, rect{X: 5, Y: 5, W: 355, H: 496}), placedNode(0, rect{X: 15, Y: 55, W: 9, H: 8})},
		},
		"popup in screen pixels, submenu first": {
			space: screen, client: rect{X: 100, Y: 100, W: 400, H: 300},
			geo: x11.Geometry{Popups: []x11.Popup{{Bounds: rect{X: 250, Y: 140, W: 120, H: 60}}, {Bounds: rect{X: 120, Y: 120, W: 130, H: 200}}}},
			read: atspi.Reading{
				Nodes:  []tree.Node{placedNode(1, rect{X: 121, Y: 130, W: 100, H: 20}), placedNode(2, rect{X: 260, Y: 141, W: 100, H: 20})},
				Popups: []atspi.Popup{{Bounds: rect{X: 120, Y: 120, W: 130, H: 200}}, {Bounds: rect{X: 250, Y: 140, W: 120, H: 60}}},
			},
			want: []tree.Node{placedNode(2, rect{X: 1, Y: 10, W: 100, H: 20}), placedNode(1, rect{X: 10, Y: 1, W: 100, H: 20})},
		},
		"popup drawn within the window": {
			space: screen, client: rect{X: 100, Y: 100, W: 400, H: 300},
			read: atspi.Reading{
				Nodes:  []tree.Node{placedNode(1, rect{X: 121, Y: 130, W: 100, H: 20})},
				Popups: []atspi.Popup{{Bounds: rect{X: 120, Y: 120, W: 130, H: 200}}},
			},
			want: []tree.Node{placedNode(0, rect{X: 21, Y: 30, W: 100, H: 20})},
		},
		"popover in pixels of its own": {
			space: surface, client: rect{X: 100, Y: 100, W: 400, H: 300},
			geo: x11.Geometry{Popups: []x11.Popup{{Bounds: rect{X: 180, Y: 150, W: 210, H: 300}}}},
			read: atspi.Reading{
				Nodes:  []tree.Node{placedNode(0, rect{W: 400, H: 300}), placedNode(1, rect{X: 95, Y: 60, W: 180, H: 30})},
				Popups: []atspi.Popup{{Bounds: rect{X: 80, Y: 50, W: 210, H: 300}}},
			},
			want: []tree.Node{placedNode(0, rect{W: 400, H: 300}), placedNode(1, rect{X: 15, Y: 10, W: 180, H: 30})},
		},
		"popover that no X window shows": {
			space: surface, client: rect{X: 100, Y: 100, W: 400, H: 300},
			read: atspi.Reading{
				Nodes:  []tree.Node{placedNode(1, rect{X: 95, Y: 60, W: 180, H: 30})},
				Popups: []atspi.Popup{{Bounds: rect{X: 80, Y: 50, W: 210, H: 300}}},
			},
			want: []tree.Node{{}},
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			d := x11.Detail{Window: desktop.Window{Bounds: c.client}, Geometry: c.geo}
			lay(c.space, d, c.read).apply(c.read.Nodes)
			for i, n := range c.read.Nodes {
				if n.Surface != c.want[i].Surface || n.Bounds != c.want[i].Bounds || n.HasBounds != c.want[i].HasBounds {
					t.Errorf("node %d lies at %v on surface %d (%v), want %v on %d (%v)", i,
						n.Bounds, n.Surface, n.HasBounds, c.want[i].Bounds, c.want[i].Surface, c.want[i].HasBounds)
				}
			}
		})
	}
}
