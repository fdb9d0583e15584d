package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Scope is how far a permission reaches. No permission reaches beyond the window
// of the call and its popups. What a scope does not say is not narrowed; keys
// that end sessions or switch consoles are refused whatever it says.
type Scope struct {
	// Text is the scope as it was written.
	Text string
	// Apps are the applications on whose windows the permission holds; none
	// means all that the adapter takes.
	Apps []string
	// Pointer, Typing and Chords are what oriel:input may send; none of them
	// means everything.
	Pointer, Typing bool
	Chords          []string
	// Region is the part of the window whose pixels may be seen; nil is all.
	Region *hostabi.Region
	// Read and Write are the directions of the clipboard, Types its types; no
	// types means every type.
	Read, Write bool
	Types       []string
	// Bytes is how much kv holds.
	Bytes int64
}

// maxKV is how much kv holds at most.
const maxKV = 1 << 20

var (
	mimeType = regexp.MustCompile(`^[a-z0-9.+-]+/[a-z0-9.+*-]+(;[a-z0-9=-]+)*$`)
	byteSize = regexp.MustCompile(`^(\d{1,7})(B|KB|MB)$`)
	chord    = regexp.MustCompile(`^(?i:(?:(?:shift|ctrl|alt|super)\+)*)(?:\w+|[!-~])$`)
	region   = regexp.MustCompile(`^region=(\d{1,5}),(\d{1,5}),(\d{1,5}),(\d{1,5})$`)
)

// ParseScope reads the scope of a permission, in words:
//
//	window                       the window of the call and its popups; also if nothing is said
//	app=mousepad                 on this application's windows only; may come several times
//	pointer text ctrl+s Return   oriel:input: what may be sent
//	region=0,0,200,100           oriel:capture, oriel:ocr: x, y, width and height of what may be seen
//	read write text/plain        oriel:clipboard: directions and types
//	64KB                         oriel:kv: how much may be kept
//
// oriel:log has none.
func ParseScope(c hostabi.Capability, scope string) (Scope, error) {
	s := Scope{Text: scope, Bytes: maxKV}
	words := strings.Fields(scope)
	if c == hostabi.CapKV && len(words) == 2 {
		words = []string{words[0] + words[1]} // "64 KB"
	}
	for _, w := range words {
		if c == hostabi.CapLog {
			return s, fmt.Errorf("%s has no scope; leave it out", c)
		}
		if err := s.word(c, w); err != nil {
			return s, err
		}
	}
	if !s.Read && !s.Write {
		s.Read, s.Write = true, true
	}
	return s, nil
}

// word reads one word of a scope.
func (s *Scope) word(c hostabi.Capability, w string) (err error) {
	ofWindow := c != hostabi.CapClipboard && c != hostabi.CapKV
	app, isApp := strings.CutPrefix(w, "app=")
	switch {
	case isApp && app != "":
		s.Apps = append(s.Apps, app)
	case ofWindow && w == "window":
	case c == hostabi.CapInput && w == "pointer":
		s.Pointer = true
	case c == hostabi.CapInput && w == "text":
		s.Typing = true
	case c == hostabi.CapInput && !isApp && chord.MatchString(w):
		s.Chords = append(s.Chords, chordKey(w))
	case (c == hostabi.CapCapture || c == hostabi.CapOCR) && region.MatchString(w) && s.Region == nil:
		s.Region, err = parseRegion(w)
	case c == hostabi.CapClipboard && w == "read":
		s.Read = true
	case c == hostabi.CapClipboard && w == "write":
		s.Write = true
	case c == hostabi.CapClipboard && mimeType.MatchString(w):
		s.Types = append(s.Types, w)
	case c == hostabi.CapKV:
		s.Bytes, err = parseSize(w)
	default:
		return fmt.Errorf("%q is no scope of %s; %s", w, c, scopeHelp(c))
	}
	return err
}

// scopeHelp says what the words of a capability's scope are.
func scopeHelp(c hostabi.Capability) string {
	switch c {
	case hostabi.CapInput:
		return `write "pointer", "text" and key combinations such as "ctrl+s"`
	case hostabi.CapCapture, hostabi.CapOCR:
		return `write "window", or once "region=x,y,width,height"`
	case hostabi.CapClipboard:
		return `write "read", "write" and types such as "text/plain"`
	}
	return `write "window", or "app=" and an application`
}

func parseRegion(w string) (*hostabi.Region, error) {
	var n [4]int32
	for i, digits := range region.FindStringSubmatch(w)[1:] {
		v, _ := strconv.ParseInt(digits, 10, 32)
		n[i] = int32(v)
	}
	if n[2] == 0 || n[3] == 0 {
		return nil, fmt.Errorf("%q is empty; give it a width and a height", w)
	}
	return &hostabi.Region{X: n[0], Y: n[1], W: n[2], H: n[3]}, nil
}

func parseSize(w string) (int64, error) {
	m := byteSize.FindStringSubmatch(w)
	if m == nil {
		return 0, fmt.Errorf("%q is no size; write for example \"64KB\"", w)
	}
	n, _ := strconv.ParseInt(m[1], 10, 64)
	n <<= map[string]int{"B": 0, "KB": 10, "MB": 20}[m[2]]
	if n == 0 || n > maxKV {
		return 0, fmt.Errorf("%s is out of range; the most is 1MB", w)
	}
	return n, nil
}

