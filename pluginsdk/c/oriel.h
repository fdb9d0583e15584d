// What an adapter written in C needs: the contract oriel/1 without any library.
//
//   static bool translate(const oriel_tree *tree, oriel_view *view) { … }
//   static bool invoke(const oriel_call *call, oriel_outcome *outcome) { … }
//   ORIEL_ADAPTER(translate, invoke)
//
// Translate makes a view of one observation and must be pure. Invoke carries out
// one action; the functions of the host, grouped by capability below, are for it.
// Every function that can fail returns false and leaves the reason in
// oriel_fault; returning false from translate or invoke passes it on. The linker
// keeps the imports that are reached, so what is called decides what the manifest
// must ask for.
//
// Memory comes from oriel_new and is free again at the next call of the adapter;
// nothing may be kept from one call to the next.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A text: UTF-8 with its length, without a zero byte at its end.
typedef struct {
  const char *p;
  uint32_t n;
} oriel_str;

// ORIEL("abc") is a literal as oriel_str.
#define ORIEL(literal) ((oriel_str){(literal), sizeof(literal) - 1})

// The number of elements of an array.
#define ORIEL_COUNT(array) (sizeof(array) / sizeof(*(array)))

bool oriel_equal(oriel_str a, oriel_str b);
oriel_str oriel_join(oriel_str a, oriel_str b);

// Memory, zeroed. It traps if there is none, which the host reports.
void *oriel_new(size_t size);

// What was taken since the mark is given back: for loops that observe often.
void *oriel_mark(void);
void oriel_release(void *mark);

// Decimal digits of a number.
oriel_str oriel_decimal(int64_t n);
oriel_str oriel_decimal_unsigned(uint64_t n);

// A place to write text to.
typedef struct {
  char *p;
  uint32_t n, room;
  bool more; // within an object or array that has a member already
} oriel_out;

void oriel_put(oriel_out *o, oriel_str s);
void oriel_put_char(oriel_out *o, char c);
// JSON: what is not UTF-8 in a string becomes U+FFFD, and a number that JSON has
// no word for becomes null.
void oriel_put_string(oriel_out *o, oriel_str s);
void oriel_put_int(oriel_out *o, int64_t n);
void oriel_put_float(oriel_out *o, double f);
oriel_str oriel_text_of(const oriel_out *o);

// ---- refusals ----

#define ORIEL_INVALID ORIEL("invalid_argument")
#define ORIEL_UNAVAILABLE ORIEL("not_available")
#define ORIEL_GONE ORIEL("gone")
#define ORIEL_TIMEOUT ORIEL("timeout")
#define ORIEL_DENIED ORIEL("denied")
#define ORIEL_UNSUPPORTED ORIEL("unsupported")
#define ORIEL_NO_FOCUS ORIEL("no_focus")
#define ORIEL_COVERED ORIEL("covered")
#define ORIEL_INTERNAL ORIEL("internal")

typedef struct {
  oriel_str code, message, capability;
  uint32_t n_fields;
  const struct oriel_field_fault {
    oriel_str field, error;
  } *fields;
} oriel_fault_t;

// Why the last function returned false.
extern oriel_fault_t oriel_fault;

// Both set oriel_fault and return false. The message says what to do next.
bool oriel_refuse(oriel_str code, oriel_str message);
bool oriel_invalid(oriel_str field, oriel_str why);

// ---- the tree ----

