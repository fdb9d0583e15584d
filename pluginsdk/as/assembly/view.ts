// What an adapter gives back: views, outcomes and faults, written as JSON in UTF-8.
import { Rect } from "./tree";
import { JSON } from "./json";

// Good is the length of the UTF-8 sequence at p, 0 if it is none.
function good(p: usize, n: u32): u32 {
  const c = load<u8>(p);
  if (c < 0x80) return 1;
  const len: u32 = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  if (!len || len > n) return 0;
  const second = load<u8>(p, 1);
  const low: u8 = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high: u8 = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i: u32 = 2; i < len; i++) if ((load<u8>(p + i) & 0xc0) != 0x80) return 0;
  return len;
}

/** UTF-8 as a string. Each byte that is none becomes U+FFFD. */
export function decode(p: usize, n: u32): string {
  if (n == 0) return "";
  const out = changetype<string>(__new(<usize>n << 1, idof<string>())); // no sequence takes more units than bytes
  let at = changetype<usize>(out);
  for (let i: u32 = 0; i < n;) {
    const len = good(p + i, n - i), c: u32 = load<u8>(p + i);
    let r: u32 = 0xfffd;
    if (len == 1) r = c;
    else if (len == 2) r = ((c & 31) << 6) | (load<u8>(p + i, 1) & 63);
    else if (len == 3) r = ((c & 15) << 12) | ((<u32>load<u8>(p + i, 1) & 63) << 6) | (load<u8>(p + i, 2) & 63);
    else if (len == 4) r = ((c & 7) << 18) | ((<u32>load<u8>(p + i, 1) & 63) << 12) | ((<u32>load<u8>(p + i, 2) & 63) << 6) | (load<u8>(p + i, 3) & 63);
    if (r > 0xffff) {
      store<u16>(at, <u16>(0xd800 + ((r - 0x10000) >> 10)));
      store<u16>(at, <u16>(0xdc00 + ((r - 0x10000) & 0x3ff)), 2);
      at += 4;
    } else {
      store<u16>(at, <u16>r);
      at += 2;
    }
    i += max(len, 1);
  }
  const used = at - changetype<usize>(out);
  return used == <usize>n << 1 ? out : out.substring(0, <i32>(used >> 1));
}

/** A text that is being written: UTF-8 in memory of its own, which must be freed. */
export class Out {
  p: usize = 0;
  n: u32 = 0;
  private room: u32 = 0;
  private more: bool = false; // within an object or array that has a member already

  reset(): Out {
    this.n = 0;
    this.more = false;
    return this;
  }

  @inline byte(c: u32): void {
    if (this.n == this.room) {
      this.room = this.room * 2 + 256;
      this.p = this.p ? heap.realloc(this.p, this.room) : heap.alloc(this.room);
    }
    store<u8>(this.p + this.n++, c);
  }

  private rune(r: u32): void {
    if (r < 0x80) return this.byte(r);
    if (r < 0x800) {
      this.byte(0xc0 | (r >> 6));
    } else {
      if (r < 0x10000) {
        this.byte(0xe0 | (r >> 12));
      } else {
        this.byte(0xf0 | (r >> 18));
        this.byte(0x80 | ((r >> 12) & 63));
      }
      this.byte(0x80 | ((r >> 6) & 63));
    }
    this.byte(0x80 | (r & 63));
  }

  /** Text as it is. Half of a surrogate pair becomes U+FFFD. */
  raw(s: string): void {
    for (let i = 0; i < s.length; i++) {
      let r: u32 = s.charCodeAt(i);
      if (r >= 0xd800 && r < 0xe000) {
        const second: u32 = i + 1 < s.length ? s.charCodeAt(i + 1) : 0;
        if (r < 0xdc00 && second >= 0xdc00 && second < 0xe000) {
          r = 0x10000 + ((r - 0xd800) << 10) + (second - 0xdc00);
          i++;
        } else {
          r = 0xfffd;
        }
      }
      this.rune(r);
    }
  }

  string(s: string): void {
    const digits = "0123456789abcdef";
    this.byte(0x22);
    let start = 0;
    for (let i = 0; i < s.length; i++) {
      const c = s.charCodeAt(i);
      if (c >= 0x20 && c != 0x22 && c != 0x5c) continue;
      this.raw(s.substring(start, i));
      start = i + 1;
      this.byte(0x5c);
      if (c == 0x22 || c == 0x5c) this.byte(c);
      else if (c == 10) this.byte(0x6e);
      else if (c == 9) this.byte(0x74);
      else this.raw("u00" + digits.charAt(c >> 4) + digits.charAt(c & 15));
    }
    this.raw(start ? s.substring(start) : s);
    this.byte(0x22);
  }

