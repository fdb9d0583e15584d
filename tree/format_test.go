package tree

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// docs/tree-format.md is what authors of other SDKs work by, so it must agree
// with the code: the sizes of all records, and where each field is.
func TestTheFormatIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/tree-format.md")
	if err != nil {
		t.Fatal(err)
	}
	sizes := regexp.MustCompile(`(?m)^\| (\d+) \| ([a-z]+) \| (\d+) \| `).FindAllStringSubmatch(string(text), -1)
	if len(sizes) != int(secEnd)-1 {
		t.Errorf("%d sections are documented, want %d", len(sizes), secEnd-1)
	}
	for _, m := range sizes {
		id, _ := strconv.Atoi(m[1])
		if want := strconv.Itoa(int(recordSizes[id])); m[3] != want {
			t.Errorf("section %s: the record size is documented as %s, want %s", m[2], m[3], want)
		}
		if m[2] != "strings" {
			documentedFields(t, string(text), "## "+m[1]+" "+m[2], int(recordSizes[id]))
		}
	}
	_, nodes, _ := strings.Cut(string(text), "## 5 nodes\n")
	for field, offset := range map[string]int{
		"id, stable": nodeID, "states": nodeStates, "number of children": nodeTotal, "number of the first": nodeFirst,
		"index of the parent": nodeParent, "number of nodes in": nodeSubtree, "interfaces": nodeIfaces, "surface": nodeSurface,
		"bounds": nodeBounds, "name": nodeName, "description": nodeDescription, "text": nodeText,
		"number of included": nodeCount, "role": nodeRole, "why": nodeEnd, "flags": nodeFlags,
	} {
		if !regexp.MustCompile(`\n\| ` + strconv.Itoa(offset) + ` \| [a-z0-9]+ \| ` + field).MatchString(nodes) {
			t.Errorf("nodes: %q is not documented at offset %d", field, offset)
		}
	}
}

// documentedFields checks that the fields of a section follow each other without
// a gap and fill the record.
func documentedFields(t *testing.T, text, heading string, size int) {
	t.Helper()
	_, section, found := strings.Cut(text, heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	widths := map[string]int{"u8": 1, "u16": 2, "u32": 4, "i32": 4, "4 bytes": 4, "u64": 8, "i64": 8, "f64": 8, "ref": 8, "rect": 16}
	next := 0
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| ([a-z0-9 ]+) \| `).FindAllStringSubmatch(section, -1) {
		if m[1] != strconv.Itoa(next) || widths[m[2]] == 0 {
			t.Errorf("%s: a field %s at %s, want the next at %d", heading, m[2], m[1], next)
		}
		next += widths[m[2]]
	}
	if !found || next != size {
		t.Errorf("%s: the documented fields have %d bytes, want %d", heading, next, size)
	}
}

// W08: every section begins where any language may read its records in place, also
// if the tree is appended to something.
func TestSectionsAreAligned(t *testing.T) {
	b := Append(bytes.Repeat([]byte{1}, 3), sample())[3:]
	for i := range int(u32(b, 12)) {
		entry := b[headerSize+i*sectionEntrySize:]
		if offset := u32(entry, 4); offset%alignment != 0 {
			t.Errorf("section %d begins at %d", u32(entry, 0), offset)
		}
	}
}
