package check

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// semver is a version by semver.org 2.0.0.
var semver = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// A Range is a condition on an application's version, such as ">=0.5 <0.7".
// All of its parts must hold. The empty Range takes every version.
type Range []bound

type bound struct {
	op      string
	version string
}

var boundText = regexp.MustCompile(`^(>=|<=|>|<|=)?(\d+(\.\d+)*)$`)

// ParseRange reads a range: parts of an operator (>= > < <= =, or none for =)
// and a version of numbers and dots, separated by spaces.
func ParseRange(s string) (Range, error) {
	var r Range
	for part := range strings.FieldsSeq(s) {
		m := boundText.FindStringSubmatch(part)
		if m == nil {
			return nil, fmt.Errorf("%q is no part of a version range; write for example \">=0.5 <0.7\"", part)
		}
		r = append(r, bound{m[1], m[2]})
	}
	return r, nil
}

// Contains reports whether a version lies in the range. Missing numbers count
// as zero and what follows the numbers ("0.5.10-1ubuntu2") is ignored; a
// version without a number lies in the empty range only.
func (r Range) Contains(version string) bool {
	got := numbers(version)
	for _, b := range r {
		c := compare(got, numbers(b.version))
		ok := len(got) > 0
		switch b.op {
		case ">=":
			ok = ok && c >= 0
		case ">":
			ok = ok && c > 0
		case "<=":
			ok = ok && c <= 0
		case "<":
			ok = ok && c < 0
		default:
			ok = ok && c == 0
		}
		if !ok {
			return false
		}
	}
	return true
}

// numbers returns the numbers at the start of a version.
func numbers(version string) (n []uint64) {
	for part := range strings.SplitSeq(version, ".") {
		digits := part
		if i := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
			digits = part[:i]
		}
		v, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			break
		}
		n = append(n, v)
		if digits != part {
			break
		}
	}
	return n
}

func compare(a, b []uint64) int {
	for i := range max(len(a), len(b)) {
		var x, y uint64
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}
