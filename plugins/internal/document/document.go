// Package document works on the whole text of a text editor's window: it reads,
// replaces, inserts and searches. Offsets towards the application are in its own
// units; Qt counts UTF-16 units, in which an emoji is two, the others characters.
package document

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// The names of the actions.
const (
	SetText     = "set_text"
	InsertText  = "insert_text"
	ReplaceText = "replace_text"
	FindText    = "find_text"
	LoadText    = "load_text"
)

// Bounds of the text that is worked on.
const (
	maxWhole  = 4 << 20 // bytes
	pageSize  = 100_000 // units of one read
	maxPlaces = 50
)

// Document is the text that a window is about.
type Document struct {
	*window.Field
	UTF16 bool // the application counts UTF-16 units
}

// Invoke carries out one of the actions that [Document.Actions] offers; ok is
// false for any other.
func (d Document) Invoke(c *pluginsdk.Call) (out *hostabi.Outcome, ok bool, err error) {
	switch c.Action {
	case SetText:
		out, err = d.setText(c.Args)
	case InsertText:
		out, err = d.insertText(c.Args)
	case ReplaceText:
		out, err = d.replaceText(c.Args)
	case FindText:
		out, err = d.findText(c.Args)
	case LoadText:
		out, err = window.ReadPart(d.Field, c.Args)
	default:
		return nil, false, nil
	}
	return out, true, err
}

// units is how long a text is for the application.
func (d Document) units(s string) int64 {
	n := int64(utf8.RuneCountInString(s))
	if d.UTF16 {
		for _, r := range s {
			if r > 0xffff {
				n++
			}
		}
	}
	return n
}

// Read reads the whole text.
func (d Document) Read() (string, error) {
	var b strings.Builder
	for at := int64(0); ; {
		page, err := pluginsdk.ReadText(d.Node.ID(), at, pageSize)
		if err != nil {
			return "", err
		}
		n := d.units(page)
		if d.UTF16 && n == pageSize {
			// The last character may be the half of one that the page cuts.
			_, size := utf8.DecodeLastRuneInString(page)
			page = page[:len(page)-size]
			b.WriteString(page)
			at += d.units(page)
		} else {
			b.WriteString(page)
			at += n
		}
		if b.Len() > maxWhole {
			return "", pluginsdk.Refuse(hostabi.CodeUnsupported, "the text is too long for this; use "+LoadText+" for a part of it")
		}
		if n < pageSize {
			return b.String(), nil
		}
	}
}

// await reads the text until it is the expected one, at most for the settle
// time, and returns the effect that an outcome has then.
func (d Document) await(want string) hostabi.Effect {
	there := func() bool {
		now, err := d.Read()
		return err == nil && now == want
	}
	if there() {
		return hostabi.Confirmed
	}
	if _, err := pluginsdk.WaitUntil(window.SettleTime, func(*tree.Reader) bool { return there() }); err == nil {
		return hostabi.Confirmed
	}
	return hostabi.Unconfirmed
}

// put replaces the whole text.
func (d Document) put(text string) (hostabi.Effect, error) {
	if err := window.WriteText(d.Node, text); err != nil {
		return "", err
	}
	return d.await(text), nil
}

// characters is the outcome of an edit: how long the text is afterwards.
func characters(message, text string, effect hostabi.Effect) *hostabi.Outcome {
	if effect == hostabi.Unconfirmed {
		message += " It was not seen to be there; read the window again."
	}
	result := new(window.Object).Set("characters", int64(utf8.RuneCountInString(text)))
	return &hostabi.Outcome{Message: message, Result: result.JSON(), Effect: effect}
}

// Count is a number with its word.
func Count(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.FormatInt(n, 10) + " " + word + "s"
}

func (d Document) setText(args hostabi.Value) (*hostabi.Outcome, error) {
	text := args.Get("text").Str()
	now, err := d.Read()
	if err != nil {
		return nil, err
	}
	if now == text {
		return characters("The document holds this text already.", text, hostabi.Unchanged), nil
	}
	effect, err := d.put(text)
	if err != nil {
		return nil, err
	}
	return characters("Set the text to "+Count(int64(utf8.RuneCountInString(text)), "character")+".", text, effect), nil
}

func (d Document) insertText(args hostabi.Value) (*hostabi.Outcome, error) {
	text := args.Get("text").Str()
	if text == "" {
		return nil, pluginsdk.Invalid("text", "is empty; there is nothing to insert")
	}
	before, err := d.Read()
	if err != nil {
		return nil, err
	}
	at := int64(0)
	switch args.Get("where").Str() {
	case "start":
	case "end":
		at = d.units(before)
	case "cursor":
		info, ok := d.Node.TextInfo()
		if !ok || info.Caret < 0 {
			return nil, pluginsdk.Refuse(hostabi.CodeUnavailable, "the editor does not tell where the cursor is; use start or end")
		}
		at = int64(info.Caret)
	default:
		return nil, pluginsdk.Invalid("where", "must be start, end or cursor")
	}
	head := d.head(before, at)
	if err := pluginsdk.InsertText(d.Node.ID(), d.units(head), text); err != nil {
		return nil, err
	}
	want := head + text + before[len(head):]
	return characters("Inserted "+Count(int64(utf8.RuneCountInString(text)), "character")+".", want, d.await(want)), nil
}

