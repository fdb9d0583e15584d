package desktoptest

import (
	"slices"

	"oriel.dev/oriel/tree"
)

// Branch is an element with what lies below it, for writing a tree by hand.
type Branch struct {
	Node tree.Node
	Kids []Branch
}

// N makes a branch.
func N(n tree.Node, kids ...Branch) Branch { return Branch{n, kids} }

// Tree ties branches to a tree: the numbers of parents, subtrees and children
// are counted here. A ChildrenTotal that is set stays.
func Tree(root Branch) *tree.Tree {
	t := &tree.Tree{}
	grow(t, root, -1)
	return t
}

func grow(t *tree.Tree, b Branch, parent int32) {
	i := len(t.Nodes)
	n := b.Node
	n.Parent = parent
	n.ChildrenCount = uint32(len(b.Kids))
	if n.ChildrenTotal == 0 {
		n.ChildrenTotal = int64(len(b.Kids))
	}
	t.Nodes = append(t.Nodes, n)
	for _, k := range b.Kids {
		grow(t, k, int32(i))
	}
	t.Nodes[i].Subtree = uint32(len(t.Nodes) - i)
}

// Children returns the indexes of the children of node i.
func Children(t *tree.Tree, i int) []int {
	var out []int
	end := i + int(t.Nodes[i].Subtree)
	for k := i + 1; k < end; k += max(1, int(t.Nodes[k].Subtree)) {
		out = append(out, k)
	}
	return out
}

// branch is the inverse of grow.
func branch(t *tree.Tree, i int) Branch {
	b := Branch{Node: t.Nodes[i]}
	for _, k := range Children(t, i) {
		b.Kids = append(b.Kids, branch(t, k))
	}
	return b
}

// cut keeps at most limit children of every element below b; 0 keeps all.
func cut(b Branch, limit int) Branch {
	if limit > 0 && len(b.Kids) > limit {
		b.Node.ChildrenTotal = int64(len(b.Kids))
		b.Node.End = tree.EndCut
		b.Kids = b.Kids[:limit]
	}
	kids := make([]Branch, len(b.Kids))
	for i, k := range b.Kids {
		kids[i] = cut(k, limit)
	}
	b.Kids = kids
	return b
}

// adopt takes a tree over from a test. The caller holds mu.
func (d *Desktop) adopt(t *tree.Tree) *tree.Tree {
	t = cloneTree(t)
	if t == nil {
		return nil
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		d.lastNode = max(d.lastNode, n.ID)
		if n.States == 0 {
			n.States = tree.StateEnabled | tree.StateShowing | tree.StateVisible
		}
		if n.Ifaces.Has(tree.IfaceText) && n.TextInfo == nil {
			n.TextInfo = textInfo(n.Text)
		}
	}
	for i := range t.Nodes {
		if t.Nodes[i].ID == 0 {
			d.lastNode++
			t.Nodes[i].ID = d.lastNode
		}
	}
	return t
}

func textInfo(s string) *tree.TextInfo {
	n := len([]rune(s))
	return &tree.TextInfo{Length: int64(n), Caret: int32(n), SelStart: -1, SelEnd: -1}
}

// cloneTree copies a tree so that neither side sees the other's changes.
func cloneTree(t *tree.Tree) *tree.Tree {
	if t == nil {
		return nil
	}
	c := *t
	c.Window.Surfaces = slices.Clone(t.Window.Surfaces)
	c.Nodes = slices.Clone(t.Nodes)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Attributes = slices.Clone(n.Attributes)
		n.Actions = slices.Clone(n.Actions)
		n.Relations = slices.Clone(n.Relations)
		n.Value, n.TextInfo = clonePtr(n.Value), clonePtr(n.TextInfo)
		n.Table, n.Cell = clonePtr(n.Table), clonePtr(n.Cell)
	}
	return &c
}

func clonePtr[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
