package main

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk/plugintest"
	"oriel.dev/oriel/tree"
)

const form = `
	window: title="Form" toolkit=qt5 bounds=0,0,400,300
	window "Form"
	  entry "Name" #2 showing enabled editable focusable text="Ann" @60,10,100,20
	  check-box "News" #3 showing enabled actions=Toggle @60,40,100,20
	  spin-button "Age" #4 showing enabled editable value=7,0,120,1 @60,70,100,20
	  button "OK" #5 showing enabled focusable actions=Press @60,100,60,20
	  button "Help" #6 showing actions=Press @120,100,60,20
	  password "Key" #7 showing enabled editable text="••" @60,130,100,20
`

// changed is the form after an act: with other words in the place of some.
func changed(t *testing.T, old, now string) plugintest.Exchange {
	t.Helper()
	if !strings.Contains(form, old) {
		t.Fatalf("the form has no %q", old)
	}
	return plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, strings.Replace(form, old, now, 1)))
}

func TestSetFieldByAccessibility(t *testing.T) {
	obs := plugintest.Observation(t, form)
	out := plugintest.InvokeOn(t, adapter, obs, "set_field", `{"field":"Name","value":"Bob"}`,
		plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 2, Text: "Bob"}),
		plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 2, N: 4}).Bytes([]byte("Bob")))
	if out.Effect != hostabi.Confirmed || out.Result != `{"value":"Bob"}` {
		t.Errorf("got %+v", out)
	}
	out = plugintest.InvokeOn(t, adapter, obs, "set_field", `{"field":"Name","value":"Ann"}`)
	if out.Effect != hostabi.Unchanged {
		t.Errorf("the text was so before: %+v", out)
	}
}

// C24: an effect that was not seen is not claimed.
func TestSetFieldWithoutEffect(t *testing.T) {
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, form), "set_field", `{"field":"News","value":true}`,
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 3}),
		changed(t, "Name", "Name"),
		plugintest.Expect("oriel:wait change", nil).Message(&hostabi.WaitReply{WaitedMS: 900}),
		changed(t, "Name", "Name"))
	if out.Effect != hostabi.Unconfirmed || !strings.Contains(out.Message, "not seen") || out.Result != `{"value":false}` {
		t.Errorf("got %+v", out)
	}
}

func TestCheckAndNumber(t *testing.T) {
	obs := plugintest.Observation(t, form)
	out := plugintest.InvokeOn(t, adapter, obs, "toggle", `{"field":"News"}`,
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 3}),
		changed(t, `"News" #3`, `"News" #3 checked`))
	if out.Effect != hostabi.Confirmed || out.Result != `{"value":true}` {
		t.Errorf("got %+v", out)
	}
	out = plugintest.InvokeOn(t, adapter, obs, "set_field", `{"field":"Age","value":8}`,
		plugintest.Expect("oriel:a11y set_value", &hostabi.SetValueRequest{ID: 4, Value: 8}),
		changed(t, "value=7", "value=8"))
	if out.Effect != hostabi.Confirmed || out.Result != `{"value":8}` {
		t.Errorf("got %+v", out)
	}
}

// W06: a refusal names the argument and what it may be.
func TestWrongArguments(t *testing.T) {
	obs := plugintest.Observation(t, form)
	for args, want := range map[string]string{
		`{"field":"Age","value":121}`:     "value: must be from 0 to 120",
		`{"field":"Age","value":"old"}`:   "value: this field takes a number",
		`{"field":"News","value":"so"}`:   "value: this field takes true or false",
		`{"field":"Name","value":"a\nb"}`: "value: this field takes one line",
	} {
		out := plugintest.InvokeOn(t, adapter, obs, "set_field", args)
		if out.Fault == nil || out.Fault.Code != hostabi.CodeInvalid || len(out.Fault.Fields) != 1 {
			t.Fatalf("%s: got %+v", args, out)
		}
		if got := out.Fault.Fields[0].Field + ": " + out.Fault.Fields[0].Error; !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
}

// What has no EditableText is typed into, once the focus is seen to be there.
func TestTyping(t *testing.T) {
	page := `
		window: title="Page" toolkit=chromium bounds=0,0,400,300
		window "Page"
		  entry "Name" #2 showing enabled focusable actions=press @60,10,100,20
		  entry "Other" #3 showing enabled editable @60,40,100,20
	`
	tr := plugintest.Tree(t, page)
	tr.Nodes[1].States |= tree.StateEditable // without the interface that takes text
	focused := plugintest.Tree(t, strings.Replace(page, "#2 showing", "#2 showing focused", 1))
	out := plugintest.InvokeOn(t, adapter, tree.Append(nil, tr), "set_field", `{"field":"Name","value":"Bob"}`,
		plugintest.Expect("oriel:window activate", nil),
		plugintest.Expect("oriel:a11y focus", &hostabi.NodeRequest{ID: 2}),
		plugintest.Expect("oriel:tree observe", nil).Tree(focused),
		plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"ctrl+a"}}),
		plugintest.Expect("oriel:input text", &hostabi.TypeRequest{Text: "Bob"}),
		plugintest.Expect("oriel:tree text", nil).Bytes([]byte("Bob")))
	if out.Effect != hostabi.Confirmed {
		t.Errorf("got %+v", out)
	}
}

