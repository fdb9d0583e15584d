package hostabi

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// roundTrip checks that a generated message reads as it was written.
func roundTrip[T any, P interface {
	*T
	Message
}](t *testing.T, gen *rapid.Generator[T]) {
	t.Run(reflect.TypeFor[T]().Name(), func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			want := gen.Draw(t, "message")
			text := Append(nil, P(&want))
			if !json.Valid(text) {
				t.Fatalf("%s is no JSON", text)
			}
			var got T
			if err := Read(text, P(&got)); err != nil {
				t.Fatalf("reading %s: %v", text, err)
			}
			if again := Append(nil, P(&got)); !bytes.Equal(text, again) {
				t.Fatalf("%s reads and writes as %s", text, again)
			}
		})
	})
}

func auto[T any, P interface {
	*T
	Message
}](t *testing.T) {
	roundTrip[T, P](t, rapid.Make[T]())
}

func TestMessagesReadAsWritten(t *testing.T) {
	auto[ChildrenRequest](t)
	auto[CellsRequest](t)
	auto[TextRequest](t)
	auto[NodeRequest](t)
	auto[ActionRequest](t)
	auto[SetTextRequest](t)
	auto[SetValueRequest](t)
	auto[SelectRequest](t)
	auto[SelectTextRequest](t)
	auto[MoveRequest](t)
	auto[ClickRequest](t)
	auto[DragRequest](t)
	auto[ScrollRequest](t)
	auto[KeysRequest](t)
	auto[TypeRequest](t)
	auto[CaptureRequest](t)
	auto[FindRequest](t)
	auto[FindReply](t)
	auto[OCRRequest](t)
	auto[OCRReply](t)
	auto[TypesReply](t)
	auto[ClipRequest](t)
	auto[ClipWriteRequest](t)
	auto[KVRequest](t)
	auto[KVSetRequest](t)
	auto[WaitRequest](t)
	auto[WaitReply](t)
	auto[LogRequest](t)
	auto[Manifest](t)
	auto[Fault](t)
	roundTrip[View](t, rapid.Custom(drawView))
	roundTrip[Outcome](t, rapid.Custom(func(t *rapid.T) Outcome {
		if rapid.Bool().Draw(t, "fault") {
			return Outcome{Fault: new(rapid.Make[Fault]().Draw(t, "fault"))}
		}
		return Outcome{Message: rapid.String().Draw(t, "message"), Result: `{"a":[1]}`, Effect: Confirmed}
	}))
}

func drawScalar(t *rapid.T) Scalar {
	return rapid.OneOf(
		rapid.Just[Scalar](nil), rapid.Map(rapid.String(), func(s string) Scalar { return s }),
		rapid.Map(rapid.Bool(), func(b bool) Scalar { return b }), rapid.Map(rapid.Int64(), func(n int64) Scalar { return n }),
		rapid.Map(rapid.Float64(), func(f float64) Scalar { return f }),
	).Draw(t, "scalar")
}

func drawView(t *rapid.T) View {
	s := rapid.String()
	scalars := rapid.SliceOfN(rapid.Custom(drawScalar), 0, 3)
	v := View{Title: s.Draw(t, "title"), Summary: s.Draw(t, "summary")}
	for range rapid.IntRange(0, 3).Draw(t, "blocks") {
		b := Block{
			Key: s.Draw(t, "key"), Type: BlockType(s.Draw(t, "type")), Text: s.Draw(t, "text"), Sensitive: rapid.Bool().Draw(t, "sensitive"),
			Columns: rapid.SliceOf(s).Draw(t, "columns"), List: scalars.Draw(t, "list"), Region: rapid.Make[Region]().Draw(t, "region"),
			Total: rapid.Int64().Draw(t, "total"), Rows: rapid.SliceOfN(scalars, 0, 3).Draw(t, "rows"), Payload: `{"x":1}`,
		}
		for range rapid.IntRange(0, 2).Draw(t, "items") {
			b.Items = append(b.Items, Field{Label: s.Draw(t, "label"), Value: drawScalar(t)})
		}
		v.Blocks = append(v.Blocks, b)
	}
	for range rapid.IntRange(0, 2).Draw(t, "actions") {
		v.Actions = append(v.Actions, Action{Name: s.Draw(t, "name"), Input: `{"type":"object"}`, ReadOnly: true, Patience: 5})
	}
	return v
}

