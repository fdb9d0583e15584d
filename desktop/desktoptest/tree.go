package desktoptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// chance is how long an application may take to refuse a deed.
const chance = 100 * time.Millisecond

// OnAct sets what is asked before every deed. If it returns true, the deed is
// done with its error; else the default follows. It runs without the desktop's
// lock and may change the desktop.
func (d *Desktop) OnAct(do func(desktop.WindowID, tree.NodeID, desktop.Deed) (bool, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onAct = do
}

// Bind says what an action of an element does, whether it is asked for by
// accessibility or by a click. A function that does not return stands for a
// dialog that runs its own loop: Act does not wait for it, Close does.
func (d *Desktop) Bind(node tree.NodeID, action int, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.bound[boundKey{node, action}] = do
}

// OnLook sets what happens in the middle of every observation, after the
// generation was read and before the content is.
func (d *Desktop) OnLook(do func(desktop.WindowID)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onLook = do
}

// Limit makes observations cut every element's children to n, as a reader
// does with long lists; 0 cuts nothing.
func (d *Desktop) Limit(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.limit = n
}

// Find returns the first element of a window with the role, and with the name
// unless it is empty.
func (d *Desktop) Find(id desktop.WindowID, role tree.Role, name string) (tree.NodeID, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.find(id)
	if w == nil || w.tree == nil {
		return 0, false
	}
	for _, n := range w.tree.Nodes {
		if n.Role == role && (name == "" || n.Name == name) {
			return n.ID, true
		}
	}
	return 0, false
}

type treeRole struct{ d *Desktop }

func (r treeRole) Observe(ctx context.Context, id desktop.WindowID) (desktop.Observation, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Observe"); err != nil {
		return desktop.Observation{}, err
	}
	w, err := d.reach(ctx, id)
	if err != nil {
		return desktop.Observation{}, err
	}
	gen := w.gen
	if look := d.onLook; look != nil {
		d.mu.Unlock()
		look(id)
		d.mu.Lock()
		if w, err = d.reach(ctx, id); err != nil {
			return desktop.Observation{}, err
		}
	}
	t := &tree.Tree{}
	if w.tree != nil {
		t = cloneTree(w.tree)
		if len(t.Nodes) > 0 {
			nodes := Tree(cut(branch(t, 0), d.limit)).Nodes
			t.Nodes = nodes
		}
	}
	d.describe(w, t)
	return desktop.Observation{Window: w.Window, Generation: gen, Taken: time.Now(), Tree: t}, nil
}

// describe fills in what the window system says; what the test set stays.
func (d *Desktop) describe(w *window, t *tree.Tree) {
	o := &t.Window
	o.Handle, o.Owner = uint64(w.ID), uint64(w.Owner)
	o.Title, o.Class, o.Instance, o.App, o.Process = w.Title, w.Class, w.Instance, w.App.Name, w.App.Process
	o.Toolkit, o.Role, o.Bounds, o.Modal = w.App.Toolkit, w.Role, w.Bounds, w.Modal
	o.States = w.States
	if w.Active {
		o.States |= tree.WindowActive
	}
	if w.Minimized {
		o.States |= tree.WindowMinimized
	}
	o.Surfaces = nil
	for _, p := range w.Popups {
		o.Surfaces = append(o.Surfaces, tree.Surface{Bounds: p})
	}
}

// element begins a call that concerns one element. The caller holds mu.
func (d *Desktop) element(ctx context.Context, call string, id desktop.WindowID, node tree.NodeID) (*window, int, error) {
	if err := d.begin(ctx, call); err != nil {
		return nil, 0, err
	}
	w, err := d.reach(ctx, id)
	if err != nil {
		return nil, 0, err
	}
	i := index(w.tree, node)
	if i < 0 {
		return nil, 0, fmt.Errorf("finding element %d: %w", node, desktop.ErrGone)
	}
	return w, i, nil
}

func index(t *tree.Tree, node tree.NodeID) int {
	if t == nil {
		return -1
	}
	return slices.IndexFunc(t.Nodes, func(n tree.Node) bool { return n.ID == node })
}

