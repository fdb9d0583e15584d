//! An observation, read in place. docs/tree-format.md says where the bytes are.

use super::node::Node;
use super::{code, Fault};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A rectangle in pixels.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Rect {
    pub x: i32,
    pub y: i32,
    pub w: i32,
    pub h: i32,
}

const OBSERVATION: usize = 1;
const WINDOW: usize = 2;
pub(crate) const SURFACES: usize = 3;
const FRAME: usize = 4;
pub(crate) const NODES: usize = 5;
pub(crate) const ATTRIBUTES: usize = 6;
pub(crate) const ACTIONS: usize = 7;
pub(crate) const RELATIONS: usize = 8;
pub(crate) const VALUES: usize = 9;
pub(crate) const TEXTS: usize = 10;
pub(crate) const TABLES: usize = 11;
pub(crate) const CELLS: usize = 12;
const STRINGS: usize = 13;

const RECORD_SIZES: [usize; 14] = [0, 16, 104, 16, 16, 96, 20, 28, 16, 40, 32, 24, 40, 1];

/// Where the records of a section refer to texts.
const STRING_FIELDS: [(usize, &[usize]); 6] = [
    (OBSERVATION, &[4]),
    (WINDOW, &[16, 24, 32, 40, 48, 56, 64, 72]),
    (FRAME, &[0]),
    (NODES, &[64, 72, 80]),
    (ATTRIBUTES, &[4, 12]),
    (ACTIONS, &[4, 12, 20]),
];

#[derive(Clone, Copy, Default)]
pub(crate) struct Section<'a> {
    pub(crate) data: &'a [u8],
    pub(crate) size: usize,
    pub(crate) count: usize,
}

impl<'a> Section<'a> {
    pub(crate) fn record(&self, i: usize) -> &'a [u8] {
        &self.data[i * self.size..(i + 1) * self.size]
    }
}

pub(crate) fn u16_at(b: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([b[at], b[at + 1]])
}

pub(crate) fn u32_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}

pub(crate) fn i32_at(b: &[u8], at: usize) -> i32 {
    u32_at(b, at) as i32
}

pub(crate) fn u64_at(b: &[u8], at: usize) -> u64 {
    u64::from(u32_at(b, at)) | u64::from(u32_at(b, at + 4)) << 32
}

pub(crate) fn rect_at(b: &[u8], at: usize) -> Rect {
    Rect { x: i32_at(b, at), y: i32_at(b, at + 4), w: i32_at(b, at + 8), h: i32_at(b, at + 12) }
}

/// An observation of one window.
pub struct Tree<'a> {
    pub(crate) sections: [Section<'a>; 14],
    index: RefCell<Option<BTreeMap<u64, usize>>>, // by id, made when first needed
}

/// What is known of the window as a whole.
#[derive(Default, Debug)]
#[allow(missing_docs)]
pub struct Window<'a> {
    pub handle: u64,
    pub owner: u64,
    pub title: Cow<'a, str>,
    pub class: Cow<'a, str>,
    pub instance: Cow<'a, str>,
    pub app: Cow<'a, str>,
    pub process: Cow<'a, str>,
    pub app_version: Cow<'a, str>,
    pub toolkit: Cow<'a, str>,
    pub role: Cow<'a, str>,
    pub bounds: Rect, // in pixels of the screen
    pub modal: bool,
    pub states: u32,
    pub surfaces: usize,
}

/// The frozen picture that belongs to an observation.
#[derive(Default, Debug)]
#[allow(missing_docs)]
pub struct Frame<'a> {
    pub digest: Cow<'a, str>,
    pub w: i32,
    pub h: i32,
}

fn bad<T>(why: &str) -> Result<T, Fault> {
    Err(Fault::new(code::INTERNAL, format!("reading tree: {}", why)))
}

