package plugintest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"oriel.dev/oriel/tree"
)

// Tree builds an observation from text, one node a line, indented by two blanks
// below its parent:
//
//	window: title="Find" app=mousepad toolkit=gtk3 bounds=100,100,300,200 modal
//	dialog "Find" active
//	  label "Search for:" #7
//	  entry text="needle" editable focused @10,10,200,30 labelled-by=7
//	  button "Close" actions=click,press
//
// A line begins with the node's role, and the first quoted word is its name.
// The other words come in any order: states, #id (else the number of the node,
// from 1), @x,y,w,h, sensitive, and key=value with the keys description, text,
// value (current,min,max,step), actions, table (rows,columns), cell
// (row,column), total, first, end (cut, virtual, timeout, denied), surface, and
// any attribute; labelled-by, described-by, member-of and controller-for name a
// node by its id. The interfaces follow from the rest. The line "window:" may be
// left out; its keys are those of [tree.Window] in lower case, and popup=x,y,w,h
// for each surface.
func Tree(t testing.TB, text string) *tree.Tree {
	t.Helper()
	out, err := ParseTree(text)
	if err != nil {
		t.Fatalf("reading the tree: %v", err)
	}
	return out
}

// Observation is Tree encoded.
func Observation(t testing.TB, text string) []byte {
	t.Helper()
	return tree.Append(nil, Tree(t, text))
}

// ParseTree is Tree for callers without a test.
func ParseTree(text string) (*tree.Tree, error) {
	p := treeParser{}
	number := 0
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\t", "  "), "\n") {
		number++
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := p.tree.Link(); err != nil {
		return nil, err
	}
	for i := range p.tree.Nodes {
		if n := &p.tree.Nodes[i]; n.ChildrenTotal == 0 && n.End == tree.EndComplete {
			n.ChildrenTotal = int64(n.ChildrenCount)
		}
	}
	return &p.tree, nil
}

type treeParser struct {
	tree   tree.Tree
	margin int     // what the root is indented by
	path   []int32 // the last node of each depth
}

func (p *treeParser) line(line string) error {
	trimmed := strings.TrimLeft(line, " ")
	words, err := split(strings.TrimSpace(line))
	if err != nil || len(words) == 0 {
		return err
	}
	if words[0] == "window:" {
		return windowWords(&p.tree.Window, words[1:])
	}
	indent := len(line) - len(trimmed)
	if len(p.path) == 0 {
		p.margin = indent
	}
	depth := (indent - p.margin) / 2
	if depth < 0 || depth > len(p.path) || depth == 0 && len(p.path) > 0 || (indent-p.margin)%2 != 0 {
		return errors.New("it is below no node: indent by two blanks more than the parent; there is one root")
	}
	n, err := node(words)
	if err != nil {
		return err
	}
	if depth > 0 {
		n.Parent = p.path[depth-1]
	}
	if n.ID == 0 {
		n.ID = tree.NodeID(len(p.tree.Nodes) + 1)
	}
	p.path = append(p.path[:depth], int32(len(p.tree.Nodes)))
	p.tree.Nodes = append(p.tree.Nodes, n)
	return nil
}

// split cuts a line into words; a quoted part of a word may hold blanks.
func split(line string) ([]string, error) {
	var words []string
	for line != "" {
		end := 0
		for end < len(line) && line[end] != ' ' {
			if line[end] != '"' {
				end++
				continue
			}
			quoted, err := strconv.QuotedPrefix(line[end:])
			if err != nil {
				return nil, fmt.Errorf("a quotation does not end: %s", line[end:])
			}
			end += len(quoted)
		}
		words = append(words, line[:end])
		line = strings.TrimLeft(line[end:], " ")
	}
	return words, nil
}

// unquoted returns the content of a value that may be quoted.
func unquoted(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}

func windowWords(w *tree.Window, words []string) error {
	texts := map[string]*string{
		"title": &w.Title, "class": &w.Class, "instance": &w.Instance, "app": &w.App, "process": &w.Process,
		"appversion": &w.AppVersion, "toolkit": &w.Toolkit, "role": &w.Role,
	}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case texts[key] != nil:
			*texts[key] = unquoted(value)
		case key == "bounds", key == "popup":
			r, err := rect(value)
			if err != nil {
				return err
			}
			if key == "bounds" {
				w.Bounds = r
			} else {
				w.Surfaces = append(w.Surfaces, tree.Surface{Bounds: r})
			}
		case word == "modal":
			w.Modal = true
		case word == "active":
			w.States |= tree.WindowActive
		default:
			return fmt.Errorf("a window has no %q", word)
		}
	}
	return nil
}

