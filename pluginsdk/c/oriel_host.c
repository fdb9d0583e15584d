// The functions of the host: each writes its request, calls the import, and takes
// the reply. The linker keeps those that the adapter reaches.
#include "oriel_write.h"

#define IMPORT(module, name, symbol) \
  __attribute__((import_module(module), import_name(name))) uint32_t symbol(const void *p, uint32_t n)

__attribute__((import_module("oriel:host"), import_name("take"))) void host_take(void *p, uint32_t room);
IMPORT("oriel:tree", "observe", tree_observe);
IMPORT("oriel:tree", "children", tree_children);
IMPORT("oriel:tree", "cells", tree_cells);
IMPORT("oriel:tree", "text", tree_text);
IMPORT("oriel:a11y", "action", a11y_action);
IMPORT("oriel:a11y", "set_text", a11y_set_text);
IMPORT("oriel:a11y", "set_value", a11y_set_value);
IMPORT("oriel:a11y", "select", a11y_select);
IMPORT("oriel:a11y", "select_text", a11y_select_text);
IMPORT("oriel:a11y", "focus", a11y_focus);
IMPORT("oriel:a11y", "scroll_to", a11y_scroll_to);
IMPORT("oriel:window", "close", window_close);
IMPORT("oriel:window", "activate", window_activate);
IMPORT("oriel:input", "move", input_move);
IMPORT("oriel:input", "click", input_click);
IMPORT("oriel:input", "drag", input_drag);
IMPORT("oriel:input", "scroll", input_scroll);
IMPORT("oriel:input", "keys", input_keys);
IMPORT("oriel:input", "text", input_text);
IMPORT("oriel:capture", "window", capture_window);
IMPORT("oriel:capture", "find", capture_find);
IMPORT("oriel:ocr", "text", ocr_text);
IMPORT("oriel:clipboard", "types", clipboard_types);
IMPORT("oriel:clipboard", "read", clipboard_read);
IMPORT("oriel:clipboard", "write", clipboard_write);
IMPORT("oriel:kv", "get", kv_get);
IMPORT("oriel:kv", "set", kv_set);
IMPORT("oriel:kv", "delete", kv_delete);
IMPORT("oriel:wait", "change", wait_change);
IMPORT("oriel:log", "write", log_write);

// start begins a request; END calls the import with it.
static oriel_out start(void) {
  oriel_out o = {0};
  oriel_begin(&o, '{');
  return o;
}
#define END(import, o) (oriel_finish(&(o), '}'), import((o).p, (o).n))

// reply takes a reply of n bytes; the fault that it may be is kept.
static bool reply(uint32_t n, oriel_str *out) {
  if (!n) return oriel_refuse(ORIEL_INTERNAL, ORIEL("the host gave no reply; this is a fault of the host"));
  // The status goes before the reply in a word of its own, so that a tree in it
  // is aligned.
  char *p = (char *)oriel_new(n + 7) + 7;
  host_take(p, n);
  *out = (oriel_str){p + 1, n - 1};
  return *p == 0 || oriel_read_fault(*out);
}

static bool done(uint32_t n) {
  oriel_str nothing;
  return reply(n, &nothing);
}

static bool reply_tree(uint32_t n, oriel_tree *t) {
  oriel_str b;
  return reply(n, &b) && oriel_tree_read(t, b.p, b.n);
}

static bool reply_json(uint32_t n, oriel_value *v) {
  oriel_str b;
  return reply(n, &b) && oriel_parse(b, v);
}

static void member_id(oriel_out *o, uint64_t id) {
  if (id) oriel_member_string(o, "id", oriel_decimal_unsigned(id));
}

static void member_region(oriel_out *o, const oriel_rect *r) {
  if (r) oriel_member_rect(o, "region", *r);
}

static void member_bytes(oriel_out *o, const char *key, oriel_str b) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (!b.n) return;
  oriel_member(o, key);
  oriel_put_char(o, '"');
  for (uint32_t i = 0; i < b.n; i += 3) {
    uint32_t left = b.n - i, v = (uint8_t)b.p[i] << 16;
    if (left > 1) v |= (uint8_t)b.p[i + 1] << 8;
    if (left > 2) v |= (uint8_t)b.p[i + 2];
    char four[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=', left > 2 ? digits[v & 63] : '='};
    oriel_put(o, (oriel_str){four, 4});
  }
  oriel_put_char(o, '"');
}

static oriel_value get(oriel_value v, const char *key) { return oriel_get(v, (oriel_str){key, __builtin_strlen(key)}); }

static int64_t get_int(oriel_value v, const char *key) {
  int64_t n;
  oriel_as_int(get(v, key), &n);
  return n;
}

static oriel_rect get_rect(oriel_value v) { return (oriel_rect){get_int(v, "x"), get_int(v, "y"), get_int(v, "w"), get_int(v, "h")}; }

static uint32_t length(oriel_value list) {
  uint32_t n = 0;
  for (oriel_value x = oriel_first(list); x.doc; x = oriel_next(x)) n++;
  return n;
}