// What kind of element a node is.
enum {
  ORIEL_ROLE_UNKNOWN = 0, ORIEL_ROLE_WINDOW = 1, ORIEL_ROLE_DIALOG = 2, ORIEL_ROLE_ALERT = 3,
  ORIEL_ROLE_FILE_CHOOSER = 4, ORIEL_ROLE_COLOR_CHOOSER = 5, ORIEL_ROLE_PANEL = 6, ORIEL_ROLE_FILLER = 7,
  ORIEL_ROLE_SCROLL_PANE = 8, ORIEL_ROLE_SPLIT_PANE = 9, ORIEL_ROLE_VIEWPORT = 10, ORIEL_ROLE_GROUPING = 11,
  ORIEL_ROLE_TOOL_BAR = 12, ORIEL_ROLE_MENU_BAR = 13, ORIEL_ROLE_MENU = 14, ORIEL_ROLE_MENU_ITEM = 15,
  ORIEL_ROLE_CHECK_MENU_ITEM = 16, ORIEL_ROLE_RADIO_MENU_ITEM = 17, ORIEL_ROLE_POPUP_MENU = 18,
  ORIEL_ROLE_SEPARATOR = 19, ORIEL_ROLE_STATUS_BAR = 20, ORIEL_ROLE_INFO_BAR = 21, ORIEL_ROLE_TAB_LIST = 22,
  ORIEL_ROLE_TAB = 23, ORIEL_ROLE_BUTTON = 24, ORIEL_ROLE_TOGGLE_BUTTON = 25, ORIEL_ROLE_CHECK_BOX = 26,
  ORIEL_ROLE_RADIO_BUTTON = 27, ORIEL_ROLE_SWITCH = 28, ORIEL_ROLE_COMBO_BOX = 29, ORIEL_ROLE_ENTRY = 30,
  ORIEL_ROLE_PASSWORD = 31, ORIEL_ROLE_TEXT_AREA = 32, ORIEL_ROLE_SPIN_BUTTON = 33, ORIEL_ROLE_SLIDER = 34,
  ORIEL_ROLE_SCROLL_BAR = 35, ORIEL_ROLE_PROGRESS_BAR = 36, ORIEL_ROLE_LEVEL_BAR = 37, ORIEL_ROLE_LABEL = 38,
  ORIEL_ROLE_STATIC = 39, ORIEL_ROLE_HEADING = 40, ORIEL_ROLE_PARAGRAPH = 41, ORIEL_ROLE_LINK = 42,
  ORIEL_ROLE_IMAGE = 43, ORIEL_ROLE_ICON = 44, ORIEL_ROLE_CANVAS = 45, ORIEL_ROLE_LIST = 46,
  ORIEL_ROLE_LIST_ITEM = 47, ORIEL_ROLE_LIST_BOX = 48, ORIEL_ROLE_TREE = 49, ORIEL_ROLE_TREE_ITEM = 50,
  ORIEL_ROLE_TREE_TABLE = 51, ORIEL_ROLE_TABLE = 52, ORIEL_ROLE_TABLE_ROW = 53, ORIEL_ROLE_TABLE_CELL = 54,
  ORIEL_ROLE_COLUMN_HEADER = 55, ORIEL_ROLE_ROW_HEADER = 56, ORIEL_ROLE_DOCUMENT = 57, ORIEL_ROLE_SECTION = 58,
  ORIEL_ROLE_FORM = 59, ORIEL_ROLE_ARTICLE = 60, ORIEL_ROLE_LANDMARK = 61, ORIEL_ROLE_TOOL_TIP = 62,
  ORIEL_ROLE_NOTIFICATION = 63, ORIEL_ROLE_TERMINAL = 64, ORIEL_ROLE_CALENDAR = 65, ORIEL_ROLE_TITLE_BAR = 66,
  ORIEL_ROLE_APPLICATION = 67, ORIEL_ROLE_BLOCK_QUOTE = 68, ORIEL_ROLE_CAPTION = 69,
  ORIEL_ROLE_DESCRIPTION_LIST = 70, ORIEL_ROLE_VIDEO = 71, ORIEL_ROLE_AUDIO = 72, ORIEL_ROLE_MATH = 73,
  ORIEL_ROLE_EMBEDDED = 74,
};

