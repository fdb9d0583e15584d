//! What an adapter gives back: views, outcomes and faults.

use super::json::{write_list, write_value, Object};
use super::{Rect, Value};
use std::borrow::Cow;

/// The codes of a fault, a closed set.
#[allow(missing_docs)]
pub mod code {
    pub const INVALID: &str = "invalid_argument";
    pub const UNAVAILABLE: &str = "not_available";
    pub const GONE: &str = "gone";
    pub const TIMEOUT: &str = "timeout";
    pub const DENIED: &str = "denied";
    pub const UNSUPPORTED: &str = "unsupported";
    pub const NO_FOCUS: &str = "no_focus";
    pub const COVERED: &str = "covered";
    pub const INTERNAL: &str = "internal";
}

/// A refusal, of the adapter or of the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fault {
    /// One of `code`.
    pub code: Cow<'static, str>,
    /// For a person; ends in what to do.
    pub message: String,
    /// With `code::DENIED`: what was missing.
    pub capability: String,
    /// With `code::INVALID`: each wrong argument, and why.
    pub fields: Vec<(String, String)>,
}

impl Fault {
    /// A refusal. The message says what to do next.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Fault {
        Fault { code: code.into(), message: message.into(), ..Fault::default() }
    }

    /// The fault of one wrong argument.
    pub fn invalid(field: &str, why: &str) -> Fault {
        Fault {
            fields: vec![(field.to_string(), why.to_string())],
            ..Fault::new(code::INVALID, format!("the argument {} is wrong: {}", field, why))
        }
    }

    pub(crate) fn parse(text: &str) -> Fault {
        let v = match Value::parse(text) {
            Ok(v) => v,
            Err(f) => return f,
        };
        let get = |v: &Value, key| v.get(key).text().to_string();
        Fault {
            code: get(&v, "code").into(),
            message: get(&v, "message"),
            capability: get(&v, "capability"),
            fields: v.get("fields").elements().iter().map(|f| (get(f, "field"), get(f, "error"))).collect(),
        }
    }

    pub(crate) fn json(&self) -> String {
        let mut out = String::from("{\"fault\":");
        let mut o = Object::begin(&mut out);
        o.text("code", &self.code);
        o.text("message", &self.message);
        o.text("capability", &self.capability);
        o.list("fields", &self.fields, |out, (field, error)| {
            let mut o = Object::begin(out);
            o.text("field", field);
            o.text("error", error);
            o.end();
        });
        o.end();
        out + "}"
    }
}

/// What an adapter makes of one observation.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// The window's title.
    pub title: String,
    /// One sentence: what the window shows now.
    pub summary: String,
    /// The content.
    pub blocks: Vec<Block>,
    /// What can be done to the window.
    pub actions: Vec<Action>,
    /// What can be done to the application rather than to this window.
    pub app_actions: Vec<Action>,
}

/// One piece of a window's content.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Stays the same as long as the block means the same.
    pub key: String,
    /// What is in it.
    pub content: Content,
    /// Nobody should see it.
    pub sensitive: bool,
    /// Rows or items were left out: of `total` those from `offset` on are here.
    pub truncated: bool,
    /// See `truncated`.
    pub offset: i64,
    /// See `truncated`.
    pub total: i64,
}

impl Block {
    /// A block.
    pub fn new(key: &str, content: Content) -> Block {
        Block { key: key.to_string(), content, ..Block::default() }
    }

    /// A block of text.
    pub fn text(key: &str, text: impl Into<String>) -> Block {
        Block::new(key, Content::Text(text.into()))
    }
}

/// The content of a block, by its type.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Content {
    Text(String),
    Fields(Vec<Field>),
    Table { columns: Vec<String>, rows: Vec<Vec<Value>> },
    List { items: Vec<Value>, ordered: bool },
    /// `severity` is "info", "warn", "error" or "success".
    Notice { text: String, severity: &'static str },
    /// A part of the window that the host takes the picture of.
    Media { region: Rect, alt: String },
    /// The last resort: JSON.
    Custom(Value),
}

impl Default for Content {
    fn default() -> Self {
        Content::Text(String::new())
    }
}

/// One labelled value.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Field {
    pub label: String,
    pub value: Value,
    pub sensitive: bool,
}

impl Field {
    /// A field.
    pub fn new(label: &str, value: impl Into<Value>) -> Field {
        Field { label: label.to_string(), value: value.into(), sensitive: false }
    }
}

