package hostabi

import (
	"iter"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is a kind of JSON value.
type Kind uint8

// The kinds. KindNone is that of the zero [Value]: there is nothing.
const (
	KindNone Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}

// String returns the kind with its article, for error messages.
func (k Kind) String() string { return kindNames[k] }

// Value is one value of a parsed JSON text. It is a small handle; copying it is
// free. Its accessors never fail: what is not there, or of another kind, reads
// as the zero value.
type Value struct {
	doc *document
	i   int
}

// token returns the value's token; that of nothing if v is zero.
func (v Value) token() token {
	if v.doc == nil {
		return token{}
	}
	return v.doc.tokens[v.i]
}

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.token().kind }

// Raw returns v as it stands in the text.
func (v Value) Raw() string {
	if v.doc == nil {
		return ""
	}
	t := v.token()
	return v.doc.text[t.start:t.end]
}

// Str returns a string's content, else "". Half of a surrogate pair reads as
// U+FFFD.
func (v Value) Str() string {
	if v.doc == nil {
		return ""
	}
	t := v.doc.tokens[v.i]
	if t.kind != KindString {
		return ""
	}
	s := v.doc.text[t.start+1 : t.end-1]
	if !t.escaped {
		return s
	}
	return unescape(s)
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func unescape(s string) string {
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		if s[i] != 'u' {
			out = append(out, escapes[s[i]])
			continue
		}
		r, _ := hex4(s[i+1:])
		i += 4
		if utf16.IsSurrogate(r) {
			second := rune(0)
			if i+6 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
				second, _ = hex4(s[i+3:])
			}
			if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
				i += 6
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// Bool reports whether v is true.
func (v Value) Bool() bool { return v.Kind() == KindBool && v.Raw() == "true" }

// Int returns a number without fraction or exponent that fits, else 0.
func (v Value) Int() int64 {
	n, _ := v.integer()
	return n
}

func (v Value) integer() (int64, bool) {
	if v.Kind() != KindNumber {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Raw(), 10, 64)
	return n, err == nil
}

// Float returns a number, else 0. One that is too large reads as infinite.
func (v Value) Float() float64 {
	if v.Kind() != KindNumber {
		return 0
	}
	f, _ := strconv.ParseFloat(v.Raw(), 64)
	return f
}

// Scalar returns v as one: an int64 if it is an integer that fits, else a
// float64; nil for null, arrays and objects.
func (v Value) Scalar() Scalar {
	switch v.Kind() {
	case KindString:
		return v.Str()
	case KindBool:
		return v.Bool()
	case KindNumber:
		if n, ok := v.integer(); ok {
			return n
		}
		return v.Float()
	default:
		return nil
	}
}

// Len returns the number of elements of an array or members of an object.
func (v Value) Len() int {
	n := 0
	switch v.Kind() {
	case KindArray:
		for range v.Elements() {
			n++
		}
	case KindObject:
		for range v.Members() {
			n++
		}
	}
	return n
}

// Elements yields the elements of an array.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		t := v.token()
		if t.kind != KindArray {
			return
		}
		for i := v.i + 1; i < int(t.next); i = int(v.doc.tokens[i].next) {
			if !yield(Value{v.doc, i}) {
				return
			}
		}
	}
}

// Members yields the keys and values of an object.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		t := v.token()
		if t.kind != KindObject {
			return
		}
		for i := v.i + 1; i < int(t.next); i = int(v.doc.tokens[i+1].next) {
			if !yield(Value{v.doc, i}.Str(), Value{v.doc, i + 1}) {
				return
			}
		}
	}
}

// Get returns the member of an object with the key; the zero Value if there is
// none.
func (v Value) Get(key string) Value {
	for k, m := range v.Members() {
		if k == key {
			return m
		}
	}
	return Value{}
}
