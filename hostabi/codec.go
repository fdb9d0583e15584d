package hostabi

import (
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"oriel.dev/oriel/tree"
)

// codec writes or reads the members of one JSON object. A type describes its
// members once, in a method that takes a codec, so that writing and reading
// cannot drift apart. Members with the zero value are not written. Reading
// refuses members that nobody asked for.
type codec struct {
	out    []byte // writing: what is written so far
	first  bool   // writing: no member is written yet
	object Value  // reading: the object, or the zero Value while writing
	known  uint64 // reading: a bit for each member, by its place, that was asked for
	err    error  // reading: the first fault
}

// write appends the object that fields describes.
func write(dst []byte, fields func(*codec)) []byte {
	c := codec{out: append(dst, '{'), first: true}
	fields(&c)
	return append(c.out, '}')
}

// read reads an object by what fields describes. what names it in errors.
func read(what, text string, fields func(*codec)) error {
	v, err := Parse(text)
	if err == nil {
		err = readObject(v, fields)
	}
	if err != nil {
		return errors.New("reading " + what + ": " + err.Error())
	}
	return nil
}

func readObject(v Value, fields func(*codec)) error {
	if v.Kind() != KindObject {
		return want(KindObject, v)
	}
	c := codec{object: v}
	fields(&c)
	place := 0
	for key := range v.Members() {
		if c.known>>place&1 == 0 {
			c.fail(key, errors.New("is no key of "+ABI+"; leave it out"))
		}
		place++
	}
	return c.err
}

func want(k Kind, got Value) error {
	return errors.New("want " + k.String() + ", got " + got.Kind().String())
}

// reading reports whether c reads.
func (c *codec) reading() bool { return c.object.doc != nil }

// get returns the member with the key if it is there and not null. Unless kind
// is KindNone, one of another kind is a fault.
func (c *codec) get(key string, kind Kind) (Value, bool) {
	v, place := Value{}, 0
	for k, m := range c.object.Members() {
		if k == key {
			v = m
			break
		}
		place++
	}
	if v.Kind() == KindNone {
		return v, false
	}
	c.known |= 1 << place
	if v.Kind() == KindNull {
		return v, false
	}
	if kind != KindNone && v.Kind() != kind {
		c.fail(key, want(kind, v))
		return v, false
	}
	return v, c.err == nil
}

func (c *codec) fail(path string, err error) {
	if c.err == nil {
		c.err = errors.New(path + ": " + err.Error())
	}
}

// failAt is fail for an element of an array.
func (c *codec) failAt(key string, i int, err error) { c.fail(key+"["+strconv.Itoa(i)+"]", err) }

// key writes a key, which is one of ours and needs no escapes.
func (c *codec) key(key string) {
	if !c.first {
		c.out = append(c.out, ',')
	}
	c.first = false
	c.out = append(append(append(c.out, '"'), key...), '"', ':')
}

func text[T ~string](c *codec, key string, p *T) {
	if c.reading() {
		if v, ok := c.get(key, KindString); ok {
			*p = T(v.Str())
		}
	} else if *p != "" {
		c.key(key)
		c.out = appendString(c.out, string(*p))
	}
}

func (c *codec) flag(key string, p *bool) {
	if c.reading() {
		if v, ok := c.get(key, KindBool); ok {
			*p = v.Bool()
		}
	} else if *p {
		c.key(key)
		c.out = append(c.out, "true"...)
	}
}

func integer[T int | int32 | int64](c *codec, key string, p *T) {
	if !c.reading() {
		if *p != 0 {
			c.key(key)
			c.out = strconv.AppendInt(c.out, int64(*p), 10)
		}
		return
	}
	if v, ok := c.get(key, KindNumber); ok {
		n, ok := v.integer()
		*p = T(n)
		if !ok || int64(*p) != n {
			c.fail(key, errors.New("want an integer that fits, got "+v.Raw()))
		}
	}
}

func (c *codec) float(key string, p *float64) {
	if c.reading() {
		if v, ok := c.get(key, KindNumber); ok {
			*p = v.Float()
		}
	} else if *p != 0 {
		c.key(key)
		c.out = appendFloat(c.out, *p)
	}
}

// id is a node's id: a string of decimal digits, because a JavaScript number
// does not hold 64 bits.
func (c *codec) id(key string, p *tree.NodeID) {
	if !c.reading() {
		if *p != 0 {
			c.key(key)
			c.out = append(c.out, '"')
			c.out = strconv.AppendUint(c.out, uint64(*p), 10)
			c.out = append(c.out, '"')
		}
		return
	}
	if v, ok := c.get(key, KindString); ok {
		n, err := strconv.ParseUint(v.Str(), 10, 64)
		if err != nil {
			c.fail(key, errors.New("want a node id in decimal digits, got "+v.Raw()))
		}
		*p = tree.NodeID(n)
	}
}

// raw is a member that is JSON text of its own, "" for none.
func (c *codec) raw(key string, p *string) {
	if c.reading() {
		if v, ok := c.get(key, KindNone); ok {
			*p = v.Raw()
		}
	} else if *p != "" {
		c.key(key)
		c.out = append(c.out, *p...)
	}
}

