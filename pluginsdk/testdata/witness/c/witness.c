// Says all that it reads of a window and calls every function of the host, as its
// twins in the other languages.
#include "oriel.h"

static oriel_str join3(oriel_str a, oriel_str b, oriel_str c) { return oriel_join(oriel_join(a, b), c); }

static oriel_scalar rect(oriel_rect r) {
  oriel_str comma = ORIEL(",");
  oriel_str left = join3(oriel_decimal(r.x), comma, oriel_decimal(r.y)), right = join3(oriel_decimal(r.w), comma, oriel_decimal(r.h));
  return oriel_string(join3(left, comma, right));
}

static oriel_scalar id(uint64_t n) { return oriel_string(oriel_decimal_unsigned(n)); }
static oriel_scalar place(oriel_node n) { return oriel_int(oriel_valid(n) ? (int64_t)n.index : -1); }

static oriel_block window(const oriel_tree *t) {
  oriel_window_info w = oriel_window(t);
  int32_t width, height;
  oriel_str digest = oriel_frame(t, &width, &height), why;
  bool partial = oriel_partial(t, &why);
  const oriel_item items[] = {
      {ORIEL("handle"), id(w.handle), false}, {ORIEL("owner"), id(w.owner), false}, {ORIEL("class"), oriel_string(w.class), false},
      {ORIEL("instance"), oriel_string(w.instance), false}, {ORIEL("app"), oriel_string(w.app), false},
      {ORIEL("process"), oriel_string(w.process), false}, {ORIEL("version"), oriel_string(w.app_version), false},
      {ORIEL("toolkit"), oriel_string(w.toolkit), false}, {ORIEL("role"), oriel_string(w.role), false},
      {ORIEL("bounds"), rect(w.bounds), false}, {ORIEL("modal"), oriel_bool(w.modal), false}, {ORIEL("states"), oriel_int(w.states), false},
      {ORIEL("surfaces"), oriel_int(w.surfaces), false}, {ORIEL("digest"), oriel_string(digest), false},
      {ORIEL("width"), oriel_int(width), false}, {ORIEL("height"), oriel_int(height), false},
      {ORIEL("partial"), oriel_bool(partial), false}, {ORIEL("why"), oriel_string(partial ? why : (oriel_str){0}), false},
  };
  oriel_item *kept = oriel_new(sizeof items);
  __builtin_memcpy(kept, items, sizeof items);
  return (oriel_block){.key = ORIEL("window"), .type = ORIEL("fields"), .n_items = ORIEL_COUNT(items), .items = kept};
}

enum { NODE_COLUMNS = 24, SIDE_COLUMNS = 8 };

static const oriel_str node_columns[NODE_COLUMNS] = {
    ORIEL("id"), ORIEL("states"), ORIEL("total"), ORIEL("first"), ORIEL("parent"), ORIEL("subtree"), ORIEL("ifaces"), ORIEL("surface"),
    ORIEL("bounds"), ORIEL("has"), ORIEL("name"), ORIEL("description"), ORIEL("text"), ORIEL("label"), ORIEL("count"), ORIEL("role"),
    ORIEL("end"), ORIEL("sensitive"), ORIEL("child"), ORIEL("within"), ORIEL("find"), ORIEL("click"), ORIEL("class"), ORIEL("described"),
};

static oriel_block nodes(const oriel_tree *t) {
  uint32_t count = oriel_length(t);
  oriel_scalar *cells = oriel_new(count * NODE_COLUMNS * sizeof *cells), *c = cells;
  for (uint32_t i = 0; i < count; i++) {
    oriel_node n = oriel_at(t, i);
    const oriel_scalar row[NODE_COLUMNS] = {
        id(oriel_id(n)), id(oriel_states(n)), oriel_int(oriel_children_total(n)), oriel_int(oriel_children_first(n)),
        place(oriel_parent(n)), oriel_int(oriel_subtree(n)), oriel_int(oriel_ifaces(n)), oriel_int(oriel_node_surface(n)),
        rect(oriel_window_bounds(n)), oriel_bool(oriel_has_bounds(n)), oriel_string(oriel_name(n)), oriel_string(oriel_description(n)),
        oriel_string(oriel_text(n)), oriel_string(oriel_label(n)), oriel_int(oriel_children_count(n)), oriel_int(oriel_role(n)),
        oriel_int(oriel_end(n)), oriel_bool(oriel_sensitive(n)), place(oriel_child(n, 1)), place(oriel_within(n, ORIEL_ROLE_TABLE)),
        place(oriel_find(n, ORIEL_ROLE_LABEL)), oriel_int(oriel_action(n, ORIEL("click"))),
        oriel_string(oriel_attribute(n, ORIEL("class"))), place(oriel_related(n, ORIEL_REL_DESCRIBED_BY)),
    };
    __builtin_memcpy(c, row, sizeof row);
    c += NODE_COLUMNS;
  }
  return (oriel_block){.key = ORIEL("nodes"), .type = ORIEL("table"), .n_columns = NODE_COLUMNS, .columns = node_columns, .n_rows = count, .cells = cells};
}

