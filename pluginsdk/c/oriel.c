// The contract oriel/1 for adapters in C: memory, the tree, the view, and the
// exports. The host's functions are in oriel_host.c, JSON and its numbers in
// oriel_json.c.
#include "oriel_write.h"

// ---- memory: taken from the end of the module's own, free again at each call ----

extern char __heap_base;
static char *top;

static void reset(void) { top = &__heap_base; }

static void *take(size_t size) {
  char *p = (char *)(((uintptr_t)top + 7) & ~(uintptr_t)7);
  size_t end = (uintptr_t)p + size, have = __builtin_wasm_memory_size(0) << 16;
  if (end < size) __builtin_trap();
  if (end > have && __builtin_wasm_memory_grow(0, (end - have + 0xffff) >> 16) == (size_t)-1) __builtin_trap();
  top = p + size;
  return p;
}

// The compiler calls these two for structures.
void *memcpy(void *restrict to, const void *restrict from, size_t n) {
  char *t = to;
  for (const char *f = from; n--;) *t++ = *f++;
  return to;
}

void *memset(void *to, int value, size_t n) {
  for (char *t = to; n--;) *t++ = (char)value;
  return to;
}

void *oriel_new(size_t size) {
  void *p = take(size);
  __builtin_memset(p, 0, size);
  return p;
}

void *oriel_mark(void) { return top; }
void oriel_release(void *mark) { top = mark; }

bool oriel_equal(oriel_str a, oriel_str b) {
  if (a.n != b.n) return false;
  for (uint32_t i = 0; i < a.n; i++)
    if (a.p[i] != b.p[i]) return false;
  return true;
}

void oriel_put(oriel_out *o, oriel_str s) {
  if (o->room - o->n < s.n) {
    uint32_t room = o->n + s.n + o->room + 64;
    if (o->p && o->p + o->room == top) { // nothing came after it
      top = o->p;
      o->p = take(room);
    } else {
      char *p = take(room);
      if (o->n) __builtin_memcpy(p, o->p, o->n);
      o->p = p;
    }
    o->room = room;
  }
  if (s.n) __builtin_memcpy(o->p + o->n, s.p, s.n);
  o->n += s.n;
}

void oriel_put_char(oriel_out *o, char c) { oriel_put(o, (oriel_str){&c, 1}); }

oriel_str oriel_text_of(const oriel_out *o) { return (oriel_str){o->p, o->n}; }

oriel_str oriel_join(oriel_str a, oriel_str b) {
  oriel_out o = {0};
  oriel_put(&o, a);
  oriel_put(&o, b);
  return oriel_text_of(&o);
}

// ---- refusals ----

oriel_fault_t oriel_fault;

bool oriel_refuse(oriel_str code, oriel_str message) {
  oriel_fault = (oriel_fault_t){.code = code, .message = message};
  return false;
}

bool oriel_invalid(oriel_str field, oriel_str why) {
  struct oriel_field_fault *f = oriel_new(sizeof *f);
  *f = (struct oriel_field_fault){field, why};
  oriel_str message = oriel_join(oriel_join(ORIEL("the argument "), field), oriel_join(ORIEL(" is wrong: "), why));
  oriel_fault = (oriel_fault_t){.code = ORIEL_INVALID, .message = message, .n_fields = 1, .fields = f};
  return false;
}

// ---- the tree ----

enum { OBSERVATION = 1, WINDOW, SURFACES, FRAME, NODES, ATTRIBUTES, ACTIONS, RELATIONS, VALUES, TEXTS, TABLES, CELLS, STRINGS };

static const uint8_t record_sizes[] = {0, 16, 104, 16, 16, 96, 20, 28, 16, 40, 32, 24, 40, 1};
static const uint8_t string_fields[][9] = {
    [OBSERVATION] = {4}, [WINDOW] = {16, 24, 32, 40, 48, 56, 64, 72}, [FRAME] = {0xff}, [NODES] = {64, 72, 80},
    [ATTRIBUTES] = {4, 12}, [ACTIONS] = {4, 12, 20},
}; // 0xff stands for 0, which ends a list