// ---- oriel:tree ----

bool oriel_observe(oriel_tree *t) {
  oriel_out o = start();
  return reply_tree(END(tree_observe, o), t);
}

bool oriel_children(uint64_t id, int64_t offset, int32_t n, oriel_tree *t) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_int(&o, "offset", offset);
  oriel_member_int(&o, "n", n);
  return reply_tree(END(tree_children, o), t);
}

bool oriel_cells(uint64_t id, int64_t row, int64_t column, int32_t rows, int32_t columns, oriel_tree *t) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_int(&o, "row", row);
  oriel_member_int(&o, "column", column);
  oriel_member_int(&o, "rows", rows);
  oriel_member_int(&o, "columns", columns);
  return reply_tree(END(tree_cells, o), t);
}

bool oriel_read_text(uint64_t id, int64_t from, int32_t n, oriel_str *text) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_int(&o, "from", from);
  oriel_member_int(&o, "n", n);
  return reply(END(tree_text, o), text);
}

// ---- oriel:a11y ----

bool oriel_do_action(uint64_t id, int32_t number) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_int(&o, "number", number);
  return done(END(a11y_action, o));
}

bool oriel_set_text(uint64_t id, oriel_str text) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_string(&o, "text", text);
  return done(END(a11y_set_text, o));
}

bool oriel_insert_text(uint64_t id, int64_t at, oriel_str text) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_string(&o, "text", text);
  oriel_member_flag(&o, "insert", true);
  oriel_member_int(&o, "at", at);
  return done(END(a11y_set_text, o));
}

bool oriel_set_value(uint64_t id, double value) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_float(&o, "value", value);
  return done(END(a11y_set_value, o));
}

static bool choose(uint64_t container, int64_t child, bool deselect) {
  oriel_out o = start();
  member_id(&o, container);
  oriel_member_int(&o, "child", child);
  oriel_member_flag(&o, "deselect", deselect);
  return done(END(a11y_select, o));
}

bool oriel_select(uint64_t container, int64_t child) { return choose(container, child, false); }
bool oriel_deselect(uint64_t container, int64_t child) { return choose(container, child, true); }

bool oriel_select_text(uint64_t id, int64_t from, int64_t to) {
  oriel_out o = start();
  member_id(&o, id);
  oriel_member_int(&o, "start", from);
  oriel_member_int(&o, "end", to);
  return done(END(a11y_select_text, o));
}

bool oriel_focus(uint64_t id) {
  oriel_out o = start();
  member_id(&o, id);
  return done(END(a11y_focus, o));
}

bool oriel_scroll_to(uint64_t id) {
  oriel_out o = start();
  member_id(&o, id);
  return done(END(a11y_scroll_to, o));
}

// ---- oriel:window ----

bool oriel_close_window(void) {
  oriel_out o = start();
  return done(END(window_close, o));
}

bool oriel_activate_window(void) {
  oriel_out o = start();
  return done(END(window_activate, o));
}

// ---- oriel:input ----

bool oriel_move(int32_t x, int32_t y) {
  oriel_out o = start();
  oriel_member_int(&o, "x", x);
  oriel_member_int(&o, "y", y);
  return done(END(input_move, o));
}

bool oriel_click(oriel_pointer p) {
  oriel_out o = start();
  oriel_member_int(&o, "x", p.x);
  oriel_member_int(&o, "y", p.y);
  oriel_member_string(&o, "button", p.button);
  oriel_member_int(&o, "count", p.count);
  oriel_member_strings(&o, "modifiers", p.modifiers, p.n_modifiers);
  return done(END(input_click, o));
}

bool oriel_drag(oriel_pointer p) {
  oriel_out o = start();
  oriel_member_int(&o, "x", p.x);
  oriel_member_int(&o, "y", p.y);
  oriel_member_int(&o, "to_x", p.to_x);
  oriel_member_int(&o, "to_y", p.to_y);
  oriel_member_string(&o, "button", p.button);
  oriel_member_strings(&o, "modifiers", p.modifiers, p.n_modifiers);
  return done(END(input_drag, o));
}

bool oriel_scroll(int32_t x, int32_t y, int32_t dx, int32_t dy) {
  oriel_out o = start();
  oriel_member_int(&o, "x", x);
  oriel_member_int(&o, "y", y);
  oriel_member_int(&o, "dx", dx);
  oriel_member_int(&o, "dy", dy);
  return done(END(input_scroll, o));
}

bool oriel_keys(const oriel_str *chords, uint32_t n) {
  oriel_out o = start();
  oriel_member_strings(&o, "chords", chords, n);
  return done(END(input_keys, o));
}

bool oriel_type(oriel_str text) {
  oriel_out o = start();
  oriel_member_string(&o, "text", text);
  return done(END(input_text, o));
}

// ---- oriel:capture and oriel:ocr ----

