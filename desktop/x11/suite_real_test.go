//go:build desktop

package x11

import (
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/desktop/linux/virtual/apps"
)

func TestSuites(t *testing.T) {
	d, _ := open(t, shared)
	env := apps.New(t, shared, &desktop.Desktop{
		Windows: d.Windows(), Input: d.Input(), Capture: d.Capture(), Selection: d.Selection(), Close: d.Close,
	})
	t.Run("Windows", func(t *testing.T) { desktoptest.WindowsSuite(t, env) })
	t.Run("Input", func(t *testing.T) { desktoptest.InputSuite(t, env) })
	t.Run("Capture", func(t *testing.T) { desktoptest.CaptureSuite(t, env) })
	t.Run("Selection", func(t *testing.T) { desktoptest.SelectionSuite(t, env) })
}