// The wire form is a contract with other languages, so it is written down here.
func TestViewOnTheWire(t *testing.T) {
	v := &View{
		Title: "Save as", Summary: "A file is to be saved.",
		Blocks: []Block{
			{Key: "name", Type: Fields, Items: []Field{{Label: "Name", Value: "a.txt"}, {Label: "Size", Value: int64(3), Sensitive: true}, {Label: "None"}}},
			{Key: "files", Type: Table, Columns: []string{"Name", "Ratio"}, Rows: [][]Scalar{{"b", 0.5}, {nil, true}}, Truncated: true, Offset: 2, Total: 9},
			{Key: "shot", Type: Media, Region: Region{X: 1, Y: 2, W: 3, H: 4}, Alt: "the preview"},
			{Key: "own", Type: Custom, Payload: `{"a":1}`},
		},
		Actions: []Action{{Name: "save", Title: "Save", Description: "Saves.", Input: `{"type":"object"}`, Destructive: true, Unavailable: "no name"}},
	}
	const want = `{"title":"Save as","summary":"A file is to be saved.","blocks":[` +
		`{"key":"name","type":"fields","items":[{"label":"Name","value":"a.txt"},{"label":"Size","value":3,"sensitive":true},{"label":"None"}]},` +
		`{"key":"files","type":"table","columns":["Name","Ratio"],"rows":[["b",0.5],[null,true]],"truncated":true,"offset":2,"total":9},` +
		`{"key":"shot","type":"media","region":{"x":1,"y":2,"w":3,"h":4},"alt":"the preview"},` +
		`{"key":"own","type":"custom","payload":{"a":1}}],` +
		`"actions":[{"name":"save","title":"Save","description":"Saves.","input":{"type":"object"},"destructive":true,"unavailable":"no name"}]}`
	if got := string(AppendView(nil, v)); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	back, err := ParseView([]byte(want))
	if err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("it reads\n%+v, %v; want\n%+v", back, err, v)
	}
}

func TestFaultInPlaceOfAView(t *testing.T) {
	out := AppendOutcome(nil, &Outcome{Fault: &Fault{Code: CodeGone, Message: "gone; look again"}})
	_, err := ParseView(out)
	if f, ok := err.(*Fault); !ok || f.Code != CodeGone {
		t.Errorf("got %v, want the fault", err)
	}
}

