//go:build desktop

package atspi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/tree"
)

func TestRealMousepad(t *testing.T) {
	e := start(t)
	file := filepath.Join(e.Home(), "t.txt")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := e.run(t, "mousepad", file)
	if p.app.Toolkit != "gtk3" || p.app.Space() != atspi.ScreenSpace || p.app.PID != p.cmd.Process.Pid {
		t.Errorf("application is %+v", p.app)
	}
	r := p.read()
	if got, want := names(byRole(r, tree.RoleMenu)), "File|Edit|Search|View|Document|Help"; got != want {
		t.Errorf("menus are %s, want %s and nothing of the closed ones", got, want)
	}
	if len(r.Nodes) > 20 {
		t.Errorf("%d nodes, want the dozen that can be seen", len(r.Nodes))
	}
	text := byRole(r, tree.RoleTextArea)[0]
	if text.Text != "old" || !text.States.Has(tree.StateEditable) || !text.HasBounds {
		t.Errorf("text area is %+v", text)
	}
	p.act(text, desktop.Deed{Kind: desktop.SetText, Text: "new 中"})
	p.act(text, desktop.Deed{Kind: desktop.InsertText, Number: 4, Text: "ä"})
	p.act(text, desktop.Deed{Kind: desktop.SelectText, Number: 0, End: 3})
	if n, err := p.bus.Node(t.Context(), p.app, text.ID); err != nil || n.TextInfo.SelStart != 0 || n.TextInfo.SelEnd != 3 {
		t.Errorf("selected %+v, %v", n.TextInfo, err)
	}
	if n, err := p.bus.Node(t.Context(), p.app, text.ID); err != nil || n.Text != "new ä中" {
		t.Errorf("read back %q, %v", n.Text, err)
	}

	// A closed menu: its items can be read and pressed without opening it.
	menu := p.node(tree.RoleMenu, "File")
	if menu.ChildrenTotal < 10 || menu.ChildrenCount != 0 || menu.End != tree.EndCut {
		t.Errorf("the closed menu says total %d, count %d, end %d", menu.ChildrenTotal, menu.ChildrenCount, menu.End)
	}
	items, err := p.bus.Children(t.Context(), p.app, menu.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	save := slices.IndexFunc(items.Nodes, func(n tree.Node) bool { return n.Name == "Save" })
	if save < 0 {
		t.Fatalf("items are %s", names(items.Nodes))
	}
	p.act(items.Nodes[save], desktop.Deed{Kind: desktop.DoAction})
	until(t, "the file to be saved", func() bool {
		b, _ := os.ReadFile(file)
		return string(bytes.TrimSpace(b)) == "new ä中"
	})

	if log := e.output.String(); strings.Contains(log, "impl_GetExtents") {
		t.Errorf("an object without Component was asked for its extents:\n%s", log)
	}

	// An open menu is a popup.
	p.act(menu, desktop.Deed{Kind: desktop.DoAction})
	until(t, "the menu to open", func() bool { return len(p.read().Popups) == 1 })
	r = p.read()
	first := r.Nodes[r.Popups[0].Node]
	if first.Name != "New" || first.Surface != 1 || r.Popups[0].Bounds.Empty() || r.Popups[0].Bounds.Y < menu.Bounds.Y+menu.Bounds.H {
		t.Errorf("popup %+v begins with %q on surface %d", r.Popups[0], first.Name, first.Surface)
	}
}

func TestRealZenity(t *testing.T) {
	e := start(t)
	p := e.run(t, "zenity", "--forms", "--text=Details", "--add-entry=Name", "--add-password=Secret", "--add-combo=Colour", "--combo-values=red|green")
	r := p.read()
	if got, want := names(byRole(r, tree.RoleButton)), "Cancel|OK"; got != want {
		t.Errorf("buttons are %s, want %s", got, want)
	}
	if got, want := names(byRole(r, tree.RoleMenuItem)), "red|green"; got != want {
		t.Errorf("the combo box offers %s, want %s", got, want)
	}
	entry, password, combo := byRole(r, tree.RoleEntry)[0], byRole(r, tree.RolePassword)[0], byRole(r, tree.RoleComboBox)[0]
	p.act(entry, desktop.Deed{Kind: desktop.SetText, Text: "Ada"})
	p.act(password, desktop.Deed{Kind: desktop.SetText, Text: "hunter2"})
	p.act(combo, desktop.Deed{Kind: desktop.Select, Number: 1})
	until(t, "the form to be filled", func() bool {
		r := p.read()
		return byRole(r, tree.RoleEntry)[0].Text == "Ada" && byRole(r, tree.RolePassword)[0].TextInfo.Length == 7 && byRole(r, tree.RoleComboBox)[0].Text == "green"
	})
	if text, err := p.bus.Text(t.Context(), p.app, password.ID, 0, 100); err != nil || text != "•••••••" {
		t.Errorf("C23: the password reads %q, %v", text, err)
	}
	p.press(tree.RoleButton, "OK")
	select {
	case <-p.ended:
	case <-time.After(10 * time.Second):
		t.Fatal("zenity did not end")
	}
	if out := e.output.String(); !strings.Contains(out, "Ada|hunter2|green") {
		t.Errorf("zenity printed %q, want what was filled in", out)
	}
	until(t, "the application to be gone", func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		return slices.ContainsFunc(e.events, func(ev atspi.Event) bool { return ev.Kind == atspi.AppGone && ev.Bus == p.app.Bus })
	})
	if _, err := p.bus.Read(t.Context(), p.app, p.top.Path, atspi.ReadOptions{}); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("reading a gone application: %v, want ErrGone", err)
	}
	if err := p.bus.Act(t.Context(), p.app, entry.ID, desktop.Deed{Kind: desktop.Focus}); !errors.Is(err, desktop.ErrGone) {
		t.Errorf("acting on a gone application: %v, want ErrGone", err)
	}
}

