package tree

import "bytes"

// Decode reads an encoded tree into memory of its own. It is for tools and
// tests; an adapter uses a [Reader].
func Decode(b []byte) (*Tree, error) {
	r, err := NewReader(bytes.Clone(b))
	if err != nil {
		return nil, err
	}
	t := &Tree{Window: r.Window(), Frame: r.Frame()}
	t.Why, t.Partial = r.Partial()
	if n := r.Len(); n > 0 {
		t.Nodes = make([]Node, n)
	}
	for c := range r.All() {
		t.Nodes[c.i] = c.node()
	}
	return t, nil
}

// node copies what the cursor says.
func (c Cursor) node() Node {
	n := Node{
		ID: c.ID(), Parent: int32(c.r.parent(c.i)), Subtree: uint32(c.Subtree()), Role: c.Role(), States: c.States(),
		Ifaces: c.Ifaces(), Bounds: c.Bounds(), HasBounds: c.HasBounds(), Surface: c.Surface(),
		Name: c.Name(), Description: c.Description(), Text: c.Text(), Sensitive: c.Sensitive(),
		ChildrenTotal: c.ChildrenTotal(), ChildrenFirst: c.ChildrenFirst(), ChildrenCount: uint32(c.ChildrenCount()),
		End: c.End(),
	}
	for k, v := range c.Attributes() {
		n.Attributes = append(n.Attributes, Attribute{k, v})
	}
	for _, a := range c.Actions() {
		n.Actions = append(n.Actions, a)
	}
	for rel := range c.Relations() {
		n.Relations = append(n.Relations, rel)
	}
	if v, ok := c.Value(); ok {
		n.Value = &v
	}
	if v, ok := c.TextInfo(); ok {
		n.TextInfo = &v
	}
	if v, ok := c.Table(); ok {
		n.Table = &v
	}
	if v, ok := c.Cell(); ok {
		n.Cell = &v
	}
	return n
}
