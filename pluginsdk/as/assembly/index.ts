// What an adapter written in AssemblyScript needs: the contract oriel/1 without any
// package. Translate makes a view of one observation and must be pure; invoke carries
// out one action, and the functions of host.ts are for it. Both return null to refuse;
// fault() then says why. What is called decides what the manifest must ask for.
import { decode, fault, Outcome, Out, refuse, refusing, View } from "./view";
import { JSON } from "./json";
import { Tree } from "./tree";

export * from "./host";
export * from "./tree";
export * from "./words";
export { JSON, Kind } from "./json";
export { Action, Block, Code, decode, fault, Fault, Field, FieldFault, invalid, Out, Outcome, refuse, refusing, View } from "./view";

/** A request for one action. */
export class Call {
  constructor(public action: string, public args: JSON, public window: Tree) {}
}

let translate: ((t: Tree) => View | null) | null = null;
let invoke: ((c: Call) => Outcome | null) | null = null;

/** Names the adapter's functions, once, at the top of its file. */
export function register(t: (t: Tree) => View | null, i: ((c: Call) => Outcome | null) | null = null): void {
  translate = t;
  invoke = i;
}

// The buffers are outside of the collector's reach and are used again by the next call.
let input: usize = 0, room: u32 = 0;
const output = new Out();

/** Gives the host a buffer for its input. What the last call left is collected here: nothing refers to it any more. */
export function oriel_alloc(n: u32): usize {
  __collect();
  if (!input || n > room) {
    room = n + (n >> 2) + 4096;
    input = input ? heap.realloc(input, room) : heap.alloc(room);
  }
  return input;
}

function packed(): u64 {
  return (<u64>output.p << 32) | output.n;
}

/** Makes a view. */
export function oriel_translate(p: usize, n: u32): u64 {
  const t = Tree.read(p, n), f = translate;
  output.reset();
  let view: View | null = null;
  if (t) view = f ? f(t) : refuse<View>("internal", "the module registers no adapter: call register");
  if (view) view.write(output);
  else fault().write(output);
  return packed();
}

function readCall(p: usize, n: u32): Call | null {
  if (n < 8) return refuse<Call>("internal", "reading call: shorter than its header");
  const action = load<u32>(p), args = load<u32>(p, 4);
  if (<u64>action + args > <u64>(n - 8)) return refuse<Call>("internal", "reading call: the name and the arguments are longer than the call");
  const text = decode(p + 8 + action, args).trimEnd();
  const parsed = text.length ? JSON.parse(text) : JSON.nothing();
  if (!parsed) return null;
  const window = Tree.read(p + 8 + action + args, n - 8 - action - args);
  return window ? new Call(decode(p + 8, action), parsed, window) : null;
}

/** Carries out an action. */
export function oriel_invoke(p: usize, n: u32): u64 {
  const c = readCall(p, n), f = invoke;
  output.reset();
  let outcome: Outcome | null = null;
  if (c) outcome = f ? f(c) : refuse<Outcome>("not_available", "this adapter has no actions; read the window again");
  if (outcome) outcome.write(output);
  else fault().write(output);
  return packed();
}
