package linux

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

func detail(id desktop.WindowID, pid int, title string, b tree.Rect) x11.Detail {
	return x11.Detail{Window: desktop.Window{ID: id, App: desktop.App{PID: pid}, Title: title, Bounds: b}}
}

func top(bus string, pid int, toolkit, path, name string, b tree.Rect) candidate {
	return candidate{pair: pair{
		atspi.App{Bus: bus, PID: pid, Toolkit: toolkit},
		atspi.TopLevel{Path: path, Name: name, Bounds: b, HasBounds: !b.Empty(), States: tree.StateShowing},
	}}
}

func TestMatch(t *testing.T) {
	a, b := tree.Rect{X: 10, Y: 40, W: 400, H: 300}, tree.Rect{X: 500, Y: 40, W: 700, H: 500}
	tests := map[string]struct {
		windows []x11.Detail
		tops    []candidate
		before  map[desktop.WindowID]pair
		want    map[desktop.WindowID]string // path
	}{
		"one of each, whatever they are called": {
			windows: []x11.Detail{detail(1, 7, "A", a)},
			tops:    []candidate{top(":1", 7, "gtk3", "/x", "other", tree.Rect{})},
			want:    map[desktop.WindowID]string{1: "/x"},
		},
		"another process": {
			windows: []x11.Detail{detail(1, 7, "A", a)},
			tops:    []candidate{top(":1", 8, "gtk3", "/x", "B", a)},
			want:    map[desktop.WindowID]string{},
		},
		"a process in a container has another number": {
			windows: []x11.Detail{detail(1, 7, "A", a)},
			tops:    []candidate{top(":1", 2, "gtk3", "/x", "A", a)},
			want:    map[desktop.WindowID]string{1: "/x"},
		},
		"by title": {
			windows: []x11.Detail{detail(1, 7, "A", a), detail(2, 7, "B", a)},
			tops:    []candidate{top(":1", 7, "gtk4", "/b", "B", a), top(":1", 7, "gtk4", "/a", "A", a)},
			want:    map[desktop.WindowID]string{1: "/a", 2: "/b"},
		},
		"by place": {
			windows: []x11.Detail{detail(1, 7, "A", a), detail(2, 7, "A", b)},
			tops:    []candidate{top(":1", 7, "gtk3", "/b", "A", b), top(":1", 7, "gtk3", "/a", "A", a)},
			want:    map[desktop.WindowID]string{1: "/a", 2: "/b"},
		},
		"by size where coordinates are not of the screen": {
			windows: []x11.Detail{detail(1, 7, "A", a), detail(2, 7, "A", b)},
			tops: []candidate{
				top(":1", 7, "gtk4", "/b", "A", tree.Rect{W: 690, H: 490}),
				top(":1", 7, "gtk4", "/a", "A", tree.Rect{W: 390, H: 290}),
			},
			want: map[desktop.WindowID]string{1: "/a", 2: "/b"},
		},
		"what was paired stays so": {
			windows: []x11.Detail{detail(1, 7, "A", a), detail(2, 7, "A", a)},
			tops:    []candidate{top(":1", 7, "gtk4", "/b", "A", a), top(":1", 7, "gtk4", "/a", "A", a)},
			before:  map[desktop.WindowID]pair{1: top(":1", 7, "gtk4", "/a", "A", a).pair},
			want:    map[desktop.WindowID]string{1: "/a", 2: "/b"},
		},
		"unless the titles speak against it": {
			windows: []x11.Detail{detail(1, 7, "A", a), detail(2, 7, "B", a)},
			tops:    []candidate{top(":1", 7, "gtk4", "/b", "B", a), top(":1", 7, "gtk4", "/a", "A", a)},
			before:  map[desktop.WindowID]pair{1: top(":1", 7, "gtk4", "/b", "B", a).pair},
			want:    map[desktop.WindowID]string{1: "/a", 2: "/b"},
		},
		"more windows than elements": {
			windows: []x11.Detail{detail(1, 7, "", a), detail(2, 7, "B", b)},
			tops:    []candidate{top(":1", 7, "gtk3", "/b", "B", b)},
			want:    map[desktop.WindowID]string{2: "/b"},
		},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			got := map[desktop.WindowID]string{}
			for id, p := range match(c.windows, c.tops, c.before) {
				got[id] = p.top.Path
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("match = %v, want %v", got, c.want)
			}
		})
	}
}

func TestMatchGivesEachElementOnceAndIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rect := rapid.Custom(func(t *rapid.T) tree.Rect {
			n := rapid.Int32Range(0, 3)
			return tree.Rect{X: 100 * n.Draw(t, "x"), W: 50 + 100*n.Draw(t, "w"), H: 50}
		})
		title, pid := rapid.SampledFrom([]string{"", "A", "B"}), rapid.IntRange(0, 2)
		var ws []x11.Detail
		for i := range rapid.IntRange(0, 5).Draw(t, "windows") {
			ws = append(ws, detail(desktop.WindowID(i+1), pid.Draw(t, "pid"), title.Draw(t, "title"), rect.Draw(t, "rect")))
		}
		var cs []candidate
		for i := range rapid.IntRange(0, 5).Draw(t, "tops") {
			p := pid.Draw(t, "pid")
			cs = append(cs, top(fmt.Sprint(":", p), p, "gtk3", fmt.Sprint("/", i), title.Draw(t, "title"), rect.Draw(t, "rect")))
		}
		first := match(ws, cs, nil)
		seen := map[string]bool{}
		for _, p := range first {
			if seen[p.top.Path] {
				t.Fatalf("%s stands for two windows", p.top.Path)
			}
			seen[p.top.Path] = true
		}
		again := match(ws, cs, first)
		for id, p := range first {
			if again[id].top.Path != p.top.Path {
				t.Fatalf("window %d was %s and is %s", id, p.top.Path, again[id].top.Path)
			}
		}
	})
}
