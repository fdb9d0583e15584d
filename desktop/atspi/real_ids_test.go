//go:build desktop

package atspi_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/tree"
)

// numbered returns the numbers of the nodes by place, role and name.
func numbered(r atspi.Reading) map[string]tree.NodeID {
	out := map[string]tree.NodeID{}
	for i, n := range r.Nodes {
		out[fmt.Sprint(i, n.Role, n.Name)] = n.ID
	}
	return out
}

// The cells of a view that makes its elements anew for every look keep their
// numbers, and other words in a cell are another element.
func TestRealViewsKeepTheirNumbers(t *testing.T) {
	e := start(t)
	signal := filepath.Join(e.Home(), "change")
	p := e.run(t, "/usr/bin/python3", testdata(t, "qt5.py"), signal)
	p.node(tree.RoleTableCell, "file 1")
	p.node(tree.RoleTableCell, "cell 3")
	first := p.read()
	for range 3 {
		if again := p.read(); !maps.Equal(numbered(first), numbered(again)) {
			t.Fatalf("the elements are numbered\n%v\nand then\n%v", numbered(first), numbered(again))
		}
	}
	was := p.node(tree.RoleTableCell, "file 1")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := p.node(tree.RoleTableCell, "other")
	for _, n := range first.Nodes {
		if n.ID == now.ID {
			t.Errorf("the cell that changed has the number of %q", n.Name)
		}
	}
	if err := e.bus.Act(t.Context(), p.app, was.ID, desktop.Deed{Kind: desktop.DoAction}); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("acting on what was in the cell before: %v, want ErrGone", err)
	}
	p.act(p.node(tree.RoleTableCell, "file 2"), desktop.Deed{Kind: desktop.DoAction})
}

func TestRealFileManagerKeepsItsNumbers(t *testing.T) {
	e := start(t)
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(e.Home(), fmt.Sprintf("file%02d.txt", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := e.run(t, "pcmanfm-qt", e.Home())
	p.node(tree.RoleListItem, "file19.txt")
	var last map[string]tree.NodeID
	until(t, "two looks to agree", func() bool {
		before := last
		last = numbered(p.read())
		return maps.Equal(before, last)
	})
}

func TestRealSheetKeepsItsNumbers(t *testing.T) {
	e := start(t)
	file := filepath.Join(e.Home(), "d.csv")
	if err := os.WriteFile(file, []byte("item,1\nother,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := e.run(t, "soffice", "--norestore", "--nologo", "--calc", "--infilter=CSV:44,34,76,1", file)
	var last map[string]tree.NodeID
	until(t, "two looks at the sheet to agree", func() bool {
		before := last
		r := p.read()
		last = numbered(r)
		cells := byRole(r, tree.RoleTableCell)
		return slices.ContainsFunc(cells, func(n tree.Node) bool { return n.Text == "other" }) && maps.Equal(before, last)
	})
}

// An open drop-down of GTK4 begins a popup, and is the same element as before.
func TestRealDropDown(t *testing.T) {
	e := start(t)
	p := e.run(t, "/usr/bin/python3", testdata(t, "gtk4.py"), "form", "0")
	combo := p.node(tree.RoleComboBox, "")
	p.act(combo, desktop.Deed{Kind: desktop.DoAction})
	until(t, "the drop-down to open", func() bool { return len(p.read().Popups) == 1 })
	r := p.read()
	open := byRole(r, tree.RoleComboBox)[0]
	if open.ID != combo.ID || open.Text != "red" {
		t.Errorf("the drop-down is %d showing %q, was %d", open.ID, open.Text, combo.ID)
	}
	items := byRole(r, tree.RoleListItem)
	if names(items) != "red|green|blue" {
		t.Fatalf("it offers %s", names(items))
	}
	popup := r.Popups[0].Bounds
	for _, n := range items {
		if n.Surface != 1 || !n.HasBounds || n.Bounds.Intersect(popup) != n.Bounds {
			t.Errorf("%q lies on surface %d at %+v, outside of %+v", n.Name, n.Surface, n.Bounds, popup)
		}
	}
}

// Actions are called the same whatever language an application speaks.
func TestRealActionNamesInGerman(t *testing.T) {
	e := start(t)
	for _, kind := range []string{"gtk4", "gtk3"} {
		p := e.run(t, "env", "LC_ALL=C.UTF-8", "LANGUAGE=de", "/usr/bin/python3", testdata(t, kind+".py"), "form", "0")
		r := p.read()
		translated := false
		for _, n := range r.Nodes {
			for _, a := range n.Actions {
				translated = translated || strings.ContainsAny(a.Description, "äöüß") || strings.HasPrefix(a.Description, "Klickt") || strings.HasPrefix(a.Description, "Aktiviert")
				switch {
				case strings.Contains(a.Name, "."):
				case a.Name == "klicken", a.Name == "aktivieren", a.Name == "umschalten", a.Name != strings.ToLower(a.Name):
					t.Errorf("%s: an action of %s %q is called %q", kind, n.Role, n.Name, a.Name)
				}
			}
		}
		if !translated && kind == "gtk4" {
			t.Errorf("%s: the application does not speak German: %+v", kind, r.Nodes)
		}
		if got := names(byRole(r, tree.RoleTab)); got != "Tab 1|Tab 2" {
			t.Errorf("%s: tabs are %s", kind, got)
		}
		if n := len(byRole(r, tree.RoleSwitch)); n != 1 {
			t.Errorf("%s: %d switches", kind, n)
		}
	}
}
