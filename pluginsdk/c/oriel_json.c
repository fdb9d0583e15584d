// JSON for adapters in C: the reader, and the strings of the writer.
#include "oriel_write.h"

void *memcpy(void *restrict to, const void *restrict from, size_t n);

// ---- the reader ----

typedef struct {
  uint32_t start, end, next;
  uint8_t kind;
  bool escaped, member, last;
} token;

struct oriel_document {
  oriel_str text;
  token *tokens;
  uint32_t n, room, at;
  bool bad;
};

typedef struct oriel_document doc;

static char peek(const doc *d) { return d->at < d->text.n ? d->text.p[d->at] : 0; }

static void spaces(doc *d) {
  while (peek(d) == ' ' || peek(d) == '\t' || peek(d) == '\n' || peek(d) == '\r') d->at++;
}

static bool skip(doc *d, char c) {
  if (d->at >= d->text.n || peek(d) != c) return false;
  d->at++;
  return true;
}

static bool digit(char c) { return c >= '0' && c <= '9'; }

static int32_t hex(char c) { return digit(c) ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; }

static int32_t hex4(const char *p) {
  int32_t v = 0;
  for (int i = 0; i < 4; i++) {
    int32_t h = hex(p[i]);
    if (h < 0) return -1;
    v = v << 4 | h;
  }
  return v;
}

static uint32_t add_token(doc *d) {
  if (d->n == d->room) {
    token *more = oriel_new((d->room * 2 + 16) * sizeof *more);
    if (d->n) memcpy(more, d->tokens, d->n * sizeof *more);
    d->tokens = more;
    d->room = d->room * 2 + 16;
  }
  d->tokens[d->n] = (token){.start = d->at};
  return d->n++;
}

static bool string(doc *d) {
  bool escaped = false;
  d->at++;
  while (d->at < d->text.n) {
    char c = d->text.p[d->at++];
    if (c == '"') return escaped;
    if ((uint8_t)c < ' ') break;
    if (c != '\\') continue;
    escaped = true;
    c = peek(d);
    d->at++;
    if (c == 'u') {
      if (d->at + 4 > d->text.n || hex4(d->text.p + d->at) < 0) break;
      d->at += 4;
    } else if (!(c == '"' || c == '\\' || c == '/' || c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't')) {
      break;
    }
  }
  d->bad = true;
  return false;
}

static void digits(doc *d) {
  if (!digit(peek(d))) d->bad = true;
  while (digit(peek(d))) d->at++;
}

static void number(doc *d) {
  skip(d, '-');
  if (!skip(d, '0')) digits(d);
  if (skip(d, '.')) digits(d);
  if (skip(d, 'e') || skip(d, 'E')) {
    if (!skip(d, '+')) skip(d, '-');
    digits(d);
  }
}

static bool word(doc *d, oriel_str w) {
  if (d->text.n - d->at < w.n || !oriel_equal((oriel_str){d->text.p + d->at, w.n}, w)) return false;
  d->at += w.n;
  return true;
}

static uint32_t value(doc *d, int depth);

// inside reads the members of an object or the elements of an array.
static void inside(doc *d, int depth, char end, bool object) {
  if (depth == 64) {
    d->bad = true;
    return;
  }
  d->at++;
  spaces(d);
  if (skip(d, end)) return;
  while (!d->bad) {
    spaces(d);
    if (object) {
      if (peek(d) != '"') break;
      uint32_t key = add_token(d);
      bool escaped = string(d);
      d->tokens[key] = (token){.start = d->tokens[key].start, .end = d->at, .next = key + 1, .kind = ORIEL_STRING, .escaped = escaped};
      spaces(d);
      if (!skip(d, ':')) break;
      spaces(d);
    }
    uint32_t v = value(d, depth + 1);
    d->tokens[v].member = object;
    spaces(d);
    if (skip(d, end)) {
      d->tokens[v].last = true;
      return;
    }
    if (!skip(d, ',')) break;
  }
  d->bad = true;
}

