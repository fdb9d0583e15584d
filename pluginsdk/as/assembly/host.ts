// The functions of the host, grouped by capability. They are for invoke; the compiler
// keeps those that the adapter reaches. One that can fail returns false or null and
// leaves the reason in fault().
import { Code, decode, fault, Fault, FieldFault, Out, refusing, setFault } from "./view";
import { JSON } from "./json";
import { Rect, Tree } from "./tree";

@external("oriel:host", "take") declare function hostTake(p: usize, room: u32): void;
@external("oriel:tree", "observe") declare function treeObserve(p: usize, n: u32): u32;
@external("oriel:tree", "children") declare function treeChildren(p: usize, n: u32): u32;
@external("oriel:tree", "cells") declare function treeCells(p: usize, n: u32): u32;
@external("oriel:tree", "text") declare function treeText(p: usize, n: u32): u32;
@external("oriel:a11y", "action") declare function a11yAction(p: usize, n: u32): u32;
@external("oriel:a11y", "set_text") declare function a11ySetText(p: usize, n: u32): u32;
@external("oriel:a11y", "set_value") declare function a11ySetValue(p: usize, n: u32): u32;
@external("oriel:a11y", "select") declare function a11ySelect(p: usize, n: u32): u32;
@external("oriel:a11y", "select_text") declare function a11ySelectText(p: usize, n: u32): u32;
@external("oriel:a11y", "focus") declare function a11yFocus(p: usize, n: u32): u32;
@external("oriel:a11y", "scroll_to") declare function a11yScrollTo(p: usize, n: u32): u32;
@external("oriel:window", "close") declare function windowClose(p: usize, n: u32): u32;
@external("oriel:window", "activate") declare function windowActivate(p: usize, n: u32): u32;
@external("oriel:input", "move") declare function inputMove(p: usize, n: u32): u32;
@external("oriel:input", "click") declare function inputClick(p: usize, n: u32): u32;
@external("oriel:input", "drag") declare function inputDrag(p: usize, n: u32): u32;
@external("oriel:input", "scroll") declare function inputScroll(p: usize, n: u32): u32;
@external("oriel:input", "keys") declare function inputKeys(p: usize, n: u32): u32;
@external("oriel:input", "text") declare function inputText(p: usize, n: u32): u32;
@external("oriel:capture", "window") declare function captureWindow(p: usize, n: u32): u32;
@external("oriel:capture", "find") declare function captureFind(p: usize, n: u32): u32;
@external("oriel:ocr", "text") declare function ocrText(p: usize, n: u32): u32;
@external("oriel:clipboard", "types") declare function clipTypes(p: usize, n: u32): u32;
@external("oriel:clipboard", "read") declare function clipRead(p: usize, n: u32): u32;
@external("oriel:clipboard", "write") declare function clipWrite(p: usize, n: u32): u32;
@external("oriel:kv", "get") declare function kvGet(p: usize, n: u32): u32;
@external("oriel:kv", "set") declare function kvSet(p: usize, n: u32): u32;
@external("oriel:kv", "delete") declare function kvDelete(p: usize, n: u32): u32;
@external("oriel:wait", "change") declare function waitImport(p: usize, n: u32): u32;
@external("oriel:log", "write") declare function logWrite(p: usize, n: u32): u32;

// The request; its memory is kept for the next one.
const o = new Out();

function start(): void {
  o.reset().begin("{");
}

// Ends the request and calls an import with it, by name so that only those that are
// used are linked.
@inline function end(): usize {
  o.end("}");
  return o.p;
}

// The reply proper; null if it is a fault, which is kept.
function reply(n: u32): ArrayBuffer | null {
  if (!n) {
    refusing(Code.INTERNAL, "the host gave no reply; this is a fault of the host");
    return null;
  }
  const b = new ArrayBuffer(n), p = changetype<usize>(b);
  hostTake(p, n);
  if (load<u8>(p) == 0) return b.slice(1);
  const f = JSON.parse(decode(p + 1, n - 1));
  if (!f) return null;
  const kept = new Fault(f.get("code").text, f.get("message").text), fields = f.get("fields").elements;
  kept.capability = f.get("capability").text;
  for (let i = 0; i < fields.length; i++) kept.fields.push(new FieldFault(fields[i].get("field").text, fields[i].get("error").text));
  setFault(kept);
  return null;
}

