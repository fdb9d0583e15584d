//go:build desktop

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
	"oriel.dev/oriel/tree"
)

// value returns what a fields block shows for a label.
func value(t *testing.T, v *hostabi.View, label string) hostabi.Scalar {
	t.Helper()
	for _, b := range v.Blocks {
		for _, f := range b.Items {
			if f.Label == label {
				return f.Value
			}
		}
	}
	t.Fatalf("there is no field %q in %+v", label, v.Blocks)
	return nil
}

func TestRealForm(t *testing.T) {
	b := live.Start(t, "zenity")
	w := b.Launch("New contact", "zenity", "--forms", "--title=New contact", "--text=Enter the person", "--add-entry=Name", "--add-entry=E-mail",
		"--add-password=Password", "--add-calendar=Birthday", "--add-combo=City", "--combo-values=Rome|Paris|Oslo", "--add-list=Tags", "--list-values=a|b|c")
	w.Record("zenity-form")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Name","value":"Ann Example"}`)
	w.Must(adapter, hostabi.Unchanged, "set_field", `{"field":"Name","value":"Ann Example"}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Password","value":"hunter2"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"City","item":"Paris"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Tags","item":"b"}`)
	v := w.View(adapter)
	for label, want := range map[string]hostabi.Scalar{"Name": "Ann Example", "Password": "••••••", "City": "Paris", "Selected in Tags": "b"} {
		if got := value(t, v, label); got != want {
			t.Errorf("%s shows %v, want %v", label, got, want)
		}
	}
	if text := string(hostabi.AppendView(nil, v)); strings.Contains(text, "hunter2") {
		t.Errorf("C23: the secret is in the view: %s", text)
	}
	w.Record("zenity-form-filled")
	w.Must(adapter, "", "press", `{"button":"OK"}`)
	w.Gone()
}

func TestRealList(t *testing.T) {
	b := live.Start(t, "zenity")
	w := b.Launch("Pick", "zenity", "--list", "--radiolist", "--title=Pick", "--column= ", "--column=Fruit", "--column=Price",
		"TRUE", "Apple", "1", "FALSE", "Pear", "2", "FALSE", "Plum", "3")
	w.Record("zenity-list")
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Table","item":"Pear"}`)
	w.Must(adapter, hostabi.Confirmed, "check_item", `{"list":"Table","item":"Plum","checked":true}`)
	w.Must(adapter, hostabi.Unchanged, "check_item", `{"list":"Table","item":"#3","checked":true}`)
	w.Must(adapter, "", "close", `{}`)
	w.Gone()
}

func TestRealQuestion(t *testing.T) {
	b := live.Start(t, "zenity")
	w := b.Launch("Confirm", "zenity", "--question", "--title=Confirm", "--text=Delete 3 files?")
	w.Record("zenity-question")
	w.Must(adapter, "", "press", `{"button":"No"}`)
	w.Gone()
}

func TestRealFileChooser(t *testing.T) {
	b := live.Start(t, "zenity")
	for _, name := range []string{"a.txt", "b.txt", "notes.md"} {
		b.File(name, "x")
	}
	out := b.V.Home() + "/saved.txt"
	w := b.Launch("Save", "zenity", "--file-selection", "--save", "--title=Save", "--filename="+out)
	w.Record("zenity-file-chooser")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Name","value":"other.txt"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Files","item":"b.txt"}`)
	w.Must(adapter, "", "close", `{}`)
	w.Gone()
	if _, err := os.Stat(out); err == nil {
		t.Error("the dialog wrote a file")
	}
}

// C06: a list of 10,000 rows is cut with its total, and the rest can be read.
func TestRealLongList(t *testing.T) {
	b := live.Start(t, "zenity", "seq")
	w := b.Launch("Numbers", "sh", "-c", "zenity --list --title=Numbers --column=Number --height=500 $(seq 10000)")
	w.Record("zenity-long-list")
	for _, block := range w.View(adapter).Blocks {
		if block.Type == hostabi.Table && (!block.Truncated || block.Total != 10000) {
			t.Errorf("the list is shown as %+v", block)
		}
	}
	o := w.Must(adapter, hostabi.Unchanged, "load_rows", `{"list":"Table","offset":9000,"limit":3}`)
	if !strings.Contains(o.Result, `["9001"],["9002"],["9003"]`) || !strings.Contains(o.Result, `"total":10000`) {
		t.Errorf("rows from 9000 on read %s", o.Result)
	}
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Table","item":"7"}`)
	if o := w.Invoke(adapter, "choose", `{"from":"Table","item":"no such row"}`); o.Fault == nil || o.Fault.Code != hostabi.CodeInvalid {
		t.Errorf("a row that is not there: %+v", o)
	}
	w.Must(adapter, "", "scroll", `{"direction":"down","notches":10}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Table","item":"40"}`)
}

