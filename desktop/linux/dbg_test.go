//go:build desktop

package linux

import (
	"strings"
	"testing"
	"time"
"os/exec"
"fmt"
	"image/png"
	"os"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

func TestDbg(t *testing.T) {
	e := startReal(t)
		p := e.start(t, "mousepad", "--disable-server", file(t, e, "b.txt", "text"))
		e.xdo(t, "windowactivate", "--sync", e.xid(t, p))
		e.xdo(t, "key", "alt+s")
		open, _ := e.find(t, p.win.ID, "Go to", func(n tree.Node) bool { return strings.HasPrefix(n.Name, "Go to") && len(n.Actions) > 0 })
	e.act(t, p.win.ID, open, desktop.Deed{Kind: desktop.DoAction})
	for i := range 4 {
	time.Sleep(time.Second)
	ws, err := e.d.Windows.List(t.Context())
	t.Log(ws, err)
	img, _ := e.d.Capture.Screen(t.Context(), tree.Rect{X:600,Y:250,W:800,H:600})
	f, _ := os.Create("/tmp/w/vd/s"+string(rune('0'+i))+".png")
	png.Encode(f, img)
	f.Close()
	switch i {
	case 0: e.xdo(t, "key", "5")
	case 1: e.xdo(t, "mousemove", "920","535"); e.xdo(t, "click", "1")
	case 2: e.xdo(t, "mousemove", "976","597"); e.xdo(t, "click", "1")
	}
	time.Sleep(time.Second)
	out, _ := exec.Command("gdb", "-batch", "-ex", "bt", "-p", fmt.Sprint(p.pid())).CombinedOutput()
	t.Log(string(out))
	return
	t.Log(e.xdo(t, "getwindowfocus"))
	}
}
