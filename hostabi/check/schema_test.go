package check

import (
	"reflect"
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
)

const argsSchema = `{"type":"object","additionalProperties":false,"required":["row","text"],"properties":{
	"row":{"type":"integer","minimum":0},"text":{"type":"string","maxLength":5},"mode":{"enum":["a","b",3]},
	"secret":{"type":"string","format":"password","minLength":3},"tags":{"type":"array","items":{"type":"string"}}}}`

// W06: the adapter's caller is told which argument is wrong and why.
func TestArgs(t *testing.T) {
	type faults = []hostabi.FieldFault
	for args, want := range map[string]faults{
		`{"row":1,"text":"abc"}`:             nil,
		`{"row":1.0,"text":"","mode":3}`:     nil,
		``:                                   {{Field: "row", Error: "is missing"}, {Field: "text", Error: "is missing"}},
		`null`:                               {{Field: "row", Error: "is missing"}, {Field: "text", Error: "is missing"}},
		`[]`:                                 {{Error: "the arguments are an array; send an object"}},
		`{"row":1,"row":2,"text":""}`:        {{Error: "the arguments are no valid JSON: reading JSON: the same key again at byte 9"}},
		`{"row":"1","text":5}`:               {{Field: "row", Error: `is "1"; it must be of type integer`}, {Field: "text", Error: "is 5; it must be of type string"}},
		`{"row":1.5,"text":""}`:              {{Field: "row", Error: `is 1.5; it must be of type integer`}},
		`{"row":1,"text":"","mode":"c"}`:     {{Field: "mode", Error: `is "c"; it must be one of "a", "b", 3`}},
		`{"row":1,"text":"","secret":"ab"}`:  {{Field: "secret", Error: "does not fit the schema; its value is not repeated here"}},
		`{"row":1,"text":"","rwo":1}`:        {{Field: "rwo", Error: "is no argument of this action; it takes mode, row, secret, tags, text"}},
		`{"row":-1,"text":""}`:               {{Field: "row", Error: "is -1; it must be at least 0"}},
		`{"row":1,"text":"abcdef"}`:          {{Field: "text", Error: "has 6 characters; it must have at most 5"}},
		`{"row":1,"text":"","tags":["a",2]}`: {{Field: "tags", Error: `type: 2 has type "integer", want "string"`}},
	} {
		if got := faults(Args(argsSchema, []byte(args))); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", args, got, want)
		}
	}
	if got := Args("", []byte(`{}`)); got != nil {
		t.Errorf("no arguments for no schema: %+v", got)
	}
	if got := Args("", []byte(`{"a":1}`)); len(got) != 1 || got[0].Error != "this action takes no arguments" {
		t.Errorf("an argument for no schema: %+v", got)
	}
	if got := Args(`{"type":"object","minProperties":2}`, []byte(`{"a":1}`)); len(got) != 1 || got[0].Field != "" {
		t.Errorf("a fault of no single argument: %+v", got)
	}
	if got := Args(`{"type":`, nil); len(got) != 1 || !strings.Contains(got[0].Error, "the adapter's schema cannot be used") {
		t.Errorf("a broken schema: %+v", got)
	}
}

// A schema must not send the host round in circles.
func TestSchemasThatReferToThemselves(t *testing.T) {
	for _, s := range []string{
		`{"type":"object","$ref":"#"}`, `{"type":"object","allOf":[{"$ref":"#"}]}`, `{"type":"object","$dynamicRef":"#a","$dynamicAnchor":"a"}`,
		`{"type":"object","$defs":{"a":{"$ref":"#/$defs/a"}},"not":{"$ref":"#/$defs/a"}}`, `{"type":"object","$id":"http://example.org/x"}`,
		`{"type":"object","dependencies":{"a":{"$ref":"#"}}}`, `{"type":"object","items":[{"$ref":"#"}]}`,
	} {
		if got := Args(s, []byte(`{"a":[1]}`)); len(got) != 1 || !strings.Contains(got[0].Error, "uses a reference") {
			t.Errorf("%s: got %+v", s, got)
		}
	}
}