func TestPress(t *testing.T) {
	obs := plugintest.Observation(t, form)
	out := plugintest.InvokeOn(t, adapter, obs, "press", `{"button":"OK"}`,
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 5}))
	if out.Fault != nil || out.Effect != "" {
		t.Errorf("got %+v", out)
	}
}

// C12: GTK3 carries out an action inside the request for it. A dialog that opens
// there would make the application deaf, so a press comes as a key, or, if that
// was not granted, by accessibility all the same.
func TestPressInGTK3(t *testing.T) {
	gtk := strings.Replace(form, "qt5", "gtk3", 1)
	obs := plugintest.Observation(t, gtk)
	focused := plugintest.Observation(t, strings.Replace(gtk, "#5 showing", "#5 showing focused", 1))
	out := plugintest.InvokeOn(t, adapter, obs, "press", `{"button":"OK"}`,
		plugintest.Expect("oriel:window activate", nil),
		plugintest.Expect("oriel:a11y focus", &hostabi.NodeRequest{ID: 5}),
		plugintest.Expect("oriel:tree observe", nil).Bytes(focused),
		plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"space"}}))
	if out.Fault != nil {
		t.Errorf("got %+v", out)
	}
	out = plugintest.InvokeOn(t, adapter, obs, "press", `{"button":"OK"}`,
		plugintest.Expect("oriel:window activate", nil).Refuse(hostabi.CodeDenied, "oriel:window was not granted"),
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 5}))
	if out.Fault != nil {
		t.Errorf("got %+v", out)
	}
}

// B15: the outcome of setting a secret does not tell it.
func TestSecretIsNotRepeated(t *testing.T) {
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, form), "set_field", `{"field":"Key","value":"hunter2"}`,
		plugintest.Expect("oriel:a11y set_text", &hostabi.SetTextRequest{ID: 7, Text: "hunter2"}),
		changed(t, `text="••"`, `text="•••••••"`))
	if out.Effect != hostabi.Confirmed || strings.Contains(out.Message+out.Result, "hunter2") {
		t.Errorf("got %+v", out)
	}
}

// A read-only action touches nothing.
func TestReadText(t *testing.T) {
	obs := plugintest.Observation(t, `
		window: title="Editor" bounds=0,0,400,300
		window "Editor"
		  text-area "Body" #2 showing enabled editable multi-line text="0123456789" @0,0,400,300
	`)
	out := plugintest.InvokeOn(t, adapter, obs, "read_text", `{"of":"Body","offset":3,"length":4}`,
		plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 2, From: 3, N: 4}).Bytes([]byte("3456")))
	if out.Effect != hostabi.Unchanged || out.Result != `{"text":"3456","next":7,"total":10}` {
		t.Errorf("got %+v", out)
	}
}

