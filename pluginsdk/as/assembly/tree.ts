// An observation, read in place. docs/tree-format.md says where the bytes are.
import { decode, refusing } from "./view";
import { RelationKind } from "./words";

/** A rectangle in pixels. */
export class Rect {
  constructor(public x: i32 = 0, public y: i32 = 0, public w: i32 = 0, public h: i32 = 0) {}
}

const OBSERVATION: u32 = 1, WINDOW: u32 = 2, SURFACES: u32 = 3, FRAME: u32 = 4, NODES: u32 = 5, ATTRIBUTES: u32 = 6, ACTIONS: u32 = 7,
  RELATIONS: u32 = 8, VALUES: u32 = 9, TEXTS: u32 = 10, TABLES: u32 = 11, CELLS: u32 = 12, STRINGS: u32 = 13;

const recordSizes: StaticArray<u32> = [0, 16, 104, 16, 16, 96, 20, 28, 16, 40, 32, 24, 40, 1];

// What a node that is none reads.
const noNode = memory.data(96);

class Section {
  constructor(public data: usize = 0, public size: u32 = 0, public count: u32 = 0) {}

  @inline record(i: u32): usize {
    return this.data + i * this.size;
  }
}

function rect(p: usize): Rect {
  return new Rect(load<i32>(p), load<i32>(p, 4), load<i32>(p, 8), load<i32>(p, 12));
}

/** What is known of the window as a whole. */
export class Window {
  handle: u64 = 0;
  owner: u64 = 0;
  title: string = "";
  class_: string = "";
  instance: string = "";
  app: string = "";
  process: string = "";
  appVersion: string = "";
  toolkit: string = "";
  role: string = "";
  bounds: Rect = new Rect(); // in pixels of the screen
  modal: bool = false;
  states: u32 = 0;
  surfaces: u32 = 0;
}

/** The frozen picture that belongs to an observation. */
export class Frame {
  constructor(public digest: string = "", public w: i32 = 0, public h: i32 = 0) {}
}

function bad(why: string): bool {
  return refusing("internal", "reading tree: " + why);
}

/** An observation of one window. */
export class Tree {
  /** What keeps the bytes alive; null if the host's own buffer holds them. */
  bytes: ArrayBuffer | null = null;
  private sections: Section[] = [];
  private index: Map<u64, u32> | null = null; // by id, made when first needed

  /** Checks all of the bytes once; what it accepts is read without further errors. */
  static read(p: usize, n: u32): Tree | null {
    const t = new Tree();
    for (let i = 0; i < 14; i++) t.sections.push(new Section());
    return t.readSections(p, n) && t.check() ? t : null;
  }

  private readSections(b: usize, n: u32): bool {
    if (n < 16 || load<u32>(b) != 0x3154524f) return bad("the data does not begin with ORT1");
    const header: u64 = load<u32>(b, 4), count: u64 = load<u32>(b, 12);
    if (load<u32>(b, 8) != n) return bad("its length is another than it says");
    if (header < 16 || header + count * 16 > n) return bad("the header does not fit");
    for (let i: u32 = 0; i < <u32>count; i++) {
      const e = b + <usize>header + i * 16;
      const id = load<u32>(e), offset = load<u32>(e, 4), size = load<u32>(e, 8), records = load<u32>(e, 12);
      if (id == 0 || id > STRINGS) continue;
      if (this.sections[id].size != 0) return bad("a section comes twice");
      if (size < recordSizes[id]) return bad("the records of a section are too small");
      if (offset > n || records > (n - offset) / size) return bad("a section does not fit");
      this.sections[id] = new Section(b + offset, size, records);
    }
    return true;
  }

  private check(): bool {
    const s = this.sections;
    if (s[OBSERVATION].count > 1 || s[WINDOW].count > 1 || s[FRAME].count > 1) return bad("a section has more than one record");
    if (!this.stringsFit(OBSERVATION, [4]) || !this.stringsFit(WINDOW, [16, 24, 32, 40, 48, 56, 64, 72]) || !this.stringsFit(FRAME, [0]) ||
      !this.stringsFit(NODES, [64, 72, 80]) || !this.stringsFit(ATTRIBUTES, [4, 12]) || !this.stringsFit(ACTIONS, [4, 12, 20]))
      return bad("a text lies outside of the strings");
    if (!this.nodesFit()) return false;
    for (let id = ATTRIBUTES; id <= CELLS; id++) if (!this.ordered(s[id], id <= RELATIONS)) return bad("a side table is out of order");
    return true;
  }