func (r treeRole) Children(ctx context.Context, id desktop.WindowID, node tree.NodeID, offset int64, n int) (*tree.Tree, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	w, i, err := d.element(ctx, "Children", id, node)
	if err != nil {
		return nil, err
	}
	b := branch(cloneTree(w.tree), i)
	total := int64(len(b.Kids))
	from, to := clamp(offset, total), clamp(offset+int64(n), total)
	b.Kids = b.Kids[from:to]
	for k := range b.Kids {
		b.Kids[k] = cut(b.Kids[k], d.limit)
	}
	b.Node.ChildrenTotal, b.Node.ChildrenFirst = total, from
	if to < total {
		b.Node.End = tree.EndCut
	}
	t := Tree(b)
	d.describe(w, t)
	return t, nil
}

func (r treeRole) Cells(ctx context.Context, id desktop.WindowID, node tree.NodeID, row, column int64, rows, columns int) (*tree.Tree, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	w, i, err := d.element(ctx, "Cells", id, node)
	if err != nil {
		return nil, err
	}
	if w.tree.Nodes[i].Table == nil {
		return nil, fmt.Errorf("reading cells of element %d: %w", node, desktop.ErrUnsupported)
	}
	c := cloneTree(w.tree)
	b := Branch{Node: c.Nodes[i]}
	for k := i; k < i+int(c.Nodes[i].Subtree); k++ {
		p := c.Nodes[k].Cell
		if p != nil && int64(p.Row) >= row && int64(p.Row) < row+int64(rows) &&
			int64(p.Column) >= column && int64(p.Column) < column+int64(columns) {
			b.Kids = append(b.Kids, branch(c, k))
		}
	}
	t := Tree(b)
	d.describe(w, t)
	return t, nil
}

func (r treeRole) Text(ctx context.Context, id desktop.WindowID, node tree.NodeID, from int64, n int) (string, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	w, i, err := d.element(ctx, "Text", id, node)
	if err != nil {
		return "", err
	}
	text := []rune(w.tree.Nodes[i].Text)
	size := int64(len(text))
	return string(text[clamp(from, size):clamp(from+int64(n), size)]), nil
}

func clamp(v, high int64) int64 { return max(0, min(v, high)) }

func (r treeRole) Ping(ctx context.Context, id desktop.WindowID) error {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Ping"); err != nil {
		return err
	}
	_, err := d.reach(ctx, id)
	return err
}

func (r treeRole) Act(ctx context.Context, id desktop.WindowID, node tree.NodeID, deed desktop.Deed) error {
	d := r.d
	d.mu.Lock()
	_, _, err := d.element(ctx, "Act", id, node)
	do := d.onAct
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if do != nil {
		if done, err := do(id, node, deed); done {
			return err
		}
	}
	return d.perform(id, node, deed)
}

// perform does what the application does for a deed.
func (d *Desktop) perform(id desktop.WindowID, node tree.NodeID, deed desktop.Deed) error {
	d.mu.Lock()
	w := d.find(id)
	if w == nil || index(w.tree, node) < 0 {
		d.mu.Unlock()
		return fmt.Errorf("acting on element %d: %w", node, desktop.ErrGone)
	}
	t := cloneTree(w.tree)
	i := index(t, node)
	if deed.Kind == desktop.DoAction && t.Nodes[i].States.Has(tree.StateEnabled) {
		if do := d.bound[boundKey{node, int(deed.Number)}]; do != nil {
			d.mu.Unlock()
			d.run(do)
			return nil
		}
	}
	defer d.mu.Unlock()
	changed, ok := d.deed(w, t, i, deed)
	if !ok {
		return fmt.Errorf("acting on element %d: %w", node, desktop.ErrRefused)
	}
	if changed {
		w.tree = t
		d.touch(w)
	}
	return nil
}

// run calls what is bound to an action and waits for it as long as an
// application is given to refuse.
func (d *Desktop) run(do func()) {
	done := make(chan struct{})
	d.acts.Go(func() {
		defer close(done)
		do()
	})
	patience := time.NewTimer(chance)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	}
}

