package window

import (
	"slices"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/pluginsdk/plugintest"
	"oriel.dev/oriel/tree"
)

// read reads a window written as text; see plugintest.Tree.
func read(t *testing.T, text string) *Window {
	t.Helper()
	r, err := tree.NewReader(plugintest.Observation(t, text))
	if err != nil {
		t.Fatal(err)
	}
	w := Read(r)
	if err := check.View(w.View()); err != nil {
		t.Fatalf("the host would refuse this view:\n%v", err)
	}
	return w
}

func labels(w *Window) []string {
	var out []string
	for _, f := range w.Fields {
		out = append(out, f.Label)
	}
	return out
}

func TestFieldLabels(t *testing.T) {
	for name, c := range map[string]struct {
		tree string
		want []string
	}{
		"by relation, either way": {`
			window "w"
			  label "Name:" #7 showing @10,10,40,20
			  entry showing enabled editable text="" @200,200,100,20 labelled-by=7
			  label "Age:" showing @10,300,40,20 label-for=9
			  entry #9 showing enabled editable text="" @200,400,100,20`, []string{"Name", "Age"}},
		"by what lies left or above": {`
			window "w"
			  label "Left" showing @10,10,40,20
			  entry showing enabled editable text="" @60,10,100,20
			  label "Above" showing @60,50,40,15
			  entry showing enabled editable text="" @60,70,100,20`, []string{"Left", "Above"}},
		"never across another field": {`
			window "w"
			  label "From" showing @10,10,40,20
			  entry showing enabled editable text="" @60,10,100,20
			  entry showing enabled editable text="" @170,10,100,20`, []string{"From", "Text field"}},
		"never from above a whole tool bar": {`
			window "w"
			  label "Root Instance" showing @5,424,690,17
			  combo-box enabled showing @2,450,555,23
			    entry showing enabled editable text="old" @4,452,532,19
			  button "Next" enabled showing @560,450,24,23
			  button "Previous" enabled showing @590,450,24,23
			  check-box "Match Case" enabled showing @620,450,24,23
			  check-box "Whole Word" enabled showing @650,450,24,23`, []string{"Text field", "Match Case", "Whole Word"}},
		"from above a field with a button beside it": {`
			window "w"
			  label "File" showing @5,424,690,17
			  entry showing enabled editable text="old" @4,450,532,23
			  button "Browse" enabled showing @560,450,100,23`, []string{"File"}},
		"a sentence is no label": {`
			window "w"
			  label "Please fill in what you know." showing @60,50,40,15
			  entry showing enabled editable text="" @60,70,100,20`, []string{"Text field"}},
		"a switch far right of its text": {`
			window "w"
			  label "Dark style" showing @10,10,80,20
			  switch showing enabled checked @600,10,40,20
			  label "Sounds" showing @10,40,80,20
			  switch showing enabled @600,40,40,20`, []string{"Dark style", "Sounds"}},
		"equal labels differ by group, else by number": {`
			window "w"
			  panel "Page" showing @0,0,300,100
			    entry "Width" showing enabled editable text="" @60,10,100,20
			  panel "Paper" showing @0,100,300,100
			    entry "Width" showing enabled editable text="" @60,110,100,20
			    entry "Width" showing enabled editable text="" @60,140,100,20`, []string{"Width (Page)", "Width (Paper)", "Width (Paper) (2)"}},
		"a grid that GTK3 lists from its end": {`
			window "w"
			  panel showing @0,0,300,100
			    entry showing enabled editable text="" @60,70,100,20
			    label "Second" showing @10,70,40,20
			    entry showing enabled editable text="" @60,10,100,20
			    label "First" showing @10,10,40,20`, []string{"First", "Second"}},
		"what an empty entry says": {`
			window "w"
			  entry showing enabled editable text="" placeholder-text="Search…" @60,10,100,20`, []string{"Search"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := read(t, c.tree)
			if got := labels(w); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			for _, text := range w.Texts {
				for _, f := range w.Fields {
					if Label(text.Text) == f.Label {
						t.Errorf("%q is a text besides being a label", text.Text)
					}
				}
			}
		})
	}
}

