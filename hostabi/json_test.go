package hostabi

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "want a value",
		"nul":                       "want a value",
		"{} {}":                     "more text",
		`{"a":1,"a":2}`:             "same key",
		`{"a":1,"\u0061":2}`:        "same key",
		`{"a" 1}`:                   "want :",
		`{a:1}`:                     "want a key",
		`{"a":1,}`:                  "want a key",
		`[1,]`:                      "want a value",
		`[1 2]`:                     "want , or ]",
		`{"a":1 "b":2}`:             "want , or }",
		`"abc`:                      "ends in a string",
		`"a` + "\n" + `"`:           "control character",
		`"\x"`:                      "wrong escape",
		`"\u12G4"`:                  "wrong escape",
		`"\u12`:                     "wrong escape",
		`"\`:                        "",
		"\"\xff\"":                  "UTF-8",
		"01":                        "more text",
		"1.":                        "want a digit",
		"1e":                        "want a digit",
		"-":                         "want a digit",
		"+1":                        "want a value",
		strings.Repeat("[", 65):     "too deeply",
		strings.Repeat(`{"a":`, 65): "too deeply",
		strings.Repeat("[", 1<<20):  "too deeply",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want an error with %q", text, err, want)
		}
	}
}

func TestObjectsWithManyKeys(t *testing.T) {
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.WriteString(string(appendString(nil, strings.Repeat("k", i))))
		b.WriteString(":1")
	}
	if _, err := Parse(b.String() + "}"); err != nil {
		t.Error(err)
	}
	if _, err := Parse(b.String() + `,"kkk":2}`); err == nil {
		t.Error("a key that comes twice among many is taken")
	}
}

func TestValueSays(t *testing.T) {
	v, err := Parse(` {"s":"a\n\u00e9\ud83d\ude00\ud83d!","n":-12,"f":1.5e3,"big":12345678901234567890,"t":true,"z":null,"l":[1,[2],{}],"o":{"k":"v"}} `)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]any{
		"string":          {v.Get("s").Str(), "a\né😀\uFFFD!"},
		"integer":         {v.Get("n").Int(), int64(-12)},
		"float":           {v.Get("f").Float(), 1500.0},
		"not an integer":  {v.Get("f").Int(), int64(0)},
		"large":           {v.Get("big").Scalar(), 12345678901234567890.0},
		"bool":            {v.Get("t").Bool(), true},
		"null":            {v.Get("z").Kind(), KindNull},
		"missing":         {v.Get("none").Kind(), KindNone},
		"missing's":       {v.Get("none").Get("more").Str(), ""},
		"length":          {v.Get("l").Len(), 3},
		"object's length": {v.Len(), 8},
		"raw":             {v.Get("l").Raw(), "[1,[2],{}]"},
		"within":          {v.Get("o").Get("k").Str(), "v"},
		"string as int":   {v.Get("s").Int(), int64(0)},
		"int as string":   {v.Get("n").Str(), ""},
		"zero's raw":      {Value{}.Raw(), ""},
		"object's scalar": {v.Get("o").Scalar(), nil},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
}

// plain turns a Value into what encoding/json gives.
func plain(v Value) any {
	switch v.Kind() {
	case KindArray:
		out := []any{}
		for e := range v.Elements() {
			out = append(out, plain(e))
		}
		return out
	case KindObject:
		out := map[string]any{}
		for k, m := range v.Members() {
			out[k] = plain(m)
		}
		return out
	case KindNumber:
		return v.Float()
	default:
		return v.Scalar()
	}
}

// FuzzParse holds the parser against the standard library: what it takes means
// the same there, and what it refuses has a reason.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,2.5e-7,"x\u00e9\ud83d\ude00\ud800",true,false,null,{"b":{}}]}`, `"\"\\\/\b\f\n\r\t"`, " 1 ", "-0", `{"a":1,"a":2}`, "[[]]",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := Parse(s)
		var want any
		stdErr := json.Unmarshal([]byte(s), &want)
		if err != nil {
			twice := strings.Contains(err.Error(), "same key")
			deep := strings.Contains(err.Error(), "too deeply")
			if stdErr == nil && !twice && !deep && utf8.ValidString(s) {
				t.Fatalf("%q is refused: %v", s, err)
			}
			return
		}
		if stdErr != nil && !strings.Contains(stdErr.Error(), "cannot unmarshal number") {
			t.Fatalf("%q is taken, but %v", s, stdErr)
		}
		if got := plain(v); stdErr == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q reads %#v, want %#v", s, got, want)
		}
	})
}

func TestStringsAreWrittenAsTheStandardReadsThem(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			want = rapid.String().Draw(t, "string")
		}
		var got string
		if err := json.Unmarshal(appendString(nil, want), &got); err != nil {
			t.Fatal(err)
		}
		if want = string([]rune(want)); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

func TestNumbersAreWrittenAsJSON(t *testing.T) {
	for _, f := range []float64{0, -1.5, 1e21, 5e-324, math.MaxFloat64, 1.0 / 3} {
		var got float64
		if err := json.Unmarshal(appendFloat(nil, f), &got); err != nil || got != f {
			t.Errorf("%v reads %v, %v", f, got, err)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1)} {
		if got := string(appendFloat(nil, f)); got != "null" {
			t.Errorf("%v is written %s, want null", f, got)
		}
	}
}
