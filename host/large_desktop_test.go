//go:build desktop

package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/hostabi"
)

// rowsLoaded is the result of load_rows.
type rowsLoaded struct {
	Rows          [][]any
	Columns       []string
	Offset, Total int64
	More          bool
}

// load loads rows by the window's own action and fails the test if that changed
// the window's content.
func (r *rig) load(window, list string, offset, limit int) rowsLoaded {
	r.Helper()
	action, args := "load_rows", map[string]any{"list": list, "offset": offset, "limit": limit}
	if list == "" { // of the window as a whole, as a sheet's
		action = "load_used_range"
		delete(args, "list")
	}
	res, err := r.act(window, action, args)
	var refused *bridge.Error
	for tries := 0; errors.As(err, &refused) && refused.Code == bridge.ActionTimeout && tries < 20; tries++ {
		r.window("") // the application is busy, as on a loaded machine, and nothing was done
		res, err = r.act(window, action, args)
	}
	if err != nil {
		r.Fatalf("loading rows from %d on: %v", offset, err)
	}
	if res.Effect != hostabi.Unchanged {
		r.Errorf("loading rows from %d on: effect %s", offset, res.Effect)
	}
	var got rowsLoaded
	if err := json.Unmarshal(res.Value, &got); err != nil {
		r.Fatalf("the result %s: %v", res.Value, err)
	}
	return got
}

// loads checks rows against what the application was filled with, from the first
// on until limit rows or the end were seen.
func (r *rig) loads(window, list string, offset, limit int, want func(row int) string) rowsLoaded {
	r.Helper()
	got := r.load(window, list, offset, limit)
	if got.Offset != int64(offset) || len(got.Rows) == 0 {
		r.Fatalf("asked for rows from %d on, got %+v", offset, got)
	}
	for i, row := range got.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, fmt.Sprint(c))
		}
		if text := strings.Join(cells, "|"); text != want(offset+i) {
			r.Fatalf("row %d is %q, want %q", offset+i, text, want(offset+i))
		}
	}
	return got
}

// rowsOf finds a window and its first list or table that is cut short, nil if they
// are not there yet.
func (r *rig) rowsOf(title string) (*bridge.Window, bridge.Block) {
	for _, w := range r.host.Snapshot().Windows {
		for _, b := range w.Blocks {
			if strings.Contains(w.Title, title) && (b.Type == hostabi.List || b.Type == hostabi.Table) && len(b.List)+len(b.Rows) > 0 && b.Truncated {
				return w, b
			}
		}
	}
	return nil, bridge.Block{}
}

// listOf waits for the first list or table of a window and returns its label and
// block.
func (r *rig) listOf(title string) (w *bridge.Window, label string, block bridge.Block) {
	r.Helper()
	// An office program may take long to begin to answer on a busy machine.
	end, tick := time.NewTimer(90*time.Second), time.NewTicker(50*time.Millisecond)
	defer end.Stop()
	defer tick.Stop()
	for w, block = r.rowsOf(title); w == nil; w, block = r.rowsOf(title) {
		select {
		case <-tick.C:
		case <-end.C:
			r.Fatalf("no rows in a window %q; the state is %s", title, r.host.Snapshot().JSON())
		}
	}
	if n := len(w.JSON()); n > 50_000 {
		r.Errorf("the window takes %d bytes", n)
	}
	_, label, _ = strings.Cut(block.Key, ":")
	return w, label, block
}

// C06, B27: of 10,000 rows the view shows the first with the total, and load_rows
// gives any of them without the content changing.
func TestLoadTenThousandRows(t *testing.T) {
	one := func(i int) string { return fmt.Sprintf("Row %d", i) }
	two := func(i int) string { return fmt.Sprintf("Row %d|%d", i, i) }
	for _, tt := range []struct {
		script, title string
		want          func(int) string
	}{
		{"gtk3-list.py", "Long list", two},
		{"qt5-list.py", "Long list", one},
		{"qt5-table.py", "Long table", two},
	} {
		t.Run(tt.script, func(t *testing.T) {
			r := newRig(t)
			r.launch("/usr/bin/python3", testFile(t, tt.script))
			r.serve()
			w, label, block := r.listOf(tt.title)
			if block.Total != 10000 || !block.Truncated {
				t.Errorf("the view says %d rows, cut short: %v", block.Total, block.Truncated)
			}
			r.loads(w.ID, label, 0, 3, tt.want)
			version := r.host.Snapshot().Window(w.ID).Version // a window that was just opened may have gone on filling itself until now
			for offset, want := range map[int]int{0: 3, 4999: 3, 9998: 2} {
				if got := r.loads(w.ID, label, offset, 3, tt.want); len(got.Rows) != want || got.Total != 10000 || got.More {
					t.Errorf("from %d on: %d rows of %d, more: %v", offset, len(got.Rows), got.Total, got.More)
				}
			}
			// A long part comes whole, over several requests to the application.
			if got := r.loads(w.ID, label, 9000, 500, tt.want); len(got.Rows) != 500 {
				t.Errorf("500 rows from 9000 on: got %d", len(got.Rows))
			}
			if got := r.load(w.ID, label, 20000, 3); len(got.Rows) != 0 || got.Total != 10000 {
				t.Errorf("beyond the end: %+v", got)
			}
			if v := r.host.Snapshot().Window(w.ID).Version; v != version {
				t.Errorf("the window's version rose from %d to %d", version, v)
			}
		})
	}
}