// bytes is a member with binary content, in standard base64.
func (c *codec) bytes(key string, p *[]byte) {
	if !c.reading() {
		if len(*p) > 0 {
			c.key(key)
			c.out = append(c.out, '"')
			c.out = base64.StdEncoding.AppendEncode(c.out, *p)
			c.out = append(c.out, '"')
		}
		return
	}
	if v, ok := c.get(key, KindString); ok {
		b, err := base64.StdEncoding.DecodeString(v.Str())
		if err != nil {
			c.fail(key, errors.New("want base64"))
		}
		*p = b
	}
}

func (c *codec) scalar(key string, p *Scalar) {
	if !c.reading() {
		if *p != nil {
			c.key(key)
			c.out = appendScalar(c.out, *p)
		}
		return
	}
	if v, ok := c.get(key, KindNone); ok {
		if v.Kind() == KindArray || v.Kind() == KindObject {
			c.fail(key, errors.New("want a string, number, boolean or null, got "+v.Kind().String()))
		}
		*p = v.Scalar()
	}
}

// elements yields the elements of the array with the key. Those that are null
// come too if kind is KindNone.
func (c *codec) elements(key string, kind Kind, each func(i int, v Value) error) {
	array, ok := c.get(key, KindArray)
	if !ok {
		return
	}
	i := 0
	for v := range array.Elements() {
		err := error(nil)
		if kind != KindNone && v.Kind() != kind {
			err = want(kind, v)
		} else {
			err = each(i, v)
		}
		if err != nil {
			c.failAt(key, i, err)
			return
		}
		i++
	}
}

func (c *codec) strings(key string, p *[]string) {
	if c.reading() {
		c.elements(key, KindString, func(_ int, v Value) error {
			*p = append(*p, v.Str())
			return nil
		})
	} else if len(*p) > 0 {
		c.key(key)
		for i, s := range *p {
			c.out = append(c.out, "[,"[min(i, 1)])
			c.out = appendString(c.out, s)
		}
		c.out = append(c.out, ']')
	}
}

func (c *codec) scalars(key string, p *[]Scalar) {
	if c.reading() {
		if array, ok := c.get(key, KindArray); ok {
			var err error
			if *p, err = readScalars(array); err != nil {
				c.fail(key, err)
			}
		}
	} else if len(*p) > 0 {
		c.key(key)
		c.out = appendScalars(c.out, *p)
	}
}

func (c *codec) rows(key string, p *[][]Scalar) {
	if c.reading() {
		c.elements(key, KindArray, func(_ int, v Value) error {
			row, err := readScalars(v)
			*p = append(*p, row)
			return err
		})
	} else if len(*p) > 0 {
		c.key(key)
		for i, row := range *p {
			c.out = append(c.out, "[,"[min(i, 1)])
			c.out = appendScalars(c.out, row)
		}
		c.out = append(c.out, ']')
	}
}

func readScalars(array Value) ([]Scalar, error) {
	out := make([]Scalar, 0, array.Len())
	for v := range array.Elements() {
		if v.Kind() == KindArray || v.Kind() == KindObject {
			return nil, errors.New("[" + strconv.Itoa(len(out)) + "]: want a string, number, boolean or null, got " + v.Kind().String())
		}
		out = append(out, v.Scalar())
	}
	return out, nil
}

// member is a member that is an object of its own, described by fields. It is
// written if there is one.
func (c *codec) member(key string, there bool, fields func(*codec)) {
	if c.reading() {
		if v, ok := c.get(key, KindObject); ok {
			if err := readObject(v, fields); err != nil {
				c.fail(key, err)
			}
		}
	} else if there {
		c.key(key)
		c.out = write(c.out, fields)
	}
}

// objects is a member that is an array of objects.
func objects[T any](c *codec, key string, p *[]T, fields func(*T, *codec)) {
	if c.reading() {
		c.elements(key, KindObject, func(_ int, v Value) error {
			var t T
			err := readObject(v, func(c *codec) { fields(&t, c) })
			*p = append(*p, t)
			return err
		})
	} else if len(*p) > 0 {
		c.key(key)
		for i := range *p {
			c.out = append(c.out, "[,"[min(i, 1)])
			c.out = write(c.out, func(c *codec) { fields(&(*p)[i], c) })
		}
		c.out = append(c.out, ']')
	}
}

func appendScalars(dst []byte, s []Scalar) []byte {
	dst = append(dst, '[')
	for i, v := range s {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendScalar(dst, v)
	}
	return append(dst, ']')
}

// appendScalar writes what [Scalar] names and, for convenience, int. Anything
// else is null; hostabi/check tells the author.
func appendScalar(dst []byte, s Scalar) []byte {
	switch v := s.(type) {
	case string:
		return appendString(dst, v)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case float64:
		return appendFloat(dst, v)
	default:
		return append(dst, "null"...)
	}
}

// appendFloat writes null for what JSON has no number for, and zero without a
// sign, which an integer would lose anyway.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0')
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// appendString writes s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
