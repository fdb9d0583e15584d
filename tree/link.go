package tree

// Link fills Subtree and ChildrenCount of every node from Parent, which must
// name the nodes' parents in pre-order: whoever builds a tree sets Parent alone.
func (t *Tree) Link() error {
	for i := range t.Nodes {
		t.Nodes[i].Subtree, t.Nodes[i].ChildrenCount = 1, 0
	}
	for i := len(t.Nodes) - 1; i > 0; i-- {
		p := int(t.Nodes[i].Parent)
		if p < 0 || p >= i {
			return fault("linking tree: node", i, "has parent", p, "want one before it")
		}
		t.Nodes[p].Subtree += t.Nodes[i].Subtree
		t.Nodes[p].ChildrenCount++
	}
	for i := 1; i < len(t.Nodes); i++ {
		if p := int(t.Nodes[i].Parent); i >= p+int(t.Nodes[p].Subtree) {
			return fault("linking tree: node", i, "comes after the subtree of its parent", p)
		}
	}
	if len(t.Nodes) > 0 {
		t.Nodes[0].Parent = -1
	}
	return nil
}
