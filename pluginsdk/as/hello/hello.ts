// An adapter for windows with one entry: it shows the text and replaces it.
import { Action, Block, Call, Code, invalid, loadValue, log, observe, Outcome, refuse, register, Role, setText, storeText, Tree, View } from "oriel";
export { oriel_alloc, oriel_invoke, oriel_translate } from "oriel";

function translate(tree: Tree): View | null {
  const entry = tree.find(Role.ENTRY);
  if (!entry.valid) return refuse<View>(Code.UNSUPPORTED, "the window has no entry; another adapter must take it");
  log("debug", "hello sees " + tree.title);
  const setText = new Action("set_text", "Set text", "Replaces the text.");
  setText.idempotent = true;
  setText.input = '{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}';
  const view = new View(tree.title, "One line of text.");
  view.blocks = [Block.text("line", entry.text)];
  view.actions = [setText];
  return view;
}

// Adds one to a number that the host keeps for this adapter; 0 if it refuses.
function count(): i64 {
  const before = loadValue("count");
  if (before.failed) return 0;
  const n = (before.there ? I64.parseInt(before.text) : 0) + 1;
  return storeText("count", n.toString()) ? n : 0;
}

function invoke(call: Call): Outcome | null {
  const text = call.args.get("text").text;
  if (text.includes("\n")) return invalid<Outcome>("text", "it is one line");
  if (!setText(call.window.find(Role.ENTRY).id, text)) return null;
  const n = count();
  const after = n ? observe() : null;
  if (!after) return null;
  const isSet = after.find(Role.ENTRY).text == text;
  const outcome = new Outcome(isSet ? "the text is set" : "the text was sent", isSet ? "confirmed" : "unconfirmed");
  outcome.result = '{"count":' + n.toString() + "}";
  log("info", outcome.message);
  return outcome;
}

register(translate, invoke);
