// Numbers as text and back, exact in both directions: they are fractions of two
// large integers, so that nothing is rounded but at the end.
#include "oriel_write.h"

enum { WORDS = 176 }; // 5,632 bits: more than 800 digits over the smallest power of ten

typedef struct {
  uint32_t n, w[WORDS]; // little endian, without zeros at the end
} big;

static void big_set(big *b, uint64_t v) {
  b->w[0] = (uint32_t)v;
  b->w[1] = v >> 32;
  b->n = v >> 32 ? 2 : v ? 1 : 0;
}

// big_mul makes b = b * m + add.
static void big_mul(big *b, uint32_t m, uint32_t add) {
  uint64_t carry = add;
  for (uint32_t i = 0; i < b->n; i++) {
    carry += (uint64_t)b->w[i] * m;
    b->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry && b->n < WORDS) b->w[b->n++] = (uint32_t)carry;
}

static void big_pow10(big *b, int32_t exponent) {
  while (exponent-- > 0) big_mul(b, 10, 0);
}

static void big_shift(big *b, int32_t bits) {
  for (; bits >= 31; bits -= 31) big_mul(b, 1u << 31, 0);
  if (bits > 0) big_mul(b, 1u << bits, 0);
}

// big_compare compares a + plus with b; plus may be NULL.
static int big_compare(const big *a, const big *plus, const big *b) {
  big sum = *a;
  if (plus) {
    uint64_t carry = 0;
    for (uint32_t i = 0; i < plus->n || carry; i++) {
      if (i >= WORDS) break;
      carry += (i < plus->n ? plus->w[i] : 0) + (uint64_t)(i < sum.n ? sum.w[i] : 0);
      sum.w[i] = (uint32_t)carry;
      carry >>= 32;
      if (i >= sum.n) sum.n = i + 1;
    }
  }
  if (sum.n != b->n) return sum.n < b->n ? -1 : 1;
  for (uint32_t i = sum.n; i--;)
    if (sum.w[i] != b->w[i]) return sum.w[i] < b->w[i] ? -1 : 1;
  return 0;
}

// big_subtract makes a -= b, which is not larger.
static void big_subtract(big *a, const big *b) {
  int64_t borrow = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    borrow += (int64_t)a->w[i] - (i < b->n ? b->w[i] : 0);
    a->w[i] = (uint32_t)borrow;
    borrow >>= 32;
  }
  while (a->n && !a->w[a->n - 1]) a->n--;
}

typedef union {
  double f;
  uint64_t u;
} bits64;

// shortest writes the fewest digits that read back as f (positive, finite), and
// returns their number; *point is the place of the decimal point before them.
static uint32_t shortest(double f, char digits[20], int32_t *point) {
  static big r, s, up, down; // static because the stack is small; nothing runs beside
  bits64 v = {.f = f};
  uint64_t m = v.u & ((1ull << 52) - 1);
  int32_t e = v.u >> 52;
  bool lowest = !m && e > 1; // the neighbour below is nearer
  if (e) m |= 1ull << 52;
  e = (e ? e : 1) - 1075;
  bool even = !(m & 1);
  big_set(&r, m);
  big_set(&s, 1);
  big_set(&up, 1);
  big_set(&down, 1);
  big_shift(&r, (e > 0 ? e : 0) + 1 + lowest);
  big_shift(&s, (e < 0 ? -e : 0) + 1 + lowest);
  big_shift(&up, (e > 0 ? e : 0) + lowest);
  big_shift(&down, e > 0 ? e : 0);
  int32_t k = 0;
  int high = even ? 0 : 1; // a bound that reads back as f counts only if f is even
  while (big_compare(&r, &up, &s) >= high) big_mul(&s, 10, 0), k++;
  for (;;) {
    big_mul(&r, 10, 0), big_mul(&up, 10, 0), big_mul(&down, 10, 0);
    if (big_compare(&r, &up, &s) >= high) break;
    k--;
  }
  uint32_t n = 0;
  for (;;) {
    char d = '0';
    while (big_compare(&r, NULL, &s) >= 0) big_subtract(&r, &s), d++;
    bool low_ok = even ? big_compare(&r, NULL, &down) <= 0 : big_compare(&r, NULL, &down) < 0;
    bool high_ok = big_compare(&r, &up, &s) >= high;
    if (low_ok && high_ok) { // both ends would do: the nearer
      big twice = r;
      big_mul(&twice, 2, 0);
      high_ok = big_compare(&twice, NULL, &s) >= 0;
    }
    digits[n++] = d + (high_ok ? 1 : 0);
    if (low_ok || high_ok || n == 18) break;
    big_mul(&r, 10, 0), big_mul(&up, 10, 0), big_mul(&down, 10, 0);
  }
  *point = k;
  return n;
}