func TestRealCalculator(t *testing.T) {
	e := start(t)
	p := e.run(t, "gnome-calculator")
	if p.app.Toolkit != "gtk4" || p.app.Space() != atspi.SurfaceSpace {
		t.Errorf("application is %+v", p.app)
	}
	seven := p.node(tree.RoleButton, "7")
	if !seven.HasBounds || seven.Bounds.Y < 100 {
		t.Errorf("the key lies at %+v", seven.Bounds)
	}
	for _, key := range []string{"7", "×", "6", "="} {
		p.press(tree.RoleButton, key)
	}
	until(t, "the result", func() bool {
		return slices.ContainsFunc(byRole(p.read(), tree.RoleTextArea), func(n tree.Node) bool { return n.Text == "42" })
	})
	p.press(tree.RoleButton, "Primary menu")
	until(t, "the menu", func() bool { return len(p.read().Popups) == 1 })
	r := p.read()
	if items := names(byRole(r, tree.RoleMenuItem)); !strings.Contains(items, "Preferences|Keyboard Shortcuts|Help") {
		t.Errorf("items are %s", items)
	}
	if got := names(byRole(r, tree.RoleRadioMenuItem)); got != "Automatic|Fixed|Scientific|Engineering" {
		t.Errorf("radio items are %s", got)
	}
	popup := r.Popups[0].Bounds
	for _, n := range r.Nodes {
		if n.Surface == 1 && n.HasBounds && n.Bounds.Intersect(popup) != n.Bounds {
			t.Errorf("%q lies at %+v, outside of its popup %+v", n.Name, n.Bounds, popup)
		}
	}
}

