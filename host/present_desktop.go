package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// readWindow is a window of desktop_read, as far as it is shown.
type readWindow struct {
	ID        string      `json:"id"`
	App       string      `json:"app"`
	Title     string      `json:"title"`
	Modal     bool        `json:"modal"`
	OwnerID   *string     `json:"ownerId"`
	Version   int64       `json:"version"`
	Summary   string      `json:"summary"`
	Operable  bool        `json:"operable"`
	BlockedBy string      `json:"blockedBy"`
	Blocks    []readBlock `json:"blocks"`
	Actions   []struct {
		Name        string `json:"name"`
		Title       string `json:"title"`
		ReadOnly    bool   `json:"readOnly"`
		Destructive bool   `json:"destructive"`
	} `json:"actions"`
}

type readBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Severity string          `json:"severity"`
	Items    json.RawMessage `json:"items"` // fields: objects; list: scalars
	Ordered  bool            `json:"ordered"`
	Columns  []string        `json:"columns"`
	Rows     [][]any         `json:"rows"`
	Offset   int64           `json:"offset"`
	Total    *int64          `json:"total"`
	Alt      string          `json:"alt"`
	Payload  json.RawMessage `json:"payload"`
}

const (
	pageWidth = 100 // of what is written for a person, in characters
	shownRows = 10  // of a table or list
	shownText = 6   // lines of a text
)

// WriteWindows writes the result of desktop_read for a person: one paragraph for
// each window.
func WriteWindows(w io.Writer, result json.RawMessage) error {
	var desk struct {
		Windows []readWindow `json:"windows"`
	}
	d := json.NewDecoder(bytes.NewReader(result))
	d.UseNumber()
	if err := d.Decode(&desk); err != nil {
		return fmt.Errorf("reading the host's answer: %w", err)
	}
	var b strings.Builder
	if len(desk.Windows) == 0 {
		b.WriteString("No window is open.\n")
	}
	for i, win := range desk.Windows {
		if i > 0 {
			b.WriteByte('\n')
		}
		writeWindow(&b, &win)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeWindow(b *strings.Builder, w *readWindow) {
	mark := "●"
	if !w.Operable {
		mark = "○"
	}
	title := oneLine(w.Title)
	if title == "" {
		title = "(no title)"
	}
	fmt.Fprintf(b, "%s %s  %s", mark, w.ID, title)
	if w.App != "" {
		fmt.Fprintf(b, "  [%s]", w.App)
	}
	fmt.Fprintf(b, "  v%d\n", w.Version)
	switch {
	case w.Modal && w.OwnerID != nil:
		line(b, "dialog of "+*w.OwnerID)
	case w.Modal:
		line(b, "dialog of the application")
	}
	if !w.Operable {
		why := "takes no input now"
		if w.BlockedBy != "" {
			why += ": answer " + w.BlockedBy + " first"
		}
		line(b, why)
	}
	if w.Summary != "" {
		line(b, oneLine(w.Summary))
	}
	for _, block := range w.Blocks {
		block.write(b)
	}
	writeActions(b, w)
}

func writeActions(b *strings.Builder, w *readWindow) {
	if len(w.Actions) == 0 {
		return
	}
	names := make([]string, 0, len(w.Actions))
	for _, a := range w.Actions {
		name := a.Name
		if a.Destructive {
			name += "!"
		}
		names = append(names, name)
	}
	rest := "actions: " + strings.Join(names, ", ")
	for len(rest) > pageWidth-2 {
		at := strings.LastIndexByte(rest[:pageWidth-2], ' ')
		if at < 0 {
			break
		}
		line(b, rest[:at])
		rest = "         " + rest[at+1:]
	}
	line(b, rest)
}

// write shows a block: short texts and tables, cut with a word of what is left.
func (k *readBlock) write(b *strings.Builder) {
	switch k.Type {
	case "text":
		k.writeText(b)
	case "notice":
		line(b, fmt.Sprintf("[%s] %s", k.Severity, oneLine(k.Text)))
	case "fields":
		var items []struct {
			Label string `json:"label"`
			Value any    `json:"value"`
		}
		if decode(k.Items, &items) != nil {
			return
		}
		rows := make([][]string, 0, len(items))
		for _, f := range items {
			rows = append(rows, []string{f.Label, scalar(f.Value)})
		}
		grid(b, rows)
	case "table":
		k.writeTable(b)
	case "list":
		k.writeList(b)
	case "media":
		line(b, "(picture) "+oneLine(k.Alt))
	default:
		line(b, "("+k.Type+") "+clip(oneLine(string(k.Payload)), pageWidth-12))
	}
}

func (k *readBlock) writeText(b *strings.Builder) {
	lines := strings.Split(strings.TrimRight(k.Text, "\n"), "\n")
	for i, l := range lines {
		if i == shownText {
			line(b, fmt.Sprintf("… %d more lines", len(lines)-i))
			return
		}
		line(b, "│ "+clip(oneLine(l), pageWidth-4))
	}
}

func (k *readBlock) writeTable(b *strings.Builder) {
	rows := [][]string{k.Columns}
	for i, r := range k.Rows {
		if i == shownRows {
			break
		}
		cells := make([]string, len(r))
		for j, c := range r {
			cells[j] = scalar(c)
		}
		rows = append(rows, cells)
	}
	grid(b, rows)
	k.writeRest(b, len(k.Rows), "rows")
}

func (k *readBlock) writeList(b *strings.Builder) {
	var items []any
	if decode(k.Items, &items) != nil {
		return
	}
	for i, v := range items {
		if i == shownRows {
			break
		}
		bullet := "-"
		if k.Ordered {
			bullet = fmt.Sprintf("%d.", k.Offset+int64(i)+1)
		}
		line(b, clip(bullet+" "+oneLine(scalar(v)), pageWidth-2))
	}
	k.writeRest(b, len(items), "items")
}

// writeRest says how many of all are shown, unless it is all of them.
func (k *readBlock) writeRest(b *strings.Builder, have int, what string) {
	total := int64(have)
	if k.Total != nil {
		total = max(total, *k.Total)
	}
	if shown := min(have, shownRows); int64(shown) < total {
		line(b, fmt.Sprintf("… %d of %d %s", shown, total, what))
	}
}

// grid writes rows in columns as wide as they need, within the page.
func grid(b *strings.Builder, rows [][]string) {
	var width []int
	for _, r := range rows {
		for j, c := range r {
			if j == len(width) {
				width = append(width, 0)
			}
			width[j] = max(width[j], utf8.RuneCountInString(oneLine(c)))
		}
	}
	if len(width) == 0 {
		return
	}
	most := max(8, (pageWidth-2)/len(width)-2)
	if len(width) == 2 {
		most = pageWidth / 2
	}
	for _, r := range rows {
		var l strings.Builder
		for j, c := range r {
			c = clip(oneLine(c), most)
			l.WriteString(c)
			if j < len(r)-1 {
				l.WriteString(strings.Repeat(" ", min(width[j], most)-utf8.RuneCountInString(c)+2))
			}
		}
		line(b, l.String())
	}
}

func line(b *strings.Builder, text string) { b.WriteString("  " + strings.TrimRight(text, " ") + "\n") }

func decode(raw json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(v)
}

// scalar writes a value of a block.
func scalar(v any) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprint(v)
}

// oneLine replaces what would break or colour a line of a terminal.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, s))
}

// clip cuts a text to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(slices.Concat(r[:n-1], []rune("…")))
	}
	return s
}
