package tree

import (
	"errors"
	"strconv"
	"strings"
)

// fault makes an error of words and numbers. The package does without fmt,
// which would add a third to the size of a small adapter.
func fault(parts ...any) error {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch p := p.(type) {
		case string:
			b.WriteString(p)
		case error:
			b.WriteString(p.Error())
		case int:
			b.WriteString(strconv.Itoa(p))
		case uint32:
			b.WriteString(strconv.FormatUint(uint64(p), 10))
		case uint64:
			b.WriteString(strconv.FormatUint(p, 10))
		case sectionID:
			b.WriteString(strconv.FormatUint(uint64(p), 10))
		}
	}
	return errors.New(b.String())
}