func node(words []string) (tree.Node, error) {
	role, ok := roles[words[0]]
	if !ok {
		return tree.Node{}, fmt.Errorf("there is no role %q", words[0])
	}
	n := tree.Node{Role: role}
	for _, word := range words[1:] {
		if err := nodeWord(&n, word); err != nil {
			return n, err
		}
	}
	for iface, has := range map[tree.Interfaces]bool{
		tree.IfaceAction: n.Actions != nil, tree.IfaceComponent: n.HasBounds, tree.IfaceText: n.TextInfo != nil,
		tree.IfaceEditableText: n.TextInfo != nil && n.States.Has(tree.StateEditable), tree.IfaceValue: n.Value != nil,
		tree.IfaceTable: n.Table != nil, tree.IfaceTableCell: n.Cell != nil,
	} {
		if has {
			n.Ifaces |= iface
		}
	}
	return n, nil
}

func nodeWord(n *tree.Node, word string) (err error) {
	key, value, pair := strings.Cut(word, "=")
	state, isState := states[word]
	switch {
	case word[0] == '"':
		n.Name = unquoted(word)
	case pair:
		return nodePair(n, key, value)
	case isState:
		n.States |= state
	case word == "sensitive":
		n.Sensitive = true
	case word[0] == '#':
		id, err := strconv.ParseUint(word[1:], 10, 64)
		n.ID = tree.NodeID(id)
		return err
	case word[0] == '@':
		n.HasBounds = true
		n.Bounds, err = rect(word[1:])
	default:
		return fmt.Errorf("there is no state %q", word)
	}
	return err
}

func nodePair(n *tree.Node, key, value string) error {
	var num []int64
	var err error
	switch key {
	case "description":
		n.Description = unquoted(value)
	case "text":
		n.Text = unquoted(value)
		n.TextInfo = &tree.TextInfo{Length: int64(len([]rune(n.Text))), Caret: -1, SelStart: -1, SelEnd: -1}
	case "value":
		n.Value = &tree.Value{}
		_, err = fmt.Sscanf(value, "%g,%g,%g,%g", &n.Value.Current, &n.Value.Min, &n.Value.Max, &n.Value.Step)
	case "actions":
		for name := range strings.SplitSeq(unquoted(value), ",") {
			n.Actions = append(n.Actions, tree.Action{Name: name})
		}
	case "table":
		if num, err = ints(value, 2); err == nil {
			n.Table = &tree.Table{Rows: num[0], Columns: num[1]}
		}
	case "cell":
		if num, err = ints(value, 2); err == nil {
			n.Cell = &tree.Cell{Row: uint32(num[0]), Column: uint32(num[1]), RowSpan: 1, ColumnSpan: 1}
		}
	case "total":
		n.ChildrenTotal, err = strconv.ParseInt(value, 10, 64)
	case "first":
		n.ChildrenFirst, err = strconv.ParseInt(value, 10, 64)
	case "surface":
		_, err = fmt.Sscan(value, &n.Surface)
	case "end":
		n.End, err = end(value)
	default:
		if kind, ok := relations[key]; ok {
			var id uint64
			id, err = strconv.ParseUint(value, 10, 64)
			n.Relations = append(n.Relations, tree.Relation{Kind: kind, Target: tree.NodeID(id)})
			break
		}
		n.Attributes = append(n.Attributes, tree.Attribute{Key: key, Value: unquoted(value)})
	}
	return err
}

func end(s string) (tree.End, error) {
	for e, name := range [...]string{"complete", "cut", "virtual", "timeout", "denied"} {
		if s == name {
			return tree.End(e), nil
		}
	}
	return 0, fmt.Errorf("children cannot end in %q", s)
}

// ints reads n numbers separated by commas.
func ints(s string, n int) ([]int64, error) {
	var out []int64
	for part := range strings.SplitSeq(s, ",") {
		v, err := strconv.ParseInt(part, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is no number", part)
		}
		out = append(out, v)
	}
	if len(out) != n {
		return nil, fmt.Errorf("%q holds %d numbers, want %d", s, len(out), n)
	}
	return out, nil
}

func rect(s string) (tree.Rect, error) {
	n, err := ints(s, 4)
	if err != nil {
		return tree.Rect{}, err
	}
	return tree.Rect{X: int32(n[0]), Y: int32(n[1]), W: int32(n[2]), H: int32(n[3])}, nil
}

var relations = map[string]tree.RelationKind{
	"labelled-by": tree.LabelledBy, "label-for": tree.LabelFor, "described-by": tree.DescribedBy, "member-of": tree.MemberOf,
	"controller-for": tree.ControllerFor, "controlled-by": tree.ControlledBy, "popup-for": tree.PopupFor,
	"error-message": tree.ErrorMessage,
}

// roles and states by their names.
var roles, states = func() (map[string]tree.Role, map[string]tree.States) {
	r, s := map[string]tree.Role{}, map[string]tree.States{}
	for i := tree.Role(0); i == 0 || i.String() != tree.RoleUnknown.String(); i++ {
		r[i.String()] = i
	}
	for i := range 64 {
		for _, name := range tree.States(1 << i).Names() {
			s[name] = 1 << i
		}
	}
	return r, s
}()