impl<'a> Tree<'a> {
    /// Checks all of the bytes once; what it accepts is read without further
    /// errors. What it does not know it passes over.
    pub fn read(bytes: &'a [u8]) -> Result<Tree<'a>, Fault> {
        let mut t = Tree { sections: Default::default(), index: RefCell::new(None) };
        t.read_sections(bytes)?;
        if [OBSERVATION, WINDOW, FRAME].iter().any(|&id| t.sections[id].count > 1) {
            return bad("a section has more than one record");
        }
        t.check_strings()?;
        t.check_nodes()?;
        for id in ATTRIBUTES..=CELLS {
            t.check_order(id, id <= RELATIONS)?;
        }
        Ok(t)
    }

    fn read_sections(&mut self, b: &'a [u8]) -> Result<(), Fault> {
        if b.len() < 16 || &b[..4] != b"ORT1" {
            return bad("the data does not begin with ORT1");
        }
        let (header, total, n) = (u32_at(b, 4) as usize, u32_at(b, 8) as usize, u32_at(b, 12) as u64);
        if total != b.len() {
            return bad("its length is another than it says");
        }
        if header < 16 || header as u64 + n * 16 > total as u64 {
            return bad("the header does not fit");
        }
        for entry in b[header..].chunks_exact(16).take(n as usize) {
            let (id, offset) = (u32_at(entry, 0) as usize, u32_at(entry, 4) as usize);
            let (size, count) = (u32_at(entry, 8) as usize, u32_at(entry, 12) as usize);
            if id == 0 || id > STRINGS {
                continue;
            }
            if self.sections[id].size != 0 {
                return bad("a section comes twice");
            }
            if size < RECORD_SIZES[id] {
                return bad("the records of a section are too small");
            }
            if offset > total || count > (total - offset) / size {
                return bad("a section does not fit");
            }
            self.sections[id] = Section { data: &b[offset..offset + size * count], size, count };
        }
        Ok(())
    }

    fn check_strings(&self) -> Result<(), Fault> {
        let pool = self.sections[STRINGS].count as u64;
        for &(id, fields) in STRING_FIELDS.iter() {
            let s = &self.sections[id];
            for i in 0..s.count {
                let r = s.record(i);
                if fields.iter().any(|&f| u64::from(u32_at(r, f)) + u64::from(u32_at(r, f + 4)) > pool) {
                    return bad("a text lies outside of the strings");
                }
            }
        }
        Ok(())
    }

    fn check_nodes(&self) -> Result<(), Fault> {
        let s = &self.sections[NODES];
        for i in 0..s.count as i64 {
            let parent = i64::from(i32_at(s.record(i as usize), 32));
            if parent >= i || parent < -1 || parent == -1 && i > 0 {
                return bad("a node has a wrong parent");
            }
            if parent != i - 1 {
                self.close_subtrees(i, parent)?;
            }
        }
        if s.count == 0 {
            return Ok(());
        }
        self.close_subtrees(s.count as i64, -1)
    }

    /// Goes up from the node before i to parent; each subtree that it leaves must
    /// end at i.
    fn close_subtrees(&self, i: i64, parent: i64) -> Result<(), Fault> {
        let mut j = i - 1;
        while j > parent {
            let r = self.sections[NODES].record(j as usize);
            if j + i64::from(u32_at(r, 36)) != i {
                return bad("a subtree ends at the wrong node");
            }
            j = i64::from(i32_at(r, 32));
        }
        if j != parent {
            return bad("a node is not in the subtree of its parent");
        }
        Ok(())
    }

    /// Proves that a side table is sorted by node, so that a binary search finds
    /// the records of one.
    fn check_order(&self, id: usize, many: bool) -> Result<(), Fault> {
        let s = &self.sections[id];
        let mut least = 0;
        for i in 0..s.count {
            let node = u64::from(u32_at(s.record(i), 0));
            if node < least || node >= self.len() as u64 {
                return bad("a side table is out of order");
            }
            least = node + u64::from(!many);
        }
        Ok(())
    }

    fn bytes(&self, rec: &[u8], at: usize) -> &'a [u8] {
        let (from, n) = (u32_at(rec, at) as usize, u32_at(rec, at + 4) as usize);
        if n == 0 {
            return &[];
        }
        &self.sections[STRINGS].data[from..from + n]
    }

