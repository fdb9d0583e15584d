// Command witness says all that it reads of a window and calls every function of
// the host. Its twins in the other languages must say the same.
package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

func init() { pluginsdk.Register(pluginsdk.Adapter{Translate: translate, Invoke: invoke}) }

func main() {}

func translate(r *tree.Reader) (*hostabi.View, error) {
	v := &hostabi.View{Title: r.Window().Title, Summary: "All that is there."}
	v.Blocks = []hostabi.Block{
		window(r), nodes(r), sides(r),
		{Key: "notice", Type: hostabi.Notice, Text: "a\"b\\c\n\t\r\x01\u007fÄ€😀", Severity: hostabi.Warn, Sensitive: true},
		{Key: "list", Type: hostabi.List, List: []hostabi.Scalar{nil, true, false, int64(-1 << 63), 0.1, 1e300, -2.5e-7, 5e-324, "x"}, Ordered: true, Truncated: true, Offset: 3, Total: 20},
		{Key: "media", Type: hostabi.Media, Region: hostabi.Region{X: -1, W: 2, H: 3}, Alt: "a picture"},
		{Key: "custom", Type: hostabi.Custom, Payload: `{"a":[1]}`},
	}
	v.Actions = []hostabi.Action{{Name: "echo", Title: "Echo", Description: "Gives back.", Input: `{"type":"object"}`, Output: `{"type":"object"}`, ReadOnly: true, Idempotent: true}}
	v.AppActions = []hostabi.Action{{Name: "quit", Title: "Quit", Description: "Ends it.", Destructive: true, OpenWorld: true, Unavailable: "not now", Patience: 1500}}
	return v, nil
}

func id(n uint64) string { return strconv.FormatUint(n, 10) }

func rect(r tree.Rect) string { return fmt.Sprintf("%d,%d,%d,%d", r.X, r.Y, r.W, r.H) }

func window(r *tree.Reader) hostabi.Block {
	w, f := r.Window(), r.Frame()
	why, partial := r.Partial()
	if !partial {
		why = ""
	}
	b := hostabi.Block{Key: "window", Type: hostabi.Fields}
	add := func(label string, v hostabi.Scalar) { b.Items = append(b.Items, hostabi.Field{Label: label, Value: v}) }
	add("handle", id(w.Handle))
	add("owner", id(w.Owner))
	add("class", w.Class)
	add("instance", w.Instance)
	add("app", w.App)
	add("process", w.Process)
	add("version", w.AppVersion)
	add("toolkit", w.Toolkit)
	add("role", w.Role)
	add("bounds", rect(w.Bounds))
	add("modal", w.Modal)
	add("states", int64(w.States))
	add("surfaces", int64(len(w.Surfaces)))
	add("digest", f.Digest)
	add("width", int64(f.W))
	add("height", int64(f.H))
	add("partial", partial)
	add("why", why)
	return b
}

var columns = strings.Fields("id states total first parent subtree ifaces surface bounds has name description text label count role end sensitive child within find click class described")

func nodes(r *tree.Reader) hostabi.Block {
	b := hostabi.Block{Key: "nodes", Type: hostabi.Table, Columns: columns}
	for c := range r.All() {
		i := func(c tree.Cursor) int64 { return int64(c.Index()) }
		b.Rows = append(b.Rows, []hostabi.Scalar{
			id(uint64(c.ID())), id(uint64(c.States())), c.ChildrenTotal(), c.ChildrenFirst(), i(c.Parent()), int64(c.Subtree()),
			int64(c.Ifaces()), int64(c.Surface()), rect(c.WindowBounds()), c.HasBounds(), c.Name(), c.Description(), c.Text(), c.Label(),
			int64(c.ChildrenCount()), int64(c.Role()), int64(c.End()), c.Sensitive(), i(c.Child(1)), i(c.Within(tree.RoleTable)),
			i(c.Find(tree.RoleLabel)), int64(c.Action("click")), c.Attribute("class"), i(c.Related(tree.DescribedBy)),
		})
	}
	return b
}