func TestRealFeatherpad(t *testing.T) {
	e := start(t)
	dir := filepath.Join(e.Home(), "many")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 10_000 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%05d.txt", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "file00000.txt")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := e.run(t, "featherpad", file)
	if p.app.Toolkit != "qt5" {
		t.Errorf("application is %+v", p.app)
	}
	var text tree.Node
	until(t, "the text to load", func() bool {
		if list := byRole(p.read(), tree.RoleTextArea); len(list) > 0 {
			text = list[0]
		}
		return text.Text == "text"
	})
	if got := names(byRole(p.read(), tree.RoleMenu)); got != "File|Edit|Options|Search|Help" {
		t.Errorf("menus are %s", got)
	}
	p.act(text, desktop.Deed{Kind: desktop.SetText, Text: "chaed"})
	p.act(text, desktop.Deed{Kind: desktop.InsertText, Number: 3, Text: "ñg"})
	p.press(tree.RoleButton, "Save")
	until(t, "the file to be saved", func() bool {
		b, _ := os.ReadFile(file)
		return string(bytes.TrimSpace(b)) == "chañged"
	})

	items, err := p.bus.Children(t.Context(), p.app, p.node(tree.RoleMenu, "File").ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(items.Nodes); !strings.HasPrefix(got, "File|New|Open|") || !strings.HasSuffix(got, "|Close|Quit") {
		t.Errorf("the closed menu holds %s", got)
	}

	// C12: Qt answers only when the dialog closes.
	begin := time.Now()
	p.press(tree.RoleButton, "Open")
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("C12: opening a dialog took %s", took)
	}
	until(t, "the dialog", func() bool {
		tops, err := p.bus.TopLevels(t.Context(), p.app)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(tops, func(t atspi.TopLevel) bool { return t.Role == tree.RoleDialog || t.Role == tree.RoleFileChooser })
		if i >= 0 {
			p.top = tops[i]
		}
		return i >= 0
	})
	if err := p.bus.Ping(t.Context(), p.app); err != nil {
		t.Errorf("C12: %v", err)
	}
	longList(t, p, "file", 10_000)
}

// longList checks that a list of many rows is cut, with its total, at little cost.
func longList(t *testing.T, p *program, prefix string, rows int64) {
	t.Helper()
	var list tree.Node
	until(t, fmt.Sprintf("a list of %d rows", rows), func() bool {
		for _, n := range p.read().Nodes {
			if n.ChildrenTotal >= rows || n.Table != nil && n.Table.Rows >= rows {
				list = n
				return true
			}
		}
		return false
	})
	r := p.read()
	i := slices.IndexFunc(r.Nodes, func(n tree.Node) bool { return n.ID == list.ID })
	list = r.Nodes[i]
	if list.End != tree.EndCut || list.ChildrenCount == 0 || list.ChildrenCount > 300 {
		t.Errorf("C06: list says total %d, first %d, count %d, end %d", list.ChildrenTotal, list.ChildrenFirst, list.ChildrenCount, list.End)
	}
	got := r.Nodes[i+1 : i+int(list.Subtree)]
	if !slices.ContainsFunc(got, func(n tree.Node) bool { return strings.HasPrefix(n.Name, prefix) }) {
		t.Errorf("C06: rows are %s", names(got))
	}
	if r.Calls > 3000 {
		t.Errorf("C06: %d calls", r.Calls)
	}
	t.Logf("%s: %d nodes, %d rows of %d, %d calls", p.app.Toolkit, len(r.Nodes), list.ChildrenCount, list.ChildrenTotal, r.Calls)
	if p.app.Toolkit != "qt5" { // there the scroll bar is a child of the list, among the rows
		scrolled(t, p, got, 0.5)
	}
}

// scrolled scrolls a list of 10,000 rows a part of the way down and checks that the
// rows in view are read then.
func scrolled(t *testing.T, p *program, before []tree.Node, part float64) {
	t.Helper()
	bars := slices.DeleteFunc(byRole(p.read(), tree.RoleScrollBar), func(n tree.Node) bool {
		return !n.States.Has(tree.StateVertical) || n.Value == nil || n.Value.Max <= 100
	})
	if len(bars) == 0 {
		t.Fatalf("%s: no scroll bar", p.app.Toolkit)
	}
	p.act(bars[0], desktop.Deed{Kind: desktop.SetValue, Float: bars[0].Value.Max * part})
	var r atspi.Reading
	until(t, "other rows", func() bool {
		r = p.read()
		return !slices.ContainsFunc(r.Nodes, func(n tree.Node) bool {
			return strings.HasPrefix(n.Name, "row ") && slices.ContainsFunc(before, func(b tree.Node) bool { return b.Name == n.Name })
		})
	})
	want := int64(10_000 * part)
	for _, n := range r.Nodes {
		var row int64
		if _, err := fmt.Sscanf(n.Name, "row %d", &row); err == nil && n.States.Has(tree.StateShowing) && (row < want-50 || row > want+50 || !n.HasBounds) {
			t.Errorf("%s: at row %d there is %q at %+v", p.app.Toolkit, want, n.Name, n.Bounds)
		}
		if row > 0 && n.Cell != nil && int64(n.Cell.Row) != row && n.Cell.Column == 0 {
			t.Errorf("%s: %q is in row %d", p.app.Toolkit, n.Name, n.Cell.Row)
		}
	}
}