  /** A number that JSON has no word for becomes null. */
  float(f: f64): void {
    if (f == 0) this.byte(0x30);
    else this.raw(isFinite(f) ? f.toString() : "null");
  }

  separate(): void {
    if (this.more) this.byte(0x2c);
    this.more = true;
  }
  begin(bracket: string): void {
    this.raw(bracket);
    this.more = false;
  }
  end(bracket: string): void {
    this.raw(bracket);
    this.more = true;
  }

  // The members of an object. Those with the zero value are left out.
  key(key: string): void {
    this.separate();
    this.string(key);
    this.byte(0x3a);
  }
  text(key: string, s: string): void {
    if (!s.length) return;
    this.key(key);
    this.string(s);
  }
  json(key: string, json: string): void {
    if (!json.length) return;
    this.key(key);
    this.raw(json);
  }
  flag(key: string, v: bool): void {
    if (v) this.json(key, "true");
  }
  int(key: string, v: i64): void {
    if (v) this.json(key, v.toString());
  }
  real(key: string, v: f64): void {
    if (v == 0) return;
    this.key(key);
    this.float(v);
  }
  strings(key: string, list: string[]): void {
    if (!list.length) return;
    this.key(key);
    this.begin("[");
    for (let i = 0; i < list.length; i++) {
      this.separate();
      this.string(list[i]);
    }
    this.end("]");
  }
  rect(key: string, r: Rect): void {
    this.key(key);
    this.begin("{");
    this.int("x", r.x);
    this.int("y", r.y);
    this.int("w", r.w);
    this.int("h", r.h);
    this.end("}");
  }
}

/** The codes of a fault, a closed set. */
export namespace Code {
  export const INVALID = "invalid_argument";
  export const UNAVAILABLE = "not_available";
  export const GONE = "gone";
  export const TIMEOUT = "timeout";
  export const DENIED = "denied";
  export const UNSUPPORTED = "unsupported";
  export const NO_FOCUS = "no_focus";
  export const COVERED = "covered";
  export const INTERNAL = "internal";
}

/** What is wrong with one argument. */
export class FieldFault {
  constructor(public field: string, public error: string) {}
}

/** A refusal, of the adapter or of the host. */
export class Fault {
  capability: string = "";
  fields: FieldFault[] = [];
  constructor(public code: string = "", public message: string = "") {}

  write(o: Out): void {
    o.begin('{"fault":{');
    o.text("code", this.code);
    o.text("message", this.message);
    o.text("capability", this.capability);
    if (this.fields.length) {
      o.key("fields");
      o.begin("[");
      for (let i = 0; i < this.fields.length; i++) {
        o.separate();
        o.begin("{");
        o.text("field", this.fields[i].field);
        o.text("error", this.fields[i].error);
        o.end("}");
      }
      o.end("]");
    }
    o.end("}}");
  }
}

let last: Fault = new Fault(Code.INTERNAL, "the adapter returned null and gave no reason");

/** Why the last function returned false or null. */
export function fault(): Fault {
  return last;
}

export function setFault(f: Fault): void {
  last = f;
}

export function refusing(code: string, message: string): bool {
  last = new Fault(code, message);
  return false;
}

/** Keeps a refusal and returns null. The message says what to do next. */
export function refuse<T>(code: string, message: string): T | null {
  last = new Fault(code, message);
  return null;
}

/** Keeps the fault of one wrong argument and returns null. */
export function invalid<T>(field: string, why: string): T | null {
  last = new Fault(Code.INVALID, "the argument " + field + " is wrong: " + why);
  last.fields.push(new FieldFault(field, why));
  return null;
}

/** One labelled value. */
export class Field {
  sensitive: bool = false;
  constructor(public label: string, public value: JSON = JSON.nothing()) {}
}