static uint32_t value(doc *d, int depth) {
  uint32_t i = add_token(d);
  oriel_kind kind = ORIEL_NONE;
  bool escaped = false;
  char c = peek(d);
  if (c == '{') kind = ORIEL_OBJECT, inside(d, depth, '}', true);
  else if (c == '[') kind = ORIEL_ARRAY, inside(d, depth, ']', false);
  else if (c == '"') kind = ORIEL_STRING, escaped = string(d);
  else if (c == '-' || digit(c)) kind = ORIEL_NUMBER, number(d);
  else if (word(d, ORIEL("true")) || word(d, ORIEL("false"))) kind = ORIEL_BOOL;
  else if (word(d, ORIEL("null"))) kind = ORIEL_NULL;
  else d->bad = true;
  token *t = &d->tokens[i];
  t->kind = kind;
  t->escaped = escaped;
  t->end = d->at;
  t->next = d->n;
  return i;
}

bool oriel_parse(oriel_str text, oriel_value *v) {
  doc *d = oriel_new(sizeof *d);
  d->text = text;
  spaces(d);
  value(d, 0);
  spaces(d);
  if (d->bad || d->at != text.n) return oriel_refuse(ORIEL_INTERNAL, ORIEL("reading JSON: it is malformed"));
  *v = (oriel_value){d, 0};
  return true;
}

static token of(oriel_value v) { return v.doc ? v.doc->tokens[v.token] : (token){.last = true}; }

oriel_kind oriel_kind_of(oriel_value v) { return of(v).kind; }
oriel_str oriel_raw(oriel_value v) { return v.doc ? (oriel_str){v.doc->text.p + of(v).start, of(v).end - of(v).start} : (oriel_str){0}; }
bool oriel_as_bool(oriel_value v) { return oriel_kind_of(v) == ORIEL_BOOL && *oriel_raw(v).p == 't'; }

oriel_value oriel_first(oriel_value v) {
  token t = of(v);
  if ((t.kind != ORIEL_OBJECT && t.kind != ORIEL_ARRAY) || t.next == v.token + 1) return (oriel_value){0};
  return (oriel_value){v.doc, v.token + 1 + (t.kind == ORIEL_OBJECT)};
}

oriel_value oriel_next(oriel_value v) {
  token t = of(v);
  if (t.last || !v.token) return (oriel_value){0};
  return (oriel_value){v.doc, t.next + t.member};
}

oriel_str oriel_key(oriel_value v) { return of(v).member ? oriel_as_string((oriel_value){v.doc, v.token - 1}) : (oriel_str){0}; }

oriel_value oriel_get(oriel_value object, oriel_str key) {
  if (oriel_kind_of(object) != ORIEL_OBJECT) return (oriel_value){0};
  oriel_value v = oriel_first(object);
  while (v.doc && !oriel_equal(oriel_key(v), key)) v = oriel_next(v);
  return v;
}

static char *put_rune(char *p, uint32_t r) {
  if (r < 0x80) *p++ = r;
  else if (r < 0x800) *p++ = 0xc0 | r >> 6, *p++ = 0x80 | (r & 63);
  else if (r < 0x10000) *p++ = 0xe0 | r >> 12, *p++ = 0x80 | (r >> 6 & 63), *p++ = 0x80 | (r & 63);
  else *p++ = 0xf0 | r >> 18, *p++ = 0x80 | (r >> 12 & 63), *p++ = 0x80 | (r >> 6 & 63), *p++ = 0x80 | (r & 63);
  return p;
}

// escape reads what follows a backslash and appends it.
static char *escape(const char **s, const char *end, char *p) {
  char c = *(*s)++;
  if (c != 'u') {
    *p++ = c == 'b' ? '\b' : c == 'f' ? '\f' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
    return p;
  }
  uint32_t r = hex4(*s);
  *s += 4;
  if (r >= 0xd800 && r < 0xe000) { // half of a pair
    uint32_t second = end - *s >= 6 && (*s)[0] == '\\' && (*s)[1] == 'u' ? hex4(*s + 2) : 0;
    if (r < 0xdc00 && second >= 0xdc00 && second < 0xe000) r = 0x10000 + ((r - 0xd800) << 10) + (second - 0xdc00), *s += 6;
    else r = 0xfffd;
  }
  return put_rune(p, r);
}

