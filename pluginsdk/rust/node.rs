//! One node of a tree, and what goes with it.

use super::tree::*;
use super::words::relation;
use std::borrow::Cow;

/// The state of a slider, spin button or progress bar.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Value {
    pub current: f64,
    pub min: f64,
    pub max: f64,
    pub step: f64,
}

/// What goes with a node's text, in characters; -1 is none.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct TextInfo {
    pub caret: i32,
    pub start: i32,
    pub end: i32,
    pub length: i64,
    pub first: i64,
}

/// The dimensions of a table; -1 is unknown.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Table {
    pub rows: i64,
    pub columns: i64,
}

/// A node's place in the table that it lies in.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Cell {
    pub row: u32,
    pub column: u32,
    pub row_span: u32,
    pub column_span: u32,
    pub row_header: u64,
    pub column_header: u64,
}

/// One thing that a node says it can do. Its number is its place.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct NodeAction<'a> {
    pub name: Cow<'a, str>,
    pub description: Cow<'a, str>,
    pub binding: Cow<'a, str>,
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub struct Node<'t, 'a> {
    tree: &'t Tree<'a>,
    index: usize,
}

impl<'t, 'a> Node<'t, 'a> {
    pub(crate) fn new(tree: &'t Tree<'a>, index: usize) -> Self {
        Node { tree, index }
    }