// The states of a node, a bit each.
#define ORIEL_STATE_ACTIVE (1ull << 0)
#define ORIEL_STATE_BUSY (1ull << 1)
#define ORIEL_STATE_CHECKABLE (1ull << 2)
#define ORIEL_STATE_CHECKED (1ull << 3)
#define ORIEL_STATE_COLLAPSED (1ull << 4)
#define ORIEL_STATE_DEFAULT (1ull << 5)
#define ORIEL_STATE_EDITABLE (1ull << 6)
#define ORIEL_STATE_ENABLED (1ull << 7)
#define ORIEL_STATE_EXPANDABLE (1ull << 8)
#define ORIEL_STATE_EXPANDED (1ull << 9)
#define ORIEL_STATE_FOCUSABLE (1ull << 10)
#define ORIEL_STATE_FOCUSED (1ull << 11)
#define ORIEL_STATE_HAS_POPUP (1ull << 12)
#define ORIEL_STATE_HORIZONTAL (1ull << 13)
#define ORIEL_STATE_INDETERMINATE (1ull << 14)
#define ORIEL_STATE_INVALID (1ull << 15)
#define ORIEL_STATE_MANAGES_DESCENDANTS (1ull << 16)
#define ORIEL_STATE_MODAL (1ull << 17)
#define ORIEL_STATE_MULTI_LINE (1ull << 18)
#define ORIEL_STATE_MULTI_SELECTABLE (1ull << 19)
#define ORIEL_STATE_PRESSED (1ull << 20)
#define ORIEL_STATE_READ_ONLY (1ull << 21)
#define ORIEL_STATE_REQUIRED (1ull << 22)
#define ORIEL_STATE_SELECTABLE (1ull << 23)
#define ORIEL_STATE_SELECTED (1ull << 24)
#define ORIEL_STATE_SHOWING (1ull << 25)
#define ORIEL_STATE_SINGLE_LINE (1ull << 26)
#define ORIEL_STATE_VERTICAL (1ull << 27)
#define ORIEL_STATE_VISIBLE (1ull << 28)
#define ORIEL_STATE_VISITED (1ull << 29)

// The accessibility interfaces of a node, a bit each.
enum {
  ORIEL_IFACE_ACTION = 1 << 0, ORIEL_IFACE_COMPONENT = 1 << 1, ORIEL_IFACE_EDITABLE_TEXT = 1 << 2,
  ORIEL_IFACE_TEXT = 1 << 3, ORIEL_IFACE_VALUE = 1 << 4, ORIEL_IFACE_SELECTION = 1 << 5, ORIEL_IFACE_TABLE = 1 << 6,
  ORIEL_IFACE_TABLE_CELL = 1 << 7, ORIEL_IFACE_IMAGE = 1 << 8, ORIEL_IFACE_HYPERTEXT = 1 << 9,
  ORIEL_IFACE_DOCUMENT = 1 << 10, ORIEL_IFACE_COLLECTION = 1 << 11,
};

// How one node relates to another.
enum {
  ORIEL_REL_LABELLED_BY = 1, ORIEL_REL_LABEL_FOR = 2, ORIEL_REL_DESCRIBED_BY = 3, ORIEL_REL_MEMBER_OF = 4,
  ORIEL_REL_CONTROLLER_FOR = 5, ORIEL_REL_CONTROLLED_BY = 6, ORIEL_REL_POPUP_FOR = 7, ORIEL_REL_ERROR_MESSAGE = 8,
};

// Why the included children of a node end where they do.
enum {
  ORIEL_END_COMPLETE = 0, ORIEL_END_CUT = 1, ORIEL_END_VIRTUAL = 2, ORIEL_END_TIMEOUT = 3, ORIEL_END_DENIED = 4,
};

// The states of a window, a bit each.
enum {
  ORIEL_WINDOW_ACTIVE = 1 << 0, ORIEL_WINDOW_MINIMIZED = 1 << 1, ORIEL_WINDOW_MAXIMIZED = 1 << 2,
  ORIEL_WINDOW_FULLSCREEN = 1 << 3, ORIEL_WINDOW_URGENT = 1 << 4,
};

typedef struct {
  int32_t x, y, w, h;
} oriel_rect;

typedef struct {
  const uint8_t *data;
  uint32_t size, count;
} oriel_section;

// An observation, read in place. docs/tree-format.md says what is in it.
typedef struct oriel_tree {
  oriel_section sections[14];
  uint32_t *index; // by id, made when first needed
  uint32_t index_size;
} oriel_tree;

