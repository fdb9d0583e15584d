//! The functions of the host, grouped by capability. They are for invoke; the
//! linker keeps those that the adapter reaches.

use super::json::Object;
use super::tree::readable;
use super::view::write_rect;
use super::{code, Fault, Rect, Tree, Value};

macro_rules! imports {
    ($($module:literal { $($name:literal $symbol:ident),+ })+) => {$(
        #[link(wasm_import_module = $module)]
        extern "C" {
            $(#[link_name = $name] fn $symbol(p: *const u8, n: u32) -> u32;)+
        }
    )+};
}

imports! {
    "oriel:tree" { "observe" tree_observe, "children" tree_children, "cells" tree_cells, "text" tree_text }
    "oriel:a11y" { "action" a11y_action, "set_text" a11y_set_text, "set_value" a11y_set_value, "select" a11y_select,
        "select_text" a11y_select_text, "focus" a11y_focus, "scroll_to" a11y_scroll_to }
    "oriel:window" { "close" window_close, "activate" window_activate }
    "oriel:input" { "move" input_move, "click" input_click, "drag" input_drag, "scroll" input_scroll, "keys" input_keys,
        "text" input_text }
    "oriel:capture" { "window" capture_window, "find" capture_find }
    "oriel:ocr" { "text" ocr_text }
    "oriel:clipboard" { "types" clipboard_types_import, "read" clipboard_read, "write" clipboard_write }
    "oriel:kv" { "get" kv_get, "set" kv_set, "delete" kv_delete }
    "oriel:wait" { "change" wait_change_import }
    "oriel:log" { "write" log_write }
}

#[link(wasm_import_module = "oriel:host")]
extern "C" {
    #[link_name = "take"]
    fn host_take(p: *mut u8, room: u32);
}

type Import = unsafe extern "C" fn(*const u8, u32) -> u32;

/// Sends a request to an import and takes the reply.
fn call(import: Import, members: impl FnOnce(&mut Object)) -> Result<Vec<u8>, Fault> {
    let mut request = String::new();
    let mut o = Object::begin(&mut request);
    members(&mut o);
    o.end();
    // The host reads the request and writes the reply within these bounds.
    let reply = unsafe {
        let n = import(request.as_ptr(), request.len() as u32);
        let mut reply = vec![0; n as usize];
        host_take(reply.as_mut_ptr(), n);
        reply
    };
    match reply.first() {
        None => Err(Fault::new(code::INTERNAL, "the host gave no reply; this is a fault of the host")),
        Some(0) => Ok(reply[1..].to_vec()),
        Some(_) => Err(Fault::parse(&readable(&reply[1..]))),
    }
}

fn tell(import: Import, members: impl FnOnce(&mut Object)) -> Result<(), Fault> {
    call(import, members).map(|_| ())
}

fn ask(import: Import, members: impl FnOnce(&mut Object)) -> Result<Value, Fault> {
    Value::parse(&readable(&call(import, members)?))
}

/// A tree that the host replied.
pub struct Observation(Vec<u8>);

impl Observation {
    /// The tree.
    pub fn tree(&self) -> Result<Tree<'_>, Fault> {
        Tree::read(&self.0)
    }
}

/// Node ids travel as decimal digits.
fn id(o: &mut Object, id: u64) {
    if id != 0 {
        o.text("id", &id.to_string());
    }
}

fn region(o: &mut Object, r: Option<Rect>) {
    if let Some(r) = r {
        o.key("region");
        write_rect(o.out, r);
    }
}

fn bytes(o: &mut Object, key: &str, data: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(data.len() / 3 * 4 + 4);
    for three in data.chunks(3) {
        let v = three.iter().fold(0, |v, b| v << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(v >> (18 - 6 * i) & 63) as usize];
            text.push(if i > three.len() { '=' } else { char::from(digit) });
        }
    }
    o.text(key, &text);
}

fn rect(v: &Value) -> Rect {
    let get = |key| v.get(key).int() as i32;
    Rect { x: get("x"), y: get("y"), w: get("w"), h: get("h") }
}

// oriel:tree reads more of the window, now.

/// Takes a fresh look at the window.
pub fn observe() -> Result<Observation, Fault> {
    call(tree_observe, |_| ()).map(Observation)
}

/// Reads n children of a node from the one numbered offset on. The node itself is
/// the root of the result.
pub fn children(node: u64, offset: i64, n: i32) -> Result<Observation, Fault> {
    call(tree_children, |o| {
        id(o, node);
        o.int("offset", offset);
        o.int("n", n.into());
    })
    .map(Observation)
}

/// Reads a block of a table's cells: the children of the result's root.
pub fn cells(table: u64, row: i64, column: i64, rows: i32, columns: i32) -> Result<Observation, Fault> {
    call(tree_cells, |o| {
        id(o, table);
        o.int("row", row);
        o.int("column", column);
        o.int("rows", rows.into());
        o.int("columns", columns.into());
    })
    .map(Observation)
}