// Counts and offsets are in characters whatever the toolkit counts in, and a note
// that a text goes on is true although what cannot be shown is left out.
func TestTextCounts(t *testing.T) {
	for _, tt := range []struct {
		name, toolkit, text string
		length              int64 // by the toolkit; 0 for the text's own
		note                string
	}{
		{"plain", "gtk3", "abc", 0, ""},
		{"CRLF", "gtk3", "a\r\nb\r\n", 0, ""},
		{"controls", "gtk4", "a\x01b\u00adc\u202e", 0, ""},
		{"emoji of GTK", "gtk3", "😀😀b", 0, ""},
		{"emoji of Qt", "qt5", "😀😀b", 5, ""},
		{"emoji and controls of Qt", "qt5", "😀\r\x02b", 5, ""},
		{"GTK goes on", "gtk3", strings.Repeat("😀", 4000), 4100, "[4000 of 4100 characters; the rest by"},
		{"GTK is cut here", "gtk3", strings.Repeat("\r\n", 2100), 0, "[4000 of 4200 characters; the rest by"},
		{"Qt goes on", "qt5", strings.Repeat("😀", 2000), 4100, "[2000 characters of a longer text; the rest by"},
		{"Qt is cut here", "qt5", strings.Repeat("😀", 4001), 8002, "[4000 of 4001 characters; the rest by"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tr := plugintest.Tree(t, `
				window: title="Editor" toolkit=`+tt.toolkit+` bounds=0,0,400,300
				window "Editor"
				  text-area "Body" #2 showing enabled editable multi-line text="x" @0,0,400,300
			`)
			tr.Nodes[1].Text = tt.text
			tr.Nodes[1].TextInfo.Length = cmp.Or(tt.length, int64(utf8.RuneCountInString(tt.text)))
			view := plugintest.View(t, adapter, tree.Append(nil, tr))
			i := slices.IndexFunc(view.Blocks, func(b hostabi.Block) bool { return b.Key == "document" })
			if got := view.Blocks[i].Text; strings.Contains(got, "the rest by") != (tt.note != "") || !strings.Contains(got, tt.note) {
				t.Errorf("the view says %.60q … %q, want the note %q", got, got[max(0, len(got)-60):], tt.note)
			}
		})
	}
}

// Qt's UTF-16 units are turned into characters, also where a page ends within one.
func TestReadTextOfQt(t *testing.T) {
	whole := "x" + strings.Repeat("😀", 60_000) + "?\r\nend"
	tr := plugintest.Tree(t, `
		window: title="Editor" toolkit=qt5 bounds=0,0,400,300
		window "Editor"
		  text-area "Body" #2 showing enabled editable multi-line text="x" @0,0,400,300
	`)
	all := utf16.Encode([]rune(whole))
	tr.Nodes[1].TextInfo.Length = int64(len(all))
	page := func(from, n int) plugintest.Exchange {
		units := slices.Clone(all[from : from+n])
		if last := units[n-1]; utf16.IsSurrogate(rune(last)) && last < 0xdc00 {
			units[n-1] = '?' // so does Qt
		}
		return plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 2, From: int64(from), N: n}).Bytes([]byte(string(utf16.Decode(units))))
	}
	out := plugintest.InvokeOn(t, adapter, tree.Append(nil, tr), "read_text", `{"of":"Body","offset":60000,"length":4}`,
		page(0, 100_000), page(99_999, len(all)-99_999))
	if want := `{"text":"😀?\n","next":60004,"total":60007}`; out.Result != want || !strings.Contains(out.Message, "without 1 character") {
		t.Errorf("got %s %q, want %s", out.Result, out.Message, want)
	}
}

// What the script's host refuses reaches the agent unchanged.
func TestFaultsPass(t *testing.T) {
	out := plugintest.InvokeOn(t, adapter, plugintest.Observation(t, form), "close", `{}`,
		plugintest.Expect("oriel:window close", nil).Refuse(hostabi.CodeGone, "the window is gone; read again"))
	if out.Fault == nil || out.Fault.Code != hostabi.CodeGone {
		t.Errorf("got %+v", out)
	}
}

