// Says all that it reads of a window and calls every function of the host, as its
// twins in the other languages.
import * as oriel from "oriel";
import { Action, Block, Call, Code, Field, JSON, Kind, Node, Out, Outcome, Pointer, Rect, RelationKind, Role, Tree, View } from "oriel";
export { oriel_alloc, oriel_invoke, oriel_translate } from "oriel";

const columns = "id states total first parent subtree ifaces surface bounds has name description text label count role end sensitive child within find click class described";

function rect(r: Rect): JSON {
  return JSON.of(r.x.toString() + "," + r.y.toString() + "," + r.w.toString() + "," + r.h.toString());
}

function id(n: u64): JSON {
  return JSON.of(n.toString());
}

function windowBlock(t: Tree): Block {
  const w = t.window, f = t.frame, b = new Block("window", "fields");
  b.items = [
    new Field("handle", id(w.handle)), new Field("owner", id(w.owner)), new Field("class", JSON.of(w.class_)),
    new Field("instance", JSON.of(w.instance)), new Field("app", JSON.of(w.app)), new Field("process", JSON.of(w.process)),
    new Field("version", JSON.of(w.appVersion)), new Field("toolkit", JSON.of(w.toolkit)), new Field("role", JSON.of(w.role)),
    new Field("bounds", rect(w.bounds)), new Field("modal", JSON.bool(w.modal)), new Field("states", JSON.number(w.states)),
    new Field("surfaces", JSON.number(w.surfaces)), new Field("digest", JSON.of(f.digest)), new Field("width", JSON.number(f.w)),
    new Field("height", JSON.number(f.h)), new Field("partial", JSON.bool(t.partial)), new Field("why", JSON.of(t.partial ? t.why : "")),
  ];
  return b;
}

function nodesBlock(t: Tree): Block {
  const b = new Block("nodes", "table");
  b.columns = columns.split(" ");
  for (let i: u32 = 0; i < t.length; i++) {
    const n = t.at(i);
    b.rows.push([
      id(n.id), id(n.states), JSON.number(n.childrenTotal), JSON.number(n.childrenFirst), JSON.number(n.parent.index),
      JSON.number(n.subtree), JSON.number(n.ifaces), JSON.number(n.surface), rect(n.windowBounds), JSON.bool(n.hasBounds),
      JSON.of(n.name), JSON.of(n.description), JSON.of(n.text), JSON.of(n.label), JSON.number(n.childrenCount), JSON.number(n.role),
      JSON.number(n.end), JSON.bool(n.sensitive), JSON.number(n.child(1).index), JSON.number(n.within(Role.TABLE).index),
      JSON.number(n.find(Role.LABEL).index), JSON.number(n.action("click")), JSON.of(n.attribute("class")),
      JSON.number(n.related(RelationKind.DESCRIBED_BY).index),
    ]);
  }
  return b;
}

function add(b: Block, n: Node, kind: string, s: JSON[]): void {
  const row: JSON[] = [JSON.number(n.index), JSON.of(kind)];
  for (let i = 0; i < 6; i++) row.push(i < s.length ? s[i] : JSON.nothing());
  b.rows.push(row);
}

function sidesBlock(t: Tree): Block {
  const b = new Block("sides", "table");
  b.columns = "node kind a b c d e f".split(" ");
  for (let i: u32 = 0; i < t.length; i++) {
    const n = t.at(i), attributes = n.attributes, actions = n.actions, relations = n.relations;
    for (let k = 0; k < attributes.length; k++) add(b, n, "attribute", [JSON.of(attributes[k].key), JSON.of(attributes[k].value)]);
    for (let k = 0; k < actions.length; k++)
      add(b, n, "action", [JSON.number(k), JSON.of(actions[k].name), JSON.of(actions[k].description), JSON.of(actions[k].binding)]);
    for (let k = 0; k < relations.length; k++) add(b, n, "relation", [JSON.number(relations[k].kind), id(relations[k].target)]);
    const v = n.value, x = n.textInfo, table = n.table, c = n.cell;
    if (v) add(b, n, "value", [JSON.float(v.current), JSON.float(v.min), JSON.float(v.max), JSON.float(v.step)]);
    if (x) add(b, n, "text", [JSON.number(x.caret), JSON.number(x.start), JSON.number(x.end), JSON.number(x.total), JSON.number(x.first)]);
    if (table) add(b, n, "table", [JSON.number(table.rows), JSON.number(table.columns)]);
    if (c)
      add(b, n, "cell", [JSON.number(c.row), JSON.number(c.column), JSON.number(c.rowSpan), JSON.number(c.columnSpan), id(c.rowHeader), id(c.columnHeader)]);
  }
  return b;
}