/// One thing that can be done.
#[derive(Clone, Debug, Default)]
pub struct Action {
    /// At most 24 characters of a to z, 0 to 9 and _.
    pub name: Cow<'static, str>,
    /// For a person.
    pub title: Cow<'static, str>,
    /// What it does.
    pub description: Cow<'static, str>,
    /// The JSON schema of the arguments, "" for none.
    pub input: Cow<'static, str>,
    /// The JSON schema of the result, "" for none.
    pub output: Cow<'static, str>,
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// Doing it twice is as doing it once.
    pub idempotent: bool,
    /// It reaches beyond this computer.
    pub open_world: bool,
    /// Why it cannot be done now, "" if it can.
    pub unavailable: String,
    /// How many milliseconds the host waits for a first effect, 0 for its default.
    pub patience: i64,
}

/// What is known of what an action did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effect {
    /// The host finds out by looking.
    Open,
    /// Seen in the state.
    Confirmed,
    /// The state was so before.
    Unchanged,
    /// Sent, and nothing was seen of it.
    Unconfirmed,
}

impl Default for Effect {
    fn default() -> Self {
        Effect::Open
    }
}

/// What an action did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// For a person.
    pub message: String,
    /// An object by the action's output schema.
    pub result: Option<Value>,
    /// What is known of it.
    pub effect: Effect,
}

impl Outcome {
    pub(crate) fn json(&self) -> String {
        let mut out = String::new();
        let mut o = Object::begin(&mut out);
        o.text("message", &self.message);
        if let Some(v) = &self.result {
            o.raw("result", &v.json());
        }
        o.text("effect", ["", "confirmed", "unchanged", "unconfirmed"][self.effect as usize]);
        o.end();
        out
    }
}

impl View {
    pub(crate) fn json(&self) -> String {
        let mut out = String::new();
        let mut o = Object::begin(&mut out);
        o.text("title", &self.title);
        o.text("summary", &self.summary);
        o.list("blocks", &self.blocks, write_block);
        o.list("actions", &self.actions, write_action);
        o.list("app_actions", &self.app_actions, write_action);
        o.end();
        out
    }
}

/// Arrays and objects have no place in a block.
fn write_scalar(out: &mut String, v: &Value) {
    match v {
        Value::Array(_) | Value::Object(_) => out.push_str("null"),
        v => write_value(out, v),
    }
}

pub(crate) fn write_rect(out: &mut String, r: Rect) {
    let mut o = Object::begin(out);
    o.int("x", r.x.into());
    o.int("y", r.y.into());
    o.int("w", r.w.into());
    o.int("h", r.h.into());
    o.end();
}

fn write_field(out: &mut String, f: &Field) {
    let mut o = Object::begin(out);
    o.text("label", &f.label);
    if f.value != Value::Null {
        o.key("value");
        write_scalar(o.out, &f.value);
    }
    o.flag("sensitive", f.sensitive);
    o.end();
}

fn write_block(out: &mut String, b: &Block) {
    let mut o = Object::begin(out);
    o.text("key", &b.key);
    o.text(
        "type",
        match b.content {
            Content::Text(_) => "text",
            Content::Fields(_) => "fields",
            Content::Table { .. } => "table",
            Content::List { .. } => "list",
            Content::Notice { .. } => "notice",
            Content::Media { .. } => "media",
            Content::Custom(_) => "custom",
        },
    );
    o.flag("sensitive", b.sensitive);
    match &b.content {
        Content::Text(text) => o.text("text", text),
        Content::Notice { text, severity } => {
            o.text("text", text);
            o.text("severity", severity);
        }
        Content::Fields(items) => o.list("items", items, write_field),
        Content::Table { columns, rows } => {
            o.strings("columns", columns);
            o.list("rows", rows, |out, row| write_list(out, row, write_scalar));
        }
        Content::List { items, ordered } => {
            o.list("list", items, write_scalar);
            o.flag("ordered", *ordered);
        }
        Content::Media { .. } | Content::Custom(_) => {}
    }
    o.flag("truncated", b.truncated);
    o.int("offset", b.offset);
    o.int("total", b.total);
    match &b.content {
        Content::Media { region, alt } => {
            o.key("region");
            write_rect(o.out, *region);
            o.text("alt", alt);
        }
        Content::Custom(payload) => o.raw("payload", &payload.json()),
        _ => {}
    }
    o.end();
}

fn write_action(out: &mut String, a: &Action) {
    let mut o = Object::begin(out);
    o.text("name", &a.name);
    o.text("title", &a.title);
    o.text("description", &a.description);
    o.raw("input", &a.input);
    o.raw("output", &a.output);
    o.flag("read_only", a.read_only);
    o.flag("destructive", a.destructive);
    o.flag("idempotent", a.idempotent);
    o.flag("open_world", a.open_world);
    o.text("unavailable", &a.unavailable);
    o.int("patience", a.patience);
    o.end();
}
