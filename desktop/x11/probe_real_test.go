//go:build desktop

package x11

import (
	"strings"
	"testing"

	"oriel.dev/oriel/desktop/linux/virtual"
)

func TestProbe(t *testing.T) {
	for name, cfg := range map[string]virtual.Config{
		"Openbox": {Width: 800, Height: 600},
		"":        {Width: 800, Height: 600, WindowManager: []string{}},
	} {
		d, err := virtual.Start(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		f, err := Probe(t.Context(), d.Display(), []string{"XTEST", "DAMAGE", "NO-SUCH-THING"})
		if err != nil {
			t.Fatal(err)
		}
		if f.Manager != name || f.Width != 800 || f.Height != 600 || f.Vendor == "" || !f.Extensions["XTEST"] || !f.Extensions["DAMAGE"] || f.Extensions["NO-SUCH-THING"] {
			t.Errorf("with the window manager %q: %+v", name, f)
		}
	}
	if _, err := Probe(t.Context(), ":59999", nil); err == nil || !strings.Contains(err.Error(), ":59999") {
		t.Errorf("a display that is not there: %v", err)
	}
}