static uint16_t u16(const uint8_t *p) { return p[0] | p[1] << 8; }
static uint32_t u32(const uint8_t *p) {
  uint32_t v;
  __builtin_memcpy(&v, p, 4);
  return v;
}
static uint64_t u64(const uint8_t *p) {
  uint64_t v;
  __builtin_memcpy(&v, p, 8);
  return v;
}
static double f64(const uint8_t *p) {
  double v;
  __builtin_memcpy(&v, p, 8);
  return v;
}
static oriel_rect rect(const uint8_t *p) { return (oriel_rect){u32(p), u32(p + 4), u32(p + 8), u32(p + 12)}; }

static bool bad_tree(const char *why, uint32_t n) { return oriel_refuse(ORIEL_INTERNAL, oriel_join(ORIEL("reading tree: "), (oriel_str){why, n})); }
#define BAD(why) bad_tree(why, sizeof(why) - 1)

static const uint8_t *record(const oriel_section *s, uint32_t i) { return s->data + i * s->size; }

static bool read_sections(oriel_tree *t, const uint8_t *b, uint32_t n) {
  if (n < 16 || u32(b) != 0x3154524f) return BAD("the data does not begin with ORT1");
  uint64_t header = u32(b + 4), count = u32(b + 12);
  if (u32(b + 8) != n) return BAD("its length is another than it says");
  if (header < 16 || header + count * 16 > n) return BAD("the header does not fit");
  for (const uint8_t *e = b + header; count--; e += 16) {
    uint32_t id = u32(e), offset = u32(e + 4), size = u32(e + 8), records = u32(e + 12);
    if (id == 0 || id > STRINGS) continue;
    if (t->sections[id].size) return BAD("a section comes twice");
    if (size < record_sizes[id]) return BAD("the records of a section are too small");
    if (offset > n || records > (n - offset) / size) return BAD("a section does not fit");
    t->sections[id] = (oriel_section){b + offset, size, records};
  }
  return true;
}

static bool check_strings(const oriel_tree *t) {
  uint64_t pool = t->sections[STRINGS].count;
  for (uint32_t id = 1; id < ORIEL_COUNT(string_fields); id++) {
    const oriel_section *s = &t->sections[id];
    for (const uint8_t *f = string_fields[id]; *f; f++) {
      const uint8_t *at = s->data + (*f == 0xff ? 0 : *f);
      for (uint32_t i = 0; i < s->count; i++, at += s->size)
        if ((uint64_t)u32(at) + u32(at + 4) > pool) return BAD("a text lies outside of the strings");
    }
  }
  return true;
}

// close_subtrees goes up from the node before i to parent; each subtree that it
// leaves must end at i.
static bool close_subtrees(const oriel_tree *t, int64_t i, int64_t parent) {
  int64_t j = i - 1;
  while (j > parent) {
    const uint8_t *r = record(&t->sections[NODES], j);
    if (j + u32(r + 36) != i) return BAD("a subtree ends at the wrong node");
    j = (int32_t)u32(r + 32);
  }
  return j == parent || BAD("a node is not in the subtree of its parent");
}

static bool check_nodes(const oriel_tree *t) {
  const oriel_section *s = &t->sections[NODES];
  for (int64_t i = 0; i < s->count; i++) {
    int32_t parent = u32(record(s, i) + 32);
    if (parent >= i || parent < -1 || (parent == -1 && i > 0)) return BAD("a node has a wrong parent");
    if (parent != i - 1 && !close_subtrees(t, i, parent)) return false;
  }
  return s->count == 0 || close_subtrees(t, s->count, -1);
}

// check_order proves that a side table is sorted by node, so that a binary search
// finds the records of one.
static bool check_order(const oriel_section *s, bool many, uint32_t nodes) {
  uint64_t least = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    uint32_t node = u32(record(s, i));
    if (node < least || node >= nodes) return BAD("a side table is out of order");
    least = (uint64_t)node + !many;
  }
  return true;
}

bool oriel_tree_read(oriel_tree *t, const void *bytes, uint32_t n) {
  *t = (oriel_tree){0};
  if (!read_sections(t, bytes, n)) return false;
  if (t->sections[OBSERVATION].count > 1 || t->sections[WINDOW].count > 1 || t->sections[FRAME].count > 1)
    return BAD("a section has more than one record");
  if (!check_strings(t) || !check_nodes(t)) return false;
  for (uint32_t id = ATTRIBUTES; id <= CELLS; id++)
    if (!check_order(&t->sections[id], id <= RELATIONS, t->sections[NODES].count)) return false;
  return true;
}

