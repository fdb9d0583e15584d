package hostabi

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest in a text that [Parse] takes.
const MaxDepth = 64

// document is a JSON text and a token for each value in it, in the order of
// the text. An object's token is followed by those of its keys and values in
// turn.
type document struct {
	text   string
	tokens []token
}

type token struct {
	start, end uint32 // in text
	next       uint32 // the first token after this value
	kind       Kind
	escaped    bool // the string holds a backslash
}

// Parse reads one JSON text by the letter of RFC 8259. Beyond that it refuses
// an object with the same key twice, because readers differ in which one they
// take, and nesting deeper than [MaxDepth]. It uses no reflection and
// allocates one slice, so it suits a guest.
func Parse(text string) (Value, error) {
	if uint64(len(text)) > 1<<31 {
		return Value{}, errors.New("reading JSON: the text is larger than 2 GiB")
	}
	p := parser{doc: &document{text: text}}
	p.doc.tokens = make([]token, 0, min(len(text)/8+1, 1<<12))
	p.space()
	p.value(0)
	p.space()
	if p.err == "" && p.at < len(text) {
		p.fail("more text after the value")
	}
	if p.err != "" {
		return Value{}, errors.New("reading JSON: " + p.err + " at byte " + strconv.Itoa(p.errAt))
	}
	return Value{p.doc, 0}, nil
}

type parser struct {
	doc   *document
	at    int
	err   string // the first fault, which ends the parsing
	errAt int
}

func (p *parser) fail(what string) {
	if p.err == "" {
		p.err, p.errAt = what, p.at
		p.at = len(p.doc.text)
	}
}

// peek returns the next byte, 0 at the end or after a fault.
func (p *parser) peek() byte {
	if p.at < len(p.doc.text) {
		return p.doc.text[p.at]
	}
	return 0
}

func (p *parser) space() {
	for p.at < len(p.doc.text) {
		switch p.doc.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// take skips the byte b if it comes next.
func (p *parser) take(b byte) bool {
	if p.peek() != b || p.at == len(p.doc.text) {
		return false
	}
	p.at++
	return true
}

func (p *parser) value(depth int) {
	i := len(p.doc.tokens)
	p.doc.tokens = append(p.doc.tokens, token{start: uint32(p.at)})
	var kind Kind
	switch c := p.peek(); {
	case c == '{':
		kind = KindObject
		p.object(depth, i)
	case c == '[':
		kind = KindArray
		p.array(depth)
	case c == '"':
		kind = KindString
		p.doc.tokens[i].escaped = p.str()
	case c == '-' || c >= '0' && c <= '9':
		kind = KindNumber
		p.number()
	default:
		kind = p.word()
	}
	t := &p.doc.tokens[i]
	t.kind, t.end, t.next = kind, uint32(p.at), uint32(len(p.doc.tokens))
}

func (p *parser) word() Kind {
	for _, w := range [...]struct {
		text string
		kind Kind
	}{{"true", KindBool}, {"false", KindBool}, {"null", KindNull}} {
		if strings.HasPrefix(p.doc.text[p.at:], w.text) {
			p.at += len(w.text)
			return w.kind
		}
	}
	p.fail("want a value")
	return KindNone
}

func (p *parser) array(depth int) {
	if depth == MaxDepth {
		p.fail("nested too deeply")
		return
	}
	p.at++
	p.space()
	if p.take(']') {
		return
	}
	for p.err == "" {
		p.space()
		p.value(depth + 1)
		p.space()
		if p.take(']') {
			return
		}
		if !p.take(',') {
			p.fail("want , or ]")
		}
	}
}

func (p *parser) object(depth, self int) {
	if depth == MaxDepth {
		p.fail("nested too deeply")
		return
	}
	p.at++
	p.space()
	if p.take('}') {
		return
	}
	keys := keySet{doc: p.doc, first: self + 1}
	for p.err == "" {
		p.space()
		if p.peek() != '"' {
			p.fail("want a key")
			return
		}
		key := len(p.doc.tokens)
		start := p.at
		escaped := p.str()
		p.doc.tokens = append(p.doc.tokens, token{uint32(start), uint32(p.at), uint32(key + 1), KindString, escaped})
		p.space()
		if !p.take(':') {
			p.fail("want :")
			return
		}
		if p.err == "" && keys.has(key) {
			p.at = start
			p.fail("the same key again")
			return
		}
		p.space()
		p.value(depth + 1)
		p.space()
		if p.take('}') {
			return
		}
		if !p.take(',') {
			p.fail("want , or }")
		}
	}
}

// keySet finds a key that an object has twice: by comparing in small objects,
// by a map in others, so that no object takes quadratic time.
type keySet struct {
	doc   *document
	first int // token of the first key
	n     int
	seen  map[string]bool
}

func (s *keySet) has(key int) bool {
	const small = 16
	name := Value{s.doc, key}.Str()
	s.n++
	if s.n <= small {
		for k := s.first; k < key; k = int(s.doc.tokens[k+1].next) {
			if (Value{s.doc, k}).Str() == name {
				return true
			}
		}
		return false
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
		for k := s.first; k < key; k = int(s.doc.tokens[k+1].next) {
			s.seen[Value{s.doc, k}.Str()] = true
		}
	}
	if s.seen[name] {
		return true
	}
	s.seen[name] = true
	return false
}

// str skips a string and reports whether it holds a backslash.
func (p *parser) str() (escaped bool) {
	text := p.doc.text
	ascii, start := true, p.at
	for p.at++; p.at < len(text); p.at++ {
		switch c := text[p.at]; {
		case c == '"':
			p.at++
			if !ascii && !utf8.ValidString(text[start:p.at]) {
				p.fail("the string before is not valid UTF-8")
			}
			return escaped
		case c == '\\':
			escaped = true
			p.at++
			p.escape()
		case c < ' ':
			p.fail("a control character in a string")
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	p.fail("the text ends in a string")
	return escaped
}

// escape checks what follows a backslash and stops at its last byte.
func (p *parser) escape() {
	c := p.peek()
	if c != 'u' {
		if c == 0 || !strings.ContainsRune(`"\/bfnrt`, rune(c)) {
			p.fail("a wrong escape")
		}
		return
	}
	if p.at+4 >= len(p.doc.text) {
		p.fail("a wrong escape")
		return
	}
	if _, ok := hex4(p.doc.text[p.at+1:]); !ok {
		p.fail("a wrong escape")
		return
	}
	p.at += 4
}

// hex4 reads the four hexadecimal digits at the start of s.
func hex4(s string) (r rune, ok bool) {
	for i := range 4 {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

func (p *parser) number() {
	p.take('-')
	if !p.take('0') && !p.digits() {
		p.fail("want a digit")
	}
	if p.take('.') && !p.digits() {
		p.fail("want a digit")
	}
	if p.take('e') || p.take('E') {
		if !p.take('+') {
			p.take('-')
		}
		if !p.digits() {
			p.fail("want a digit")
		}
	}
}

// digits skips digits and reports whether there were any.
func (p *parser) digits() bool {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	return p.at > start
}