/** One piece of a window's content; the type says which of the members are used. */
export class Block {
  sensitive: bool = false;
  text: string = ""; // text, notice
  severity: string = ""; // notice: "info", "warn", "error", "success"
  items: Field[] = []; // fields
  columns: string[] = []; // table
  rows: JSON[][] = [];
  list: JSON[] = []; // list
  ordered: bool = false;
  truncated: bool = false; // of total rows or items those from offset on are here
  offset: i64 = 0;
  total: i64 = 0;
  region: Rect = new Rect(); // media
  alt: string = "";
  payload: string = ""; // custom: JSON

  /** Type is "text", "fields", "table", "list", "notice", "media" or "custom". */
  constructor(public key: string, public type: string) {}

  static text(key: string, text: string): Block {
    const b = new Block(key, "text");
    b.text = text;
    return b;
  }

  write(o: Out): void {
    o.separate();
    o.begin("{");
    o.text("key", this.key);
    o.text("type", this.type);
    o.flag("sensitive", this.sensitive);
    o.text("text", this.text);
    o.text("severity", this.severity);
    if (this.items.length) {
      o.key("items");
      o.begin("[");
      for (let i = 0; i < this.items.length; i++) {
        const f = this.items[i];
        o.separate();
        o.begin("{");
        o.text("label", f.label);
        if (!f.value.isNull) {
          o.key("value");
          f.value.writeScalar(o);
        }
        o.flag("sensitive", f.sensitive);
        o.end("}");
      }
      o.end("]");
    }
    o.strings("columns", this.columns);
    if (this.rows.length) {
      o.key("rows");
      o.begin("[");
      for (let i = 0; i < this.rows.length; i++) {
        o.separate();
        scalars(o, this.rows[i]);
      }
      o.end("]");
    }
    if (this.list.length) {
      o.key("list");
      scalars(o, this.list);
    }
    o.flag("ordered", this.ordered);
    o.flag("truncated", this.truncated);
    o.int("offset", this.offset);
    o.int("total", this.total);
    const r = this.region;
    if (r.x || r.y || r.w || r.h) o.rect("region", r);
    o.text("alt", this.alt);
    o.json("payload", this.payload);
    o.end("}");
  }
}

function scalars(o: Out, list: JSON[]): void {
  o.begin("[");
  for (let i = 0; i < list.length; i++) {
    o.separate();
    list[i].writeScalar(o);
  }
  o.end("]");
}

/** One thing that can be done. */
export class Action {
  input: string = ""; // the JSON schema of the arguments
  output: string = ""; // the JSON schema of the result
  readOnly: bool = false;
  destructive: bool = false;
  idempotent: bool = false;
  openWorld: bool = false;
  unavailable: string = ""; // why it cannot be done now
  patience: i64 = 0; // milliseconds

  constructor(public name: string, public title: string, public description: string) {}

  write(o: Out): void {
    o.separate();
    o.begin("{");
    o.text("name", this.name);
    o.text("title", this.title);
    o.text("description", this.description);
    o.json("input", this.input);
    o.json("output", this.output);
    o.flag("read_only", this.readOnly);
    o.flag("destructive", this.destructive);
    o.flag("idempotent", this.idempotent);
    o.flag("open_world", this.openWorld);
    o.text("unavailable", this.unavailable);
    o.int("patience", this.patience);
    o.end("}");
  }
}

/** What an adapter makes of one observation. */
export class View {
  blocks: Block[] = [];
  actions: Action[] = [];
  appActions: Action[] = [];

  constructor(public title: string, public summary: string) {}

  write(o: Out): void {
    o.begin("{");
    o.text("title", this.title);
    o.text("summary", this.summary);
    if (this.blocks.length) {
      o.key("blocks");
      o.begin("[");
      for (let i = 0; i < this.blocks.length; i++) this.blocks[i].write(o);
      o.end("]");
    }
    actions(o, "actions", this.actions);
    actions(o, "app_actions", this.appActions);
    o.end("}");
  }
}

function actions(o: Out, key: string, list: Action[]): void {
  if (!list.length) return;
  o.key(key);
  o.begin("[");
  for (let i = 0; i < list.length; i++) list[i].write(o);
  o.end("]");
}

/** What an action did; effect is "confirmed", "unchanged", "unconfirmed" or "". */
export class Outcome {
  result: string = ""; // a JSON object
  constructor(public message: string, public effect: string = "") {}

  write(o: Out): void {
    o.begin("{");
    o.text("message", this.message);
    o.json("result", this.result);
    o.text("effect", this.effect);
    o.end("}");
  }
}