// head is the part of a text before a place, which never cuts a character.
func (d Document) head(text string, at int64) string {
	n := int64(0)
	for i, r := range text {
		if n >= at {
			return text[:i]
		}
		if n++; d.UTF16 && r > 0xffff {
			n++
		}
	}
	return text
}

func (d Document) replaceText(args hostabi.Value) (*hostabi.Outcome, error) {
	find, replace := args.Get("find").Str(), args.Get("replace").Str()
	if find == "" {
		return nil, pluginsdk.Invalid("find", "is empty; say which text to replace")
	}
	text, err := d.Read()
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
	out.Message = "Replaced " + Count(int64(n), "occurrence") + "."
	out.Effect, err = d.put(strings.Replace(text, find, replace, limit))
	return out, err
}

func (d Document) findText(args hostabi.Value) (*hostabi.Outcome, error) {
	find := args.Get("find").Str()
	if find == "" {
		return nil, pluginsdk.Invalid("find", "is empty; say which text to find")
	}
	text, err := d.Read()
	if err != nil {
		return nil, err
	}
	fold := func(s string) string { return s }
	if args.Get("any_case").Bool() {
		fold = strings.ToLower
	}
	lines := strings.Split(text, "\n")
	text, find = fold(text), fold(find)
	var places []string
	found, line := 0, 1
	for at := 0; ; {
		i := strings.Index(text[at:], find)
		if i < 0 {
			break
		}
		line += strings.Count(text[at:at+i], "\n")
		at += i
		start := strings.LastIndexByte(text[:at], '\n') + 1
		if found++; len(places) < maxPlaces {
			words := lines[line-1]
			column := utf8.RuneCountInString(text[start:at]) + 1
			places = append(places, strconv.Itoa(line)+":"+strconv.Itoa(column)+": "+window.Cut(window.Clean(words), 100))
		}
		line += strings.Count(find, "\n")
		at += len(find)
	}
	result := new(window.Object).Set("found", int64(found)).List("places", places)
	return &hostabi.Outcome{Message: "Found " + Count(int64(found), "place") + ".", Result: result.JSON(), Effect: hostabi.Unchanged}, nil
}

// Actions are those on the text. readOnly says why it cannot be edited, "" if it
// can.
func (d Document) Actions(readOnly string) []hostabi.Action {
	text := func() *window.Schema { return new(window.Schema) }
	chars := text().Int("characters", "Characters in the document afterwards", true, 0).JSON()
	return []hostabi.Action{
		{
			Name: SetText, Title: "Set the whole text", Destructive: true, Idempotent: true, Unavailable: readOnly,
			Description: "Replaces the whole text of the document. It does not save the file.",
			Input:       text().String("text", "The new text", true).JSON(), Output: chars,
		},
		{
			Name: InsertText, Title: "Insert text", Unavailable: readOnly,
			Description: "Inserts text at the start, at the end or at the cursor. It does not save the file.",
			Input: text().String("text", "The text to insert, line ends included", true).
				String("where", "Where to insert", true, "start", "end", "cursor").JSON(),
			Output: chars,
		},
		{
			Name: ReplaceText, Title: "Replace text", Destructive: true, Unavailable: readOnly,
			Description: "Replaces a text by another everywhere in the document, upper and lower case being different. It does not save the file.",
			Input: text().String("find", "The text to find, exactly", true).String("replace", "What to put in its place", true).
				Bool("first_only", "Replace the first occurrence only", false).JSON(),
			Output: text().Int("replaced", "How many were replaced", true, 0).JSON(),
		},
		{
			Name: FindText, Title: "Find text", ReadOnly: true, Idempotent: true,
			Description: "Finds a text in the document and tells the line, the column and the words of the line for each place, at most 50.",
			Input:       text().String("find", "The text to find", true).Bool("any_case", "Take upper and lower case as the same", false).JSON(),
			Output: text().Int("found", "How many there are", true, 0).
				Raw("places", `"type":"array","items":{"type":"string"}`, "Each as “line:column: words of the line”", true).JSON(),
		},
		{
			Name: LoadText, Title: "Read a part of the text", ReadOnly: true, Idempotent: true,
			Description: "Reads the characters from offset on, for texts that are longer than the content shows.",
			Input: text().Int("offset", "First character, from 0", false, 0).
				Int("length", "Number of characters, at most 20000; 4000 if absent", false, 1).JSON(),
			Output: window.TextResult(),
		},
	}
}
