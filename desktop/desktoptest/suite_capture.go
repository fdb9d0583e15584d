package desktoptest

import (
	"errors"
	"image"
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// CaptureSuite tests the Capture role.
func CaptureSuite(t *testing.T, env Env) {
	t.Run("Screen", func(t *testing.T) { screens(t, env) })
	t.Run("CoveredWindowShowsItsOwnPixels", func(t *testing.T) { covered(t, env) })
	t.Run("PixelsFollowTheContent", func(t *testing.T) { pixelsFollow(t, env) })
	t.Run("UnknownWindowIsGone", func(t *testing.T) {
		_, err := env.Desktop().Capture.Window(call(t), never)
		if !errors.Is(err, desktop.ErrGone) && !errors.Is(err, desktop.ErrUnsupported) {
			t.Errorf("capturing an unknown window: %v, want ErrGone, or ErrUnsupported for any window", err)
		}
	})
}

func screens(t *testing.T, env Env) {
	ds, err := env.Desktop().Capture.Displays(call(t))
	if err != nil || len(ds) == 0 || ds[0].Bounds.Empty() {
		t.Fatalf("the displays read %v, %v", ds, err)
	}
	area := tree.Rect{X: ds[0].Bounds.X + 3, Y: ds[0].Bounds.Y + 5, W: 101, H: 53}
	got, err := env.Desktop().Capture.Screen(call(t), area)
	if err != nil || got.Bounds() != image.Rect(0, 0, 101, 53) {
		t.Fatalf("a part of the screen: %v", err)
	}
	for i := 3; i < len(got.Pix); i += 4 {
		if got.Pix[i] != 255 {
			t.Fatalf("pixel %d is not opaque", i/4)
		}
	}
}

// seesWindows reports whether the backend takes pictures of windows, not of the
// screen alone.
func seesWindows(t *testing.T, env Env, id desktop.WindowID) bool {
	t.Helper()
	_, err := env.Desktop().Capture.Window(call(t), id)
	return !errors.Is(err, desktop.ErrUnsupported)
}

func shot(t *testing.T, env Env, id desktop.WindowID) *image.RGBA {
	t.Helper()
	w, _ := lookup(t, env, id)
	got, err := env.Desktop().Capture.Window(call(t), id)
	if errors.Is(err, desktop.ErrUnsupported) {
		got, err = env.Desktop().Capture.Screen(call(t), w.Bounds)
	}
	if err != nil {
		t.Fatalf("capturing window %d: %v", id, err)
	}
	if got.Bounds() != image.Rect(0, 0, int(w.Bounds.W), int(w.Bounds.H)) {
		t.Fatalf("the picture measures %v, the window %v", got.Bounds(), w.Bounds)
	}
	return got
}

// differing returns the part of pixels that differ between two pictures.
func differing(a, b *image.RGBA) float64 {
	if a.Bounds() != b.Bounds() {
		return 1
	}
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		if [3]byte(a.Pix[i:i+3]) != [3]byte(b.Pix[i:i+3]) {
			n++
		}
	}
	return float64(n) / float64(len(a.Pix)/4)
}

func covered(t *testing.T, env Env) {
	e := env.Editor(t)
	alone := shot(t, env, e.Window)
	q := env.Question(t)
	if err := env.Desktop().Windows.Activate(call(t), q.Window); err != nil {
		t.Fatal(err)
	}
	// An inactive window is drawn a little otherwise, and a caret blinks.
	if d := differing(alone, shot(t, env, e.Window)); seesWindows(t, env, e.Window) && d > 0.1 {
		t.Errorf("%.0f %% of a window's pixels changed when another covered it", 100*d)
	}
	if d := differing(shot(t, env, q.Window), shot(t, env, e.Window)); d < 0.01 {
		t.Error("both windows give the same picture")
	}
}

func pixelsFollow(t *testing.T, env Env) {
	e := env.Editor(t)
	before := shot(t, env, e.Window)
	e.Input(t, "MMMMMMMMMMMMMMMM")
	Wait(t, "other pixels", func() bool { return differing(before, shot(t, env, e.Window)) > 0.0005 })
}
