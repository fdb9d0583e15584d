//go:build desktop

package linux

import (
	"context"
	"sync"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
)

// BenchmarkSnapshot observes a desktop of four applications of three toolkits
// at once: from nothing, with a connection of its own each time, and again with
// everything known.
func BenchmarkSnapshot(b *testing.B) {
	e := startReal(b)
	e.start(b, "mousepad", "--disable-server")
	e.start(b, "gnome-calculator")
	e.start(b, "featherpad", "--standalone")
	e.start(b, "zenity", "--question", "--text=Shall it be done?")
	b.Run("FromNothing", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			d := openReal(b, e.v)
			b.StartTimer()
			snapshot(b, d)
			b.StopTimer()
			d.Close()
			b.StartTimer()
		}
	})
	b.Run("Again", func(b *testing.B) {
		for b.Loop() {
			snapshot(b, e.d)
		}
	})
	b.Run("OpenAndFromNothing", func(b *testing.B) {
		for b.Loop() {
			d := openReal(b, e.v)
			snapshot(b, d)
			b.StopTimer()
			d.Close()
			b.StartTimer()
		}
	})
}

func snapshot(b *testing.B, d *desktop.Desktop) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Second)
	defer cancel()
	ws, err := d.Windows.List(ctx)
	if err != nil || len(ws) != 4 {
		b.Fatalf("%d windows, %v", len(ws), err)
	}
	var all sync.WaitGroup
	for _, w := range ws {
		all.Go(func() {
			o, err := d.Tree.Observe(ctx, w.ID)
			if err != nil || len(o.Tree.Nodes) == 0 || o.Tree.Partial {
				b.Errorf("window %q: %v", w.Title, err)
			}
		})
	}
	all.Wait()
}
