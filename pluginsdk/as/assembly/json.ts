// JSON that comes in, and the values that go out.
import { nearest } from "./number";
import { Out, refuse } from "./view";

export enum Kind { NULL, BOOL, INT, FLOAT, TEXT, ARRAY, OBJECT }

/** A JSON value. What goes into a block or a field is one that is no array and no object. */
export class JSON {
  kind: Kind = Kind.NULL;
  int: i64 = 0; // a bool is 0 or 1
  private real: f64 = 0;
  text: string = "";
  elements: JSON[] = []; // of an array, and the values of an object
  keys: string[] = []; // of an object

  static nothing(): JSON {
    return new JSON();
  }
  static of(s: string): JSON {
    const v = new JSON();
    v.kind = Kind.TEXT;
    v.text = s;
    return v;
  }
  static bool(b: bool): JSON {
    const v = JSON.number(b ? 1 : 0);
    v.kind = Kind.BOOL;
    return v;
  }
  static number(n: i64): JSON {
    const v = new JSON();
    v.kind = Kind.INT;
    v.int = n;
    return v;
  }
  static float(f: f64): JSON {
    const v = new JSON();
    v.kind = Kind.FLOAT;
    v.real = f;
    return v;
  }

  /** Reads one JSON text; null, with a fault, if it is malformed. */
  static parse(text: string): JSON | null {
    const p = new Parser(text);
    const v = p.value(0);
    p.spaces();
    return v && p.at == text.length ? v : refuse<JSON>("internal", "reading JSON: it is malformed");
  }

  get isNull(): bool {
    return this.kind == Kind.NULL;
  }
  get bool(): bool {
    return this.kind == Kind.BOOL && this.int != 0;
  }
  /** A number, else 0. */
  get float(): f64 {
    return this.kind == Kind.FLOAT ? this.real : this.kind == Kind.INT ? <f64>this.int : 0;
  }
  /** The member of an object with the key; a null value if there is none. */
  get(key: string): JSON {
    const i = this.keys.indexOf(key);
    return i >= 0 ? this.elements[i] : new JSON();
  }

  writeScalar(o: Out): void {
    if (this.kind == Kind.BOOL) o.raw(this.int ? "true" : "false");
    else if (this.kind == Kind.INT) o.raw(this.int.toString());
    else if (this.kind == Kind.FLOAT) o.float(this.real);
    else if (this.kind == Kind.TEXT) o.string(this.text);
    else o.raw("null");
  }

  write(o: Out): void {
    if (this.kind != Kind.ARRAY && this.kind != Kind.OBJECT) return this.writeScalar(o);
    const object = this.kind == Kind.OBJECT;
    o.begin(object ? "{" : "[");
    for (let i = 0; i < this.elements.length; i++) {
      if (object) o.key(this.keys[i]);
      else o.separate();
      this.elements[i].write(o);
    }
    o.end(object ? "}" : "]");
  }
}

const MAX_DEPTH = 64;

class Parser {
  at: i32 = 0;
  constructor(private text: string) {}

  private peek(): i32 {
    return this.at < this.text.length ? this.text.charCodeAt(this.at) : 0;
  }
  spaces(): void {
    for (let c = this.peek(); c == 32 || c == 9 || c == 10 || c == 13; c = this.peek()) this.at++;
  }
  private take(c: i32): bool {
    if (this.at >= this.text.length || this.peek() != c) return false;
    this.at++;
    return true;
  }
  private word(w: string): bool {
    if (!this.text.startsWith(w, this.at)) return false;
    this.at += w.length;
    return true;
  }

  value(depth: i32): JSON | null {
    this.spaces();
    const c = this.peek();
    if (c == 0x7b || c == 0x5b) return depth == MAX_DEPTH ? null : this.inside(depth, c == 0x7b);
    if (c == 0x22) {
      const s = this.string();
      return s !== null ? JSON.of(s) : null;
    }
    if (this.word("true")) return JSON.bool(true);
    if (this.word("false")) return JSON.bool(false);
    if (this.word("null")) return JSON.nothing();
    return this.number();
  }

  private inside(depth: i32, object: bool): JSON | null {
    const v = new JSON(), end = object ? 0x7d : 0x5d;
    v.kind = object ? Kind.OBJECT : Kind.ARRAY;
    this.at++;
    this.spaces();
    if (this.take(end)) return v;
    do {
      this.spaces();
      if (object) {
        if (this.peek() != 0x22) return null;
        const key = this.string();
        if (key === null) return null;
        v.keys.push(key);
        this.spaces();
        if (!this.take(0x3a)) return null;
      }
      const e = this.value(depth + 1);
      if (!e) return null;
      v.elements.push(e);
      this.spaces();
      if (this.take(end)) return v;
    } while (this.take(0x2c));
    return null;
  }

  private string(): string | null {
    let out = "";
    this.at++;
    let r = 0;
    while (r >= 0) {
      const start = this.at;
      let c = this.peek();
      while (c >= 0x20 && c != 0x22 && c != 0x5c) {
        this.at++;
        c = this.peek();
      }
      out += this.text.substring(start, this.at);
      if (c == 0x22) {
        this.at++;
        return out;
      }
      if (c != 0x5c) return null;
      this.at++;
      r = this.escape();
      if (r >= 0) out += String.fromCodePoint(r);
    }
    return null;
  }

  private escape(): i32 {
    const c = this.peek();
    this.at++;
    switch (c) {
      case 0x22:
      case 0x5c:
      case 0x2f: return c;
      case 0x62: return 8;
      case 0x66: return 12;
      case 0x6e: return 10;
      case 0x72: return 13;
      case 0x74: return 9;
      case 0x75: break;
      default: return -1;
    }
    const first = this.hex4(this.at);
    if (first < 0) return -1;
    this.at += 4;
    if (first < 0xd800 || first >= 0xe000) return first;
    const second = this.text.startsWith("\\u", this.at) ? this.hex4(this.at + 2) : 0;
    if (first >= 0xdc00 || second < 0xdc00 || second >= 0xe000) return 0xfffd; // half of a pair
    this.at += 6;
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }

  private hex4(at: i32): i32 {
    if (at + 4 > this.text.length) return -1;
    let v = 0;
    for (let i = at; i < at + 4; i++) {
      const c = this.text.charCodeAt(i), l = c | 32;
      if (c >= 0x30 && c <= 0x39) v = (v << 4) | (c - 0x30);
      else if (l >= 0x61 && l <= 0x66) v = (v << 4) | (l - 0x61 + 10);
      else return -1;
    }
    return v;
  }

  private digits(): bool {
    const start = this.at;
    for (let c = this.peek(); c >= 0x30 && c <= 0x39; c = this.peek()) this.at++;
    return this.at > start;
  }

  private number(): JSON | null {
    const start = this.at;
    this.take(0x2d);
    if (!this.take(0x30) && !this.digits()) return null;
    const whole = this.at;
    if (this.take(0x2e) && !this.digits()) return null;
    if (this.take(0x65) || this.take(0x45)) {
      if (!this.take(0x2b)) this.take(0x2d);
      if (!this.digits()) return null;
    }
    const s = this.text.substring(start, this.at);
    const fits = whole == this.at && (s.length < 19 || s.length < 21 && I64.parseInt(s).toString() == s);
    return fits ? JSON.number(I64.parseInt(s)) : JSON.float(nearest(s));
  }
}