/// Reads n characters of a node's text from the one numbered from on.
pub fn read_text(node: u64, from: i64, n: i32) -> Result<String, Fault> {
    let b = call(tree_text, |o| {
        id(o, node);
        o.int("from", from);
        o.int("n", n.into());
    })?;
    Ok(readable(&b).into_owned())
}

// oriel:a11y acts by accessibility: no pointer moves and no focus is needed.

/// Has a node carry out its action with the number.
pub fn do_action(node: u64, number: i32) -> Result<(), Fault> {
    tell(a11y_action, |o| {
        id(o, node);
        o.int("number", number.into());
    })
}

/// Replaces what is in an editable element.
pub fn set_text(node: u64, text: &str) -> Result<(), Fault> {
    tell(a11y_set_text, |o| {
        id(o, node);
        o.text("text", text);
    })
}

/// Puts text before the character numbered at.
pub fn insert_text(node: u64, at: i64, text: &str) -> Result<(), Fault> {
    tell(a11y_set_text, |o| {
        id(o, node);
        o.text("text", text);
        o.flag("insert", true);
        o.int("at", at);
    })
}

/// Sets a slider or spin button.
pub fn set_value(node: u64, value: f64) -> Result<(), Fault> {
    tell(a11y_set_value, |o| {
        id(o, node);
        o.float("value", value);
    })
}

/// Selects the child with the number of a container.
pub fn select(container: u64, child: i64) -> Result<(), Fault> {
    choose(container, child, false)
}

/// Takes the child with the number from the selection.
pub fn deselect(container: u64, child: i64) -> Result<(), Fault> {
    choose(container, child, true)
}

fn choose(container: u64, child: i64, deselect: bool) -> Result<(), Fault> {
    tell(a11y_select, |o| {
        id(o, container);
        o.int("child", child);
        o.flag("deselect", deselect);
    })
}

/// Selects the characters from start up to, not including, end.
pub fn select_text(node: u64, start: i64, end: i64) -> Result<(), Fault> {
    tell(a11y_select_text, |o| {
        id(o, node);
        o.int("start", start);
        o.int("end", end);
    })
}

/// Gives a node the keyboard focus.
pub fn focus(node: u64) -> Result<(), Fault> {
    tell(a11y_focus, |o| id(o, node))
}

/// Scrolls a node into view.
pub fn scroll_to(node: u64) -> Result<(), Fault> {
    tell(a11y_scroll_to, |o| id(o, node))
}

// oriel:window

/// Asks the window to close itself. It may ask back instead.
pub fn close_window() -> Result<(), Fault> {
    tell(window_close, |_| ())
}

/// Raises the window and gives it the focus.
pub fn activate_window() -> Result<(), Fault> {
    tell(window_activate, |_| ())
}

// oriel:input sends what a person's hands would; points are relative to the window.

/// Where and how to click or drag. The default button is the left one, the default
/// count 1; `to_x` and `to_y` are of a drag.
#[derive(Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct Pointer<'a> {
    pub x: i32,
    pub y: i32,
    pub to_x: i32,
    pub to_y: i32,
    pub button: &'a str,
    pub count: i32,
    pub modifiers: &'a [&'a str],
}

/// Moves the pointer.
pub fn move_to(x: i32, y: i32) -> Result<(), Fault> {
    tell(input_move, |o| {
        o.int("x", x.into());
        o.int("y", y.into());
    })
}

/// Clicks at a point.
pub fn click(p: Pointer) -> Result<(), Fault> {
    tell(input_click, |o| {
        o.int("x", p.x.into());
        o.int("y", p.y.into());
        o.text("button", p.button);
        o.int("count", p.count.into());
        o.strings("modifiers", p.modifiers);
    })
}

/// Drags from one point to another.
pub fn drag(p: Pointer) -> Result<(), Fault> {
    tell(input_drag, |o| {
        o.int("x", p.x.into());
        o.int("y", p.y.into());
        o.int("to_x", p.to_x.into());
        o.int("to_y", p.to_y.into());
        o.text("button", p.button);
        o.strings("modifiers", p.modifiers);
    })
}

/// Turns the wheel at a point by notches to the right and downwards.
pub fn scroll(x: i32, y: i32, dx: i32, dy: i32) -> Result<(), Fault> {
    tell(input_scroll, |o| {
        o.int("x", x.into());
        o.int("y", y.into());
        o.int("dx", dx.into());
        o.int("dy", dy.into());
    })
}

/// Presses chords one after the other: "ctrl+s", "Return".
pub fn keys<T: AsRef<str>>(chords: &[T]) -> Result<(), Fault> {
    tell(input_keys, |o| o.strings("chords", chords))
}

/// Types text into what has the focus.
pub fn type_text(text: &str) -> Result<(), Fault> {
    tell(input_text, |o| o.text("text", text))
}

// oriel:capture and oriel:ocr look at pixels; without a region, at all of the window.

