package check

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
)

// What a view may measure. Titles and labels come from applications, so they
// are cut; the rest is the adapter's choice, so too much is its mistake.
const (
	MaxView     = 256 << 10 // bytes of text in all
	maxBlocks   = 1000
	maxActions  = 200
	maxKey      = 128    // bytes
	maxTitle    = 200    // characters
	maxSummary  = 1000   // characters
	maxLabel    = 200    // characters
	maxActionMS = 60_000 // of patience
)

// expectedVersion is added to every writing action by the host.
const expectedVersion = "expectedVersion"

var (
	actionName = regexp.MustCompile(`^[a-z0-9_]{1,24}$`)
	blockTypes = []hostabi.BlockType{
		hostabi.Text, hostabi.Fields, hostabi.Table, hostabi.List, hostabi.Notice, hostabi.Media, hostabi.Custom,
	}
	severities = []hostabi.Severity{hostabi.Info, hostabi.Warn, hostabi.Error, hostabi.Success}
)

// View checks what an adapter returned from translate and brings it into shape:
// titles and labels become one harmless line each, numbers one of int64 and
// float64, what is no number null. The view may be used if there is no error.
func View(v *hostabi.View) error {
	c := viewChecker{}
	v.Title = c.line(v.Title, maxTitle)
	v.Summary = c.line(v.Summary, maxSummary)
	if len(v.Blocks) > maxBlocks {
		c.add("blocks", "has %d blocks; the most is %d, so set truncated and leave out the rest", len(v.Blocks), maxBlocks)
	}
	keys := map[string]int{}
	for i := range v.Blocks {
		place := fmt.Sprintf("blocks[%d]", i)
		if first, taken := keys[v.Blocks[i].Key]; taken {
			c.add(place+".key", "%q is the key of blocks[%d] too; give each block its own", v.Blocks[i].Key, first)
		} else {
			keys[v.Blocks[i].Key] = i
		}
		c.block(place, &v.Blocks[i])
	}
	c.actions("actions", v.Actions)
	c.actions("app_actions", v.AppActions)
	if c.size > MaxView {
		c.add("size", "has %d bytes of text; the most is %d, so cut long texts and tables and set truncated", c.size, MaxView)
	}
	return c.err("view")
}

// viewChecker collects problems and counts bytes.
type viewChecker struct {
	problems
	size int
}

// line brings a title or label into shape.
func (c *viewChecker) line(s string, most int) string {
	s = hostabi.Cut(Line(s), most)
	c.size += len(s)
	return s
}

// need is line for one that must not be empty.
func (c *viewChecker) need(place string, s *string, most int) {
	*s = c.line(*s, most)
	if *s == "" {
		c.add(place, "is empty; write what it stands for")
	}
}

func (c *viewChecker) block(place string, b *hostabi.Block) {
	switch {
	case b.Key == "":
		c.add(place+".key", "is empty; give the block a name that stays")
	case len(b.Key) > maxKey || Line(b.Key) != b.Key:
		c.add(place+".key", "is longer than %d bytes or holds control characters; take a plain name", maxKey)
	}
	c.size += len(b.Key) + len(b.Text) + len(b.Payload)
	if !slices.Contains(blockTypes, b.Type) {
		c.add(place+".type", "is %q; it must be one of %q", b.Type, blockTypes)
		return
	}
	c.onlyOwn(place, b)
	switch b.Type {
	case hostabi.Notice:
		if !slices.Contains(severities, b.Severity) {
			c.add(place+".severity", "is %q; it must be one of %q", b.Severity, severities)
		}
		if strings.TrimSpace(b.Text) == "" {
			c.add(place+".text", "is empty; a notice says something")
		}
	case hostabi.Fields:
		for i := range b.Items {
			item := fmt.Sprintf("%s.items[%d]", place, i)
			c.need(item+".label", &b.Items[i].Label, maxLabel)
			c.scalar(item+".value", &b.Items[i].Value)
		}
	case hostabi.Table:
		c.table(place, b)
	case hostabi.List:
		for i := range b.List {
			c.scalar(fmt.Sprintf("%s.list[%d]", place, i), &b.List[i])
		}
	case hostabi.Media:
		if b.Region.W <= 0 || b.Region.H <= 0 {
			c.add(place+".region", "is empty; say which part of the window to show")
		}
		c.need(place+".alt", &b.Alt, maxSummary)
	case hostabi.Custom:
		if _, err := hostabi.Parse(b.Payload); err != nil {
			c.add(place+".payload", "%v; write JSON", err)
		}
	}
	c.truncation(place, b)
}