function done(n: u32): bool {
  return reply(n) !== null;
}

function replyText(n: u32): string | null {
  const b = reply(n);
  return b ? decode(changetype<usize>(b), b.byteLength) : null;
}

function replyJson(n: u32): JSON | null {
  const s = replyText(n);
  return s !== null ? JSON.parse(s) : null;
}

function replyTree(n: u32): Tree | null {
  const b = reply(n);
  if (!b) return null;
  const t = Tree.read(changetype<usize>(b), b.byteLength);
  if (t) t.bytes = b;
  return t;
}

// Node ids travel as decimal digits.
function id(n: u64): void {
  if (n) o.text("id", n.toString());
}

function region(r: Rect | null): void {
  if (r) o.rect("region", r);
}

function bytes(key: string, data: Uint8Array): void {
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (!data.length) return;
  o.key(key);
  o.byte(0x22);
  for (let i = 0; i < data.length; i += 3) {
    const left = data.length - i;
    let v: u32 = <u32>data[i] << 16;
    if (left > 1) v |= <u32>data[i + 1] << 8;
    if (left > 2) v |= data[i + 2];
    o.byte(digits.charCodeAt(v >> 18));
    o.byte(digits.charCodeAt((v >> 12) & 63));
    o.byte(left > 1 ? digits.charCodeAt((v >> 6) & 63) : 0x3d);
    o.byte(left > 2 ? digits.charCodeAt(v & 63) : 0x3d);
  }
  o.byte(0x22);
}

function rect(v: JSON): Rect {
  return new Rect(<i32>v.get("x").int, <i32>v.get("y").int, <i32>v.get("w").int, <i32>v.get("h").int);
}

// ---- oriel:tree reads more of the window, now ----

/** Takes a fresh look at the window. */
export function observe(): Tree | null {
  start();
  return replyTree(treeObserve(end(), o.n));
}

/** Reads n children of a node, which is the root of the result, from the one numbered offset on. */
export function children(node: u64, offset: i64, n: i32): Tree | null {
  start();
  id(node);
  o.int("offset", offset);
  o.int("n", n);
  return replyTree(treeChildren(end(), o.n));
}

/** Reads a block of a table's cells: the children of the result's root. */
export function cells(table: u64, row: i64, column: i64, rows: i32, columns: i32): Tree | null {
  start();
  id(table);
  o.int("row", row);
  o.int("column", column);
  o.int("rows", rows);
  o.int("columns", columns);
  return replyTree(treeCells(end(), o.n));
}

/** Reads n characters of a node's text from the one numbered from on. */
export function readText(node: u64, from: i64, n: i32): string | null {
  start();
  id(node);
  o.int("from", from);
  o.int("n", n);
  return replyText(treeText(end(), o.n));
}

// ---- oriel:a11y acts by accessibility: no pointer moves and no focus is needed ----

/** Has a node carry out its action with the number. */
export function doAction(node: u64, number: i32): bool {
  start();
  id(node);
  o.int("number", number);
  return done(a11yAction(end(), o.n));
}

/** Replaces what is in an editable element. */
export function setText(node: u64, text: string): bool {
  start();
  id(node);
  o.text("text", text);
  return done(a11ySetText(end(), o.n));
}

/** Puts text before the character numbered at. */
export function insertText(node: u64, at: i64, text: string): bool {
  start();
  id(node);
  o.text("text", text);
  o.flag("insert", true);
  o.int("at", at);
  return done(a11ySetText(end(), o.n));
}

/** Sets a slider or spin button. */
export function setValue(node: u64, value: f64): bool {
  start();
  id(node);
  o.real("value", value);
  return done(a11ySetValue(end(), o.n));
}

function choose(container: u64, child: i64, off: bool): bool {
  start();
  id(container);
  o.int("child", child);
  o.flag("deselect", off);
  return done(a11ySelect(end(), o.n));
}

/** Selects the child with the number of a container. */
export function select(container: u64, child: i64): bool {
  return choose(container, child, false);
}