static oriel_str number_of(uint64_t n, bool minus) {
  char *end = (char *)oriel_new(24) + 24, *p = end;
  do *--p = '0' + n % 10;
  while (n /= 10);
  if (minus) *--p = '-';
  return (oriel_str){p, end - p};
}

oriel_str oriel_decimal(int64_t n) { return number_of(n < 0 ? -(uint64_t)n : n, n < 0); }
oriel_str oriel_decimal_unsigned(uint64_t n) { return number_of(n, false); }

void oriel_put_int(oriel_out *o, int64_t n) { oriel_put(o, oriel_decimal(n)); }

static void put_zeros(oriel_out *o, int32_t n) {
  while (n-- > 0) oriel_put_char(o, '0');
}

void oriel_put_float(oriel_out *o, double f) {
  if (f == 0) return oriel_put_char(o, '0');
  if (f != f || f - f != 0) return oriel_put(o, ORIEL("null"));
  if (f < 0) oriel_put_char(o, '-'), f = -f;
  char digits[20];
  int32_t point;
  uint32_t n = shortest(f, digits, &point);
  if (point < -3 || point > 6) { // a larger one would read as an integer
    oriel_put(o, (oriel_str){digits, 1});
    if (n > 1) oriel_put_char(o, '.'), oriel_put(o, (oriel_str){digits + 1, n - 1});
    oriel_put_char(o, 'e');
    return oriel_put_int(o, point - 1);
  }
  if (point <= 0) {
    oriel_put(o, ORIEL("0."));
    put_zeros(o, -point);
    return oriel_put(o, (oriel_str){digits, n});
  }
  uint32_t whole = (uint32_t)point < n ? (uint32_t)point : n;
  oriel_put(o, (oriel_str){digits, whole});
  put_zeros(o, point - n);
  if (whole < n) oriel_put_char(o, '.'), oriel_put(o, (oriel_str){digits + whole, n - whole});
}

// oriel_nearest returns the double nearest to digits * 10^exponent.
double oriel_nearest(const char *digits, uint32_t n, int32_t exponent) {
  static big r, s;
  while (n && *digits == '0') digits++, n--;
  if (!n || (int32_t)n + exponent < -330) return 0;
  if ((int32_t)n + exponent > 310) return __builtin_inf();
  bool more = n > 800; // beyond this digits only say that there is something
  if (more) exponent += n - 800, n = 800;
  big_set(&r, 0);
  for (uint32_t i = 0; i < n; i++) {
    if (!r.n) big_set(&r, digits[i] - '0');
    else big_mul(&r, 10, digits[i] - '0');
  }
  big_set(&s, 1);
  big_pow10(exponent > 0 ? &r : &s, exponent > 0 ? exponent : -exponent);
  // Scale until r/s lies in [1, 2) times 2^e, then take its bits one by one.
  int32_t e = 0;
  while (big_compare(&r, NULL, &s) < 0) big_mul(&r, 2, 0), e--;
  for (;;) {
    big twice = s;
    big_mul(&twice, 2, 0);
    if (big_compare(&r, NULL, &twice) < 0) break;
    s = twice, e++;
  }
  int32_t bits = e < -1022 ? 53 - (-1022 - e) : 53;
  if (bits < 0) return 0;
  uint64_t m = 0;
  for (int32_t i = 0; i < bits; i++) {
    m <<= 1;
    if (big_compare(&r, NULL, &s) >= 0) big_subtract(&r, &s), m |= 1;
    big_mul(&r, 2, 0);
  }
  int half = big_compare(&r, NULL, &s);
  if (half > 0 || (half == 0 && (more || (m & 1)))) m++;
  if (e < -1022) return (bits64){.u = m}.f; // a carry makes it the first normal one
  if (m >> 53) m >>= 1, e++;
  if (e > 1023) return __builtin_inf();
  return (bits64){.u = (m & ((1ull << 52) - 1)) | (uint64_t)(e + 1023) << 52}.f;
}
