//go:build desktop

package atspi

import (
	"testing"

	desk "oriel.dev/oriel/desktop/linux/virtual"
)

// Accessibility is switched on for as long as it is wanted, and what was there
// before comes back, whatever it was.
func TestEnableRestores(t *testing.T) {
	d, err := desk.Start(t.Context(), desk.Config{Width: 640, Height: 480})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	bus := d.SessionBus()
	for _, before := range []Status{{}, {Enabled: true}, {Enabled: true, ScreenReader: true}} {
		if err := setStatus(t.Context(), bus, before.Enabled, before.ScreenReader); err != nil {
			t.Fatal(err)
		}
		restore, err := Enable(t.Context(), bus)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := Enabled(t.Context(), bus); err != nil || !st.Enabled || !st.ScreenReader {
			t.Errorf("from %+v: switched on, it is %+v, %v", before, st, err)
		}
		if err := restore(t.Context()); err != nil {
			t.Error(err)
		}
		if st, err := Enabled(t.Context(), bus); err != nil || st.Enabled != before.Enabled || st.ScreenReader != before.ScreenReader {
			t.Errorf("from %+v: restored, it is %+v, %v", before, st, err)
		}
	}
}

func TestEnableWithoutABus(t *testing.T) {
	if _, err := Enable(t.Context(), "unix:path=/nonexistent/bus"); err == nil {
		t.Error("it succeeds")
	}
}
