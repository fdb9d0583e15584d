// The double nearest to a decimal number. It is a fraction of two large integers, so
// that nothing is rounded but at the end; the standard library's may be one place off.

const WORDS = 176; // 5,632 bits: more than 800 digits over the smallest power of ten

class Big {
  n: i32 = 0;
  w: StaticArray<u32> = new StaticArray<u32>(WORDS);

  constructor(v: u32) {
    this.w[0] = v;
    this.n = v ? 1 : 0;
  }

  // this = this * m + add
  mul(m: u32, add: u32 = 0): void {
    let carry: u64 = add;
    for (let i = 0; i < this.n; i++) {
      carry += <u64>this.w[i] * m;
      this.w[i] = <u32>carry;
      carry >>= 32;
    }
    if (carry && this.n < WORDS) this.w[this.n++] = <u32>carry;
  }

  pow10(exponent: i32): void {
    while (exponent-- > 0) this.mul(10);
  }

  // Whether this << shift is at most b.
  atMost(b: Big, shift: u32 = 0): bool {
    for (let i = max(this.n + 1, b.n) - 1; i >= 0; i--) {
      const here: u64 = i < this.n ? this.w[i] : 0, below: u64 = i > 0 && i <= this.n ? this.w[i - 1] : 0;
      const x = <u32>(((here << 32) | below) << shift >> 32), y = i < b.n ? b.w[i] : 0;
      if (x != y) return x < y;
    }
    return true;
  }

  // this -= b, which is not larger
  subtract(b: Big): void {
    let borrow: i64 = 0;
    for (let i = 0; i < this.n; i++) {
      borrow += <i64>this.w[i] - (i < b.n ? <i64>b.w[i] : 0);
      this.w[i] = <u32>borrow;
      borrow >>= 32;
    }
    while (this.n && !this.w[this.n - 1]) this.n--;
  }
}

/** Reads a number that is written as JSON has it. */
export function nearest(text: string): f64 {
  const r = new Big(0), s = new Big(1);
  let exponent = 0, digits = 0, at = 0, fraction = false, more = false;
  for (; at < text.length && (text.charCodeAt(at) | 32) != 0x65; at++) {
    const c = text.charCodeAt(at);
    if (c == 0x2e) fraction = true;
    if (c < 0x30 || c > 0x39) continue;
    if (digits == 800) { // beyond this digits only say that there is something
      more = more || c != 0x30;
      if (!fraction) exponent++;
      continue;
    }
    if (r.n) r.mul(10, c - 0x30);
    else if (c != 0x30) r.w[0] = c - 0x30, r.n = 1;
    if (r.n) digits++;
    if (fraction) exponent--;
  }
  if (at++ < text.length) {
    const minus = text.charCodeAt(at) == 0x2d;
    let e = 0;
    for (; at < text.length; at++) {
      const c = text.charCodeAt(at);
      if (c >= 0x30 && c <= 0x39 && e < 100000) e = e * 10 + c - 0x30;
    }
    exponent += minus ? -e : e;
  }
  const f = digits == 0 || digits + exponent < -330 ? 0 : digits + exponent > 310 ? Infinity : quotient(r, s, exponent, more);
  return text.charCodeAt(0) == 0x2d ? -f : f;
}

// The double nearest to r/s * 10^exponent; more says that r is a little larger.
function quotient(r: Big, s: Big, exponent: i32, more: bool): f64 {
  r.pow10(exponent);
  s.pow10(-exponent);
  // Scale until r/s lies in [1, 2) times 2^e, then take its bits one by one.
  let e = 0;
  while (!s.atMost(r)) r.mul(2), e--;
  while (s.atMost(r, 1)) s.mul(2), e++;
  const bits = e < -1022 ? 53 - (-1022 - e) : 53;
  let m: u64 = 0;
  if (bits < 0) return 0;
  for (let i = 0; i < bits; i++) {
    m <<= 1;
    if (s.atMost(r)) r.subtract(s), m |= 1;
    r.mul(2);
  }
  const half = s.atMost(r), above = half && (more || !r.atMost(s));
  if (above || (half && (m & 1))) m++;
  if (e < -1022) return reinterpret<f64>(m); // a carry makes it the first normal one
  if (m >> 53) m >>= 1, e++;
  return e > 1023 ? Infinity : reinterpret<f64>((m & ((<u64>1 << 52) - 1)) | (<u64>(e + 1023) << 52));
}
