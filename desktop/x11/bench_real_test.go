//go:build desktop

package x11

import (
	"fmt"
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

func BenchmarkList(b *testing.B) {
	d, _ := open(b, shared)
	p := newPeer(b, shared)
	for i := range 20 {
		p.show(p.window(fmt.Sprintf("bench%d", i), int16(20*i), 50, 100, 100, 0x00ff00, false))
	}
	titled(b, d, "bench19")
	for b.Loop() {
		if _, err := d.Windows().List(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSync(b *testing.B) {
	d, _ := open(b, shared)
	for b.Loop() {
		if err := d.Sync(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCaptureScreen(b *testing.B) {
	d, _ := open(b, shared)
	for b.Loop() {
		if _, err := d.Capture().Screen(b.Context(), tree.Rect{W: 1920, H: 1080}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCaptureWindow(b *testing.B) {
	d, _ := open(b, shared)
	p := newPeer(b, shared)
	p.show(p.window("pictured", 10, 10, 800, 600, 0x336699, false))
	w := titled(b, d, "pictured")
	for b.Loop() {
		if _, err := d.Capture().Window(b.Context(), w.Window.ID); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTypeSixteen(b *testing.B) {
	d, _ := open(b, shared)
	p := newPeer(b, shared)
	p.show(p.window("typed", 10, 10, 200, 100, 0, false))
	w := titled(b, d, "typed")
	activate(b, d, w.Window.ID)
	for b.Loop() {
		if err := d.Input().Type(b.Context(), desktop.Target{Window: w.Window.ID}, "sixteen letters."); err != nil {
			b.Fatal(err)
		}
	}
}