func TestC06RealLists(t *testing.T) {
	e := start(t)
	for _, kind := range []string{"table", "listbox"} {
		p := e.run(t, "/usr/bin/python3", testdata(t, "gtk3.py"), kind, "10000")
		longList(t, p, "row ", 10_000)
		if kind != "table" {
			continue
		}
		table := byRole(p.read(), tree.RoleTable)[0]
		if table.Table == nil || table.Table.Rows != 10_000 || table.Table.Columns != 3 {
			t.Errorf("table is %+v", table.Table)
		}
		cells, err := p.bus.Cells(t.Context(), p.app, table.ID, 9998, 0, 10, 2)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(cells.Nodes[1:]); got != "row 9998|9998|row 9999|9999" {
			t.Errorf("the last cells are %s", got)
		}
	}
	p := e.run(t, "/usr/bin/python3", testdata(t, "gtk4.py"), "listview", "10000")
	var list tree.Node
	until(t, "the rows to be laid out", func() bool {
		list = byRole(p.read(), tree.RoleList)[0]
		return list.ChildrenCount < 60
	})
	scrolled(t, p, byRole(p.read(), tree.RoleListItem), 0.01) // at once further down GTK 4.8 shows an empty list
	if list.End != tree.EndVirtual || list.ChildrenTotal != -1 || list.ChildrenCount < 5 || list.ChildrenCount > 60 {
		t.Errorf("GTK4 list says total %d, count %d, end %d; want virtual", list.ChildrenTotal, list.ChildrenCount, list.End)
	}
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRealForms(t *testing.T) {
	e := start(t)
	for _, toolkit := range []string{"gtk3", "gtk4"} {
		p := e.run(t, "/usr/bin/python3", testdata(t, toolkit+".py"), "form", "0")
		r := p.read()
		if got := names(byRole(r, tree.RoleTab)); got != "Tab 1|Tab 2" {
			t.Errorf("%s: tabs are %s", toolkit, got)
		}
		if len(byRole(r, tree.RoleSwitch)) != 1 || names(byRole(r, tree.RoleCheckBox)) != "Check" {
			t.Errorf("%s: switches and check boxes are %+v", toolkit, r.Nodes)
		}
		password := byRole(r, tree.RolePassword)
		if len(password) != 1 || !password[0].Sensitive || password[0].TextInfo.Length != 7 {
			t.Errorf("%s: C23: password is %+v", toolkit, password)
		}
		if !slices.ContainsFunc(r.Nodes, func(n tree.Node) bool {
			return slices.Contains(n.Attributes, tree.Attribute{Key: "placeholder-text", Value: "type here"})
		}) {
			t.Errorf("%s: no placeholder", toolkit)
		}
		want := map[string]string{"gtk3": "green", "gtk4": "red"}[toolkit]
		if combo := byRole(r, tree.RoleComboBox); len(combo) != 1 || combo[0].Text != want {
			t.Errorf("%s: combo box is %+v, want %s", toolkit, combo, want)
		}
		slider := byRole(r, tree.RoleSlider)[0]
		p.act(slider, desktop.Deed{Kind: desktop.SetValue, Float: 40})
		until(t, "the slider to move", func() bool { return byRole(p.read(), tree.RoleSlider)[0].Value.Current == 40 })
		if toolkit == "gtk4" {
			var texts []string
			for _, n := range append(byRole(r, tree.RoleEntry), byRole(r, tree.RoleSpinButton)...) {
				texts = append(texts, fmt.Sprintf("%s %v", n.Text, n.Sensitive))
			}
			if got, want := strings.Join(texts, "|"), " false| true|two words ä false|sought false|3 false"; got != want {
				t.Errorf("C23: entries hold %s, want %s", got, want)
			}
			continue
		}
		spin := byRole(r, tree.RoleSpinButton)[0]
		if len(spin.Relations) != 1 || spin.Relations[0].Kind != tree.LabelledBy {
			t.Errorf("the spin button is labelled by %+v", spin.Relations)
		}
		if spin.Name != "Count" {
			t.Errorf("the spin button is called %q, want its label's name", spin.Name)
		}
		p.press(tree.RoleComboBox, "")
		until(t, "the combo box to open", func() bool { return len(p.read().Popups) == 1 })
	}
}

func TestRealChromium(t *testing.T) {
	e := start(t)
	p := e.run(t, "chromium", "--no-sandbox", "--no-first-run", "--force-renderer-accessibility", "--user-data-dir="+filepath.Join(e.Home(), "chromium"), testdata(t, "page.html"))
	if p.app.Toolkit != "chromium" {
		t.Errorf("application is %+v", p.app)
	}
	name := p.node(tree.RoleEntry, "Name")
	if name.Text != "Ada" || !name.States.Has(tree.StateRequired) || !slices.Contains(name.Attributes, tree.Attribute{Key: "placeholder-text", Value: "your name"}) {
		t.Errorf("entry is %+v", name)
	}
	r := p.read()
	if slices.ContainsFunc(r.Nodes, func(n tree.Node) bool { return n.Name == "far link" }) {
		t.Error("a link below the fold is in the reading")
	}
	if n := p.node(tree.RolePassword, "Secret"); !n.Sensitive || n.Text != "" {
		t.Errorf("C23: password is %+v", n)
	}
	if n := p.node(tree.RoleComboBox, "Colour"); n.Text != "green" {
		t.Errorf("combo box shows %q", n.Text)
	}
	if n := p.node(tree.RoleTableCell, "2"); n.Cell == nil || n.Cell.Row != 1 || n.Cell.Column != 1 {
		t.Errorf("cell is %+v", n.Cell)
	}
	if n := p.node(tree.RoleHeading, "Heading one"); n.Subtree != 1 {
		t.Errorf("the heading repeats itself: %+v", n)
	}
	p.press(tree.RoleButton, "Send")
	until(t, "the page to see the press", func() bool { return strings.HasPrefix(p.read().Nodes[0].Name, "pressed") })
}

func TestC09RealSpreadsheet(t *testing.T) {
	e := start(t)
	var csv strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&csv, "item%d,%d\n", i, i)
	}
	file := filepath.Join(e.Home(), "d.csv")
	if err := os.WriteFile(file, []byte(csv.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p := e.run(t, "soffice", "--norestore", "--nologo", "--calc", "--infilter=CSV:44,34,76,1", file)
	if p.app.Toolkit != "libreoffice" {
		t.Errorf("application is %+v", p.app)
	}
	until(t, "the sheet", func() bool {
		tops, err := p.bus.TopLevels(t.Context(), p.app)
		if err != nil {
			return false
		}
		for _, top := range tops {
			if strings.HasPrefix(top.Name, "d.csv") {
				p.top = top
				return len(byRole(p.read(), tree.RoleTable)) > 0
			}
		}
		return false
	})
	var cells []tree.Node
	until(t, "the cells", func() bool {
		cells = byRole(p.read(), tree.RoleTableCell)
		return len(cells) > 20
	})
	if c := cells[0]; c.Name != "A1" || c.Text != "item0" || c.Cell == nil || c.Cell.Row != 0 || !c.HasBounds {
		t.Errorf("the first cell is %+v", c)
	}
	table := byRole(p.read(), tree.RoleTable)[0]
	if table.ChildrenTotal != 1<<31-1 || table.End != tree.EndCut || table.Table.Rows != 1<<20 {
		t.Errorf("the sheet says total %d, end %d, %+v", table.ChildrenTotal, table.End, table.Table)
	}
	far, err := p.bus.Cells(t.Context(), p.app, table.ID, 1990, 0, 20, 3)
	if err != nil {
		t.Fatal(err)
	}
	if len(far.Nodes) != 21 || far.Nodes[1].Text != "item1990" {
		t.Errorf("far cells are %s", names(far.Nodes))
	}
	begin := time.Now()
	if err := p.bus.Ping(t.Context(), p.app); err != nil || time.Since(begin) > time.Second {
		t.Errorf("C09: after all that soffice answers after %s: %v", time.Since(begin), err)
	}
	begin = time.Now()
	r, err := p.bus.Read(t.Context(), p.app, p.top.Path, atspi.ReadOptions{})
	if err != nil || time.Since(begin) > 3*time.Second {
		t.Errorf("C09: a reading took %s: %v", time.Since(begin), err)
	}
	t.Logf("%d nodes, %d calls, %s, partial %v", len(r.Nodes), r.Calls, time.Since(begin).Round(time.Millisecond), r.Partial)
}

func TestC07RealStoppedApplication(t *testing.T) {
	e := start(t)
	stopped := e.run(t, "mousepad")
	well := e.run(t, "gnome-calculator")
	stopped.read()
	if err := stopped.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stopped.cmd.Process.Signal(syscall.SIGCONT) })
	begin := time.Now()
	apps, err := e.bus.Apps(t.Context())
	if err != nil || len(apps) != 2 || time.Since(begin) > time.Second {
		t.Errorf("C07: %d applications after %s, %v", len(apps), time.Since(begin), err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := e.bus.Read(context.Background(), stopped.app, stopped.top.Path, atspi.ReadOptions{Deadline: 500 * time.Millisecond})
		failed <- err
	}()
	well.read()
	if err := <-failed; !errors.Is(err, desktop.ErrNotAnswering) {
		t.Errorf("C07: the stopped one: %v, want ErrNotAnswering", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := e.bus.Ping(ctx, stopped.app); !errors.Is(err, desktop.ErrNotAnswering) {
		t.Errorf("C07: ping: %v, want ErrNotAnswering", err)
	}
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	until(t, "the stopped one to answer again", func() bool { return e.bus.Ping(t.Context(), stopped.app) == nil })
	stopped.read()
}

// BenchmarkRead reads windows of each kind from nothing.
func BenchmarkRead(b *testing.B) {
	e := start(b)
	programs := map[string]*program{
		"mousepad":   e.run(b, "mousepad"),
		"calculator": e.run(b, "gnome-calculator"),
		"featherpad": e.run(b, "featherpad"),
		"zenity":     e.run(b, "zenity", "--question", "--text=Sure?"),
	}
	for _, name := range []string{"mousepad", "calculator", "featherpad", "zenity"} {
		p := programs[name]
		b.Run(name, func(b *testing.B) {
			var r atspi.Reading
			for b.Loop() {
				var err error
				if r, err = e.bus.Read(b.Context(), p.app, p.top.Path, atspi.ReadOptions{}); err != nil || r.Partial {
					b.Fatal(r.Why, err)
				}
			}
			b.ReportMetric(float64(len(r.Nodes)), "nodes")
			b.ReportMetric(float64(r.Calls), "calls")
		})
	}
	b.Run("desktop", func(b *testing.B) {
		for b.Loop() {
			apps, err := e.bus.Apps(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			var all sync.WaitGroup
			for _, app := range apps {
				all.Go(func() {
					tops, err := e.bus.TopLevels(b.Context(), app)
					if err != nil {
						b.Error(err)
						return
					}
					for _, top := range tops {
						if _, err := e.bus.Read(b.Context(), app, top.Path, atspi.ReadOptions{}); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
		}
	})
}
