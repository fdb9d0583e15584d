// An adapter for windows with one entry: it shows the text and replaces it.
#include "oriel.h"

static bool translate(const oriel_tree *tree, oriel_view *view) {
  static oriel_block line;
  static const oriel_action_info set_text = {
      .name = ORIEL("set_text"), .title = ORIEL("Set text"), .description = ORIEL("Replaces the text."), .idempotent = true,
      .input = ORIEL("{\"type\":\"object\",\"required\":[\"text\"],\"properties\":{\"text\":{\"type\":\"string\"}}}"),
  };
  oriel_node entry = oriel_find(oriel_root(tree), ORIEL_ROLE_ENTRY);
  if (!oriel_valid(entry)) return oriel_refuse(ORIEL_UNSUPPORTED, ORIEL("the window has no entry; another adapter must take it"));
  oriel_log(ORIEL("debug"), oriel_join(ORIEL("hello sees "), oriel_window(tree).title));
  line = (oriel_block){.key = ORIEL("line"), .type = ORIEL("text"), .text = oriel_text(entry)};
  *view = (oriel_view){
      .title = oriel_window(tree).title, .summary = ORIEL("One line of text."),
      .n_blocks = 1, .blocks = &line, .n_actions = 1, .actions = &set_text,
  };
  return true;
}

// count adds one to a number that the host keeps for this adapter.
static bool count(int64_t *n) {
  oriel_str data;
  bool there;
  oriel_value v;
  if (!oriel_load(ORIEL("count"), &data, &there)) return false;
  *n = 0;
  if (there && oriel_parse(data, &v)) oriel_as_int(v, n);
  return oriel_store(ORIEL("count"), oriel_decimal(++*n));
}

static bool invoke(const oriel_call *call, oriel_outcome *outcome) {
  oriel_str text = oriel_as_string(oriel_get(call->args, ORIEL("text")));
  for (uint32_t i = 0; i < text.n; i++)
    if (text.p[i] == '\n') return oriel_invalid(ORIEL("text"), ORIEL("it is one line"));
  if (!oriel_set_text(oriel_id(oriel_find(oriel_root(&call->window), ORIEL_ROLE_ENTRY)), text)) return false;
  int64_t n;
  oriel_tree after;
  if (!count(&n) || !oriel_observe(&after)) return false;
  outcome->result = oriel_join(oriel_join(ORIEL("{\"count\":"), oriel_decimal(n)), ORIEL("}"));
  bool is_set = oriel_equal(oriel_text(oriel_find(oriel_root(&after), ORIEL_ROLE_ENTRY)), text);
  outcome->message = is_set ? ORIEL("the text is set") : ORIEL("the text was sent");
  outcome->effect = is_set ? ORIEL("confirmed") : ORIEL("unconfirmed");
  oriel_log(ORIEL("info"), outcome->message);
  return true;
}

ORIEL_ADAPTER(translate, invoke)
