//go:build desktop

package main

import (
	"os"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
	"oriel.dev/oriel/tree"
)

// C09: the application keeps answering, and the file that it saves is the judge.
// It starts slowly, so there is one start.
func TestRealSheet(t *testing.T) {
	b := live.Start(t, "soffice")
	text, err := os.ReadFile("testdata/two-sheets.fods")
	if err != nil {
		t.Fatal(err)
	}
	file := b.File("book.fods", string(text))
	w := b.Launch("book.fods - LibreOffice Calc", "soffice", "--calc", "--norestore", "--nologo", file)
	w.Until(func(r *tree.Reader) bool {
		_, b := open(r)
		return b != nil && b.box.Valid() && len(b.sheets()) == 2
	})
	w.Record("prices")
	o := w.Must(adapter, hostabi.Confirmed, "write_cells", `{"range":"E2","rows":[["it","=B1+C1",12.5],["say \"no\" -- I don't","grüße 世界 😀",null],["","'007",true]]}`)
	if !strings.Contains(o.Result, `"rows":[["it","4.5","12.5"],["say \"no\" -- I don't","grüße 世界 😀",null],[null,"007","TRUE"]]`) {
		t.Errorf("the cells show %s", o.Result)
	}
	o = w.Must(adapter, hostabi.Unchanged, "read_cells", `{"range":"A99:B102"}`)
	if !strings.Contains(o.Result, `[["item more","2"],["item more","2"],[null,null],[null,null]]`) {
		t.Errorf("the end of the sheet reads %s", o.Result)
	}
	w.Must(adapter, "", "save", `{}`)
	live.Holds(t, file, func(content string) bool {
		for _, want := range []string{`table:formula="of:=[.B1]+[.C1]"`, ">it<", "grüße 世界 😀", ">007<", "I don&apos;t", `office:value="12.5"`} {
			if !strings.Contains(content, want) {
				return false
			}
		}
		return true
	})
	w.Must(adapter, hostabi.Confirmed, "select_sheet", `{"sheet":"Notes"}`)
	w.Record("notes")
}