// W24: an error names the place.
func TestReadingNamesThePlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"title":5}`: "reading view: title: want a string, got a number",
		`{"blocks":[{},{"items":[{"label":[]}]}]}`: "reading view: blocks[1]: items[0]: label: want a string, got an array",
		`{"blocks":[{"rows":[[1],[{}]]}]}`:         "reading view: blocks[0]: rows[1]: [0]: want a string, number, boolean or null, got an object",
		`{"titel":"x"}`:                            "reading view: titel: is no key of oriel/1; leave it out",
		`{"actions":[{"patience":1.5}]}`:           "reading view: actions[0]: patience: want an integer that fits, got 1.5",
		`[]`:                                       "reading view: want an object, got an array",
		`{"blocks":`:                               "reading view: reading JSON: want a value at byte 10",
		`{"blocks":[{"region":{"x":4294967296}}]}`: "reading view: blocks[0]: region: x: want an integer that fits, got 4294967296",
	} {
		if _, err := ParseView([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
	for text, m := range map[string]Message{`{"id":5}`: &NodeRequest{}, `{"id":"-1"}`: &NodeRequest{}, `{"data":"%"}`: &KVSetRequest{}, `{"x":1}`: &Nothing{}} {
		if err := Read([]byte(text), m); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestInvalidUTF8CostsNoView(t *testing.T) {
	v, err := ParseView([]byte("{\"title\":\"a\xe2\x82\"}"))
	if err != nil || v.Title != "a\uFFFD" {
		t.Errorf("got %+v, %v", v, err)
	}
}

func TestCallReadsAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Call{Action: rapid.String().Draw(t, "action"), Args: `{"a":1}`, Observation: rapid.SliceOf(rapid.Byte()).Draw(t, "tree")}
		if rapid.Bool().Draw(t, "none") {
			want.Args = ""
		}
		b := AppendCall(nil, &want)
		got, err := ParseCall(b)
		if err != nil {
			t.Fatal(err)
		}
		if (len(b)-len(want.Observation))%8 != 0 {
			t.Fatal("the observation is not aligned")
		}
		if got.Action != want.Action || got.Args != want.Args || !bytes.Equal(got.Observation, want.Observation) {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
	for _, b := range [][]byte{nil, {1, 2}, {255, 255, 255, 255, 255, 255, 255, 255}, {9, 0, 0, 0, 0, 0, 0, 0, 'x'}} {
		if _, err := ParseCall(b); err == nil {
			t.Errorf("%v is taken", b)
		}
	}
}

func TestImage(t *testing.T) {
	want := Image{W: 2, H: 1, RGBA: []byte{1, 2, 3, 255, 4, 5, 6, 255}}
	got, err := ParseImage(AppendImage(nil, &want))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, b := range [][]byte{nil, {1, 0, 0, 0, 1, 0, 0, 0}, bytes.Repeat([]byte{255}, 12)} {
		if _, err := ParseImage(b); err == nil {
			t.Errorf("%v is taken", b)
		}
	}
}

// W07: the table holds each function once, and names no capability twice.
func TestFunctionsAreDistinct(t *testing.T) {
	seen := map[Function]bool{}
	var order []Capability
	for _, f := range Functions {
		key := Function{Capability: f.Capability, Name: f.Name}
		if seen[key] {
			t.Errorf("%s %s comes twice", f.Capability, f.Name)
		}
		seen[key] = true
		if got, ok := Lookup(string(f.Capability), f.Name); !ok || got != f {
			t.Errorf("Lookup(%s, %s) is %v, %v", f.Capability, f.Name, got, ok)
		}
		if len(order) == 0 || order[len(order)-1] != f.Capability {
			order = append(order, f.Capability)
		}
		if !strings.HasPrefix(string(f.Capability), "oriel:") {
			t.Errorf("%s is not ours", f.Capability)
		}
	}
	if len(order) != 10 {
		t.Errorf("%d capabilities in a row, want each of the 10 once: %v", len(order), order)
	}
	if _, ok := Lookup(HostModule, "take"); ok {
		t.Error("take is no function of a capability")
	}
}

// The table in the comment of functions.go is what authors read.
func TestFunctionsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("functions.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Functions {
		if row := "//\t" + string(f.Capability) + " " + f.Name + " "; !strings.Contains(string(source), row) {
			t.Errorf("functions.go has no row for %s %s", f.Capability, f.Name)
		}
	}
	if got := strings.Count(string(source), "//\toriel:"); got != len(Functions) {
		t.Errorf("functions.go has %d rows, want %d", got, len(Functions))
	}
}

// FuzzView feeds the host anything that an adapter could return.
func FuzzView(f *testing.F) {
	f.Add([]byte(`{"title":"a","blocks":[{"key":"k","type":"table","columns":["a"],"rows":[[1],["b"]],"region":{"x":1}}],"actions":[{"name":"n","input":{"a":[]}}]}`))
	f.Add([]byte(`{"fault":{"code":"gone","fields":[{"field":"a","error":"b"}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := ParseView(b)
		if err != nil {
			return
		}
		text := AppendView(nil, v)
		again, err := ParseView(text)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if third := AppendView(nil, again); !bytes.Equal(text, third) {
			t.Fatalf("%s is written again as %s", text, third)
		}
	})
}

func benchView() *View {
	v := &View{Title: "Untitled 1", Summary: "A document of 2 lines."}
	for range 40 {
		v.Blocks = append(v.Blocks, Block{
			Key: "k", Type: Table, Columns: []string{"Name", "Size", "Kind"},
			Rows: [][]Scalar{{"a file with a name", int64(4096), "text"}, {"another \"file\"", 0.5, nil}, {"größer", int64(1), "image"}},
		})
	}
	return v
}

func BenchmarkAppendView(b *testing.B) {
	v := benchView()
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendView(dst[:0], v)
	}
	b.SetBytes(int64(len(dst)))
}

func BenchmarkParseView(b *testing.B) {
	text := AppendView(nil, benchView())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseView(text); err != nil {
			b.Fatal(err)
		}
	}
}