// C23, B15: a secret is masked even if the host forgot to, and a label that
// contains its words is not mangled.
func TestSecrets(t *testing.T) {
	w := read(t, `
		window "w"
		  label "Password for hunter2.example" showing @10,10,190,20
		  password showing enabled editable text="hunter2" @210,10,100,20
		  entry "Token" sensitive showing enabled editable text="hunter2" @210,40,100,20
		  password "Empty" showing enabled editable text="" @210,70,100,20`)
	view := string(hostabi.AppendView(nil, w.View()))
	if n := strings.Count(view, "hunter2"); n != strings.Count(view, "hunter2.example") {
		t.Errorf("the secret is in the view: %s", view)
	}
	if !strings.Contains(view, "Password for hunter2.example") {
		t.Errorf("the label is mangled: %s", view)
	}
	for _, f := range w.FieldItems() {
		if want := map[string]string{"Empty": ""}[f.Label]; f.Label == "Empty" && f.Value != want || f.Label != "Empty" && f.Value != mask || !f.Sensitive {
			t.Errorf("%+v", f)
		}
	}
}

func TestNotices(t *testing.T) {
	w := read(t, `
		window "w"
		  info-bar showing @0,0,300,30
		    label "The file could not be saved" showing @0,0,100,20
		    button "Retry" showing enabled actions=click @200,0,50,20
		  label "Warning: you are root" showing @0,40,100,20
		  entry "E-mail" invalid showing enabled editable text="x" described-by=9 @0,70,100,20
		  notification #9 showing @0,90,100,20
		    static "Enter an address" showing @0,90,100,20`)
	var got []string
	for _, n := range w.Notices {
		got = append(got, string(n.Severity)+": "+n.Text)
	}
	want := []string{"error: The file could not be saved", "error: E-mail: Enter an address", "warn: Warning: you are root"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(w.Texts) != 0 || w.Button("retry") == nil {
		t.Errorf("texts %+v, buttons %+v", w.Texts, w.Buttons)
	}
}

// The host says that a window could only be read in part: once is enough.
func TestPartialIsLeftToTheHost(t *testing.T) {
	tr := plugintest.Tree(t, `
		window "w"
		  label "part" showing @0,0,10,10`)
	tr.Partial, tr.Why = true, "the application did not answer within 1.5 s"
	r, err := tree.NewReader(tree.Append(nil, tr))
	if err != nil {
		t.Fatal(err)
	}
	if w := Read(r); len(w.Notices) != 0 || len(w.Texts) != 1 {
		t.Errorf("notices %+v, texts %+v", w.Notices, w.Texts)
	}
}

// C06: a window may be nothing but a list.
func TestWindowThatIsAList(t *testing.T) {
	w := read(t, `
		window: title="Long list" bounds=0,0,300,100
		list enabled showing total=10000 end=cut @0,0,300,100
		  list-item "Row 0" selectable showing @0,0,300,50
		  list-item "Row 1" selectable selected showing @0,50,300,50`)
	if len(w.Lists) != 1 {
		t.Fatalf("the window has the lists %+v", w.Lists)
	}
	b := w.Lists[0].Block()
	if len(b.List) != 2 || b.Total != 10000 || !b.Truncated || w.Lists[0].Label != "Long list" {
		t.Errorf("the list %q is %+v", w.Lists[0].Label, b)
	}
	w = read(t, `
		text-area "Notes" enabled editable showing can=editable text="hello" @0,0,300,200`)
	if d := w.Document(); d == nil || d.Value != "hello" {
		t.Errorf("a window that is a text has the fields %+v", w.Fields)
	}
}

// C11: accessibility that is off is said to be, not shown as an empty window.
func TestInaccessible(t *testing.T) {
	for text, want := range map[string]string{
		`window: title="xterm" class=XTerm bounds=0,0,500,300`:                                                          "tells nothing to accessibility",
		`window: title="Chat" class=Chromium-browser bounds=0,0,500,300`:                                                "--force-renderer-accessibility",
		"window: title=\"Page\" toolkit=chromium bounds=0,0,500,300\nwindow \"Page\"\n  document showing @0,50,500,250": "--force-renderer-accessibility",
	} {
		view := string(hostabi.AppendView(nil, read(t, text).View()))
		if !strings.Contains(view, want) {
			t.Errorf("%s: want %q in %s", text, want, view)
		}
	}
}

// Without the accessibility bus it is not the application that tells nothing.
func TestBusLost(t *testing.T) {
	tr := plugintest.Tree(t, `window: title="Mail" class=Mail bounds=0,0,500,300`)
	tr.Partial, tr.Why = true, "the accessibility bus is not there"
	r, err := tree.NewReader(tree.Append(nil, tr))
	if err != nil {
		t.Fatal(err)
	}
	view := string(hostabi.AppendView(nil, Read(r).View()))
	if !strings.Contains(view, "can only be seen: the accessibility bus is not there.") || strings.Contains(view, "tells nothing to accessibility") {
		t.Errorf("got %s", view)
	}
}

func TestTable(t *testing.T) {
	w := read(t, `
		window "w"
		  table "Files" enabled showing table=10000,2 total=20002 end=cut first=40 @0,0,300,300
		    column-header "Name" showing @0,0,100,20
		    column-header "Size" showing @100,0,100,20
		    table-cell "a.txt" selectable selected showing cell=40,0 @0,20,100,20
		    table-cell "1 kB" selectable showing cell=40,1 @100,20,100,20
		    table-cell "b.txt" selectable showing cell=41,0 @0,40,100,20
		    table-cell "2 kB" selectable showing cell=41,1 @100,40,100,20`)
	b := w.Lists[0].Block()
	if !slices.Equal(b.Columns, []string{"Name", "Size"}) || len(b.Rows) != 2 || b.Rows[1][0] != "b.txt" {
		t.Errorf("the table is %+v", b)
	}
	if !b.Truncated || b.Offset != 40 || b.Total != 10000 {
		t.Errorf("C06: offset %d, total %d, truncated %v", b.Offset, b.Total, b.Truncated)
	}
	if got := w.FieldItems()[0]; got.Label != "Selected in Files" || got.Value != "a.txt" {
		t.Errorf("selected: %+v", got)
	}
	for word, number := range map[string]int64{"a.txt": 40, "#42": 41, "2 kB": 41, "B.TXT": 41} {
		if r, err := w.Lists[0].find(word); err != nil || r.Number != number {
			t.Errorf("%q is row %+v (%v), want %d", word, r, err, number)
		}
	}
	if _, err := w.Lists[0].find("c.txt"); err == nil || !strings.Contains(err.Error(), "load_rows") {
		t.Errorf("a row that is not there: %v", err)
	}
}

// B14: a toolkit that does not tell how many rows there are.
func TestListOfUnknownLength(t *testing.T) {
	w := read(t, `
		window "w"
		  list "Songs" enabled showing total=-1 end=virtual @0,0,300,300
		    list-item "One" selectable showing @0,0,100,20
		    list-item "Two" selectable selected showing @0,20,100,20`)
	b := w.Lists[0].Block()
	if !b.Truncated || b.Total != 2 {
		t.Errorf("the list is %+v", b)
	}
	if notices := w.NoticeBlocks(); len(notices) != 1 || !strings.Contains(notices[0].Text, "more rows exist") {
		t.Errorf("notices %+v", notices)
	}
}

// A list whose rows hold fields is a form; buttons in rows are told apart.
func TestListsOfFieldsAndButtons(t *testing.T) {
	w := read(t, `
		window "w"
		  list-box showing @0,0,300,100
		    list-item showing @0,0,300,20
		      label "Wi-Fi" showing @10,0,60,20
		      switch showing enabled @250,0,40,20
		    list-item showing @0,20,300,20
		      label "Bluetooth" showing @10,20,60,20
		      switch showing enabled checked @250,20,40,20
		  list "Accounts" showing @0,200,300,100
		    list-item showing visible @0,200,300,20
		      label "ann@example.com" showing @10,200,60,20
		      button "Remove" showing enabled actions=click @250,200,40,20
		    list-item showing visible @0,220,300,20
		      label "bob@example.com" showing @10,220,60,20
		      button "Remove" showing enabled actions=click @250,220,40,20`)
	if got := labels(w); !slices.Equal(got, []string{"Wi-Fi", "Bluetooth"}) {
		t.Errorf("fields %q", got)
	}
	if len(w.Lists) != 1 || w.Lists[0].Label != "Accounts" || len(w.Lists[0].Rows) != 2 {
		t.Errorf("lists %+v", w.Lists)
	}
	if w.Button("Remove (ann@example.com)") == nil || w.Button("Remove (bob@example.com)") == nil {
		t.Errorf("buttons %+v", w.Buttons)
	}
}

func TestMenus(t *testing.T) {
	w := read(t, `
		window: title="Editor" popup=10,30,200,100
		window "Editor"
		  menu-bar showing @0,0,300,20
		    menu "File" showing enabled actions=click @0,0,40,20
		      menu surface=1 showing @0,0,200,100
		        menu-item "Save      " showing enabled actions=click surface=1 @0,0,200,20
		        menu-item "Print" showing actions=click surface=1 @0,20,200,20
		        check-menu-item "Word Wrap" showing enabled checked actions=click surface=1 @0,40,200,20
		    menu "Edit" showing enabled actions=click @40,0,40,20`)
	if got := w.menuLabels(); !slices.Equal(got, []string{"File", "Edit"}) {
		t.Errorf("menus %q", got)
	}
	b, ok := w.MenuBlock()
	want := []hostabi.Scalar{"Save", "Print (unavailable)", "Word Wrap (on)"}
	if !ok || !slices.Equal(b.List, want) {
		t.Errorf("the open menu is %v, want %v", b.List, want)
	}
	if !strings.Contains(w.Summary(), "an open menu") {
		t.Errorf("summary %q", w.Summary())
	}
}

func TestRadioButtonsAndTabs(t *testing.T) {
	w := read(t, `
		window "w"
		  label "Paper size:" showing @10,10,80,20
		  panel showing @100,10,100,60
		    radio-button "A4" #5 showing enabled checked actions=click member-of=6 @100,10,50,20
		    radio-button "Letter" #6 showing enabled actions=click member-of=5 @100,30,50,20
		  tab-list showing enabled @0,100,300,30
		    tab "General" showing selected @0,100,60,30
		    tab "Details" showing @60,100,60,30`)
	f := w.Field("Paper size")
	if f == nil || f.Value != "A4" || !slices.Equal(f.optionLabels(), []string{"A4", "Letter"}) {
		t.Errorf("radio buttons %+v in %q", f, labels(w))
	}
	if f := w.Field("Tab"); f == nil || f.Value != "General" || len(f.Options) != 2 {
		t.Errorf("tabs %+v", f)
	}
	if !strings.Contains(w.Summary(), "2 tabs (“General” active)") {
		t.Errorf("summary %q", w.Summary())
	}
}

// B11: progress moves by itself and stays out of the content, which offers it by
// read_live.
func TestProgressIsSteady(t *testing.T) {
	at := func(value, left string) *Window {
		return read(t, `
			dialog "Copying" showing
			  label "`+left+` seconds remaining" showing @0,0,100,20
			  progress-bar showing value=`+value+`,0,100,1 @0,30,100,20`)
	}
	a, b := at("10", "90"), at("57", "43")
	if x, y := hostabi.AppendView(nil, a.View()), hostabi.AppendView(nil, b.View()); string(x) != string(y) {
		t.Errorf("the content ticks:\n%s\n%s", x, y)
	}
	if len(b.Live) != 2 || b.Live[0].Value != "57 %" || !strings.Contains(b.Live[1].Value, "43 seconds") {
		t.Errorf("live values %+v", b.Live)
	}
}

func TestDialogSummaryIsTheQuestion(t *testing.T) {
	w := read(t, `
		window: title="Confirm" role=dialog modal
		alert "Confirm" showing
		  label "Do you want to save?" showing @0,0,100,20
		  label "All changes will be lost otherwise" showing @0,20,100,20
		  button "Cancel" showing enabled actions=click @0,50,50,20
		  button "Save" showing enabled actions=click @60,50,50,20`)
	want := "Dialog: Do you want to save? All changes will be lost otherwise. Buttons: Cancel, Save."
	if got := w.Summary(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Buttons of a window's own frame are no content: closing is the close action.
func TestFrameButtonsStayOut(t *testing.T) {
	w := read(t, `
		window "w"
		  button "Minimize" showing enabled actions=click @0,0,20,20
		  button "Maximize" showing enabled actions=click @20,0,20,20
		  button "Close" showing enabled actions=click @40,0,20,20
		  panel "Bar" showing @0,50,100,20
		    button "Close" showing enabled actions=click @0,50,20,20`)
	if len(w.Buttons) != 1 || w.Buttons[0].Label != "Close" || w.Buttons[0].Node.Bounds().Y != 50 {
		t.Errorf("buttons %+v", w.Buttons)
	}
}

// W04: what cannot be done now says why.
func TestUnavailableActionsSayWhy(t *testing.T) {
	w := read(t, `
		window "w"
		  entry "Name" showing text="x" @0,0,100,20
		  button "Go" showing actions=click @0,30,100,20`)
	for _, a := range w.Actions() {
		if (a.Name == SetField || a.Name == Press) && a.Unavailable == "" {
			t.Errorf("%s is offered: %+v", a.Name, a)
		}
	}
}

func TestManyButtons(t *testing.T) {
	var b strings.Builder
	b.WriteString("window \"w\"\n")
	for i := range 200 {
		b.WriteString("  button \"Key " + itoa(int64(i)) + "\" showing enabled actions=click @0,0,20,20\n")
	}
	for _, a := range read(t, b.String()).Actions() {
		if a.Name == Press && (strings.Contains(a.Input, "enum") || !strings.Contains(a.Description, "Key 59")) {
			t.Errorf("press of 200 buttons: %s %s", a.Description, a.Input)
		}
	}
}