// chordKey gives a chord one spelling: modifiers in one order, names of keys in
// lower case. The case of a letter is kept: it says whether shift is held.
func chordKey(s string) string {
	parts := strings.Split(s, "+")
	key := strings.TrimSpace(parts[len(parts)-1])
	mods := parts[:len(parts)-1]
	for i, m := range mods {
		m = strings.ToLower(strings.TrimSpace(m))
		if other, ok := map[string]string{"control": "ctrl", "option": "alt", "meta": "alt", "win": "super", "cmd": "super"}[m]; ok {
			m = other
		}
		mods[i] = m
	}
	slices.Sort(mods)
	if len(key) > 1 {
		key = strings.ToLower(key)
	}
	return strings.Join(append(slices.Compact(mods), key), "+")
}

// Outside says what of a request lies outside of the scope, "" if nothing does.
// The window is that of the call; it is asked for only if it matters.
func (s *Scope) Outside(f hostabi.Function, request []byte, window func() tree.Window) string {
	if len(s.Apps) > 0 {
		w := window()
		if !slices.ContainsFunc(s.Apps, func(app string) bool { return IsApp(&w, app) }) {
			return fmt.Sprintf("a window of %q", w.App)
		}
	}
	switch f.Capability {
	case hostabi.CapInput:
		return s.outsideInput(f.Name, request)
	case hostabi.CapCapture, hostabi.CapOCR:
		return s.outsideRegion(f.Name, request)
	case hostabi.CapClipboard:
		return s.outsideClipboard(f.Name, request)
	case hostabi.CapKV:
		var r hostabi.KVSetRequest
		if f.Name == "set" {
			if !readable(request, &r) {
				return unreadable
			}
			if n := int64(len(r.Key) + len(r.Data)); n > s.Bytes {
				return fmt.Sprintf("a value of %d bytes with its key, where it may keep %d,", n, s.Bytes)
			}
		}
	}
	return ""
}

func (s *Scope) outsideInput(function string, request []byte) string {
	if !s.Pointer && !s.Typing && len(s.Chords) == 0 {
		return ""
	}
	switch function {
	case "keys":
		var r hostabi.KeysRequest
		if !readable(request, &r) {
			return unreadable
		}
		for _, c := range r.Chords {
			if !slices.Contains(s.Chords, chordKey(c)) {
				return fmt.Sprintf("the key combination %q", c)
			}
		}
	case "text":
		if !s.Typing {
			return "typing text"
		}
	default:
		if !s.Pointer {
			return "the pointer"
		}
	}
	return ""
}

func (s *Scope) outsideRegion(function string, request []byte) string {
	if s.Region == nil {
		return ""
	}
	var r hostabi.CaptureRequest // as an OCRRequest
	ok := true
	if function == "find" {
		var find hostabi.FindRequest
		ok = readable(request, &find)
		r.Region = find.Region
	} else {
		ok = readable(request, &r)
	}
	if !ok {
		return unreadable
	}
	if r.Region == nil {
		return "the whole window"
	}
	in, all := r.Region, s.Region
	if in.X < all.X || in.Y < all.Y || int64(in.X)+int64(in.W) > int64(all.X)+int64(all.W) || int64(in.Y)+int64(in.H) > int64(all.Y)+int64(all.H) {
		return fmt.Sprintf("the region %d,%d,%d,%d", in.X, in.Y, in.W, in.H)
	}
	return ""
}

func (s *Scope) outsideClipboard(function string, request []byte) string {
	var typ string
	ok := true
	switch {
	case function == "write" && !s.Write:
		return "writing"
	case function != "write" && !s.Read:
		return "reading"
	case function == "types" || len(s.Types) == 0:
		return ""
	case function == "read":
		var r hostabi.ClipRequest
		ok = readable(request, &r)
		typ = r.Type
	default:
		var r hostabi.ClipWriteRequest
		ok = readable(request, &r)
		typ = r.Type
	}
	if !ok {
		return unreadable
	}
	if !slices.ContainsFunc(s.Types, func(t string) bool { return covers(t, typ) }) {
		return fmt.Sprintf("the type %q", typ)
	}
	return ""
}

// unreadable is what lies outside of a scope because nobody can tell what it is.
const unreadable = "a request that cannot be read"

// readable reads a request as who carries it out does: nothing stands for {}.
func readable(request []byte, m hostabi.Message) bool {
	return len(request) == 0 || hostabi.Read(request, m) == nil
}

// covers reports whether a type of a scope allows one of the clipboard's, which
// may have parameters and other case.
func covers(allowed, typ string) bool {
	base, _, _ := strings.Cut(strings.ToLower(typ), ";")
	base = strings.TrimSpace(base)
	if kind, ok := strings.CutSuffix(allowed, "/*"); ok {
		return strings.HasPrefix(base, kind+"/")
	}
	return allowed == base || allowed == strings.ToLower(typ)
}

// IsApp reports whether name is one of the names that a window's application
// goes by.
func IsApp(w *tree.Window, name string) bool {
	for _, known := range []string{w.App, w.Class, w.Instance, w.Process} {
		if strings.EqualFold(name, known) {
			return true
		}
	}
	return false
}