// A node of a tree. One without a tree is no node: all that it says is empty, so a
// search may be asked on without a check in between.
typedef struct {
  const oriel_tree *tree;
  uint32_t index;
} oriel_node;

// Checks all of the bytes once; what it accepts is read without further errors.
bool oriel_tree_read(oriel_tree *t, const void *bytes, uint32_t n);

typedef struct {
  uint64_t handle, owner;
  oriel_str title, class, instance, app, process, app_version, toolkit, role;
  oriel_rect bounds; // in pixels of the screen
  bool modal;
  uint32_t states, surfaces;
} oriel_window_info;

oriel_window_info oriel_window(const oriel_tree *t);
oriel_rect oriel_surface(const oriel_tree *t, uint32_t n); // n from 1
oriel_str oriel_frame(const oriel_tree *t, int32_t *w, int32_t *h); // the digest
bool oriel_partial(const oriel_tree *t, oriel_str *why);
uint32_t oriel_length(const oriel_tree *t);
oriel_node oriel_at(const oriel_tree *t, int64_t index);
oriel_node oriel_by_id(const oriel_tree *t, uint64_t id);
static inline oriel_node oriel_root(const oriel_tree *t) { return oriel_at(t, 0); }

static inline bool oriel_valid(oriel_node n) { return n.tree != NULL; }
uint64_t oriel_id(oriel_node n);
uint32_t oriel_role(oriel_node n);
uint64_t oriel_states(oriel_node n);
static inline bool oriel_is(oriel_node n, uint64_t states) { return (oriel_states(n) & states) == states; }
uint32_t oriel_ifaces(oriel_node n);
bool oriel_has_bounds(oriel_node n);
oriel_rect oriel_bounds(oriel_node n);        // relative to the surface
oriel_rect oriel_window_bounds(oriel_node n); // relative to the window: what the functions of input take
uint32_t oriel_node_surface(oriel_node n);
oriel_str oriel_name(oriel_node n);
oriel_str oriel_description(oriel_node n);
oriel_str oriel_text(oriel_node n);
oriel_str oriel_label(oriel_node n); // the name, or that of the node that labels it
bool oriel_sensitive(oriel_node n);
int64_t oriel_children_total(oriel_node n);
int64_t oriel_children_first(oriel_node n);
uint32_t oriel_children_count(oriel_node n);
uint32_t oriel_end(oriel_node n);
uint32_t oriel_subtree(oriel_node n);
oriel_node oriel_parent(oriel_node n);
oriel_node oriel_child(oriel_node n, uint32_t number);
oriel_node oriel_first_child(oriel_node n);
oriel_node oriel_next_sibling(oriel_node n);
oriel_node oriel_find(oriel_node n, uint32_t role);   // the first below
oriel_node oriel_within(oriel_node n, uint32_t role); // the nearest above

// The side tables. The numbered ones return false when there is no such number.
bool oriel_attribute_at(oriel_node n, uint32_t number, oriel_str *key, oriel_str *value);
oriel_str oriel_attribute(oriel_node n, oriel_str key);
bool oriel_action_at(oriel_node n, uint32_t number, oriel_str *name, oriel_str *description, oriel_str *binding);
int32_t oriel_action(oriel_node n, oriel_str name); // its number, -1 for none
bool oriel_relation_at(oriel_node n, uint32_t number, uint32_t *kind, uint64_t *target);
oriel_node oriel_related(oriel_node n, uint32_t kind);

typedef struct {
  double current, min, max, step;
} oriel_value_info;
typedef struct {
  int32_t caret, start, end;
  int64_t length, first;
} oriel_text_info;
typedef struct {
  int64_t rows, columns;
} oriel_table_info;
typedef struct {
  uint32_t row, column, row_span, column_span;
  uint64_t row_header, column_header;
} oriel_cell_info;