// A window without accessibility is shown by its picture, with what would help.
func TestRealXterm(t *testing.T) {
	b := live.Start(t, "xterm")
	w := b.Launch("", "xterm", "-T", "shell")
	w.Record("xterm")
	v := w.View(adapter)
	if last := v.Blocks[len(v.Blocks)-1]; last.Type != hostabi.Media {
		t.Errorf("the window is shown as %+v", v.Blocks)
	}
	w.Must(adapter, "", "close", `{}`)
	w.Gone()
}

// C09: a sheet of a million rows is its used cells as a table.
func TestRealSheet(t *testing.T) {
	b := live.Start(t, "soffice")
	file := b.File("sheet.csv", strings.Repeat("item,1.5,3\n", 40))
	dialog := b.Launch("", "soffice", "--calc", "--norestore", "--nologo", file)
	dialog.Record("calc-import")
	sheet := b.Opened("sheet.csv - LibreOffice Calc", func() { dialog.Must(adapter, "", "press", `{"button":"OK"}`) })
	sheet.Until(func(r *tree.Reader) bool { return r.Root().Find(tree.RoleTableCell).Valid() })
	sheet.Record("calc-sheet")
	for _, block := range sheet.View(adapter).Blocks {
		if block.Type == hostabi.Table && (!slices.Equal(block.Columns, []string{"A", "B", "C"}) || len(block.Rows) != 40 || block.Rows[39][1] != "1.5") {
			t.Errorf("the sheet is shown as %+v", block)
		}
	}
}

func TestRealTextEditorGTK4(t *testing.T) {
	b := live.Start(t, "gnome-text-editor")
	w := b.Launch("", "gnome-text-editor", "--standalone", b.File("doc.txt", "line one\nline two\n"))
	w.Record("text-editor")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Document","value":"new text\nof two lines"}`)
	w.Must(adapter, hostabi.Unchanged, "read_text", `{"of":"Document","offset":4,"length":4}`)
}

func TestRealFeatherpadQt(t *testing.T) {
	b := live.Start(t, "featherpad")
	w := b.Launch("", "featherpad", "--standalone", b.File("doc.txt", "line one\nline two\n"))
	w.Record("featherpad")
	w.Must(adapter, hostabi.Unchanged, "read_menu", `{"menu":"Search"}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Document","value":"qt text"}`)
	w.Must(adapter, hostabi.Confirmed, "toggle", `{"field":"Match Case"}`)
	// Qt counts an emoji as two; an agent is told characters.
	emoji := strings.Repeat("😀", 50)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Document","value":"`+emoji+`end"}`)
	w.Must(adapter, hostabi.Unchanged, "set_field", `{"field":"Document","value":"`+emoji+`end"}`)
	if v := w.View(adapter); strings.Contains(string(hostabi.AppendView(nil, v)), "the rest by") {
		t.Errorf("the whole text is said to be a part: %+v", v.Blocks)
	}
	if o := w.Must(adapter, hostabi.Unchanged, "read_text", `{"of":"Document","offset":49,"length":3}`); o.Result != `{"text":"😀en","next":52,"total":53}` {
		t.Errorf("reading from the last emoji on gives %s", o.Result)
	}
}