static oriel_str string_at(const oriel_tree *t, const uint8_t *p) {
  uint32_t n = u32(p + 4);
  return n ? (oriel_str){(const char *)t->sections[STRINGS].data + u32(p), n} : (oriel_str){0};
}

oriel_window_info oriel_window(const oriel_tree *t) {
  if (!t->sections[WINDOW].count) return (oriel_window_info){.surfaces = 0};
  const uint8_t *r = t->sections[WINDOW].data;
  return (oriel_window_info){
      .handle = u64(r), .owner = u64(r + 8), .title = string_at(t, r + 16), .class = string_at(t, r + 24),
      .instance = string_at(t, r + 32), .app = string_at(t, r + 40), .process = string_at(t, r + 48),
      .app_version = string_at(t, r + 56), .toolkit = string_at(t, r + 64), .role = string_at(t, r + 72),
      .bounds = rect(r + 80), .modal = u32(r + 96) & 1, .states = u32(r + 100), .surfaces = t->sections[SURFACES].count,
  };
}

oriel_rect oriel_surface(const oriel_tree *t, uint32_t n) {
  const oriel_section *s = &t->sections[SURFACES];
  return n && n <= s->count ? rect(record(s, n - 1)) : (oriel_rect){0};
}

oriel_str oriel_frame(const oriel_tree *t, int32_t *w, int32_t *h) {
  const uint8_t *r = t->sections[FRAME].data;
  bool there = t->sections[FRAME].count;
  *w = there ? (int32_t)u32(r + 8) : 0;
  *h = there ? (int32_t)u32(r + 12) : 0;
  return there ? string_at(t, r) : (oriel_str){0};
}

bool oriel_partial(const oriel_tree *t, oriel_str *why) {
  const oriel_section *s = &t->sections[OBSERVATION];
  *why = s->count ? string_at(t, s->data + 4) : (oriel_str){0};
  return s->count && (u32(s->data) & 1);
}

uint32_t oriel_length(const oriel_tree *t) { return t->sections[NODES].count; }

oriel_node oriel_at(const oriel_tree *t, int64_t i) {
  if (!t || i < 0 || i >= t->sections[NODES].count) return (oriel_node){0};
  return (oriel_node){t, i};
}

static const uint8_t no_node[96];

static const uint8_t *rec(oriel_node n) { return n.tree ? record(&n.tree->sections[NODES], n.index) : no_node; }

static uint32_t slot_of(uint64_t id) { return id * 0x9E3779B97F4A7C15 >> 33; }

static void make_index(oriel_tree *t) {
  uint32_t size = 2;
  while (size < 2 * oriel_length(t)) size *= 2;
  t->index = oriel_new(size * sizeof *t->index);
  t->index_size = size;
  for (uint32_t i = 0; i < oriel_length(t); i++) {
    uint64_t id = oriel_id(oriel_at(t, i));
    uint32_t slot = slot_of(id) & (size - 1);
    while (t->index[slot] && oriel_id(oriel_at(t, t->index[slot] - 1)) != id) slot = (slot + 1) & (size - 1);
    if (!t->index[slot]) t->index[slot] = i + 1; // the first of two with one id counts
  }
}

oriel_node oriel_by_id(const oriel_tree *t, uint64_t id) {
  if (!t) return (oriel_node){0};
  if (!t->index) make_index((oriel_tree *)t); // a cache: the tree says the same before and after
  for (uint32_t slot = slot_of(id) & (t->index_size - 1); t->index[slot]; slot = (slot + 1) & (t->index_size - 1)) {
    oriel_node n = oriel_at(t, t->index[slot] - 1);
    if (oriel_id(n) == id) return n;
  }
  return (oriel_node){0};
}

static oriel_str field(oriel_node n, uint32_t at) { return n.tree ? string_at(n.tree, rec(n) + at) : (oriel_str){0}; }