bool oriel_value_of(oriel_node n, oriel_value_info *v);
bool oriel_text_info_of(oriel_node n, oriel_text_info *v);
bool oriel_table_of(oriel_node n, oriel_table_info *v);
bool oriel_cell_of(oriel_node n, oriel_cell_info *v);

// ---- JSON that comes in ----

typedef enum { ORIEL_NONE, ORIEL_NULL, ORIEL_BOOL, ORIEL_NUMBER, ORIEL_STRING, ORIEL_ARRAY, ORIEL_OBJECT } oriel_kind;

// A value of a text. What is not there, or of another kind, reads as nothing.
typedef struct {
  const struct oriel_document *doc;
  uint32_t token;
} oriel_value;

bool oriel_parse(oriel_str text, oriel_value *v);
oriel_kind oriel_kind_of(oriel_value v);
oriel_value oriel_get(oriel_value object, oriel_str key);
oriel_str oriel_as_string(oriel_value v);
bool oriel_as_bool(oriel_value v);
bool oriel_as_int(oriel_value v, int64_t *n); // false if it is no integer that fits
double oriel_as_float(oriel_value v);
oriel_str oriel_raw(oriel_value v);
// The first element or member's value, the one after it, and its key.
oriel_value oriel_first(oriel_value v);
oriel_value oriel_next(oriel_value v);
oriel_str oriel_key(oriel_value v);

// ---- what goes out ----

typedef struct {
  oriel_kind kind; // ORIEL_NONE and ORIEL_NULL are null
  bool real;       // a number: f rather than i
  union {
    bool b;
    int64_t i;
    double f;
    oriel_str s;
  };
} oriel_scalar;

static inline oriel_scalar oriel_string(oriel_str s) { return (oriel_scalar){.kind = ORIEL_STRING, .s = s}; }
static inline oriel_scalar oriel_int(int64_t i) { return (oriel_scalar){.kind = ORIEL_NUMBER, .i = i}; }
static inline oriel_scalar oriel_float(double f) { return (oriel_scalar){.kind = ORIEL_NUMBER, .real = true, .f = f}; }
static inline oriel_scalar oriel_bool(bool b) { return (oriel_scalar){.kind = ORIEL_BOOL, .b = b}; }

typedef struct {
  oriel_str label;
  oriel_scalar value;
  bool sensitive;
} oriel_item;

// One piece of a window's content: type is "text", "fields", "table", "list",
// "notice", "media" or "custom" and says which of the other members are used.
typedef struct {
  oriel_str key, type;
  bool sensitive;
  oriel_str text, severity; // text, notice
  uint32_t n_items;
  const oriel_item *items; // fields
  uint32_t n_columns, n_rows;
  const oriel_str *columns;
  const oriel_scalar *cells; // table: n_rows times n_columns
  uint32_t n_list;
  const oriel_scalar *list;
  bool ordered, truncated;
  int64_t offset, total;
  oriel_rect region;
  oriel_str alt;     // media
  oriel_str payload; // custom: JSON
} oriel_block;

typedef struct {
  oriel_str name, title, description;
  oriel_str input, output; // JSON schemas
  bool read_only, destructive, idempotent, open_world;
  oriel_str unavailable; // why it cannot be done now
  int64_t patience;      // milliseconds
} oriel_action_info;

typedef struct {
  oriel_str title, summary;
  uint32_t n_blocks;
  const oriel_block *blocks;
  uint32_t n_actions;
  const oriel_action_info *actions;
  uint32_t n_app_actions;
  const oriel_action_info *app_actions;
} oriel_view;

typedef struct {
  oriel_str action;
  oriel_value args;
  oriel_tree window;
} oriel_call;

typedef struct {
  oriel_str message;
  oriel_str result; // a JSON object
  oriel_str effect; // "confirmed", "unchanged", "unconfirmed", or empty
} oriel_outcome;

// ---- the host's functions ----

// oriel:tree reads more of the window, now.
bool oriel_observe(oriel_tree *t);
bool oriel_children(uint64_t id, int64_t offset, int32_t n, oriel_tree *t);
bool oriel_cells(uint64_t id, int64_t row, int64_t column, int32_t rows, int32_t columns, oriel_tree *t);
bool oriel_read_text(uint64_t id, int64_t from, int32_t n, oriel_str *text);