/// A picture: four bytes a pixel by rows.
#[allow(missing_docs)]
pub struct Image {
    pub w: u32,
    pub h: u32,
    pub rgba: Vec<u8>,
}

/// One place where a picture was found.
#[allow(missing_docs)]
pub struct Match {
    pub place: Rect,
    pub score: f64,
}

/// One word that was seen.
#[allow(missing_docs)]
pub struct Word {
    pub text: String,
    pub place: Rect,
    pub line: i64,
    pub confidence: f64,
}

/// The pixels of a region.
pub fn capture(of: Option<Rect>) -> Result<Image, Fault> {
    let b = call(capture_window, |o| region(o, of))?;
    let size = |at: usize| b.get(at..at + 4).map(|s| u32::from_le_bytes([s[0], s[1], s[2], s[3]]));
    match (size(0), size(4)) {
        (Some(w), Some(h)) if w <= 1 << 15 && h <= 1 << 15 && u64::from(w) * u64::from(h) * 4 == b.len() as u64 - 8 => {
            Ok(Image { w, h, rgba: b[8..].to_vec() })
        }
        _ => Err(Fault::new(code::INTERNAL, "reading image: its size does not fit its pixels")),
    }
}

/// Says where a picture appears in the window, the most alike first.
pub fn find_image(png: &[u8], within: Option<Rect>, threshold: f64) -> Result<Vec<Match>, Fault> {
    let v = ask(capture_find, |o| {
        bytes(o, "png", png);
        region(o, within);
        o.float("threshold", threshold);
    })?;
    Ok(v.get("matches").elements().iter().map(|m| Match { place: rect(m), score: m.get("score").float() }).collect())
}

/// The words that are seen in a region.
pub fn ocr(of: Option<Rect>) -> Result<Vec<Word>, Fault> {
    let word = |w: &Value| Word {
        text: w.get("text").text().to_string(),
        place: rect(w),
        line: w.get("line").int(),
        confidence: w.get("confidence").float(),
    };
    Ok(ask(ocr_text, |o| region(o, of))?.get("words").elements().iter().map(word).collect())
}

// oriel:clipboard, by type.

/// The types that the clipboard's content comes in.
pub fn clipboard_types() -> Result<Vec<String>, Fault> {
    let v = ask(clipboard_types_import, |_| ())?;
    Ok(v.get("types").elements().iter().map(|t| t.text().to_string()).collect())
}

/// The clipboard's content in one type.
pub fn read_clipboard(mime: &str) -> Result<Vec<u8>, Fault> {
    call(clipboard_read, |o| o.text("type", mime))
}

/// Replaces the clipboard's content.
pub fn write_clipboard(mime: &str, data: &[u8]) -> Result<(), Fault> {
    tell(clipboard_write, |o| {
        o.text("type", mime);
        bytes(o, "data", data);
    })
}

// oriel:kv keeps values with the host, for this adapter alone.

/// The value of a key, if there is one.
pub fn load(key: &str) -> Result<Option<Vec<u8>>, Fault> {
    match call(kv_get, |o| o.text("key", key)) {
        Ok(b) => Ok(Some(b)),
        Err(f) if f.code == code::GONE => Ok(None),
        Err(f) => Err(f),
    }
}

/// Keeps a value.
pub fn store(key: &str, data: &[u8]) -> Result<(), Fault> {
    tell(kv_set, |o| {
        o.text("key", key);
        bytes(o, "data", data);
    })
}

/// Forgets a value. It is no error if there is none.
pub fn delete(key: &str) -> Result<(), Fault> {
    tell(kv_delete, |o| o.text("key", key))
}

// oriel:wait

/// Waits until the window differs from the last observation that this call got, and
/// says whether it did in time and how many milliseconds it took.
pub fn wait_change(ms: i64) -> Result<(bool, i64), Fault> {
    let v = ask(wait_change_import, |o| o.int("timeout_ms", ms))?;
    Ok((v.get("changed").bool(), v.get("waited_ms").int()))
}

/// Observes the window at each change until done says so. It needs oriel:tree too.
pub fn wait_until(ms: i64, done: impl Fn(&Tree) -> bool) -> Result<Observation, Fault> {
    let mut left = ms;
    loop {
        let seen = observe()?;
        if done(&seen.tree()?) {
            return Ok(seen);
        }
        if left <= 0 {
            return Err(Fault::new(code::TIMEOUT, "the window did not come to the expected state; read it again"));
        }
        let (changed, waited) = wait_change(left)?;
        // Even a wait that ends at once counts, so that a window that never rests
        // does not hold the adapter for ever.
        left = if changed { left - waited.max(1) } else { 0 };
    }
}

// oriel:log

/// Writes a line to the host's log: level is "debug", "info", "warn" or "error". It
/// cannot fail: a host that refuses it has a reason, and there is nothing to do.
pub fn log(level: &str, text: &str) {
    let _ = tell(log_write, |o| {
        o.text("level", level);
        o.text("text", text);
    });
}