// B14: a list view of GTK4 tells neither how many rows it has nor which are seen.
// The view says so, and loading, which scrolls, is not said to be read-only.
func TestLoadRowsGTK4(t *testing.T) {
	r := newRig(t)
	r.launch("/usr/bin/python3", testFile(t, "gtk4-list.py"))
	r.serve()
	w, label, block := r.listOf("Long list")
	if block.Total != int64(len(block.List)) || !block.Truncated {
		t.Errorf("the view shows %d rows of %d, cut short: %v", len(block.List), block.Total, block.Truncated)
	}
	if text := string(w.JSON()); !strings.Contains(text, "more rows exist") {
		t.Errorf("no notice says that there are more: %s", text)
	}
	for _, a := range w.Actions {
		if (a.Name == "load_rows" || a.Name == "scroll") && a.ReadOnly {
			t.Errorf("%s scrolls and is said to be read-only", a.Name)
		}
	}
	want := func(i int) string { return fmt.Sprintf("Row %d", i) }
	for _, offset := range []int{0, 4999} {
		if got := r.loads(w.ID, label, offset, 40, want); len(got.Rows) != 40 || got.Total != int64(offset)+40 || !got.More {
			t.Errorf("from %d on: %d rows of %d, more: %v", offset, len(got.Rows), got.Total, got.More)
		}
	}
	if got := r.loads(w.ID, label, 9990, 40, want); len(got.Rows) != 10 || got.Total != 10000 || got.More {
		t.Errorf("the end: %d rows of %d, more: %v", len(got.Rows), got.Total, got.More)
	}
	r.await("the list is where it was", func() bool {
		return strings.Contains(string(r.host.Snapshot().Window(w.ID).JSON()), `"Row 0"`)
	})
}

// C09, B27: of a sheet with 2^31-1 cells the rows in use are counted and loaded,
// empty ones among them included, and the application goes on living.
func TestLoadSheet(t *testing.T) {
	r := newRig(t)
	var text strings.Builder
	want := func(i int) string {
		switch {
		case i == 5000:
			return "<nil>|<nil>|<nil>"
		case i%2 == 1:
			return fmt.Sprintf("Row %d|<nil>|x", i)
		}
		return fmt.Sprintf("Row %d|%d|x", i, 3*i)
	}
	for i := range 10000 {
		line := strings.ReplaceAll(want(i), "<nil>", "")
		text.WriteString(strings.ReplaceAll(line, "|", ",") + "\n")
	}
	csv := filepath.Join(r.desk.Home(), "sheet.csv")
	if err := os.WriteFile(csv, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r.launch("soffice", "--calc", "--norestore", "--nologo", "--infilter=CSV:44,34,76,1", csv)
	r.tool("timeout", "90", "xdotool", "search", "--sync", "--onlyvisible", "--name", "sheet.csv - LibreOffice Calc") // its start is not the test
	r.serve()
	w, label, block := r.listOf("Calc")
	if block.Total != 10000 {
		t.Errorf("the view says %d rows", block.Total)
	}
	r.eventually("all rows are loaded into the sheet", func() any { return r.load(w.ID, label, 0, 3) }, func() bool {
		return r.load(w.ID, label, 0, 3).Total == 10000 // LibreOffice tells fewer for as long as it lays the sheet out
	})
	for offset, n := range map[int]int{0: 3, 4999: 3, 9998: 2} {
		if got := r.loads(w.ID, label, offset, 3, want); len(got.Rows) != n || got.Total != 10000 || strings.Join(got.Columns, "") != "ABC" {
			t.Errorf("from %d on: %d rows of %d, columns %v", offset, len(got.Rows), got.Total, got.Columns)
		}
	}
	if got := r.loads(w.ID, label, 100, 500, want); len(got.Rows) < 100 {
		t.Errorf("a long part: %d rows", len(got.Rows))
	}
	r.must(w.ID, "read_menu", map[string]any{"menu": "File"})
}

// testFile is the path of a file of testdata.
func testFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