typedef struct {
  oriel_scalar *cells;
  uint32_t rows, room;
} side_rows;

static void add(side_rows *s, oriel_node n, oriel_str kind, const oriel_scalar *values, uint32_t count) {
  if (s->rows == s->room) {
    oriel_scalar *more = oriel_new((s->room * 2 + 64) * SIDE_COLUMNS * sizeof *more);
    if (s->rows) __builtin_memcpy(more, s->cells, s->rows * SIDE_COLUMNS * sizeof *more);
    s->cells = more;
    s->room = s->room * 2 + 64;
  }
  oriel_scalar *row = s->cells + s->rows++ * SIDE_COLUMNS;
  row[0] = oriel_int(n.index);
  row[1] = oriel_string(kind);
  for (uint32_t i = 0; i < count; i++) row[2 + i] = values[i];
}
#define ADD(kind, ...) add(&s, n, ORIEL(kind), (oriel_scalar[]){__VA_ARGS__}, ORIEL_COUNT(((oriel_scalar[]){__VA_ARGS__})))

static oriel_block sides(const oriel_tree *t) {
  static const oriel_str columns[SIDE_COLUMNS] = {
      ORIEL("node"), ORIEL("kind"), ORIEL("a"), ORIEL("b"), ORIEL("c"), ORIEL("d"), ORIEL("e"), ORIEL("f"),
  };
  side_rows s = {.rows = 0};
  for (uint32_t k = 0; k < oriel_length(t); k++) {
    oriel_node n = oriel_at(t, k);
    oriel_str a, b, c;
    uint32_t kind;
    uint64_t target;
    oriel_value_info v;
    oriel_text_info x;
    oriel_table_info table;
    oriel_cell_info cell;
    for (uint32_t i = 0; oriel_attribute_at(n, i, &a, &b); i++) ADD("attribute", oriel_string(a), oriel_string(b));
    for (uint32_t i = 0; oriel_action_at(n, i, &a, &b, &c); i++) ADD("action", oriel_int(i), oriel_string(a), oriel_string(b), oriel_string(c));
    for (uint32_t i = 0; oriel_relation_at(n, i, &kind, &target); i++) ADD("relation", oriel_int(kind), id(target));
    if (oriel_value_of(n, &v)) ADD("value", oriel_float(v.current), oriel_float(v.min), oriel_float(v.max), oriel_float(v.step));
    if (oriel_text_info_of(n, &x)) ADD("text", oriel_int(x.caret), oriel_int(x.start), oriel_int(x.end), oriel_int(x.length), oriel_int(x.first));
    if (oriel_table_of(n, &table)) ADD("table", oriel_int(table.rows), oriel_int(table.columns));
    if (oriel_cell_of(n, &cell))
      ADD("cell", oriel_int(cell.row), oriel_int(cell.column), oriel_int(cell.row_span), oriel_int(cell.column_span), id(cell.row_header), id(cell.column_header));
  }
  return (oriel_block){.key = ORIEL("sides"), .type = ORIEL("table"), .n_columns = SIDE_COLUMNS, .columns = columns, .n_rows = s.rows, .cells = s.cells};
}

static bool translate(const oriel_tree *t, oriel_view *view) {
  static const oriel_action_info echo = {
      .name = ORIEL("echo"), .title = ORIEL("Echo"), .description = ORIEL("Gives back."), .input = ORIEL("{\"type\":\"object\"}"),
      .output = ORIEL("{\"type\":\"object\"}"), .read_only = true, .idempotent = true,
  };
  static const oriel_action_info quit = {
      .name = ORIEL("quit"), .title = ORIEL("Quit"), .description = ORIEL("Ends it."), .destructive = true, .open_world = true,
      .unavailable = ORIEL("not now"), .patience = 1500,
  };
  const oriel_scalar list[] = {
      {.kind = ORIEL_NULL}, oriel_bool(true), oriel_bool(false), oriel_int(INT64_MIN), oriel_float(0.1), oriel_float(1e300),
      oriel_float(-2.5e-7), oriel_float(5e-324), oriel_string(ORIEL("x")),
  };
  oriel_scalar *kept = oriel_new(sizeof list);
  __builtin_memcpy(kept, list, sizeof list);
  oriel_block *blocks = oriel_new(7 * sizeof *blocks);
  blocks[0] = window(t);
  blocks[1] = nodes(t);
  blocks[2] = sides(t);
  blocks[3] = (oriel_block){.key = ORIEL("notice"), .type = ORIEL("notice"), .sensitive = true, .text = ORIEL("a\"b\\c\n\t\r\x01\x7f" "Ä€😀"), .severity = ORIEL("warn")};
  blocks[4] = (oriel_block){
      .key = ORIEL("list"), .type = ORIEL("list"), .n_list = ORIEL_COUNT(list), .list = kept, .ordered = true, .truncated = true, .offset = 3, .total = 20,
  };
  blocks[5] = (oriel_block){.key = ORIEL("media"), .type = ORIEL("media"), .region = {-1, 0, 2, 3}, .alt = ORIEL("a picture")};
  blocks[6] = (oriel_block){.key = ORIEL("custom"), .type = ORIEL("custom"), .payload = ORIEL("{\"a\":[1]}")};
  *view = (oriel_view){
      .title = oriel_window(t).title, .summary = ORIEL("All that is there."), .n_blocks = 7, .blocks = blocks,
      .n_actions = 1, .actions = &echo, .n_app_actions = 1, .app_actions = &quit,
  };
  return true;
}

