// Plays one scenario with the TypeScript SDK and prints what it saw as JSON.
//
//	node client.mjs v1|v2 http <url> <token>
//	node client.mjs v1|v2 stdio <command>
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [sdk, kind, target, token] = process.argv.slice(2);
const require = createRequire(process.cwd() + '/'); // the packages lie in the working folder
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

const seen = { updated: 0, toolsChanged: 0 };
const uri = 'app://windows';
const info = { name: 'foreign-' + sdk, version: '1' };

async function connectV1() {
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
  const types = await load('@modelcontextprotocol/sdk/types.js');
  const client = new Client(info);
  client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, () => { seen.updated++; });
  client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => { seen.toolsChanged++; });
  await client.connect(transport(StreamableHTTPClientTransport, StdioClientTransport));
  await client.subscribeResource({ uri });
  return client;
}

async function connectV2() {
  const { Client, StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client');
  const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');
  const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
  client.setNotificationHandler('notifications/resources/updated', () => { seen.updated++; });
  client.setNotificationHandler('notifications/tools/list_changed', () => { seen.toolsChanged++; });
  await client.connect(transport(StreamableHTTPClientTransport, StdioClientTransport));
  await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
  return client;
}

function transport(HTTP, Stdio) {
  if (kind === 'http') {
    return new HTTP(new URL(target), { requestInit: { headers: { Authorization: 'Bearer ' + token } } });
  }
  return new Stdio({ command: target, args: [], env: process.env });
}

async function until(what, done) {
  const end = Date.now() + 10_000;
  while (!done()) {
    if (Date.now() > end) throw new Error(what + ' did not come');
    await new Promise((r) => setTimeout(r, 5));
  }
}

const client = await (sdk === 'v1' ? connectV1() : connectV2());
const out = { errors: {} };
const names = async () => (await client.listTools()).tools.map((t) => t.name);
const call = async (name, args) => client.callTool({ name, arguments: args });
const code = async (name, args) => {
  const r = await call(name, args);
  return { isError: r.isError, ...r.structuredContent, text: JSON.parse(r.content[1].text).code };
};

out.instructions = client.getInstructions()?.length > 500;
out.capabilities = client.getServerCapabilities();
// A client that kept its stream open would be told of changes from now on. The
// stream opens in the background, so the first change is repeated until it is told.
await until('the first update', () => {
  if (seen.updated === 0) call('w1__set_text', { text: 'ping' }).catch(() => {});
  return seen.updated > 0;
});
out.before = await names();
out.read = JSON.parse((await client.readResource({ uri })).contents[0].text);
const version = out.read.windows[0].version;
const stale = await code('w1__set_text', { text: 'x', expectedVersion: 1 });
out.errors.stale = stale;

const changes = { ...seen };
out.closed = (await call('w1__close', {})).structuredContent;
await until('the update', () => seen.updated > changes.updated);
await until('the tool list', () => seen.toolsChanged > changes.toolsChanged);
out.after = await names();
out.errors.vanished = await code('w1__set_text', { text: 'x', expectedVersion: version });
out.errors.unknown = await code('w99__close', {});
out.errors.args = await code('desktop_act', { winId: 'w2' });
out.desktop = (await call('desktop_read', {})).structuredContent;
out.answered = (await call('desktop_act', { winId: 'w2', action: 'dont_save', expectedVersion: 1 })).structuredContent;
out.end = JSON.parse((await client.readResource({ uri })).contents[0].text);
try {
  await client.readResource({ uri: 'app://nothing' });
} catch (e) {
  out.errors.resource = e.code;
}
await client.close();
console.log(JSON.stringify(out));
process.exit(0);