uint64_t oriel_id(oriel_node n) { return u64(rec(n)); }
uint64_t oriel_states(oriel_node n) { return u64(rec(n) + 8); }
int64_t oriel_children_total(oriel_node n) { return u64(rec(n) + 16); }
int64_t oriel_children_first(oriel_node n) { return u64(rec(n) + 24); }
uint32_t oriel_subtree(oriel_node n) { return u32(rec(n) + 36); }
uint32_t oriel_ifaces(oriel_node n) { return u32(rec(n) + 40); }
uint32_t oriel_node_surface(oriel_node n) { return u32(rec(n) + 44); }
oriel_rect oriel_bounds(oriel_node n) { return rect(rec(n) + 48); }
oriel_str oriel_name(oriel_node n) { return field(n, 64); }
oriel_str oriel_description(oriel_node n) { return field(n, 72); }
oriel_str oriel_text(oriel_node n) { return field(n, 80); }
uint32_t oriel_children_count(oriel_node n) { return u32(rec(n) + 88); }
uint32_t oriel_role(oriel_node n) { return u16(rec(n) + 92); }
uint32_t oriel_end(oriel_node n) { return rec(n)[94]; }
bool oriel_has_bounds(oriel_node n) { return rec(n)[95] & 1; }
bool oriel_sensitive(oriel_node n) { return rec(n)[95] & 2; }

oriel_rect oriel_window_bounds(oriel_node n) {
  oriel_rect b = oriel_bounds(n);
  uint32_t s = oriel_node_surface(n);
  if (s && s <= n.tree->sections[SURFACES].count) {
    oriel_rect popup = oriel_surface(n.tree, s), window = oriel_window(n.tree).bounds;
    b.x = (uint32_t)b.x + popup.x - window.x;
    b.y = (uint32_t)b.y + popup.y - window.y;
  }
  return b;
}

oriel_str oriel_label(oriel_node n) {
  oriel_str name = oriel_name(n);
  return name.n ? name : oriel_name(oriel_related(n, ORIEL_REL_LABELLED_BY));
}

oriel_node oriel_parent(oriel_node n) { return n.tree ? oriel_at(n.tree, (int32_t)u32(rec(n) + 32)) : n; }

oriel_node oriel_first_child(oriel_node n) {
  return oriel_subtree(n) > 1 ? (oriel_node){n.tree, n.index + 1} : (oriel_node){0};
}

oriel_node oriel_next_sibling(oriel_node n) {
  oriel_node p = oriel_parent(n);
  uint32_t next = n.index + oriel_subtree(n);
  return p.tree && next < p.index + oriel_subtree(p) ? (oriel_node){n.tree, next} : (oriel_node){0};
}

oriel_node oriel_child(oriel_node n, uint32_t number) {
  oriel_node c = oriel_first_child(n);
  while (c.tree && number--) c = oriel_next_sibling(c);
  return c;
}

oriel_node oriel_find(oriel_node n, uint32_t role) {
  for (uint32_t i = n.index + 1, end = n.index + oriel_subtree(n); n.tree && i < end; i++)
    if (oriel_role((oriel_node){n.tree, i}) == role) return (oriel_node){n.tree, i};
  return (oriel_node){0};
}

oriel_node oriel_within(oriel_node n, uint32_t role) {
  do n = oriel_parent(n);
  while (n.tree && oriel_role(n) != role);
  return n;
}

// side returns the record of a node in a side table that has the number, or NULL.
static const uint8_t *side(oriel_node n, uint32_t id, uint32_t number) {
  if (!n.tree) return NULL;
  const oriel_section *s = &n.tree->sections[id];
  uint32_t from = 0, to = s->count;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    if (u32(record(s, middle)) < n.index)
      from = middle + 1;
    else
      to = middle;
  }
  if (number >= s->count - from || u32(record(s, from + number)) != n.index) return NULL;
  return record(s, from + number);
}

bool oriel_attribute_at(oriel_node n, uint32_t number, oriel_str *key, oriel_str *value) {
  const uint8_t *r = side(n, ATTRIBUTES, number);
  if (!r) return false;
  *key = string_at(n.tree, r + 4);
  *value = string_at(n.tree, r + 12);
  return true;
}

oriel_str oriel_attribute(oriel_node n, oriel_str key) {
  oriel_str k, v;
  for (uint32_t i = 0; oriel_attribute_at(n, i, &k, &v); i++)
    if (oriel_equal(k, key)) return v;
  return (oriel_str){0};
}