bool oriel_capture(const oriel_rect *region, oriel_image *image) {
  oriel_str b;
  oriel_out o = start();
  member_region(&o, region);
  if (!reply(END(capture_window, o), &b)) return false;
  uint32_t size[2] = {0};
  if (b.n >= 8) __builtin_memcpy(size, b.p, 8);
  if (b.n < 8 || size[0] > 1 << 15 || size[1] > 1 << 15 || (uint64_t)size[0] * size[1] * 4 != b.n - 8)
    return oriel_refuse(ORIEL_INTERNAL, ORIEL("reading image: its size does not fit its pixels"));
  *image = (oriel_image){size[0], size[1], (const uint8_t *)b.p + 8};
  return true;
}

bool oriel_find_image(oriel_str png, const oriel_rect *region, double threshold, oriel_match **matches, uint32_t *n) {
  oriel_value v;
  oriel_out o = start();
  member_bytes(&o, "png", png);
  member_region(&o, region);
  oriel_member_float(&o, "threshold", threshold);
  if (!reply_json(END(capture_find, o), &v)) return false;
  v = get(v, "matches");
  *n = length(v);
  oriel_match *m = *matches = oriel_new(*n * sizeof *m);
  for (v = oriel_first(v); v.doc; v = oriel_next(v)) *m++ = (oriel_match){get_rect(v), oriel_as_float(get(v, "score"))};
  return true;
}

bool oriel_ocr(const oriel_rect *region, oriel_word **words, uint32_t *n) {
  oriel_value v;
  oriel_out o = start();
  member_region(&o, region);
  if (!reply_json(END(ocr_text, o), &v)) return false;
  v = get(v, "words");
  *n = length(v);
  oriel_word *w = *words = oriel_new(*n * sizeof *w);
  for (v = oriel_first(v); v.doc; v = oriel_next(v))
    *w++ = (oriel_word){oriel_as_string(get(v, "text")), get_rect(v), get_int(v, "line"), oriel_as_float(get(v, "confidence"))};
  return true;
}

// ---- oriel:clipboard ----

bool oriel_clipboard_types(oriel_str **types, uint32_t *n) {
  oriel_value v;
  oriel_out o = start();
  if (!reply_json(END(clipboard_types, o), &v)) return false;
  v = get(v, "types");
  *n = length(v);
  oriel_str *s = *types = oriel_new(*n * sizeof *s);
  for (v = oriel_first(v); v.doc; v = oriel_next(v)) *s++ = oriel_as_string(v);
  return true;
}

bool oriel_clipboard_read(oriel_str type, oriel_str *data) {
  oriel_out o = start();
  oriel_member_string(&o, "type", type);
  return reply(END(clipboard_read, o), data);
}

bool oriel_clipboard_write(oriel_str type, oriel_str data) {
  oriel_out o = start();
  oriel_member_string(&o, "type", type);
  member_bytes(&o, "data", data);
  return done(END(clipboard_write, o));
}

// ---- oriel:kv ----

bool oriel_load(oriel_str key, oriel_str *data, bool *there) {
  oriel_out o = start();
  oriel_member_string(&o, "key", key);
  *there = reply(END(kv_get, o), data);
  if (!*there) *data = (oriel_str){0};
  return *there || oriel_equal(oriel_fault.code, ORIEL_GONE);
}

bool oriel_store(oriel_str key, oriel_str data) {
  oriel_out o = start();
  oriel_member_string(&o, "key", key);
  member_bytes(&o, "data", data);
  return done(END(kv_set, o));
}

bool oriel_delete(oriel_str key) {
  oriel_out o = start();
  oriel_member_string(&o, "key", key);
  return done(END(kv_delete, o));
}

// ---- oriel:wait and oriel:log ----

bool oriel_wait_change(int64_t ms, bool *changed, int64_t *waited) {
  oriel_value v;
  oriel_out o = start();
  oriel_member_int(&o, "timeout_ms", ms);
  if (!reply_json(END(wait_change, o), &v)) return false;
  *changed = oriel_as_bool(get(v, "changed"));
  if (waited) *waited = get_int(v, "waited_ms");
  return true;
}

bool oriel_wait_until(int64_t ms, bool (*ready)(const oriel_tree *), oriel_tree *t) {
  for (void *mark = oriel_mark();; oriel_release(mark)) {
    if (!oriel_observe(t)) return false;
    if (ready(t)) return true;
    if (ms <= 0) return oriel_refuse(ORIEL_TIMEOUT, ORIEL("the window did not come to the expected state; read it again"));
    bool changed;
    int64_t waited;
    if (!oriel_wait_change(ms, &changed, &waited)) return false;
    // Even a wait that ends at once counts, so that a window that never rests does
    // not hold the adapter for ever.
    ms = changed ? ms - (waited > 1 ? waited : 1) : 0;
  }
}

void oriel_log(oriel_str level, oriel_str text) {
  oriel_fault_t kept = oriel_fault;
  oriel_out o = start();
  oriel_member_string(&o, "level", level);
  oriel_member_string(&o, "text", text);
  done(END(log_write, o)); // a host that refuses it has a reason, and there is nothing to do about it
  oriel_fault = kept;
}
