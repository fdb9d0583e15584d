//go:build desktop

package robot

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/desktop/linux/virtual"
	"oriel.dev/oriel/desktop/linux/virtual/apps"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// TestMain is also the child: this test's program starts itself.
func TestMain(m *testing.M) {
	if slices.Contains(os.Args[1:], "robot") {
		if err := Main(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func self(t testing.TB) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{exe, "robot"}
}

// begin starts a desktop and a robot on it. X11 finds the windows, which robotgo
// cannot.
func begin(t testing.TB) (*virtual.Desktop, *x11.Display, *Robot) {
	t.Helper()
	v, err := virtual.Start(t.Context(), virtual.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	d, err := x11.Open(t.Context(), x11.Config{Display: v.Display()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	r, err := Start(t.Context(), self(t), "DISPLAY="+v.Display())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return v, d, r
}

func TestSuites(t *testing.T) {
	v, d, r := begin(t)
	env := apps.New(t, v, &desktop.Desktop{Windows: d.Windows(), Input: r, Capture: r, Close: d.Close})
	t.Run("Input", func(t *testing.T) { desktoptest.InputSuite(t, env) })
	t.Run("Capture", func(t *testing.T) { desktoptest.CaptureSuite(t, env) })
}

func TestSeesWhatX11Sees(t *testing.T) {
	_, d, r := begin(t)
	want, err := d.Capture().Screen(t.Context(), tree.Rect{X: 10, Y: 20, W: 301, H: 101})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Screen(t.Context(), tree.Rect{X: 10, Y: 20, W: 301, H: 101})
	if err != nil || got.Rect != image.Rect(0, 0, 301, 101) || !slices.Equal(got.Pix, want.Pix) {
		t.Errorf("the pictures differ, %v", err)
	}
	displays, err := r.Displays(t.Context())
	if err != nil || len(displays) != 1 || displays[0].Bounds != (tree.Rect{W: 1920, H: 1080}) {
		t.Errorf("the displays are %v, %v", displays, err)
	}
}

func TestNoDisplay(t *testing.T) {
	for _, display := range []string{"DISPLAY=", "DISPLAY=:4711"} {
		_, err := Start(t.Context(), self(t), display)
		if !errors.Is(err, desktop.ErrDisconnected) {
			t.Errorf("with %s: %v", display, err)
		}
		t.Log(err)
	}
}

// TestServerGoes: Xlib ends the process that it is in, which is not ours.
func TestServerGoes(t *testing.T) {
	v, _, r := begin(t)
	if err := r.Move(t.Context(), nowhere, desktop.Point{X: 5, Y: 5}); err != nil {
		t.Fatal(err)
	}
	v.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	err := r.Move(ctx, nowhere, desktop.Point{X: 6, Y: 6})
	if !errors.Is(err, desktop.ErrDisconnected) {
		t.Errorf("moving gives %v", err)
	}
	select {
	case <-r.Done():
	case <-ctx.Done():
		t.Error("the child lives on")
	}
}

func BenchmarkCaptureScreen(b *testing.B) {
	_, d, r := begin(b)
	area := tree.Rect{W: 1920, H: 1080}
	for name, c := range map[string]desktop.Capture{"x11": d.Capture(), "robot": r} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Screen(b.Context(), area); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