func sides(r *tree.Reader) hostabi.Block {
	b := hostabi.Block{Key: "sides", Type: hostabi.Table, Columns: strings.Fields("node kind a b c d e f")}
	for c := range r.All() {
		add := func(kind string, s ...hostabi.Scalar) {
			row := append([]hostabi.Scalar{int64(c.Index()), kind}, s...)
			b.Rows = append(b.Rows, append(row, make([]hostabi.Scalar, 8-len(row))...))
		}
		for k, v := range c.Attributes() {
			add("attribute", k, v)
		}
		for i, a := range c.Actions() {
			add("action", int64(i), a.Name, a.Description, a.KeyBinding)
		}
		for rel := range c.Relations() {
			add("relation", int64(rel.Kind), id(uint64(rel.Target)))
		}
		if v, ok := c.Value(); ok {
			add("value", v.Current, v.Min, v.Max, v.Step)
		}
		if t, ok := c.TextInfo(); ok {
			add("text", int64(t.Caret), int64(t.SelStart), int64(t.SelEnd), t.Length, t.First)
		}
		if t, ok := c.Table(); ok {
			add("table", t.Rows, t.Columns)
		}
		if l, ok := c.Cell(); ok {
			add("cell", int64(l.Row), int64(l.Column), int64(l.RowSpan), int64(l.ColumnSpan), id(uint64(l.RowHeader)), id(uint64(l.ColumnHeader)))
		}
	}
	return b
}

// args are the arguments of all functions alike.
type args struct{ hostabi.Value }

func (a args) int(key string) int64     { return a.Get(key).Int() }
func (a args) str(key string) string    { return a.Get(key).Str() }
func (a args) float(key string) float64 { return a.Get(key).Float() }

func (a args) id() tree.NodeID {
	n, _ := strconv.ParseUint(a.str("id"), 10, 64)
	return tree.NodeID(n)
}

func (a args) list() (out []string) {
	for v := range a.Get("list").Elements() {
		out = append(out, v.Str())
	}
	return out
}

func (a args) region() *hostabi.Region {
	r := args{a.Get("region")}
	if r.Kind() != hostabi.KindObject {
		return nil
	}
	return &hostabi.Region{X: int32(r.int("x")), Y: int32(r.int("y")), W: int32(r.int("w")), H: int32(r.int("h"))}
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	if c.Action == "echo" {
		return &hostabi.Outcome{Message: "echo", Result: string(echo(nil, c.Args)), Effect: hostabi.Unchanged}, nil
	}
	var out []hostabi.Scalar
	seen := func(r *tree.Reader, err error) error {
		if err == nil {
			out = append(out, r.Window().Title, int64(r.Len()), id(uint64(r.Root().ID())))
		}
		return err
	}
	if err := act(c.Action, args{c.Args}, &out, seen); err != nil {
		return nil, err
	}
	result := []byte(`{"out":[`)
	for i, s := range out {
		if i > 0 {
			result = append(result, ',')
		}
		result = hostabi.AppendScalar(result, s)
	}
	return &hostabi.Outcome{Message: "done", Result: string(result) + "]}"}, nil
}

// echo writes a value again from what was read of it.
func echo(dst []byte, v hostabi.Value) []byte {
	switch v.Kind() {
	case hostabi.KindArray:
		dst = append(dst, '[')
		for e := range v.Elements() {
			dst = append(echo(dst, e), ',')
		}
		return append(trim(dst), ']')
	case hostabi.KindObject:
		dst = append(dst, '{')
		for k, e := range v.Members() {
			dst = append(echo(append(hostabi.AppendString(dst, k), ':'), e), ',')
		}
		return append(trim(dst), '}')
	default:
		return hostabi.AppendScalar(dst, v.Scalar())
	}
}

func trim(b []byte) []byte {
	if b[len(b)-1] == ',' {
		return b[:len(b)-1]
	}
	return b
}