// oriel:a11y acts by accessibility: no pointer moves and no focus is needed.
bool oriel_do_action(uint64_t id, int32_t number);
bool oriel_set_text(uint64_t id, oriel_str text);
bool oriel_insert_text(uint64_t id, int64_t at, oriel_str text);
bool oriel_set_value(uint64_t id, double value);
bool oriel_select(uint64_t container, int64_t child);
bool oriel_deselect(uint64_t container, int64_t child);
bool oriel_select_text(uint64_t id, int64_t start, int64_t end);
bool oriel_focus(uint64_t id);
bool oriel_scroll_to(uint64_t id);

// oriel:window
bool oriel_close_window(void);
bool oriel_activate_window(void);

// oriel:input: points are relative to the window.
typedef struct {
  int32_t x, y, to_x, to_y; // to: of a drag
  oriel_str button;         // "left" if empty
  int32_t count;            // 1 if 0
  uint32_t n_modifiers;
  const oriel_str *modifiers;
} oriel_pointer;

bool oriel_move(int32_t x, int32_t y);
bool oriel_click(oriel_pointer p);
bool oriel_drag(oriel_pointer p);
bool oriel_scroll(int32_t x, int32_t y, int32_t dx, int32_t dy);
bool oriel_keys(const oriel_str *chords, uint32_t n);
bool oriel_type(oriel_str text);

// oriel:capture and oriel:ocr: a NULL region is the whole window.
typedef struct {
  int32_t w, h;
  const uint8_t *rgba;
} oriel_image;
typedef struct {
  oriel_rect place;
  double score;
} oriel_match;
typedef struct {
  oriel_str text;
  oriel_rect place;
  int64_t line;
  double confidence;
} oriel_word;

bool oriel_capture(const oriel_rect *region, oriel_image *image);
bool oriel_find_image(oriel_str png, const oriel_rect *region, double threshold, oriel_match **matches, uint32_t *n);
bool oriel_ocr(const oriel_rect *region, oriel_word **words, uint32_t *n);

// oriel:clipboard, by type.
bool oriel_clipboard_types(oriel_str **types, uint32_t *n);
bool oriel_clipboard_read(oriel_str type, oriel_str *data);
bool oriel_clipboard_write(oriel_str type, oriel_str data);

// oriel:kv keeps values for this adapter. Loading one that is not there succeeds,
// with *there false.
bool oriel_load(oriel_str key, oriel_str *data, bool *there);
bool oriel_store(oriel_str key, oriel_str data);
bool oriel_delete(oriel_str key);

// oriel:wait waits until the window differs from the last observation. *waited may
// be NULL.
bool oriel_wait_change(int64_t ms, bool *changed, int64_t *waited);
// Observes at each change until done says so; needs oriel:tree too.
bool oriel_wait_until(int64_t ms, bool (*done)(const oriel_tree *), oriel_tree *t);

// oriel:log; level is "debug", "info", "warn" or "error". It cannot fail.
void oriel_log(oriel_str level, oriel_str text);

// ---- the exports ----

uint64_t oriel_run_translate(bool (*translate)(const oriel_tree *, oriel_view *), const void *p, uint32_t n);
uint64_t oriel_run_invoke(bool (*invoke)(const oriel_call *, oriel_outcome *), const void *p, uint32_t n);

// ORIEL_READER is for an adapter without actions.
#define ORIEL_READER(translate)                                                                        \
  __attribute__((export_name("oriel_translate"))) uint64_t oriel_translate(const void *p, uint32_t n) { \
    return oriel_run_translate(translate, p, n);                                                       \
  }
#define ORIEL_ADAPTER(translate, invoke)                                                         \
  ORIEL_READER(translate)                                                                        \
  __attribute__((export_name("oriel_invoke"))) uint64_t oriel_invoke(const void *p, uint32_t n) { \
    return oriel_run_invoke(invoke, p, n);                                                       \
  }