static void put_scalar(oriel_out *o, oriel_scalar s) {
  if (s.kind == ORIEL_STRING) oriel_put_string(o, s.s);
  else if (s.kind == ORIEL_BOOL) oriel_put(o, s.b ? ORIEL("true") : ORIEL("false"));
  else if (s.real) oriel_put_float(o, s.f);
  else oriel_put_int(o, s.i);
}

// echo writes a value again from what was read of it.
static void echo_value(oriel_out *o, oriel_value v) {
  oriel_kind kind = oriel_kind_of(v);
  int64_t n;
  if (kind == ORIEL_ARRAY || kind == ORIEL_OBJECT) {
    oriel_put_char(o, kind == ORIEL_ARRAY ? '[' : '{');
    bool more = false;
    for (oriel_value x = oriel_first(v); x.doc; x = oriel_next(x), more = true) {
      if (more) oriel_put_char(o, ',');
      if (kind == ORIEL_OBJECT) oriel_put_string(o, oriel_key(x)), oriel_put_char(o, ':');
      echo_value(o, x);
    }
    oriel_put_char(o, kind == ORIEL_ARRAY ? ']' : '}');
  } else if (kind == ORIEL_STRING) {
    oriel_put_string(o, oriel_as_string(v));
  } else if (kind == ORIEL_BOOL) {
    oriel_put(o, oriel_as_bool(v) ? ORIEL("true") : ORIEL("false"));
  } else if (kind != ORIEL_NUMBER) {
    oriel_put(o, ORIEL("null"));
  } else if (oriel_as_int(v, &n)) {
    oriel_put_int(o, n);
  } else {
    oriel_put_float(o, oriel_as_float(v));
  }
}

static oriel_value args;

static oriel_value get(const char *key) { return oriel_get(args, (oriel_str){key, __builtin_strlen(key)}); }

static int64_t num(oriel_value v) {
  int64_t n;
  oriel_as_int(v, &n);
  return n;
}

static oriel_str wanted;
static bool is_wanted(const oriel_tree *t) { return oriel_equal(oriel_window(t).title, wanted); }

static oriel_scalar out[64];
static uint32_t n_out;

static bool seen(bool ok, const oriel_tree *t) {
  if (!ok) return false;
  out[n_out++] = oriel_string(oriel_window(t).title);
  out[n_out++] = oriel_int(oriel_length(t));
  out[n_out++] = id(oriel_id(oriel_root(t)));
  return true;
}

