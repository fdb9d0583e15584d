//go:build desktop

package main

import (
	"testing"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
)

func TestRealExtra(t *testing.T) {
	b := live.Start(t)
	w := b.Launch("", "soffice", "--calc", "--norestore", "--nologo", b.File("sheet.csv", strings.Repeat("item,1.5,3\n",40)))
	s := b.Opened("", func() {	w.Must(adapter, "", "press", `{"button":"OK"}`) })
	s.Record("calc-sheet")
	w = b.Launch("", "soffice", "--writer", "--norestore", "--nologo", b.File("doc.txt", strings.Repeat("A paragraph of text.\n",10)))
	w.Record("writer")
}
func TestRealExtra2(t *testing.T) {
	b := live.Start(t)
	w := b.Launch("", "pcmanfm-qt", "/usr/share/doc/zenity")
	_ = w
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Choice","item":"Directory Tree"}`)
}