function translate(t: Tree): View | null {
  const notice = new Block("notice", "notice"), list = new Block("list", "list"), media = new Block("media", "media"), custom = new Block("custom", "custom");
  notice.text = "a\"b\\c\n\t\r\x01\x7fÄ€😀";
  notice.severity = "warn";
  notice.sensitive = true;
  list.list = [
    JSON.nothing(), JSON.bool(true), JSON.bool(false), JSON.number(i64.MIN_VALUE), JSON.float(0.1), JSON.float(1e300), JSON.float(-2.5e-7),
    JSON.float(5e-324), JSON.of("x"),
  ];
  list.ordered = list.truncated = true;
  list.offset = 3;
  list.total = 20;
  media.region = new Rect(-1, 0, 2, 3);
  media.alt = "a picture";
  custom.payload = '{"a":[1]}';
  const echo = new Action("echo", "Echo", "Gives back."), quit = new Action("quit", "Quit", "Ends it.");
  echo.input = echo.output = '{"type":"object"}';
  echo.readOnly = echo.idempotent = true;
  quit.destructive = quit.openWorld = true;
  quit.unavailable = "not now";
  quit.patience = 1500;
  const view = new View(t.title, "All that is there.");
  view.blocks = [windowBlock(t), nodesBlock(t), sidesBlock(t), notice, list, media, custom];
  view.actions = [echo];
  view.appActions = [quit];
  return view;
}

function region(v: JSON): Rect | null {
  const r = v.get("region");
  return r.kind == Kind.OBJECT ? new Rect(<i32>r.get("x").int, <i32>r.get("y").int, <i32>r.get("w").int, <i32>r.get("h").int) : null;
}

function seen(t: Tree | null): JSON[] | null {
  return t ? [JSON.of(t.title), JSON.number(t.length), id(t.root.id)] : null;
}

function ok(done: bool): JSON[] | null {
  return done ? [] : null;
}

function text_of(b: Uint8Array): JSON {
  return JSON.of(oriel.decode(b.dataStart, b.length));
}

let wanted = "";

function act(action: string, v: JSON): JSON[] | null {
  const text = v.get("text").text, data = v.get("data").text, flag = v.get("flag").bool, f = v.get("f").float;
  const n = <i32>v.get("n").int, m = <i32>v.get("m").int, a = v.get("a").int, b = v.get("b").int, node = U64.parseInt(v.get("id").text);
  const list = v.get("list").elements.map<string>((s) => s.text), pointer = new Pointer(n, m);
  pointer.button = text;
  pointer.modifiers = list;
  if (action == "refuse") return oriel.refuse<JSON[]>(text, data);
  if (action == "invalid") return oriel.invalid<JSON[]>(text, data);
  if (action == "until") {
    wanted = text;
    return seen(oriel.waitUntil(a, (t) => t.title == wanted));
  }
  if (action == "oriel:tree observe") return seen(oriel.observe());
  if (action == "oriel:tree children") return seen(oriel.children(node, a, n));
  if (action == "oriel:tree cells") return seen(oriel.cells(node, a, b, n, m));
  if (action == "oriel:tree text") {
    const s = oriel.readText(node, a, n);
    return s !== null ? [JSON.of(s)] : null;
  }
  if (action == "oriel:a11y action") return ok(oriel.doAction(node, n));
  if (action == "oriel:a11y set_text") return ok(flag ? oriel.insertText(node, a, text) : oriel.setText(node, text));
  if (action == "oriel:a11y set_value") return ok(oriel.setValue(node, f));
  if (action == "oriel:a11y select") return ok(flag ? oriel.deselect(node, a) : oriel.select(node, a));
  if (action == "oriel:a11y select_text") return ok(oriel.selectText(node, a, b));
  if (action == "oriel:a11y focus") return ok(oriel.focus(node));
  if (action == "oriel:a11y scroll_to") return ok(oriel.scrollTo(node));
  if (action == "oriel:window close") return ok(oriel.closeWindow());
  if (action == "oriel:window activate") return ok(oriel.activateWindow());
  if (action == "oriel:input move") return ok(oriel.moveTo(n, m));
  if (action == "oriel:input click") {
    pointer.count = <i32>a;
    return ok(oriel.click(pointer));
  }
  if (action == "oriel:input drag") {
    pointer.toX = <i32>a;
    pointer.toY = <i32>b;
    return ok(oriel.drag(pointer));
  }
  if (action == "oriel:input scroll") return ok(oriel.scroll(n, m, <i32>a, <i32>b));
  if (action == "oriel:input keys") return ok(oriel.keys(list));
  if (action == "oriel:input text") return ok(oriel.typeText(text));
  return pixels(action, v, text, data, f, a);
}