static bool act(oriel_str action) {
  oriel_str text = oriel_as_string(get("text")), data = oriel_as_string(get("data")), s = {0};
  int64_t n = num(get("n")), m = num(get("m")), a = num(get("a")), b = num(get("b"));
  bool flag = oriel_as_bool(get("flag")), yes = false;
  double f = oriel_as_float(get("f"));
  uint64_t node = 0;
  oriel_str digits = oriel_as_string(get("id"));
  for (uint32_t i = 0; i < digits.n; i++) node = node * 10 + digits.p[i] - '0';
  oriel_str list[8];
  uint32_t count = 0;
  for (oriel_value x = oriel_first(get("list")); x.doc && count < 8; x = oriel_next(x)) list[count++] = oriel_as_string(x);
  oriel_value r = get("region");
  oriel_rect place = {num(oriel_get(r, ORIEL("x"))), num(oriel_get(r, ORIEL("y"))), num(oriel_get(r, ORIEL("w"))), num(oriel_get(r, ORIEL("h")))};
  oriel_rect *region = oriel_kind_of(r) == ORIEL_OBJECT ? &place : NULL;
  oriel_pointer pointer = {.x = n, .y = m, .button = text, .n_modifiers = count, .modifiers = list};
  oriel_tree t;
#define IS(name) oriel_equal(action, ORIEL(name))
  if (IS("refuse")) return oriel_refuse(text, data);
  if (IS("invalid")) return oriel_invalid(text, data);
  if (IS("until")) return wanted = text, seen(oriel_wait_until(a, is_wanted, &t), &t);
  if (IS("oriel:tree observe")) return seen(oriel_observe(&t), &t);
  if (IS("oriel:tree children")) return seen(oriel_children(node, a, n, &t), &t);
  if (IS("oriel:tree cells")) return seen(oriel_cells(node, a, b, n, m, &t), &t);
  if (IS("oriel:tree text")) return oriel_read_text(node, a, n, &s) && (out[n_out++] = oriel_string(s), true);
  if (IS("oriel:a11y action")) return oriel_do_action(node, n);
  if (IS("oriel:a11y set_text")) return flag ? oriel_insert_text(node, a, text) : oriel_set_text(node, text);
  if (IS("oriel:a11y set_value")) return oriel_set_value(node, f);
  if (IS("oriel:a11y select")) return flag ? oriel_deselect(node, a) : oriel_select(node, a);
  if (IS("oriel:a11y select_text")) return oriel_select_text(node, a, b);
  if (IS("oriel:a11y focus")) return oriel_focus(node);
  if (IS("oriel:a11y scroll_to")) return oriel_scroll_to(node);
  if (IS("oriel:window close")) return oriel_close_window();
  if (IS("oriel:window activate")) return oriel_activate_window();
  if (IS("oriel:input move")) return oriel_move(n, m);
  if (IS("oriel:input click")) return pointer.count = a, oriel_click(pointer);
  if (IS("oriel:input drag")) return pointer.to_x = a, pointer.to_y = b, oriel_drag(pointer);
  if (IS("oriel:input scroll")) return oriel_scroll(n, m, a, b);
  if (IS("oriel:input keys")) return oriel_keys(list, count);
  if (IS("oriel:input text")) return oriel_type(text);
  if (IS("oriel:capture window")) {
    oriel_image i;
    if (!oriel_capture(region, &i)) return false;
    out[n_out++] = oriel_int(i.w), out[n_out++] = oriel_int(i.h), out[n_out++] = oriel_int((int64_t)i.w * i.h * 4);
    return true;
  }
  if (IS("oriel:capture find")) {
    oriel_match *found;
    if (!oriel_find_image(text, region, f, &found, &count)) return false;
    for (; count--; found++) out[n_out++] = rect(found->place), out[n_out++] = oriel_float(found->score);
    return true;
  }
  if (IS("oriel:ocr text")) {
    oriel_word *w;
    if (!oriel_ocr(region, &w, &count)) return false;
    for (; count--; w++)
      out[n_out++] = oriel_string(w->text), out[n_out++] = rect(w->place), out[n_out++] = oriel_int(w->line), out[n_out++] = oriel_float(w->confidence);
    return true;
  }
  if (IS("oriel:clipboard types")) {
    oriel_str *types;
    if (!oriel_clipboard_types(&types, &count)) return false;
    while (count--) out[n_out++] = oriel_string(*types++);
    return true;
  }
  if (IS("oriel:clipboard read")) return oriel_clipboard_read(text, &s) && (out[n_out++] = oriel_string(s), true);
  if (IS("oriel:clipboard write")) return oriel_clipboard_write(text, data);
  if (IS("oriel:kv get")) {
    if (!oriel_load(text, &s, &yes)) return false;
    out[n_out++] = oriel_bool(yes), out[n_out++] = oriel_string(s);
    return true;
  }
  if (IS("oriel:kv set")) return oriel_store(text, data);
  if (IS("oriel:kv delete")) return oriel_delete(text);
  if (IS("oriel:wait change")) return oriel_wait_change(a, &yes, NULL) && (out[n_out++] = oriel_bool(yes), true);
  if (IS("oriel:log write")) return oriel_log(text, data), true;
  return oriel_refuse(ORIEL_UNSUPPORTED, oriel_join(ORIEL("no function "), action));
}

static bool invoke(const oriel_call *call, oriel_outcome *outcome) {
  oriel_out o = {0};
  args = call->args;
  n_out = 0;
  if (oriel_equal(call->action, ORIEL("echo"))) {
    echo_value(&o, args);
    *outcome = (oriel_outcome){.message = ORIEL("echo"), .result = oriel_text_of(&o), .effect = ORIEL("unchanged")};
    return true;
  }
  if (!act(call->action)) return false;
  oriel_put(&o, ORIEL("{\"out\":["));
  for (uint32_t i = 0; i < n_out; i++) {
    if (i) oriel_put_char(&o, ',');
    put_scalar(&o, out[i]);
  }
  oriel_put(&o, ORIEL("]}"));
  *outcome = (oriel_outcome){.message = ORIEL("done"), .result = oriel_text_of(&o)};
  return true;
}

ORIEL_ADAPTER(translate, invoke)