  private stringsFit(id: u32, fields: StaticArray<u32>): bool {
    const s = this.sections[id], pool: u64 = this.sections[STRINGS].count;
    for (let i: u32 = 0; i < s.count; i++) {
      for (let f = 0; f < fields.length; f++) {
        const p = s.record(i) + unchecked(fields[f]);
        if (<u64>load<u32>(p) + load<u32>(p, 4) > pool) return false;
      }
    }
    return true;
  }

  private nodesFit(): bool {
    const s = this.sections[NODES];
    for (let i: i64 = 0; i < <i64>s.count; i++) {
      const parent: i64 = load<i32>(s.record(<u32>i), 32);
      if (parent >= i || parent < -1 || (parent == -1 && i > 0)) return bad("a node has a wrong parent");
      if (parent != i - 1 && !this.closeSubtrees(i, parent)) return false;
    }
    return s.count == 0 || this.closeSubtrees(s.count, -1);
  }

  // Goes up from the node before i to parent; each subtree that it leaves must end
  // at i.
  private closeSubtrees(i: i64, parent: i64): bool {
    let j = i - 1;
    while (j > parent) {
      const r = this.sections[NODES].record(<u32>j);
      if (j + <i64>load<u32>(r, 36) != i) return bad("a subtree ends at the wrong node");
      j = load<i32>(r, 32);
    }
    return j == parent || bad("a node is not in the subtree of its parent");
  }

  // A side table is sorted by node, so that a binary search finds the records of one.
  private ordered(s: Section, many: bool): bool {
    let least: u64 = 0;
    for (let i: u32 = 0; i < s.count; i++) {
      const node: u64 = load<u32>(s.record(i));
      if (node < least || node >= this.length) return false;
      least = node + (many ? 0 : 1);
    }
    return true;
  }

  @inline section(id: u32): Section {
    return unchecked(this.sections[id]);
  }

  text(p: usize): string {
    return decode(this.section(STRINGS).data + load<u32>(p), load<u32>(p, 4));
  }

  /** What is known of the window as a whole. */
  get window(): Window {
    const w = new Window(), s = this.section(WINDOW), p = s.data;
    if (s.count == 0) return w;
    w.handle = load<u64>(p);
    w.owner = load<u64>(p, 8);
    w.title = this.text(p + 16);
    w.class_ = this.text(p + 24);
    w.instance = this.text(p + 32);
    w.app = this.text(p + 40);
    w.process = this.text(p + 48);
    w.appVersion = this.text(p + 56);
    w.toolkit = this.text(p + 64);
    w.role = this.text(p + 72);
    w.bounds = rect(p + 80);
    w.modal = (load<u32>(p, 96) & 1) != 0;
    w.states = load<u32>(p, 100);
    w.surfaces = this.section(SURFACES).count;
    return w;
  }

  /** The window's title alone. */
  get title(): string {
    return this.section(WINDOW).count ? this.text(this.section(WINDOW).data + 16) : "";
  }

  /** The bounds on the screen of the popup numbered n, from 1; null if there is none. */
  surface(n: u32): Rect | null {
    const s = this.section(SURFACES);
    return n != 0 && n <= s.count ? rect(s.record(n - 1)) : null;
  }

  /** Where the window is on the screen. */
  get bounds(): Rect {
    return this.section(WINDOW).count ? rect(this.section(WINDOW).data + 80) : new Rect();
  }

  /** The frozen picture's digest and size. */
  get frame(): Frame {
    const s = this.section(FRAME);
    return s.count ? new Frame(this.text(s.data), load<i32>(s.data, 8), load<i32>(s.data, 12)) : new Frame();
  }

  /** Whether the application did not answer all of it in time. */
  get partial(): bool {
    const s = this.section(OBSERVATION);
    return s.count != 0 && (load<u32>(s.data) & 1) != 0;
  }

  /** Why it is partial. */
  get why(): string {
    const s = this.section(OBSERVATION);
    return s.count ? this.text(s.data + 4) : "";
  }

  /** The number of nodes. */
  get length(): u32 {
    return this.section(NODES).count;
  }

  /** The node with the index. */
  at(i: i64): Node {
    return new Node(this, i >= 0 && i < <i64>this.length ? <i32>i : -1);
  }

  /** The window's own node. */
  get root(): Node {
    return this.at(0);
  }

  /** The first node with the role, the window's own one left out. */
  find(role: u32): Node {
    return this.root.find(role);
  }

