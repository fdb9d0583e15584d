// Views, outcomes and faults as JSON.
#include "oriel_write.h"

void oriel_separate(oriel_out *o) {
  if (o->more) oriel_put_char(o, ',');
  o->more = true;
}

void oriel_begin(oriel_out *o, char bracket) {
  oriel_put_char(o, bracket);
  o->more = false;
}

void oriel_finish(oriel_out *o, char bracket) {
  oriel_put_char(o, bracket);
  o->more = true;
}

void oriel_member(oriel_out *o, const char *key) {
  oriel_separate(o);
  oriel_put_char(o, '"');
  oriel_put(o, (oriel_str){key, __builtin_strlen(key)});
  oriel_put(o, ORIEL("\":"));
}

// What the compiler cannot count at once.
size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}

void oriel_member_string(oriel_out *o, const char *key, oriel_str s) {
  if (!s.n) return;
  oriel_member(o, key);
  oriel_put_string(o, s);
}

void oriel_member_raw(oriel_out *o, const char *key, oriel_str json) {
  if (!json.n) return;
  oriel_member(o, key);
  oriel_put(o, json);
}

void oriel_member_flag(oriel_out *o, const char *key, bool v) {
  if (v) oriel_member_raw(o, key, ORIEL("true"));
}

void oriel_member_int(oriel_out *o, const char *key, int64_t v) {
  if (v) oriel_member_raw(o, key, oriel_decimal(v));
}

void oriel_member_float(oriel_out *o, const char *key, double v) {
  if (v == 0) return;
  oriel_member(o, key);
  oriel_put_float(o, v);
}

void oriel_member_strings(oriel_out *o, const char *key, const oriel_str *s, uint32_t n) {
  if (!n) return;
  oriel_member(o, key);
  oriel_begin(o, '[');
  for (uint32_t i = 0; i < n; i++) {
    oriel_separate(o);
    oriel_put_string(o, s[i]);
  }
  oriel_finish(o, ']');
}

void oriel_member_rect(oriel_out *o, const char *key, oriel_rect r) {
  oriel_member(o, key);
  oriel_begin(o, '{');
  oriel_member_int(o, "x", r.x);
  oriel_member_int(o, "y", r.y);
  oriel_member_int(o, "w", r.w);
  oriel_member_int(o, "h", r.h);
  oriel_finish(o, '}');
}

static void put_scalar(oriel_out *o, oriel_scalar s) {
  if (s.kind == ORIEL_STRING) oriel_put_string(o, s.s);
  else if (s.kind == ORIEL_BOOL) oriel_put(o, s.b ? ORIEL("true") : ORIEL("false"));
  else if (s.kind != ORIEL_NUMBER) oriel_put(o, ORIEL("null"));
  else if (s.real) oriel_put_float(o, s.f);
  else oriel_put_int(o, s.i);
}

static void put_scalars(oriel_out *o, const oriel_scalar *s, uint32_t n) {
  oriel_begin(o, '[');
  for (uint32_t i = 0; i < n; i++) {
    oriel_separate(o);
    put_scalar(o, s[i]);
  }
  oriel_finish(o, ']');
}

static void put_items(oriel_out *o, const oriel_item *items, uint32_t n) {
  if (!n) return;
  oriel_member(o, "items");
  oriel_begin(o, '[');
  for (; n--; items++) {
    oriel_separate(o);
    oriel_begin(o, '{');
    oriel_member_string(o, "label", items->label);
    if (items->value.kind != ORIEL_NONE && items->value.kind != ORIEL_NULL) {
      oriel_member(o, "value");
      put_scalar(o, items->value);
    }
    oriel_member_flag(o, "sensitive", items->sensitive);
    oriel_finish(o, '}');
  }
  oriel_finish(o, ']');
}

static void put_block(oriel_out *o, const oriel_block *b) {
  oriel_separate(o);
  oriel_begin(o, '{');
  oriel_member_string(o, "key", b->key);
  oriel_member_string(o, "type", b->type);
  oriel_member_flag(o, "sensitive", b->sensitive);
  oriel_member_string(o, "text", b->text);
  oriel_member_string(o, "severity", b->severity);
  put_items(o, b->items, b->n_items);
  oriel_member_strings(o, "columns", b->columns, b->n_columns);
  if (b->n_rows) {
    oriel_member(o, "rows");
    oriel_begin(o, '[');
    for (uint32_t i = 0; i < b->n_rows; i++) {
      oriel_separate(o);
      put_scalars(o, b->cells + i * b->n_columns, b->n_columns);
    }
    oriel_finish(o, ']');
  }
  if (b->n_list) {
    oriel_member(o, "list");
    put_scalars(o, b->list, b->n_list);
  }
  oriel_member_flag(o, "ordered", b->ordered);
  oriel_member_flag(o, "truncated", b->truncated);
  oriel_member_int(o, "offset", b->offset);
  oriel_member_int(o, "total", b->total);
  if (b->region.x || b->region.y || b->region.w || b->region.h) oriel_member_rect(o, "region", b->region);
  oriel_member_string(o, "alt", b->alt);
  oriel_member_raw(o, "payload", b->payload);
  oriel_finish(o, '}');
}

