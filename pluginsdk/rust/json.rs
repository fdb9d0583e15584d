//! JSON: the reader of what comes in, and the writer of what goes out.

use super::{code, Fault};
use std::borrow::Cow;

/// A JSON value. What goes into a block or a field is one that is no array and no
/// object.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
}

static NULL: Value = Value::Null;

impl Default for Value {
    fn default() -> Self {
        Value::Null
    }
}

impl Value {
    /// Reads one JSON text.
    pub fn parse(text: &str) -> Result<Value, Fault> {
        let mut p = Parser { text, at: 0 };
        let v = p.value(0);
        p.spaces();
        match v {
            Some(v) if p.at == text.len() => Ok(v),
            _ => Err(Fault::new(code::INTERNAL, "reading JSON: it is malformed")),
        }
    }

    /// An object.
    pub fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
        Value::Object(members.iter().map(|(k, v)| (k.to_string(), v.clone())).collect())
    }

    /// The member of an object with the key; null if there is none.
    pub fn get(&self, key: &str) -> &Value {
        match self {
            Value::Object(m) => m.iter().find(|(k, _)| k == key).map_or(&NULL, |(_, v)| v),
            _ => &NULL,
        }
    }

    /// The elements of an array; none of anything else.
    pub fn elements(&self) -> &[Value] {
        match self {
            Value::Array(v) => v,
            _ => &[],
        }
    }

    /// A string's content, else "".
    pub fn text(&self) -> &str {
        match self {
            Value::Text(s) => s,
            _ => "",
        }
    }

    /// An integer, else 0.
    pub fn int(&self) -> i64 {
        match self {
            Value::Int(n) => *n,
            _ => 0,
        }
    }

    /// A number, else 0.
    pub fn float(&self) -> f64 {
        match self {
            Value::Int(n) => *n as f64,
            Value::Float(f) => *f,
            _ => 0.0,
        }
    }

    /// Whether it is true.
    pub fn bool(&self) -> bool {
        *self == Value::Bool(true)
    }

    /// The value as JSON.
    pub fn json(&self) -> String {
        let mut out = String::new();
        write_value(&mut out, self);
        out
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Value::Text(s.to_string())
    }
}

impl From<String> for Value {
    fn from(s: String) -> Self {
        Value::Text(s)
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(s: Cow<str>) -> Self {
        Value::Text(s.into_owned())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Int(n)
    }
}

impl From<f64> for Value {
    fn from(f: f64) -> Self {
        Value::Float(f)
    }
}

const MAX_DEPTH: usize = 64;

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn take(&mut self, c: u8) -> bool {
        let there = self.at < self.text.len() && self.peek() == c;
        self.at += usize::from(there);
        there
    }

    fn word(&mut self, w: &str, v: Value) -> Option<Value> {
        if !self.text[self.at..].starts_with(w) {
            return None;
        }
        self.at += w.len();
        Some(v)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.spaces();
        match self.peek() {
            b'{' | b'[' if depth == MAX_DEPTH => None,
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::Text),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let mut out = Vec::new();
        self.at += 1;
        self.spaces();
        if self.take(b']') {
            return Some(Value::Array(out));
        }
        loop {
            out.push(self.value(depth + 1)?);
            self.spaces();
            if self.take(b']') {
                return Some(Value::Array(out));
            }
            if !self.take(b',') {
                return None;
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        let mut out = Vec::new();
        self.at += 1;
        self.spaces();
        if self.take(b'}') {
            return Some(Value::Object(out));
        }
        loop {
            self.spaces();
            if self.peek() != b'"' {
                return None;
            }
            let key = self.string()?;
            self.spaces();
            if !self.take(b':') {
                return None;
            }
            out.push((key, self.value(depth + 1)?));
            self.spaces();
            if self.take(b'}') {
                return Some(Value::Object(out));
            }
            if !self.take(b',') {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let start = self.at;
            while !matches!(self.peek(), b'"' | b'\\' | 0..=31) {
                self.at += 1;
            }
            out.push_str(self.text.get(start..self.at)?);
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Some(out);
                }
                b'\\' => out.push(self.escape()?),
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let c = *self.text.as_bytes().get(self.at + 1)?;
        self.at += 2;
        Some(match c {
            b'"' | b'\\' | b'/' => char::from(c),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.hex4(self.at)?;
                self.at += 4;
                let pair = self.text.get(self.at..self.at + 2) == Some("\\u");
                let second = if pair { self.hex4(self.at + 2)? } else { 0 };
                if (0xd800..0xdc00).contains(&first) && (0xdc00..0xe000).contains(&second) {
                    self.at += 6;
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))?
                } else {
                    char::from_u32(first).unwrap_or('\u{fffd}') // half of a pair
                }
            }
            _ => return None,
        })
    }