// deed changes t by the meaning of a deed; false means that the application
// refuses. The caller holds mu.
func (d *Desktop) deed(w *window, t *tree.Tree, i int, deed desktop.Deed) (changed, ok bool) {
	n := &t.Nodes[i]
	if !n.States.Has(tree.StateEnabled) && deed.Kind != desktop.ScrollTo {
		return false, false
	}
	editable := n.Ifaces.Has(tree.IfaceEditableText) && !n.States.Has(tree.StateReadOnly)
	switch deed.Kind {
	case desktop.DoAction:
		if deed.Number < 0 || deed.Number >= int64(len(n.Actions)) {
			return false, false
		}
		return toggle(n), true
	case desktop.SetText:
		if editable {
			w.write(n, deed.Text)
		}
		return editable, editable
	case desktop.InsertText:
		if editable {
			text := []rune(w.read(n))
			at := clamp(deed.Number, int64(len(text)))
			w.write(n, string(text[:at])+deed.Text+string(text[at:]))
			n.TextInfo.Caret = int32(at) + int32(len([]rune(deed.Text)))
		}
		return editable, editable
	case desktop.SetValue:
		if n.Value == nil {
			return false, false
		}
		n.Value.Current = max(n.Value.Min, min(n.Value.Max, deed.Float))
		return true, true
	case desktop.Select, desktop.Deselect:
		return choose(t, i, deed)
	case desktop.Focus:
		if !n.States.Has(tree.StateFocusable) {
			return false, false
		}
		focus(t, i)
		return true, true
	case desktop.ScrollTo:
		return false, true
	case desktop.SetCaret, desktop.SelectText:
		if n.TextInfo == nil {
			return false, false
		}
		mark(n.TextInfo, deed)
		return true, true
	}
	return false, false
}

// toggle changes what an action without a bound function changes: the mark of
// a check box, the fold of a tree. A plain button is inert.
func toggle(n *tree.Node) bool {
	switch {
	case n.States.Has(tree.StateCheckable):
		n.States ^= tree.StateChecked
	case n.Role == tree.RoleToggleButton:
		n.States ^= tree.StatePressed
	case n.States.Has(tree.StateExpandable):
		n.States ^= tree.StateExpanded
	default:
		return false
	}
	return true
}

func choose(t *tree.Tree, i int, deed desktop.Deed) (changed, ok bool) {
	kids := Children(t, i)
	if !t.Nodes[i].Ifaces.Has(tree.IfaceSelection) || deed.Number < 0 || deed.Number >= int64(len(kids)) {
		return false, false
	}
	if deed.Kind == desktop.Select && !t.Nodes[i].States.Has(tree.StateMultiSelectable) {
		for _, k := range kids {
			t.Nodes[k].States &^= tree.StateSelected
		}
	}
	n := &t.Nodes[kids[deed.Number]]
	n.States |= tree.StateSelected
	if deed.Kind == desktop.Deselect {
		n.States &^= tree.StateSelected
	}
	return true, true
}

func focus(t *tree.Tree, i int) {
	for k := range t.Nodes {
		t.Nodes[k].States &^= tree.StateFocused
	}
	t.Nodes[i].States |= tree.StateFocused
}

func mark(info *tree.TextInfo, deed desktop.Deed) {
	from, to := int32(clamp(deed.Number, info.Length)), int32(clamp(deed.End, info.Length))
	info.SelStart, info.SelEnd = -1, -1
	if deed.Kind == desktop.SelectText && to > from {
		info.SelStart, info.SelEnd = from, to
		from = to
	}
	info.Caret = from
}

// read returns the text that the application holds in a node.
func (w *window) read(n *tree.Node) string {
	if s, ok := w.secrets[n.ID]; ok {
		return s
	}
	return n.Text
}

// write puts text into a node. Of a password only its length can be seen.
func (w *window) write(n *tree.Node, text string) {
	n.TextInfo = textInfo(text)
	n.Text = text
	if n.Sensitive || n.Role == tree.RolePassword {
		w.secrets[n.ID] = text
		n.Text = strings.Repeat("•", int(n.TextInfo.Length))
	}
}