func TestSchemasAreKeptWithinBounds(t *testing.T) {
	for i := range 2 * maxSchemas {
		if _, err := compile(`{"type":"object","title":"` + strings.Repeat("x", i) + `"}`); err != nil {
			t.Fatal(err)
		}
	}
	schemas.Lock()
	defer schemas.Unlock()
	if n := len(schemas.byText); n > maxSchemas {
		t.Errorf("%d schemas are kept, want at most %d", n, maxSchemas)
	}
}

// FuzzArgs feeds schemas and arguments of any kind: whatever an adapter or a
// client sends, the host answers.
func FuzzArgs(f *testing.F) {
	f.Add(argsSchema, `{"row":1}`)
	f.Add(`{"type":"object","properties":{"a":{"multipleOf":0}},"patternProperties":{"^x":{"not":{}}}}`, `{"a":5,"x":1}`)
	f.Add(`{"type":"object","if":{"required":["a"]},"then":{"minProperties":2},"dependentRequired":{"a":["b"]}}`, `{"a":5}`)
	f.Fuzz(func(_ *testing.T, schema, args string) {
		Args(schema, []byte(args))
	})
}

func TestOutcome(t *testing.T) {
	action := hostabi.Action{Name: "count", Output: `{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`}
	for _, c := range []struct {
		o    hostabi.Outcome
		want string // "" for good
	}{
		{hostabi.Outcome{Message: "ok", Result: `{"n":1}`, Effect: hostabi.Confirmed}, ""},
		{hostabi.Outcome{Fault: &hostabi.Fault{Code: hostabi.CodeGone, Message: "gone"}}, ""},
		{hostabi.Outcome{}, "outcome: result: is missing; the action has an output schema"},
		{hostabi.Outcome{Result: `[1]`}, "outcome: result: is no JSON object"},
		{hostabi.Outcome{Result: `{`}, "outcome: result: reading JSON"},
		{hostabi.Outcome{Result: `{"n":"1"}`}, `outcome: result: type: 1 has type "string", want "integer"`},
		{hostabi.Outcome{Result: `{"n":1}`, Effect: "perhaps"}, `outcome: effect: is "perhaps"; it must be one of ["confirmed"`},
		{hostabi.Outcome{Fault: &hostabi.Fault{Code: "oops", Message: "x"}}, `outcome: fault.code: is "oops"; it must be one of`},
		{hostabi.Outcome{Fault: &hostabi.Fault{Code: hostabi.CodeGone}}, "outcome: fault.message: is empty"},
		{hostabi.Outcome{Fault: &hostabi.Fault{Code: hostabi.CodeGone, Message: "x"}, Message: "done"}, "outcome: fault: comes with a message"},
		{hostabi.Outcome{Result: `"` + strings.Repeat("x", MaxView) + `"`}, "outcome: result: has"},
	} {
		err := Outcome(&c.o, action)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: got %v, want %s", c.o, err, c.want)
		}
	}
	o := hostabi.Outcome{Message: "a\u202eb\nc"}
	if err := Outcome(&o, hostabi.Action{}); err != nil || o.Message != "ab c" {
		t.Errorf("got %q, %v", o.Message, err)
	}
}

func TestArgsDoesNotRepeatLongNames(t *testing.T) {
	args := []byte(`{"` + strings.Repeat("a", 100_000) + `":"\u0000"}`)
	for _, schema := range []string{"", `{"type":"object","properties":{},"additionalProperties":false}`} {
		for _, f := range Args(schema, args) {
			if len(f.Field)+len(f.Error) > 1000 {
				t.Errorf("%q: %d bytes of field, %d of error", schema, len(f.Field), len(f.Error))
			}
		}
	}
}
