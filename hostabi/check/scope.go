package check

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"oriel.dev/oriel/hostabi"
)

// Scope is how far a permission reaches. What a manifest does not say is the
// least: the own window; but for the clipboard and kv it is all there is.
type Scope struct {
	// Application widens the own window to all windows of its application.
	Application bool
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
)

// ParseScope reads the scope of a permission: "window" or "application"; for
// oriel:clipboard "read", "write" and types such as "text/plain"; for oriel:kv
// a size such as "64KB"; nothing for oriel:log.
func ParseScope(c hostabi.Capability, scope string) (Scope, error) {
	words := strings.Fields(scope)
	switch c {
	case hostabi.CapClipboard:
		return clipboardScope(words)
	case hostabi.CapKV:
		return kvScope(words)
	case hostabi.CapLog:
		if len(words) > 0 {
			return Scope{}, fmt.Errorf("%s has no scope; leave it out", c)
		}
		return Scope{}, nil
	default:
		switch scope {
		case "", "window":
			return Scope{}, nil
		case "application":
			return Scope{Application: true}, nil
		}
		return Scope{}, fmt.Errorf("%q is no scope of %s; write \"window\" or \"application\"", scope, c)
	}
}

func clipboardScope(words []string) (s Scope, err error) {
	for _, w := range words {
		switch {
		case w == "read":
			s.Read = true
		case w == "write":
			s.Write = true
		case mimeType.MatchString(w):
			s.Types = append(s.Types, w)
		default:
			return s, fmt.Errorf("%q is neither \"read\", \"write\" nor a type such as \"text/plain\"", w)
		}
	}
	if !s.Read && !s.Write {
		s.Read, s.Write = true, true
	}
	return s, nil
}

func kvScope(words []string) (Scope, error) {
	if len(words) == 0 {
		return Scope{Bytes: maxKV}, nil
	}
	m := byteSize.FindStringSubmatch(strings.Join(words, ""))
	if m == nil {
		return Scope{}, fmt.Errorf("%q is no size; write for example \"64KB\"", strings.Join(words, " "))
	}
	n, _ := strconv.ParseInt(m[1], 10, 64)
	n <<= map[string]int{"B": 0, "KB": 10, "MB": 20}[m[2]]
	if n == 0 || n > maxKV {
		return Scope{}, fmt.Errorf("%s is out of range; the most is 1MB", strings.Join(words, " "))
	}
	return Scope{Bytes: n}, nil
}