// script returns the path of a program of testdata.
func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// holds waits for what an application wrote into a file.
func holds(b *live.Bench, file, want string) {
	b.Await(file+" to hold "+want, func() bool {
		got, err := os.ReadFile(file)
		return err == nil && string(got) == want
	})
}

// C06: a list that is a window by itself is shown and can be chosen from.
func TestRealBareList(t *testing.T) {
	b := live.Start(t, "/usr/bin/python3")
	out := filepath.Join(b.V.Home(), "chosen")
	w := b.Launch("Bare list", "/usr/bin/python3", script(t, "qt5-bare-list.py"), out)
	v := w.View(adapter)
	i := slices.IndexFunc(v.Blocks, func(b hostabi.Block) bool { return b.Type == hostabi.List })
	if i < 0 || len(v.Blocks[i].List) < 10 || v.Blocks[i].Total < 10_000 || !v.Blocks[i].Truncated {
		t.Fatalf("the list is shown as %+v", v.Blocks)
	}
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Bare list","item":"Row 3"}`)
	holds(b, out, "Row 3")
}

// A check box of GTK4 offers no action, so it is clicked; its drop-down opens a
// popup. The application judges.
func TestRealOptionsGTK4(t *testing.T) {
	b := live.Start(t, "/usr/bin/python3")
	out := filepath.Join(b.V.Home(), "options")
	w := b.Launch("Options", "/usr/bin/python3", script(t, "gtk4-options.py"), out)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Send a copy","value":true}`)
	holds(b, out, "True red")
	w.Must(adapter, hostabi.Unchanged, "set_field", `{"field":"Send a copy","value":true}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Colour","item":"blue"}`)
	holds(b, out, "True blue")
	w.Must(adapter, hostabi.Confirmed, "toggle", `{"field":"Send a copy"}`)
	holds(b, out, "False blue")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Colour","value":"green"}`)
	holds(b, out, "False green")
}

// The entry of a bar that is full of buttons is not called by a warning above it.
func TestRealSearchBarQt(t *testing.T) {
	b := live.Start(t, "featherpad")
	w := b.Launch("", "featherpad", "--standalone", b.File("doc.txt", "line one\n"))
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Search","value":"one"}`)
	if got := value(t, w.View(adapter), "Search"); got != "one" {
		t.Errorf("the search bar shows %v", got)
	}
}

func TestRealChromium(t *testing.T) {
	b := live.Start(t, "chromium")
	page := b.File("form.html", `<html><head><title>Order form</title></head><body><h1>Order</h1><p>Please fill in the form below.</p>
<form onsubmit="document.title='sent '+n.value;return false"><label for=n>Full name</label><input id=n name=n value="Ann"><br>
<label>E-mail <input type=email required aria-invalid=true aria-describedby=er></label><span id=er role=alert>Enter an e-mail address</span><br>
<label>Password <input type=password value=secret></label><br><label>Country <select><option>Italy<option>France<option>Norway</select></label><br>
<label><input type=checkbox checked> Newsletter</label><label><input type=radio name=r> Card</label><label><input type=radio name=r checked> Cash</label>
<label>Amount <input type=number value=3></label><label>Volume<input type=range></label><textarea aria-label=Note>hello
there</textarea><button type=button onclick="document.title='sent '+n.value">Send</button><a href="#x">Help page</a></form>
<table><tr><th>Item<th>Price<tr><td>Pen<td>1.5<tr><td>Book<td>12</table><ul><li>first<li>second</ul></body></html>`)
	w := b.Launch("Order form - Chromium", "chromium", "--no-sandbox", "--force-renderer-accessibility", "--no-first-run", "--disable-gpu", "--test-type",
		"--user-data-dir="+b.V.Home()+"/profile", page)
	w.Record("chromium-form")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Full name","value":"Bob"}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Newsletter","value":false}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Choice","item":"Card"}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Volume","value":70}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Country","item":"Norway"}`)
	w.Must(adapter, "", "press", `{"button":"Send"}`)
}