/** Takes the child with the number from the selection. */
export function deselect(container: u64, child: i64): bool {
  return choose(container, child, true);
}

/** Selects the characters from the one up to, not including, the other. */
export function selectText(node: u64, from: i64, to: i64): bool {
  start();
  id(node);
  o.int("start", from);
  o.int("end", to);
  return done(a11ySelectText(end(), o.n));
}

/** Gives a node the keyboard focus. */
export function focus(node: u64): bool {
  start();
  id(node);
  return done(a11yFocus(end(), o.n));
}

/** Scrolls a node into view. */
export function scrollTo(node: u64): bool {
  start();
  id(node);
  return done(a11yScrollTo(end(), o.n));
}

// ---- oriel:window ----

/** Asks the window to close itself. It may ask back instead. */
export function closeWindow(): bool {
  start();
  return done(windowClose(end(), o.n));
}

/** Raises the window and gives it the focus. */
export function activateWindow(): bool {
  start();
  return done(windowActivate(end(), o.n));
}

// ---- oriel:input sends what hands would; points are relative to the window ----

/** Where and how to click or drag. */
export class Pointer {
  toX: i32 = 0; // of a drag
  toY: i32 = 0;
  button: string = ""; // the left one
  count: i32 = 0; // 1
  modifiers: string[] = [];
  constructor(public x: i32, public y: i32) {}
}

/** Moves the pointer. */
export function moveTo(x: i32, y: i32): bool {
  start();
  o.int("x", x);
  o.int("y", y);
  return done(inputMove(end(), o.n));
}

/** Clicks at a point. */
export function click(p: Pointer): bool {
  start();
  o.int("x", p.x);
  o.int("y", p.y);
  o.text("button", p.button);
  o.int("count", p.count);
  o.strings("modifiers", p.modifiers);
  return done(inputClick(end(), o.n));
}

/** Drags from one point to another. */
export function drag(p: Pointer): bool {
  start();
  o.int("x", p.x);
  o.int("y", p.y);
  o.int("to_x", p.toX);
  o.int("to_y", p.toY);
  o.text("button", p.button);
  o.strings("modifiers", p.modifiers);
  return done(inputDrag(end(), o.n));
}

/** Turns the wheel at a point by notches to the right and downwards. */
export function scroll(x: i32, y: i32, dx: i32, dy: i32): bool {
  start();
  o.int("x", x);
  o.int("y", y);
  o.int("dx", dx);
  o.int("dy", dy);
  return done(inputScroll(end(), o.n));
}

/** Presses chords one after the other: "ctrl+s", "Return". */
export function keys(chords: string[]): bool {
  start();
  o.strings("chords", chords);
  return done(inputKeys(end(), o.n));
}

/** Types text into what has the focus. */
export function typeText(text: string): bool {
  start();
  o.text("text", text);
  return done(inputText(end(), o.n));
}

// ---- oriel:capture and oriel:ocr; null is the whole window ----

/** A picture: four bytes a pixel by rows. */
export class Image {
  constructor(public w: u32, public h: u32, public rgba: Uint8Array) {}
}

/** One place where a picture was found. */
export class Match {
  constructor(public place: Rect, public score: f64) {}
}

/** One word that was seen. */
export class Word {
  constructor(public text: string, public place: Rect, public line: i64, public confidence: f64) {}
}

/** The pixels of a region. */
export function capture(area: Rect | null): Image | null {
  start();
  region(area);
  const b = reply(captureWindow(end(), o.n));
  if (!b) return null;
  const n = <u64>b.byteLength, p = changetype<usize>(b);
  const w = n < 8 ? 0 : load<u32>(p), h = n < 8 ? 0 : load<u32>(p, 4);
  if (n < 8 || w > 1 << 15 || h > 1 << 15 || <u64>w * h * 4 != n - 8) {
    refusing(Code.INTERNAL, "reading image: its size does not fit its pixels");
    return null;
  }
  return new Image(w, h, Uint8Array.wrap(b, 8));
}

/** Says where a picture appears in the window, the most alike first. */
export function findImage(png: Uint8Array, within: Rect | null, threshold: f64): Match[] | null {
  start();
  bytes("png", png);
  region(within);
  o.real("threshold", threshold);
  const v = replyJson(captureFind(end(), o.n));
  return v ? v.get("matches").elements.map<Match>((m) => new Match(rect(m), m.get("score").float)) : null;
}