    fn rec(&self) -> &'a [u8] {
        self.tree.sections[NODES].record(self.index)
    }

    /// The place in pre-order.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The id, stable while the application keeps the element.
    pub fn id(&self) -> u64 {
        u64_at(self.rec(), 0)
    }

    /// The states, bits of `state`.
    pub fn states(&self) -> u64 {
        u64_at(self.rec(), 8)
    }

    /// Whether the node has all of the states.
    pub fn is(&self, states: u64) -> bool {
        self.states() & states == states
    }

    /// How many children the toolkit reports, -1 unknown.
    pub fn children_total(&self) -> i64 {
        u64_at(self.rec(), 16) as i64
    }

    /// The number of the first included child.
    pub fn children_first(&self) -> i64 {
        u64_at(self.rec(), 24) as i64
    }

    /// How many children are included.
    pub fn children_count(&self) -> u32 {
        u32_at(self.rec(), 88)
    }

    /// Why the included children end where they do, one of `end`.
    pub fn end(&self) -> u8 {
        self.rec()[94]
    }

    /// The number of nodes in the subtree, this one included.
    pub fn subtree(&self) -> usize {
        u32_at(self.rec(), 36) as usize
    }

    /// The accessibility interfaces, bits of `iface`.
    pub fn ifaces(&self) -> u32 {
        u32_at(self.rec(), 40)
    }

    /// The surface that the node lies in, 0 for the window itself.
    pub fn surface(&self) -> u32 {
        u32_at(self.rec(), 44)
    }

    /// Whether the bounds mean something.
    pub fn has_bounds(&self) -> bool {
        self.rec()[95] & 1 != 0
    }

    /// The rectangle relative to the surface.
    pub fn bounds(&self) -> Rect {
        rect_at(self.rec(), 48)
    }

    /// The rectangle relative to the window: what the functions of input take.
    pub fn window_bounds(&self) -> Rect {
        let mut b = self.bounds();
        if let Some(popup) = self.tree.surface(self.surface() as usize) {
            let window = self.tree.window().bounds;
            b.x = b.x.wrapping_add(popup.x).wrapping_sub(window.x);
            b.y = b.y.wrapping_add(popup.y).wrapping_sub(window.y);
        }
        b
    }

    /// The name.
    pub fn name(&self) -> Cow<'a, str> {
        self.tree.str(self.rec(), 64)
    }

    /// What the toolkit says beyond the name.
    pub fn description(&self) -> Cow<'a, str> {
        self.tree.str(self.rec(), 72)
    }

    /// The included part of the text.
    pub fn text(&self) -> Cow<'a, str> {
        self.tree.str(self.rec(), 80)
    }

    /// The name, or that of the node that labels this one.
    pub fn label(&self) -> Cow<'a, str> {
        let name = self.name();
        if !name.is_empty() {
            return name;
        }
        self.related(relation::LABELLED_BY).map(|n| n.name()).unwrap_or_default()
    }

    /// The kind of element, one of `role`.
    pub fn role(&self) -> u16 {
        u16_at(self.rec(), 92)
    }

    /// Whether it holds a secret; its text is then masked.
    pub fn sensitive(&self) -> bool {
        self.rec()[95] & 2 != 0
    }

    /// The parent.
    pub fn parent(&self) -> Option<Node<'t, 'a>> {
        self.tree.at(i32_at(self.rec(), 32) as usize)
    }

    /// The included children.
    pub fn children(&self) -> impl Iterator<Item = Node<'t, 'a>> {
        let (tree, end) = (self.tree, self.index + self.subtree());
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let n = Node { tree, index: next };
            next += n.subtree();
            Some(n)
        })
    }

    /// The included child with the number, from 0.
    pub fn child(&self, number: usize) -> Option<Node<'t, 'a>> {
        self.children().nth(number)
    }

    /// Everything below the node in pre-order.
    pub fn descendants(&self) -> impl Iterator<Item = Node<'t, 'a>> {
        let tree = self.tree;
        (self.index + 1..self.index + self.subtree()).map(move |index| Node { tree, index })
    }

    /// The first node below that has the role.
    pub fn find(&self, role: u16) -> Option<Node<'t, 'a>> {
        self.descendants().find(|n| n.role() == role)
    }

    /// The nearest node above that has the role.
    pub fn within(&self, role: u16) -> Option<Node<'t, 'a>> {
        let mut p = self.parent();
        while let Some(n) = p {
            if n.role() == role {
                return p;
            }
            p = n.parent();
        }
        None
    }

    /// The records of a side table that belong to the node.
    fn side(&self, id: usize) -> impl Iterator<Item = &'a [u8]> {
        let (s, node) = (self.tree.sections[id], self.index as u32);
        let (mut from, mut to) = (0, s.count);
        while from < to {
            let middle = (from + to) / 2;
            if u32_at(s.data, middle * s.size) < node {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        (from..s.count).map(move |i| s.record(i)).take_while(move |r| u32_at(r, 0) == node)
    }

    /// The attributes: keys and values.
    pub fn attributes(&self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> + 't {
        let tree = self.tree;
        self.side(ATTRIBUTES).map(move |r| (tree.str(r, 4), tree.str(r, 12)))
    }

    /// The value of an attribute, empty if there is none.
    pub fn attribute(&self, key: &str) -> Cow<'a, str> {
        self.attributes().find(|a| a.0 == key).map(|a| a.1).unwrap_or_default()
    }

    /// What the node can do, in the order of the actions' numbers.
    pub fn actions(&self) -> impl Iterator<Item = NodeAction<'a>> + 't {
        let tree = self.tree;
        self.side(ACTIONS).map(move |r| NodeAction { name: tree.str(r, 4), description: tree.str(r, 12), binding: tree.str(r, 20) })
    }

    /// The number of the action with the name.
    pub fn action(&self, name: &str) -> Option<usize> {
        self.actions().position(|a| a.name == name)
    }

    /// The relations: kinds, of `relation`, and the ids of the targets, which need
    /// not be in the tree.
    pub fn relations(&self) -> impl Iterator<Item = (u32, u64)> + 't
    where
        'a: 't,
    {
        self.side(RELATIONS).map(|r| (u32::from(u16_at(r, 4)), u64_at(r, 8)))
    }

    /// The first target of a relation that is in the tree.
    pub fn related(&self, kind: u32) -> Option<Node<'t, 'a>> {
        let tree = self.tree;
        self.relations().filter(|r| r.0 == kind).find_map(|r| tree.by_id(r.1))
    }

    /// The state of a slider, spin button or progress bar.
    pub fn value(&self) -> Option<Value> {
        let r = self.side(VALUES).next()?;
        let f = |at| f64::from_bits(u64_at(r, at));
        Some(Value { current: f(8), min: f(16), max: f(24), step: f(32) })
    }

    /// The length of the whole text, the caret and the selection.
    pub fn text_info(&self) -> Option<TextInfo> {
        let r = self.side(TEXTS).next()?;
        Some(TextInfo {
            caret: i32_at(r, 4),
            start: i32_at(r, 8),
            end: i32_at(r, 12),
            length: u64_at(r, 16) as i64,
            first: u64_at(r, 24) as i64,
        })
    }

    /// The dimensions of a table.
    pub fn table(&self) -> Option<Table> {
        let r = self.side(TABLES).next()?;
        Some(Table { rows: u64_at(r, 8) as i64, columns: u64_at(r, 16) as i64 })
    }

    /// The place in the table that the node lies in.
    pub fn cell(&self) -> Option<Cell> {
        let r = self.side(CELLS).next()?;
        Some(Cell {
            row: u32_at(r, 4),
            column: u32_at(r, 8),
            row_span: u32_at(r, 12),
            column_span: u32_at(r, 16),
            row_header: u64_at(r, 24),
            column_header: u64_at(r, 32),
        })
    }
}
