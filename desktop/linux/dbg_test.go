//go:build desktop

package linux

import (
	"slices"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

func TestDbg(t *testing.T) {
	e := startReal(t)
	for _, c := range [][]string{{"mousepad", "--disable-server"}, {"featherpad", "--standalone"}, {"gnome-calculator"}} {
		p := e.start(t, c[0], append(c[1:], func() []string { if c[0] == "gnome-calculator" { return nil }; return []string{file(t, e, c[0]+".txt", "")} }()...)...)
		e.xdo(t, "windowactivate", "--sync", e.xidOf(t, p.win.ID))
		time.Sleep(500*time.Millisecond)
		want := ""
		lack, late := 0, 0
		var bt, ot time.Duration
		ed := func(n tree.Node) bool { return editable(n) && n.Role == tree.RoleTextArea }
		for i := range 200 {
			ch := string(rune('1' + i%9))
			if i % 50 == 49 {  want = ""; 
				e.xdo(t, "key", "ctrl+a"); e.xdo(t, "key", "BackSpace"); time.Sleep(300*time.Millisecond) }
			if err := e.d.Input.Type(ask(t), desktop.Target{Window: p.win.ID}, ch); err != nil { t.Fatal(err) }
			want += ch
			b := time.Now()
			if _, err := e.d.Watch.Barrier(ask(t), p.win.ID); err != nil { t.Fatal(err) }
			bt += time.Since(b)
			b = time.Now()
			o := e.observe(t, p.win.ID)
			ot += time.Since(b)
			k := slices.IndexFunc(o.Tree.Nodes, ed)
			if k < 0 { t.Fatal(outline(o.Tree)) }
			if o.Tree.Nodes[k].Text != want {
				lack++
				g, _ := e.d.Watch.Barrier(ask(t), p.win.ID)
				if g == o.Generation { late++
				if late < 3 { t.Logf("%q want %q", o.Tree.Nodes[k].Text, want) } }
			}
		}
		t.Logf("%s: lacking %d, of them said to be fresh %d, barrier %v observe %v", c[0], lack, late, bt/200, ot/200)
		p.signal(t, 9)
	}
}