function pixels(action: string, v: JSON, text: string, data: string, f: f64, a: i64): JSON[] | null {
  if (action == "oriel:capture window") {
    const i = oriel.capture(region(v));
    return i ? [JSON.number(i.w), JSON.number(i.h), JSON.number(i.rgba.length)] : null;
  }
  if (action == "oriel:capture find") {
    const list = oriel.findImage(oriel.utf8(text), region(v), f), out: JSON[] = [];
    for (let i = 0; list && i < list.length; i++) out.push(rect(list[i].place)), out.push(JSON.float(list[i].score));
    return list ? out : null;
  }
  if (action == "oriel:ocr text") {
    const list = oriel.ocr(region(v)), out: JSON[] = [];
    for (let i = 0; list && i < list.length; i++) {
      const w = list[i];
      out.push(JSON.of(w.text)), out.push(rect(w.place)), out.push(JSON.number(w.line)), out.push(JSON.float(w.confidence));
    }
    return list ? out : null;
  }
  if (action == "oriel:clipboard types") {
    const list = oriel.clipboardTypes();
    return list ? list.map<JSON>((s) => JSON.of(s)) : null;
  }
  if (action == "oriel:clipboard read") {
    const b = oriel.readClipboard(text);
    return b ? [text_of(b)] : null;
  }
  if (action == "oriel:clipboard write") return ok(oriel.writeClipboard(text, oriel.utf8(data)));
  if (action == "oriel:kv get") {
    const kept = oriel.loadValue(text);
    return kept.failed ? null : [JSON.bool(kept.there), JSON.of(kept.text)];
  }
  if (action == "oriel:kv set") return ok(oriel.storeText(text, data));
  if (action == "oriel:kv delete") return ok(oriel.deleteValue(text));
  if (action == "oriel:wait change") {
    const w = oriel.waitChange(a);
    return w ? [JSON.bool(w.changed)] : null;
  }
  if (action == "oriel:log write") {
    oriel.log(text, data);
    return [];
  }
  return oriel.refuse<JSON[]>(Code.UNSUPPORTED, "no function " + action);
}

function written(v: JSON): string {
  const o = new Out();
  v.write(o);
  return oriel.decode(o.p, o.n);
}

function invoke(call: Call): Outcome | null {
  if (call.action == "echo") {
    const echo = new Outcome("echo", "unchanged");
    echo.result = written(call.args);
    return echo;
  }
  const out = act(call.action, call.args);
  if (!out) return null;
  const list = new JSON(), object = new JSON(), done = new Outcome("done");
  list.kind = Kind.ARRAY;
  list.elements = out;
  object.kind = Kind.OBJECT;
  object.keys = ["out"];
  object.elements = [list];
  done.result = written(object);
  return done;
}

oriel.register(translate, invoke);
