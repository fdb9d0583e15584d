//go:build desktop

package main

import (
	"os"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
)

func TestRealEditing(t *testing.T) {
	b := live.Start(t, "mousepad")
	path := b.File("notes.txt", "line one\nline two\nline three\n")
	w := b.Launch("", "mousepad", path)
	w.Record("saved")
	w.Must(adapter, hostabi.Unchanged, "find_text", `{"find":"LINE","any_case":true}`)
	w.Must(adapter, hostabi.Confirmed, "insert_text", `{"text":"line four\n","where":"end"}`)
	w.Record("modified")
	w.Must(adapter, hostabi.Confirmed, "replace_text", `{"find":"line","replace":"row"}`)
	w.Must(adapter, hostabi.Unchanged, "replace_text", `{"find":"nowhere","replace":"row"}`)
	w.Must(adapter, hostabi.Confirmed, "save", `{}`)
	if got, _ := os.ReadFile(path); string(got) != "row one\nrow two\nrow three\nrow four\n" {
		t.Errorf("the file holds %q", got)
	}
	text := strings.Repeat("grüße 世界\n", 3)
	w.Must(adapter, hostabi.Confirmed, "set_text", `{"text":"grüße 世界\ngrüße 世界\ngrüße 世界\n"}`)
	w.Must(adapter, hostabi.Unchanged, "set_text", `{"text":"grüße 世界\ngrüße 世界\ngrüße 世界\n"}`)
	w.Must(adapter, hostabi.Confirmed, "insert_text", `{"text":"X","where":"start"}`)
	w.Must(adapter, "", "undo", `{}`)
	w.Must(adapter, "", "redo", `{}`)
	w.Must(adapter, "", "undo", `{}`)
	w.Must(adapter, hostabi.Confirmed, "save", `{}`)
	if got, _ := os.ReadFile(path); string(got) != text {
		t.Errorf("the file holds %q, want %q", got, text)
	}
}

func TestRealDialogs(t *testing.T) {
	b := live.Start(t, "mousepad")
	w := b.Launch("", "mousepad", b.File("notes.txt", "text\n"))
	w.Must(adapter, hostabi.Unchanged, "read_menu", `{"menu":"File"}`)
	w.Must(adapter, "", "choose_menu", `{"menu":"Search","item":"Find"}`)
	w.Record("search")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Search for","value":"te"}`)
	w.Must(adapter, "", "press", `{"button":"Close search bar"}`)
	w.Must(adapter, "", "new_document", `{}`)
	w.Record("tabs")
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Tab","item":"notes.txt"}`)
	w.Must(adapter, hostabi.Confirmed, "insert_text", `{"text":"more\n","where":"cursor"}`)

	chooser := b.Opened("", func() { w.Must(adapter, "", "save_as", `{}`) })
	chooser.Record("save-as")
	chooser.Must(adapter, "", "press", `{"button":"Cancel"}`)
	chooser.Gone()

	question := b.Opened("", func() { w.Must(adapter, "", "close_document", `{}`) })
	question.Record("save-changes")
	question.Must(adapter, "", "press", `{"button":"Cancel"}`)
	question.Gone()

	replace := b.Opened("", func() { w.Must(adapter, "", "choose_menu", `{"menu":"Search","item":"Find and Replace…"}`) })
	replace.Record("replace")
}

func TestRealLongText(t *testing.T) {
	b := live.Start(t, "mousepad")
	w := b.Launch("", "mousepad", b.File("long.txt", strings.Repeat("0123456789\n", 2000)))
	w.Record("long")
	o := w.Must(adapter, hostabi.Unchanged, "load_text", `{"offset":21989,"length":100}`)
	if o.Result != `{"text":"0123456789\n","next":22000,"total":22000}` {
		t.Errorf("the end of the text reads %s", o.Result)
	}
	w.Must(adapter, hostabi.Confirmed, "replace_text", `{"find":"0123","replace":"abcd"}`)
	w.Must(adapter, hostabi.Confirmed, "insert_text", `{"text":"the end","where":"end"}`)
}