static void put_actions(oriel_out *o, const char *key, const oriel_action_info *a, uint32_t n) {
  if (!n) return;
  oriel_member(o, key);
  oriel_begin(o, '[');
  for (; n--; a++) {
    oriel_separate(o);
    oriel_begin(o, '{');
    oriel_member_string(o, "name", a->name);
    oriel_member_string(o, "title", a->title);
    oriel_member_string(o, "description", a->description);
    oriel_member_raw(o, "input", a->input);
    oriel_member_raw(o, "output", a->output);
    oriel_member_flag(o, "read_only", a->read_only);
    oriel_member_flag(o, "destructive", a->destructive);
    oriel_member_flag(o, "idempotent", a->idempotent);
    oriel_member_flag(o, "open_world", a->open_world);
    oriel_member_string(o, "unavailable", a->unavailable);
    oriel_member_int(o, "patience", a->patience);
    oriel_finish(o, '}');
  }
  oriel_finish(o, ']');
}

void oriel_write_view(oriel_out *o, const oriel_view *v) {
  oriel_begin(o, '{');
  oriel_member_string(o, "title", v->title);
  oriel_member_string(o, "summary", v->summary);
  if (v->n_blocks) {
    oriel_member(o, "blocks");
    oriel_begin(o, '[');
    for (uint32_t i = 0; i < v->n_blocks; i++) put_block(o, &v->blocks[i]);
    oriel_finish(o, ']');
  }
  put_actions(o, "actions", v->actions, v->n_actions);
  put_actions(o, "app_actions", v->app_actions, v->n_app_actions);
  oriel_finish(o, '}');
}

void oriel_write_outcome(oriel_out *o, const oriel_outcome *v) {
  oriel_begin(o, '{');
  oriel_member_string(o, "message", v->message);
  oriel_member_raw(o, "result", v->result);
  oriel_member_string(o, "effect", v->effect);
  oriel_finish(o, '}');
}

void oriel_write_fault(oriel_out *o) {
  const oriel_fault_t *f = &oriel_fault;
  oriel_put(o, ORIEL("{\"fault\":"));
  oriel_begin(o, '{');
  oriel_member_string(o, "code", f->code);
  oriel_member_string(o, "message", f->message);
  oriel_member_string(o, "capability", f->capability);
  if (f->n_fields) {
    oriel_member(o, "fields");
    oriel_begin(o, '[');
    for (uint32_t i = 0; i < f->n_fields; i++) {
      oriel_separate(o);
      oriel_begin(o, '{');
      oriel_member_string(o, "field", f->fields[i].field);
      oriel_member_string(o, "error", f->fields[i].error);
      oriel_finish(o, '}');
    }
    oriel_finish(o, ']');
  }
  oriel_put(o, ORIEL("}}"));
}

bool oriel_read_fault(oriel_str json) {
  oriel_value v;
  if (!oriel_parse(json, &v)) return false;
  oriel_fault_t f = {
      .code = oriel_as_string(oriel_get(v, ORIEL("code"))),
      .message = oriel_as_string(oriel_get(v, ORIEL("message"))),
      .capability = oriel_as_string(oriel_get(v, ORIEL("capability"))),
  };
  oriel_value list = oriel_get(v, ORIEL("fields"));
  for (oriel_value x = oriel_first(list); x.doc; x = oriel_next(x)) f.n_fields++;
  struct oriel_field_fault *fields = oriel_new(f.n_fields * sizeof *fields);
  f.fields = fields;
  for (oriel_value x = oriel_first(list); x.doc; x = oriel_next(x))
    *fields++ = (struct oriel_field_fault){oriel_as_string(oriel_get(x, ORIEL("field"))), oriel_as_string(oriel_get(x, ORIEL("error")))};
  oriel_fault = f;
  return false;
}