/** The words that are seen in a region. */
export function ocr(area: Rect | null): Word[] | null {
  start();
  region(area);
  const v = replyJson(ocrText(end(), o.n));
  return v ? v.get("words").elements.map<Word>((w) => new Word(w.get("text").text, rect(w), w.get("line").int, w.get("confidence").float)) : null;
}

// ---- oriel:clipboard, by type ----

/** The types that the clipboard's content comes in. */
export function clipboardTypes(): string[] | null {
  start();
  const v = replyJson(clipTypes(end(), o.n));
  return v ? v.get("types").elements.map<string>((t) => t.text) : null;
}

/** The clipboard's content in one type. */
export function readClipboard(mime: string): Uint8Array | null {
  start();
  o.text("type", mime);
  const b = reply(clipRead(end(), o.n));
  return b ? Uint8Array.wrap(b) : null;
}

/** Replaces the clipboard's content. */
export function writeClipboard(mime: string, data: Uint8Array): bool {
  start();
  o.text("type", mime);
  bytes("data", data);
  return done(clipWrite(end(), o.n));
}

// ---- oriel:kv keeps values with the host, for this adapter alone ----

/** What was kept: failed says that the host refused, there that there is a value. */
export class Loaded {
  constructor(public failed: bool, public there: bool, public data: Uint8Array) {}

  /** The value as text. */
  get text(): string {
    return decode(this.data.dataStart, this.data.length);
  }
}

/** The value of a key. */
export function loadValue(key: string): Loaded {
  start();
  o.text("key", key);
  const b = reply(kvGet(end(), o.n));
  if (b) return new Loaded(false, true, Uint8Array.wrap(b));
  return new Loaded(fault().code != Code.GONE, false, new Uint8Array(0));
}

/** Keeps a value. */
export function storeValue(key: string, data: Uint8Array): bool {
  start();
  o.text("key", key);
  bytes("data", data);
  return done(kvSet(end(), o.n));
}

/** Keeps a text. */
export function storeText(key: string, text: string): bool {
  return storeValue(key, utf8(text));
}

/** Forgets a value. It is no error if there is none. */
export function deleteValue(key: string): bool {
  start();
  o.text("key", key);
  return done(kvDelete(end(), o.n));
}

/** A string as UTF-8. */
export function utf8(s: string): Uint8Array {
  const out = new Out();
  out.raw(s);
  const b = new Uint8Array(out.n);
  memory.copy(b.dataStart, out.p, out.n);
  if (out.p) heap.free(out.p);
  return b;
}

// ---- oriel:wait ----

/** Whether the window changed, and how many milliseconds it took. */
export class Waited {
  constructor(public changed: bool, public ms: i64) {}
}

/** Waits until the window differs from the last observation that this call got. */
export function waitChange(ms: i64): Waited | null {
  start();
  o.int("timeout_ms", ms);
  const v = replyJson(waitImport(end(), o.n));
  return v ? new Waited(v.get("changed").bool, v.get("waited_ms").int) : null;
}

/** Observes the window at each change until done says so. It needs oriel:tree too. */
export function waitUntil(ms: i64, done: (t: Tree) => bool): Tree | null {
  let t = observe();
  while (t && !done(t)) {
    if (ms <= 0) {
      refusing(Code.TIMEOUT, "the window did not come to the expected state; read it again");
      return null;
    }
    const w = waitChange(ms);
    if (!w) return null;
    // Even a wait that ends at once counts, so that a window that never rests does not
    // hold the adapter for ever.
    ms = w.changed ? ms - max<i64>(w.ms, 1) : 0;
    t = observe();
  }
  return t;
}

// ---- oriel:log ----

/** Writes a line to the host's log; level is "debug", "info", "warn" or "error". It cannot fail. */
export function log(level: string, text: string): void {
  const kept = fault();
  start();
  o.text("level", level);
  o.text("text", text);
  done(logWrite(end(), o.n)); // a host that refuses it has a reason, and there is nothing to do about it
  setFault(kept);
}