    fn hex4(&self, at: usize) -> Option<u32> {
        let s = self.text.get(at..at + 4)?;
        if !s.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u32::from_str_radix(s, 16).ok()
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        if self.at == start {
            return None;
        }
        Some(())
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        let s = &self.text[start..self.at];
        match s.parse() {
            Ok(n) => Some(Value::Int(n)),
            Err(_) => s.parse().ok().map(Value::Float),
        }
    }
}

/// Appends a JSON string.
pub(crate) fn write_string(out: &mut String, s: &str) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Appends a value. A number that JSON has no word for becomes null.
pub(crate) fn write_value(out: &mut String, v: &Value) {
    match v {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => out.push_str(&n.to_string()),
        Value::Float(f) if *f == 0.0 => out.push('0'),
        Value::Float(f) if f.is_finite() => out.push_str(&format!("{:e}", f)),
        Value::Float(_) => out.push_str("null"),
        Value::Text(s) => write_string(out, s),
        Value::Array(list) => write_list(out, list, write_value),
        Value::Object(members) => {
            let mut o = Object::begin(out);
            for (k, v) in members {
                o.key(k);
                write_value(o.out, v);
            }
            o.end();
        }
    }
}

/// Appends an array.
pub(crate) fn write_list<T>(out: &mut String, list: &[T], write: impl Fn(&mut String, &T)) {
    out.push('[');
    for (i, v) in list.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        write(out, v);
    }
    out.push(']');
}

/// An object that is being written. Members with the zero value are left out.
pub(crate) struct Object<'a> {
    pub(crate) out: &'a mut String,
    more: bool,
}

impl<'a> Object<'a> {
    pub(crate) fn begin(out: &'a mut String) -> Self {
        out.push('{');
        Object { out, more: false }
    }

    pub(crate) fn end(self) {
        self.out.push('}');
    }

    pub(crate) fn key(&mut self, key: &str) {
        if self.more {
            self.out.push(',');
        }
        self.more = true;
        write_string(self.out, key);
        self.out.push(':');
    }

    pub(crate) fn text(&mut self, key: &str, s: &str) {
        if !s.is_empty() {
            self.key(key);
            write_string(self.out, s);
        }
    }

    pub(crate) fn raw(&mut self, key: &str, json: &str) {
        if !json.is_empty() {
            self.key(key);
            self.out.push_str(json);
        }
    }

    pub(crate) fn flag(&mut self, key: &str, v: bool) {
        if v {
            self.raw(key, "true");
        }
    }

    pub(crate) fn int(&mut self, key: &str, v: i64) {
        if v != 0 {
            self.raw(key, &v.to_string());
        }
    }

    pub(crate) fn float(&mut self, key: &str, v: f64) {
        if v != 0.0 {
            self.key(key);
            write_value(self.out, &Value::Float(v));
        }
    }

    pub(crate) fn list<T>(&mut self, key: &str, list: &[T], write: impl Fn(&mut String, &T)) {
        if !list.is_empty() {
            self.key(key);
            write_list(self.out, list, write);
        }
    }

    pub(crate) fn strings<T: AsRef<str>>(&mut self, key: &str, list: &[T]) {
        self.list(key, list, |out, s| write_string(out, s.as_ref()));
    }
}