// The page's list shows the present choice before it shows the others: choosing
// waits for the item, and a word that is none closes the list again.
func TestChooseWaitsForTheItem(t *testing.T) {
	closed := `
		window: title="Order" toolkit=chromium bounds=0,0,400,300
		window "Order"
		  document "Order" #2 showing @0,0,400,300
		    combo-box "Country" #3 showing enabled text=%q actions=press @60,10,100,20
	`
	opened := closed + `
		      list-item "Italy" #10 showing enabled selected actions=click @60,30,100,20
	`
	full := opened + `
		      list-item "France" #11 showing enabled actions=click @60,50,100,20
		      list-item "Norway" #12 showing enabled actions=click @60,70,100,20
	`
	at := func(text, value string) plugintest.Exchange {
		return plugintest.Expect("oriel:tree observe", nil).Bytes(plugintest.Observation(t, strings.Replace(text, "%q", strconv.Quote(value), 1)))
	}
	wait := plugintest.Expect("oriel:wait change", nil).Message(&hostabi.WaitReply{Changed: true, WaitedMS: 100})
	obs := plugintest.Observation(t, strings.Replace(closed, "%q", `"Italy"`, 1))
	open := plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 3})
	out := plugintest.InvokeOn(t, adapter, obs, "choose", `{"from":"Country","item":"norway"}`,
		open, at(closed, "Italy"), wait, at(opened, "Italy"), wait, at(full, "Italy"),
		plugintest.Expect("oriel:a11y action", &hostabi.ActionRequest{ID: 12}),
		at(full, "Italy"), wait, at(closed, "Norway"), at(closed, "Norway"))
	if out.Effect != hostabi.Confirmed || out.Result != `{"selected":"Norway"}` {
		t.Errorf("got %+v", out)
	}
	over := plugintest.Expect("oriel:wait change", nil).Message(&hostabi.WaitReply{WaitedMS: 900})
	out = plugintest.InvokeOn(t, adapter, obs, "choose", `{"from":"Country","item":"Spain"}`,
		open, at(full, "Italy"), over, at(full, "Italy"),
		plugintest.Expect("oriel:input keys", &hostabi.KeysRequest{Chords: []string{"Escape"}}))
	if out.Fault == nil || out.Fault.Code != hostabi.CodeInvalid || !strings.Contains(out.Fault.Fields[0].Error, "Italy, France, Norway") {
		t.Errorf("got %+v", out)
	}
}

// A huge number of notches is cut to what a hand could do, and none is the usual.
func TestScrollClamps(t *testing.T) {
	obs := plugintest.Observation(t, `
		window: title="Page" bounds=0,0,400,300
		window "Page"
		  scroll-bar #2 showing value=0,0,100,1 @390,0,10,300
	`)
	for args, want := range map[string]hostabi.ScrollRequest{
		`{"direction":"down"}`:                               {X: 370, Y: 150, DY: 5},
		`{"direction":"down","notches":50}`:                  {X: 370, Y: 150, DY: 50},
		`{"direction":"up","notches":51}`:                    {X: 370, Y: 150, DY: -50},
		`{"direction":"left","notches":9000000000000000000}`: {X: 370, Y: 150, DX: -50},
		`{"direction":"right","notches":2}`:                  {X: 370, Y: 150, DX: 2},
	} {
		out := plugintest.InvokeOn(t, adapter, obs, "scroll", args, plugintest.Expect("oriel:input scroll", &want))
		if out.Fault != nil {
			t.Errorf("%s: %+v", args, out)
		}
	}
}

// A part is never more than what may be asked for, and never begins before the start.
func TestReadClamps(t *testing.T) {
	text := plugintest.Observation(t, `
		window: title="Editor" bounds=0,0,400,300
		window "Editor"
		  text-area "Body" #2 showing enabled editable multi-line text="0123456789" @0,0,400,300
	`)
	out := plugintest.InvokeOn(t, adapter, text, "read_text", `{"of":"Body","offset":99,"length":9000000000}`,
		plugintest.Expect("oriel:tree text", &hostabi.TextRequest{ID: 2, From: 99, N: 20_000}))
	if out.Result != `{"text":"","next":99,"total":10}` {
		t.Errorf("beyond the end: %+v", out)
	}
	list := plugintest.Tree(t, `
		window: title="Files" bounds=0,0,400,300
		window "Files"
		  list "Files" #2 showing enabled @0,0,400,300
		    list-item "a" #3 showing enabled @0,0,400,20
	`)
	list.Nodes[1].ChildrenTotal, list.Nodes[1].End = 1000, tree.EndCut
	page := func(offset int64, n, rows int) plugintest.Exchange {
		part := plugintest.Tree(t, "window: title=\"Files\"\nlist \"Files\" #2\n"+strings.Repeat("  list-item \"x\"\n", rows))
		return plugintest.Expect("oriel:tree children", &hostabi.ChildrenRequest{ID: 2, Offset: offset, N: n}).Tree(part)
	}
	out = plugintest.InvokeOn(t, adapter, tree.Append(nil, list), "load_rows", `{"list":"Files","offset":900,"limit":100000}`,
		page(900, 100, 100), page(1000, 100, 0))
	if !strings.Contains(out.Result, `"offset":900,"total":1000,"more":false}`) || strings.Count(out.Result, `["x"]`) != 100 {
		t.Errorf("the end of the list: %+v", out)
	}
}
