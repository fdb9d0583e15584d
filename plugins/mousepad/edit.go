package main

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// Bounds of the text that is worked on as a whole.
const (
	maxWhole  = 4 << 20 // characters
	pageSize  = 100_000
	maxPlaces = 50
)

// whole reads the whole text.
func (e *editor) whole() (string, error) {
	n := e.length()
	if n > maxWhole {
		return "", pluginsdk.Refuse(hostabi.CodeUnsupported, "the text of "+count(n, "character")+" is too long for this; use load_text for a part of it")
	}
	var b strings.Builder
	for at := int64(0); at < n; {
		page, err := pluginsdk.ReadText(e.document.Node.ID(), at, pageSize)
		if err != nil {
			return "", err
		}
		if page == "" {
			break
		}
		b.WriteString(page)
		at += int64(utf8.RuneCountInString(page))
	}
	return b.String(), nil
}

// characters is the outcome of an edit: how long the text is afterwards.
func characters(message string, n int, effect hostabi.Effect) *hostabi.Outcome {
	return &hostabi.Outcome{
		Message: message, Result: new(window.Object).Set("characters", int64(n)).JSON(), Effect: effect,
	}
}

// put replaces the whole text and sees that it is there.
func (e *editor) put(text string) (hostabi.Effect, error) {
	if err := window.WriteText(e.document.Node, text); err != nil {
		return "", err
	}
	if _, seen := window.ReadBack(e.document.Node.ID(), text); seen {
		return hostabi.Confirmed, nil
	}
	return "", nil
}

func (e *editor) setText(args hostabi.Value) (*hostabi.Outcome, error) {
	text := args.Get("text").Str()
	n := utf8.RuneCountInString(text)
	if int64(n) == e.length() {
		now, err := e.whole()
		if err != nil {
			return nil, err
		}
		if now == text {
			return characters("The document holds this text already.", n, hostabi.Unchanged), nil
		}
	}
	effect, err := e.put(text)
	if err != nil {
		return nil, err
	}
	return characters("Set the text to "+count(int64(n), "character")+".", n, effect), nil
}

func (e *editor) insertText(args hostabi.Value) (*hostabi.Outcome, error) {
	text, node := args.Get("text").Str(), e.document.Node
	if text == "" {
		return nil, pluginsdk.Invalid("text", "is empty; there is nothing to insert")
	}
	before := e.length()
	at := int64(0)
	switch args.Get("where").Str() {
	case "start":
	case "end":
		at = before
	case "cursor":
		info, ok := node.TextInfo()
		if !ok || info.Caret < 0 {
			return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the editor does not tell where the cursor is; use start or end")
		}
		at = int64(info.Caret)
	default:
		return nil, pluginsdk.Invalid("where", "must be start, end or cursor")
	}
	if err := pluginsdk.InsertText(node.ID(), at, text); err != nil {
		return nil, err
	}
	n := utf8.RuneCountInString(text)
	effect := hostabi.Effect("")
	if e.shows(at, text) {
		effect = hostabi.Confirmed
	}
	return characters("Inserted "+count(int64(n), "character")+".", int(before)+n, effect), nil
}

// shows waits until text stands at an offset of the document.
func (e *editor) shows(at int64, text string) bool {
	n := utf8.RuneCountInString(text)
	there := func() bool {
		now, err := pluginsdk.ReadText(e.document.Node.ID(), at, n)
		return err == nil && now == text
	}
	if there() {
		return true
	}
	_, err := pluginsdk.WaitUntil(window.SettleTime, func(*tree.Reader) bool { return there() })
	return err == nil
}

func (e *editor) replaceText(args hostabi.Value) (*hostabi.Outcome, error) {
	find, replace := args.Get("find").Str(), args.Get("replace").Str()
	if find == "" {
		return nil, pluginsdk.Invalid("find", "is empty; say which text to replace")
	}
	text, err := e.whole()
	if err != nil {
		return nil, err
	}
	n, limit := strings.Count(text, find), -1
	if args.Get("first_only").Bool() {
		n, limit = min(n, 1), 1
	}
	out := &hostabi.Outcome{Result: new(window.Object).Set("replaced", int64(n)).JSON()}
	if n == 0 || find == replace {
		out.Message, out.Effect = "The text does not occur, so nothing was replaced.", hostabi.Unchanged
		if n > 0 {
			out.Message = "The two texts are the same, so nothing was replaced."
		}
		return out, nil
	}
	out.Message = "Replaced " + count(int64(n), "occurrence") + "."
	out.Effect, err = e.put(strings.Replace(text, find, replace, limit))
	return out, err
}

func (e *editor) findText(args hostabi.Value) (*hostabi.Outcome, error) {
	find := args.Get("find").Str()
	if find == "" {
		return nil, pluginsdk.Invalid("find", "is empty; say which text to find")
	}
	text, err := e.whole()
	if err != nil {
		return nil, err
	}
	fold := func(s string) string { return s }
	if args.Get("any_case").Bool() {
		fold = strings.ToLower
	}
	find = fold(find)
	var places []string
	found, number := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		folded := fold(line)
		for at := 0; ; {
			i := strings.Index(folded[at:], find)
			if i < 0 {
				break
			}
			found++
			if len(places) < maxPlaces {
				column := utf8.RuneCountInString(folded[:at+i]) + 1
				places = append(places, strconv.Itoa(number)+":"+strconv.Itoa(column)+": "+window.Cut(window.Clean(line), 100))
			}
			at += i + len(find)
		}
	}
	if strings.Contains(find, "\n") {
		found = strings.Count(fold(text), find)
	}
	result := new(window.Object).Set("found", int64(found)).List("places", places)
	return &hostabi.Outcome{Message: "Found " + count(int64(found), "place") + ".", Result: result.JSON(), Effect: hostabi.Unchanged}, nil
}

// choose chooses an item of a menu.
func (e *editor) choose(it item) (*hostabi.Outcome, error) {
	if it.menu >= len(e.Menus) {
		return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the editor shows no menu bar; switch it on first")
	}
	menu := e.Menus[it.menu]
	entries, err := window.MenuEntries(menu.Node.ID())
	if err != nil {
		return nil, err
	}
	for i := range entries {
		m := &entries[i]
		if !m.HasKeys(it.chord) && !window.SameLabel(m.Label, it.label) {
			continue
		}
		if !m.Enabled {
			return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "“"+m.Label+"” cannot be chosen now")
		}
		if err := e.ChooseEntry(menu.Node, *m); err != nil {
			return nil, err
		}
		return &hostabi.Outcome{Message: it.done}, nil
	}
	return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the menu “"+menu.Label+"” has no item “"+it.label+"”")
}

// save saves and waits until the title says so. A document without a file opens
// a file chooser instead, which the host sees.
func (e *editor) save() (*hostabi.Outcome, error) {
	out, err := e.choose(saveItem)
	if err != nil {
		return nil, err
	}
	if !e.name.hasFile() {
		out.Message = "Asked for the file's name; a file chooser opens."
		return out, nil
	}
	_, err = pluginsdk.WaitUntil(window.SettleTime, func(r *tree.Reader) bool { return !parseTitle(r.Window().Title).modified })
	if err != nil {
		out.Message = "Asked the editor to save; it was not seen to finish. Read the window again."
		return out, nil
	}
	out.Message, out.Effect = "Saved "+e.name.file+".", hostabi.Confirmed
	return out, nil
}