func (c *viewChecker) table(place string, b *hostabi.Block) {
	if len(b.Columns) == 0 {
		c.add(place+".columns", "is empty; name the columns")
	}
	for i := range b.Columns {
		b.Columns[i] = c.line(b.Columns[i], maxLabel)
	}
	for i, row := range b.Rows {
		if len(row) != len(b.Columns) {
			c.add(fmt.Sprintf("%s.rows[%d]", place, i), "has %d cells; there are %d columns", len(row), len(b.Columns))
		}
		for j := range row {
			c.scalar(fmt.Sprintf("%s.rows[%d][%d]", place, i, j), &row[j])
		}
	}
}

// onlyOwn refuses what does not belong to the block's type: it would be lost.
func (c *viewChecker) onlyOwn(place string, b *hostabi.Block) {
	own := map[string]bool{}
	for _, name := range map[hostabi.BlockType][]string{
		hostabi.Text:   {"text"},
		hostabi.Fields: {"items"},
		hostabi.Table:  {"columns", "rows"},
		hostabi.List:   {"list", "ordered"},
		hostabi.Notice: {"text", "severity"},
		hostabi.Media:  {"region", "alt"},
		hostabi.Custom: {"payload"},
	}[b.Type] {
		own[name] = true
	}
	for _, f := range []struct {
		name string
		used bool
	}{
		{"text", b.Text != ""},
		{"severity", b.Severity != ""},
		{"items", len(b.Items) > 0},
		{"columns", len(b.Columns) > 0},
		{"rows", len(b.Rows) > 0},
		{"list", len(b.List) > 0},
		{"ordered", b.Ordered},
		{"region", b.Region != hostabi.Region{}},
		{"alt", b.Alt != ""},
		{"payload", b.Payload != ""},
	} {
		if f.used && !own[f.name] {
			c.add(place+"."+f.name, "does not belong to a block of type %s; leave it out", b.Type)
		}
	}
}

// truncation checks what is said of what was left out.
func (c *viewChecker) truncation(place string, b *hostabi.Block) {
	included := map[hostabi.BlockType]int{
		hostabi.Fields: len(b.Items), hostabi.Table: len(b.Rows), hostabi.List: len(b.List), hostabi.Text: 0,
	}
	n, may := included[b.Type]
	switch {
	case !b.Truncated && (b.Offset != 0 || b.Total != 0):
		c.add(place+".truncated", "is not set, but offset or total are; set it, or leave them out")
	case b.Truncated && !may:
		c.add(place+".truncated", "does not belong to a block of type %s; leave it out", b.Type)
	case b.Truncated && (b.Offset < 0 || b.Total < b.Offset+int64(n)):
		c.add(place+".total", "is %d, which is less than the %d after offset %d", b.Total, n, b.Offset)
	}
}

// scalar brings a value into shape.
func (c *viewChecker) scalar(place string, s *hostabi.Scalar) {
	switch v := (*s).(type) {
	case nil, bool, int64:
		c.size += 8
	case string:
		c.size += len(v)
	case int:
		*s = int64(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			*s = nil
		}
		c.size += 8
	default:
		c.add(place, "is a %T; use a string, bool, int64, float64 or nil", v)
	}
}

func (c *viewChecker) actions(place string, list []hostabi.Action) {
	if len(list) > maxActions {
		c.add(place, "has %d actions; the most is %d", len(list), maxActions)
	}
	names := map[string]bool{}
	for i := range list {
		at := fmt.Sprintf("%s[%d]", place, i)
		if names[list[i].Name] {
			c.add(at+".name", "%q comes twice; give each action its own", list[i].Name)
		}
		names[list[i].Name] = true
		c.action(at, &list[i])
	}
}

func (c *viewChecker) action(place string, a *hostabi.Action) {
	if !actionName.MatchString(a.Name) {
		c.add(place+".name", "is %s; take 1 to 24 of the characters a-z, 0-9 and _", quoted(a.Name))
	}
	c.need(place+".title", &a.Title, maxTitle)
	if a.Description = Lines(a.Description); strings.TrimSpace(a.Description) == "" {
		c.add(place+".description", "is empty; say what the action does and when to use it")
	}
	a.Unavailable = c.line(a.Unavailable, maxSummary)
	c.size += len(a.Description) + len(a.Input) + len(a.Output)
	for name, schema := range map[string]string{"input": a.Input, "output": a.Output} {
		if schema == "" {
			continue
		}
		s, err := compile(schema)
		if err != nil {
			c.add(place+"."+name, "%v", err)
		} else if _, taken := s.Schema().Properties[expectedVersion]; taken && name == "input" {
			c.add(place+".input", "has a property %s, which the host adds itself; take another name", expectedVersion)
		}
	}
	if a.ReadOnly && a.Destructive {
		c.add(place+".destructive", "contradicts read_only; choose one")
	}
	if a.Patience < 0 || a.Patience > maxActionMS {
		c.add(place+".patience", "is %d ms; it must be from 0 to %d", a.Patience, maxActionMS)
	}
}