bool oriel_action_at(oriel_node n, uint32_t number, oriel_str *name, oriel_str *description, oriel_str *binding) {
  const uint8_t *r = side(n, ACTIONS, number);
  if (!r) return false;
  *name = string_at(n.tree, r + 4);
  *description = string_at(n.tree, r + 12);
  *binding = string_at(n.tree, r + 20);
  return true;
}

int32_t oriel_action(oriel_node n, oriel_str name) {
  oriel_str a, d, b;
  for (uint32_t i = 0; oriel_action_at(n, i, &a, &d, &b); i++)
    if (oriel_equal(a, name)) return i;
  return -1;
}

bool oriel_relation_at(oriel_node n, uint32_t number, uint32_t *kind, uint64_t *target) {
  const uint8_t *r = side(n, RELATIONS, number);
  if (!r) return false;
  *kind = u16(r + 4); // as the reference reads it
  *target = u64(r + 8);
  return true;
}

oriel_node oriel_related(oriel_node n, uint32_t kind) {
  uint32_t k;
  uint64_t target;
  for (uint32_t i = 0; oriel_relation_at(n, i, &k, &target); i++) {
    oriel_node t = k == kind ? oriel_by_id(n.tree, target) : (oriel_node){0};
    if (t.tree) return t;
  }
  return (oriel_node){0};
}

bool oriel_value_of(oriel_node n, oriel_value_info *v) {
  const uint8_t *r = side(n, VALUES, 0);
  if (r) *v = (oriel_value_info){f64(r + 8), f64(r + 16), f64(r + 24), f64(r + 32)};
  return r;
}

bool oriel_text_info_of(oriel_node n, oriel_text_info *v) {
  const uint8_t *r = side(n, TEXTS, 0);
  if (r) *v = (oriel_text_info){u32(r + 4), u32(r + 8), u32(r + 12), u64(r + 16), u64(r + 24)};
  return r;
}

bool oriel_table_of(oriel_node n, oriel_table_info *v) {
  const uint8_t *r = side(n, TABLES, 0);
  if (r) *v = (oriel_table_info){u64(r + 8), u64(r + 16)};
  return r;
}

bool oriel_cell_of(oriel_node n, oriel_cell_info *v) {
  const uint8_t *r = side(n, CELLS, 0);
  if (r) *v = (oriel_cell_info){u32(r + 4), u32(r + 8), u32(r + 12), u32(r + 16), u64(r + 24), u64(r + 32)};
  return r;
}

// ---- the exports ----

__attribute__((export_name("oriel_alloc"))) void *oriel_alloc(uint32_t n) {
  reset();
  return take(n);
}


static uint64_t packed(const oriel_out *o) { return (uint64_t)(uintptr_t)o->p << 32 | o->n; }

uint64_t oriel_run_translate(bool (*translate)(const oriel_tree *, oriel_view *), const void *p, uint32_t n) {
  oriel_tree tree;
  oriel_view view = {.n_blocks = 0};
  oriel_out out = {0};
  if (oriel_tree_read(&tree, p, n) && translate(&tree, &view))
    oriel_write_view(&out, &view);
  else
    oriel_write_fault(&out);
  return packed(&out);
}

static bool read_call(oriel_call *c, const uint8_t *b, uint32_t n) {
  if (n < 8) return oriel_refuse(ORIEL_INTERNAL, ORIEL("reading call: shorter than its header"));
  uint64_t action = u32(b), args = u32(b + 4);
  if (action + args > n - 8)
    return oriel_refuse(ORIEL_INTERNAL, ORIEL("reading call: the name and the arguments are longer than the call"));
  c->action = (oriel_str){(const char *)b + 8, action};
  oriel_str text = {(const char *)b + 8 + action, args};
  while (text.n && text.p[text.n - 1] == ' ') text.n--;
  if (text.n && !oriel_parse(text, &c->args)) return false;
  return oriel_tree_read(&c->window, b + 8 + action + args, n - 8 - action - args);
}

uint64_t oriel_run_invoke(bool (*invoke)(const oriel_call *, oriel_outcome *), const void *p, uint32_t n) {
  oriel_call call = {.action = {0}};
  oriel_outcome outcome = {.message = {0}};
  oriel_out out = {0};
  if (read_call(&call, p, n) && invoke(&call, &outcome))
    oriel_write_outcome(&out, &outcome);
  else
    oriel_write_fault(&out);
  return packed(&out);
}