  /** The node with the id. */
  byId(id: u64): Node {
    let index = this.index;
    if (!index) {
      index = new Map<u64, u32>();
      for (let i: u32 = 0; i < this.length; i++) {
        const id = load<u64>(this.section(NODES).record(i));
        if (!index.has(id)) index.set(id, i); // the first of two with one id counts
      }
      this.index = index;
    }
    return index.has(id) ? this.at(index.get(id)) : this.at(-1);
  }
}

/** One attribute of a node. */
export class Attribute {
  constructor(public key: string, public value: string) {}
}

/** One thing that a node says it can do. Its number is its place. */
export class NodeAction {
  constructor(public name: string, public description: string, public binding: string) {}
}

/** How a node relates to another, which need not be in the tree. */
export class Relation {
  constructor(public kind: u32, public target: u64) {}
}

/** The state of a slider, spin button or progress bar. */
export class ValueInfo {
  constructor(public current: f64, public min: f64, public max: f64, public step: f64) {}
}

/** What goes with a node's text, in characters; -1 is none. */
export class TextInfo {
  constructor(public caret: i32, public start: i32, public end: i32, public total: i64, public first: i64) {}
}

/** The dimensions of a table; -1 is unknown. */
export class TableInfo {
  constructor(public rows: i64, public columns: i64) {}
}

/** A node's place in the table that it lies in. */
export class CellInfo {
  constructor(public row: u32, public column: u32, public rowSpan: u32, public columnSpan: u32, public rowHeader: u64, public columnHeader: u64) {}
}

/**
 * A node of a tree. One that is not valid is no node: all that it says is empty, so a
 * search may be asked on without a check in between.
 */
export class Node {
  constructor(private tree: Tree, public index: i32) {}

  @inline private get rec(): usize {
    return this.index >= 0 ? this.tree.section(NODES).record(this.index) : noNode;
  }

  private text_(at: usize): string {
    return this.index >= 0 ? this.tree.text(this.rec + at) : "";
  }

  get valid(): bool {
    return this.index >= 0;
  }
  get id(): u64 {
    return load<u64>(this.rec);
  }
  /** Bits of State. */
  get states(): u64 {
    return load<u64>(this.rec, 8);
  }
  /** Whether the node has all of the states. */
  is(states: u64): bool {
    return (this.states & states) == states;
  }
  /** How many children the toolkit reports, -1 unknown. */
  get childrenTotal(): i64 {
    return load<i64>(this.rec, 16);
  }
  /** The number of the first included child. */
  get childrenFirst(): i64 {
    return load<i64>(this.rec, 24);
  }
  /** How many children are included. */
  get childrenCount(): u32 {
    return load<u32>(this.rec, 88);
  }
  /** Why the included children end where they do, one of End. */
  get end(): u32 {
    return load<u8>(this.rec, 94);
  }
  /** The number of nodes in the subtree, this one included. */
  get subtree(): u32 {
    return load<u32>(this.rec, 36);
  }
  /** Bits of Iface. */
  get ifaces(): u32 {
    return load<u32>(this.rec, 40);
  }
  /** The surface that the node lies in, 0 for the window itself. */
  get surface(): u32 {
    return load<u32>(this.rec, 44);
  }
  get hasBounds(): bool {
    return (load<u8>(this.rec, 95) & 1) != 0;
  }
  /** The rectangle relative to the surface. */
  get bounds(): Rect {
    return rect(this.rec + 48);
  }
  /** The rectangle relative to the window: what the functions of input take. */
  get windowBounds(): Rect {
    const b = this.bounds, popup = this.index >= 0 ? this.tree.surface(this.surface) : null;
    if (popup) {
      const w = this.tree.bounds;
      b.x += popup.x - w.x;
      b.y += popup.y - w.y;
    }
    return b;
  }
  get name(): string {
    return this.text_(64);
  }
  /** What the toolkit says beyond the name. */
  get description(): string {
    return this.text_(72);
  }
  /** The included part of the text. */
  get text(): string {
    return this.text_(80);
  }
  /** The name, or that of the node that labels this one. */
  get label(): string {
    const name = this.name;
    return name.length ? name : this.related(RelationKind.LABELLED_BY).name;
  }
  /** One of Role. */
  get role(): u32 {
    return load<u16>(this.rec, 92);
  }
  /** Whether it holds a secret; its text is then masked. */
  get sensitive(): bool {
    return (load<u8>(this.rec, 95) & 2) != 0;
  }

