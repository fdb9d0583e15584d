//go:build desktop

package main

import (
	"testing"

	"oriel.dev/oriel/plugins/internal/live"
)

func TestRealExtra(t *testing.T) {
	b := live.Start(t)
	b.Launch("", "gtk3-widget-factory").Record("gtk3-widgets")
	b.Launch("", "gtk4-widget-factory").Record("gtk4-widgets")
	b.Launch("", "pcmanfm-qt", "/usr/share/doc/zenity").Record("pcmanfm-qt")
	b.Launch("", "keepassxc").Record("keepassxc")
}