    pub(crate) fn str(&self, rec: &[u8], at: usize) -> Cow<'a, str> {
        readable(self.bytes(rec, at))
    }

    fn one(&self, id: usize) -> Option<&'a [u8]> {
        let s = &self.sections[id];
        if s.count == 0 {
            return None;
        }
        Some(s.record(0))
    }

    /// What is known of the window as a whole.
    pub fn window(&self) -> Window<'a> {
        let r = match self.one(WINDOW) {
            Some(r) => r,
            None => return Window { surfaces: 0, ..Window::default() },
        };
        Window {
            handle: u64_at(r, 0),
            owner: u64_at(r, 8),
            title: self.str(r, 16),
            class: self.str(r, 24),
            instance: self.str(r, 32),
            app: self.str(r, 40),
            process: self.str(r, 48),
            app_version: self.str(r, 56),
            toolkit: self.str(r, 64),
            role: self.str(r, 72),
            bounds: rect_at(r, 80),
            modal: u32_at(r, 96) & 1 != 0,
            states: u32_at(r, 100),
            surfaces: self.sections[SURFACES].count,
        }
    }

    /// The bounds on the screen of the popup numbered n, from 1.
    pub fn surface(&self, n: usize) -> Option<Rect> {
        let s = &self.sections[SURFACES];
        if n == 0 || n > s.count {
            return None;
        }
        Some(rect_at(s.record(n - 1), 0))
    }

    /// The frozen picture's digest and size.
    pub fn frame(&self) -> Frame<'a> {
        match self.one(FRAME) {
            Some(r) => Frame { digest: self.str(r, 0), w: i32_at(r, 8), h: i32_at(r, 12) },
            None => Frame::default(),
        }
    }

    /// Why the observation is partial, if it is.
    pub fn partial(&self) -> Option<Cow<'a, str>> {
        let r = self.one(OBSERVATION)?;
        if u32_at(r, 0) & 1 == 0 {
            return None;
        }
        Some(self.str(r, 4))
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.sections[NODES].count
    }

    /// The node with the index.
    pub fn at(&self, index: usize) -> Option<Node<'_, 'a>> {
        if index >= self.len() {
            return None;
        }
        Some(Node::new(self, index))
    }

    /// The window's own node.
    pub fn root(&self) -> Option<Node<'_, 'a>> {
        self.at(0)
    }

    /// Every node in pre-order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_, 'a>> {
        (0..self.len()).map(move |index| Node::new(self, index))
    }

    /// The first node with the role, the window's own one left out.
    pub fn find(&self, role: u16) -> Option<Node<'_, 'a>> {
        self.root()?.find(role)
    }

    /// The node with the id.
    pub fn by_id(&self, id: u64) -> Option<Node<'_, 'a>> {
        let mut index = self.index.borrow_mut();
        let index = index.get_or_insert_with(|| {
            let mut m = BTreeMap::new();
            for n in self.nodes() {
                m.entry(n.id()).or_insert(n.index()); // the first of two with one id counts
            }
            m
        });
        self.at(*index.get(&id)?)
    }
}

/// Text of an application as a string: each byte that is not UTF-8 becomes U+FFFD.
pub(crate) fn readable(mut b: &[u8]) -> Cow<'_, str> {
    let mut out = String::new();
    loop {
        match std::str::from_utf8(b) {
            Ok(s) if out.is_empty() => return Cow::Borrowed(s),
            Ok(s) => return Cow::Owned(out + s),
            Err(e) => {
                let good = e.valid_up_to();
                out.push_str(std::str::from_utf8(&b[..good]).unwrap_or(""));
                out.push('\u{fffd}');
                b = &b[good + 1..];
            }
        }
    }
}