  get parent(): Node {
    return this.tree.at(this.index >= 0 ? load<i32>(this.rec, 32) : -1);
  }
  get firstChild(): Node {
    return this.tree.at(this.subtree > 1 ? this.index + 1 : -1);
  }
  get nextSibling(): Node {
    const p = this.parent, next = <u32>this.index + this.subtree;
    return this.tree.at(p.valid && next < <u32>p.index + p.subtree ? next : -1);
  }
  /** The included child with the number, from 0. */
  child(number: u32): Node {
    let c = this.firstChild;
    while (c.valid && number--) c = c.nextSibling;
    return c;
  }
  /** The first node below that has the role. */
  find(role: u32): Node {
    if (this.index >= 0) {
      const nodes = this.tree.section(NODES), end = <u32>this.index + this.subtree;
      for (let i = <u32>this.index + 1; i < end; i++) if (load<u16>(nodes.record(i), 92) == role) return this.tree.at(i);
    }
    return this.tree.at(-1);
  }
  /** The nearest node above that has the role. */
  within(role: u32): Node {
    let n = this.parent;
    while (n.valid && n.role != role) n = n.parent;
    return n;
  }

  // The record of the node in a side table that has the number, or 0.
  private side(id: u32, number: u32): usize {
    if (this.index < 0) return 0;
    const s = this.tree.section(id);
    let from: u32 = 0, to = s.count;
    while (from < to) {
      const middle = from + (to - from) / 2;
      if (load<u32>(s.record(middle)) < <u32>this.index) from = middle + 1;
      else to = middle;
    }
    if (number >= s.count - from || load<u32>(s.record(from + number)) != <u32>this.index) return 0;
    return s.record(from + number);
  }

  /** The attributes. */
  get attributes(): Attribute[] {
    const out: Attribute[] = [];
    for (let i: u32 = 0, p = this.side(ATTRIBUTES, i); p != 0; p = this.side(ATTRIBUTES, ++i))
      out.push(new Attribute(this.tree.text(p + 4), this.tree.text(p + 12)));
    return out;
  }
  /** The value of an attribute, "" if there is none. */
  attribute(key: string): string {
    const list = this.attributes;
    for (let i = 0; i < list.length; i++) if (list[i].key == key) return list[i].value;
    return "";
  }
  /** What the node can do, in the order of the actions' numbers. */
  get actions(): NodeAction[] {
    const out: NodeAction[] = [];
    for (let i: u32 = 0, p = this.side(ACTIONS, i); p != 0; p = this.side(ACTIONS, ++i))
      out.push(new NodeAction(this.tree.text(p + 4), this.tree.text(p + 12), this.tree.text(p + 20)));
    return out;
  }
  /** The number of the action with the name, -1 if there is none. */
  action(name: string): i32 {
    const list = this.actions;
    for (let i = 0; i < list.length; i++) if (list[i].name == name) return i;
    return -1;
  }
  /** The relations. */
  get relations(): Relation[] {
    const out: Relation[] = [];
    for (let i: u32 = 0, p = this.side(RELATIONS, i); p != 0; p = this.side(RELATIONS, ++i))
      out.push(new Relation(load<u16>(p, 4), load<u64>(p, 8)));
    return out;
  }
  /** The first target of a relation that is in the tree. */
  related(kind: u32): Node {
    for (let i: u32 = 0, p = this.side(RELATIONS, i); p != 0; p = this.side(RELATIONS, ++i)) {
      if (load<u16>(p, 4) != kind) continue;
      const target = this.tree.byId(load<u64>(p, 8));
      if (target.valid) return target;
    }
    return this.tree.at(-1);
  }
  get value(): ValueInfo | null {
    const p = this.side(VALUES, 0);
    return p ? new ValueInfo(load<f64>(p, 8), load<f64>(p, 16), load<f64>(p, 24), load<f64>(p, 32)) : null;
  }
  get textInfo(): TextInfo | null {
    const p = this.side(TEXTS, 0);
    return p ? new TextInfo(load<i32>(p, 4), load<i32>(p, 8), load<i32>(p, 12), load<i64>(p, 16), load<i64>(p, 24)) : null;
  }
  get table(): TableInfo | null {
    const p = this.side(TABLES, 0);
    return p ? new TableInfo(load<i64>(p, 8), load<i64>(p, 16)) : null;
  }
  get cell(): CellInfo | null {
    const p = this.side(CELLS, 0);
    return p ? new CellInfo(load<u32>(p, 4), load<u32>(p, 8), load<u32>(p, 12), load<u32>(p, 16), load<u64>(p, 24), load<u64>(p, 32)) : null;
  }
}