func act(action string, a args, out *[]hostabi.Scalar, seen func(*tree.Reader, error) error) (err error) {
	add := func(s ...hostabi.Scalar) { *out = append(*out, s...) }
	n, m, x, y := a.int("n"), a.int("m"), a.int("a"), a.int("b")
	text, data, flag := a.str("text"), a.str("data"), a.Get("flag").Bool()
	switch action {
	case "refuse":
		return pluginsdk.Refuse(hostabi.Code(text), data)
	case "invalid":
		return pluginsdk.Invalid(text, data)
	case "until":
		return seen(pluginsdk.WaitUntil(time.Duration(x)*time.Millisecond, func(r *tree.Reader) bool { return r.Window().Title == text }))
	case "oriel:tree observe":
		return seen(pluginsdk.Observe())
	case "oriel:tree children":
		return seen(pluginsdk.Children(a.id(), x, int(n)))
	case "oriel:tree cells":
		return seen(pluginsdk.Cells(a.id(), x, y, int(n), int(m)))
	case "oriel:tree text":
		s, err := pluginsdk.ReadText(a.id(), x, int(n))
		add(s)
		return err
	case "oriel:a11y action":
		return pluginsdk.DoAction(a.id(), int(n))
	case "oriel:a11y set_text":
		if flag {
			return pluginsdk.InsertText(a.id(), x, text)
		}
		return pluginsdk.SetText(a.id(), text)
	case "oriel:a11y set_value":
		return pluginsdk.SetValue(a.id(), a.float("f"))
	case "oriel:a11y select":
		if flag {
			return pluginsdk.Deselect(a.id(), x)
		}
		return pluginsdk.Select(a.id(), x)
	case "oriel:a11y select_text":
		return pluginsdk.SelectText(a.id(), x, y)
	case "oriel:a11y focus":
		return pluginsdk.Focus(a.id())
	case "oriel:a11y scroll_to":
		return pluginsdk.ScrollTo(a.id())
	case "oriel:window close":
		return pluginsdk.CloseWindow()
	case "oriel:window activate":
		return pluginsdk.ActivateWindow()
	case "oriel:input move":
		return pluginsdk.Move(int32(n), int32(m))
	case "oriel:input click":
		return pluginsdk.ClickWith(hostabi.ClickRequest{X: int32(n), Y: int32(m), Button: text, Count: int(x), Modifiers: a.list()})
	case "oriel:input drag":
		return pluginsdk.Drag(hostabi.DragRequest{X: int32(n), Y: int32(m), ToX: int32(x), ToY: int32(y), Button: text, Modifiers: a.list()})
	case "oriel:input scroll":
		return pluginsdk.Scroll(int32(n), int32(m), int(x), int(y))
	case "oriel:input keys":
		return pluginsdk.Keys(a.list()...)
	case "oriel:input text":
		return pluginsdk.Type(text)
	case "oriel:capture window":
		i, err := pluginsdk.Capture(a.region())
		add(int64(i.W), int64(i.H), int64(len(i.RGBA)))
		return err
	case "oriel:capture find":
		list, err := pluginsdk.FindImage(hostabi.FindRequest{PNG: []byte(text), Region: a.region(), Threshold: a.float("f")})
		for _, f := range list {
			add(rect(tree.Rect{X: f.X, Y: f.Y, W: f.W, H: f.H}), f.Score)
		}
		return err
	case "oriel:ocr text":
		list, err := pluginsdk.OCR(a.region())
		for _, w := range list {
			add(w.Text, rect(tree.Rect{X: w.X, Y: w.Y, W: w.W, H: w.H}), int64(w.Line), w.Confidence)
		}
		return err
	case "oriel:clipboard types":
		list, err := pluginsdk.ClipboardTypes()
		for _, s := range list {
			add(s)
		}
		return err
	case "oriel:clipboard read":
		b, err := pluginsdk.ReadClipboard(text)
		add(string(b))
		return err
	case "oriel:clipboard write":
		return pluginsdk.WriteClipboard(text, []byte(data))
	case "oriel:kv get":
		b, there, err := pluginsdk.Load(text)
		add(there, string(b))
		return err
	case "oriel:kv set":
		return pluginsdk.Store(text, []byte(data))
	case "oriel:kv delete":
		return pluginsdk.Delete(text)
	case "oriel:wait change":
		changed, err := pluginsdk.WaitChange(time.Duration(x) * time.Millisecond)
		add(changed)
		return err
	case "oriel:log write":
		pluginsdk.Log(pluginsdk.Level(text), data)
		return nil
	default:
		return pluginsdk.Refuse(hostabi.CodeUnsupported, "no function "+action)
	}
}