oriel_str oriel_as_string(oriel_value v) {
  token t = of(v);
  if (t.kind != ORIEL_STRING) return (oriel_str){0};
  const char *s = v.doc->text.p + t.start + 1, *end = v.doc->text.p + t.end - 1;
  if (!t.escaped) return (oriel_str){s, end - s};
  char *out = oriel_new(end - s), *p = out; // an escape is never shorter than what it means
  while (s < end) {
    if (*s == '\\') s++, p = escape(&s, end, p);
    else *p++ = *s++;
  }
  return (oriel_str){out, p - out};
}

bool oriel_as_int(oriel_value v, int64_t *n) {
  *n = 0;
  if (oriel_kind_of(v) != ORIEL_NUMBER) return false;
  oriel_str s = oriel_raw(v);
  bool minus = *s.p == '-';
  uint64_t most = minus ? 1ull << 63 : (1ull << 63) - 1, sum = 0;
  for (uint32_t i = minus; i < s.n; i++) {
    uint32_t d = s.p[i] - '0';
    if (d > 9 || sum > (most - d) / 10) return false;
    sum = sum * 10 + d;
  }
  *n = minus ? -sum : sum;
  return true;
}

double oriel_as_float(oriel_value v) {
  if (oriel_kind_of(v) != ORIEL_NUMBER) return 0;
  oriel_str s = oriel_raw(v);
  char *digits = oriel_new(s.n);
  uint32_t n = 0, i = *s.p == '-';
  int32_t exponent = 0;
  bool fraction = false;
  for (; i < s.n && (s.p[i] | 32) != 'e'; i++) {
    if (s.p[i] == '.') fraction = true;
    else digits[n++] = s.p[i], exponent -= fraction;
  }
  if (i++ < s.n) {
    bool minus = s.p[i] == '-';
    int32_t e = 0;
    for (i += s.p[i] == '-' || s.p[i] == '+'; i < s.n; i++) e = e < 100000 ? e * 10 + s.p[i] - '0' : e;
    exponent += minus ? -e : e;
  }
  double f = oriel_nearest(digits, n, exponent);
  return *s.p == '-' ? -f : f;
}

// ---- the writer ----

// good returns the length of the UTF-8 sequence at p, 0 if it is none.
static uint32_t good(const uint8_t *p, uint32_t n) {
  uint8_t c = p[0], low = 0x80, high = 0xbf;
  uint32_t len = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  if (!len || len > n) return 0;
  if (c == 0xe0) low = 0xa0;
  if (c == 0xed) high = 0x9f;
  if (c == 0xf0) low = 0x90;
  if (c == 0xf4) high = 0x8f;
  if (p[1] < low || p[1] > high) return 0;
  for (uint32_t i = 2; i < len; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  return len;
}

void oriel_put_string(oriel_out *o, oriel_str s) {
  static const char hexes[] = "0123456789abcdef";
  uint32_t start = 0;
  oriel_put_char(o, '"');
  for (uint32_t i = 0; i < s.n;) {
    uint8_t c = s.p[i];
    uint32_t len = c < 0x80 ? 1 : good((const uint8_t *)s.p + i, s.n - i);
    if (len && c >= ' ' && c != '"' && c != '\\') {
      i += len;
      continue;
    }
    oriel_put(o, (oriel_str){s.p + start, i - start});
    if (!len) oriel_put(o, ORIEL("\xef\xbf\xbd"));
    else if (c == '"' || c == '\\') oriel_put(o, (oriel_str){(char[]){'\\', c}, 2});
    else if (c == '\n') oriel_put(o, ORIEL("\\n"));
    else if (c == '\t') oriel_put(o, ORIEL("\\t"));
    else oriel_put(o, (oriel_str){(char[]){'\\', 'u', '0', '0', hexes[c >> 4], hexes[c & 15]}, 6});
    start = ++i;
  }
  oriel_put(o, (oriel_str){s.p + start, s.n - start});
  oriel_put_char(o, '"');
}
