import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentedCode } from './documented-blocks.ts';
import { SnippetScene } from './snippet-scene.ts';

let at: SnippetScene;
beforeAll(async () => {
  at = await SnippetScene.start();
});
afterAll(() => at[Symbol.asyncDispose]());

const CLIENT = `import { TrellisClient } from '@trellis/client/trellis-client.ts';
`;
const SIGNED_IN = `${CLIENT}const client = new TrellisClient({ baseUrl: process.env.BASE_URL, token: process.env.TOKEN });
`;
const PERSON = `const user = 'admin';
const password = process.env.PASSWORD;
`;

/** How a piece of code is put to use, and what comes of it. */
type Use = (code: string) => Promise<void>;

/** A program of its own: what stands before and after it, and what it prints then. */
function program(before: string, after: string, prints: unknown): Use {
  return async (code) => {
    const text = `${before}${code}console.log(JSON.stringify(${after}));\n`;
    expect(JSON.parse(await at.run({ 'program.ts': text }))).toEqual(prints);
  };
}

/** The code of an endpoint; `body` is what it is called with. */
function endpoint(body: unknown, answers: unknown): Use {
  return async (code) => {
    const name = `snippet-${crypto.randomUUID()}`;
    const isReadOnly = code.includes('// trellis: readOnly');
    const made = await at.admin('POST', '/api/endpoints/create', { name, code, isReadOnly });
    expect(Object(made).diagnostics).toEqual([]);
    expect(await at.admin('POST', `/api/endpoints/run/${name}`, body)).toEqual(answers);
  };
}

/** One that nobody listens at. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Statements inside an endpoint. */
function statements(scope: string, result: string, answers: unknown): Use {
  return (code) =>
    endpoint(
      {},
      answers,
    )(`export default async ({ ${scope} }: Scope) => {\n${code}return ${result};\n};\n`);
}

const USES: Readonly<Record<string, Use>> = {
  'admin-agent 1': program(
    `${SIGNED_IN}let [text, shown] = ['', undefined];
const print = (piece) => (text += piece);
const show = (proposal) => (shown = proposal);
`,
    '{ text, shown }',
    { text: 'A dog is a word.', shown: null },
  ),
  'chat 1': program(
    `${SIGNED_IN}const { signal } = new AbortController();
let [text, cited] = ['', undefined];
const print = (piece) => (text += piece);
const show = (citations) => (cited = citations);
`,
    '{ text, cited }',
    { text: 'A dog is a word.', cited: [] },
  ),
  'chat 2': program(
    `${SIGNED_IN}const [print, clear] = [() => {}, () => {}];
let [chatUID, shown] = ['', undefined];
const show = (chat) => (shown = chat);
for await (const event of client.chats.stream({ message: 'dog?', background: true })) {
  if (event.kind !== 'begun') continue;
  chatUID = event.chatUID;
  break;
}
`,
    'shown.messages.at(-1).text',
    'A dog is a word.',
  ),
  'connectors 1': program(
    `${CLIENT}const [baseUrl, token] = [process.env.BASE_URL, process.env.TOKEN];
const ticketsSince = async (cursor) => ({ tickets: [{ number: '7', title: 'Broken' }], next: 'x' + cursor });
`,
    '[report.rows, report.operations]',
    [1, 1],
  ),
  'connectors 2': program(SIGNED_IN, 'runs.map(({ trigger }) => trigger)', ['manual']),
  'connectors 3': program(
    `${SIGNED_IN}const of = async () => (await client.connectors.list()).items[0];
const { id } = await of();
// Its first run is to be over.
while ((await of()).jobId !== null);
`,
    'compared.map(({ row }) => row)',
    [],
  ),
  'connectors 4': program(
    `import { restrictTo } from '@trellis/connector/restrict-to.ts';
const [id, fields, teamUid] = ['7', { Title: 'Broken' }, 'team'];
const ticket = { type: 'Ticket', key: '7' };
let given;
const run = { row: async (...row) => void (given = row) };
`,
    'given[1].map(({ op }) => op)',
    ['addOrUpdate', 'unrestrict', 'restrict'],
  ),
  'data 1': program(SIGNED_IN, '[node.Title, (await client.nodes.get(node.UID)).Cost, version]', [
    'Paint the door',
    30,
    1,
  ]),
  'data 2': program(
    `${SIGNED_IN}const { node } = await client.nodes.create({ type: 'Task', fields: { Title: 'Done' } });
const uids = [node.UID];
`,
    '[done, outcomes.length, outcomes[0].done]',
    [1, 1, true],
  ),
  'data 3': async (code) => {
    const operations = Array.from({ length: 101 }, (_, i) => ({
      op: 'addOrUpdate',
      type: 'Task',
      key: `task-${i}`,
      fields: { Cost: 100 + i },
    }));
    await at.admin('POST', '/api/ingest', { operations });
    const [same = ''] = /where: [^]*?(?=\}\);)/.exec(code) ?? [];
    const whole = code.replace('/* the same where and sort */', same);
    const counts = '[page.items.length, second.items.length > 0]';
    await program(SIGNED_IN, counts, [100, true])(whole);
  },
  'deep-research 1': program(
    `${SIGNED_IN}let shown;
const print = () => {};
const show = (report) => (shown = report);
`,
    'shown',
    'A dog is a word.',
  ),
  'documents 1': program(
    `${SIGNED_IN}const types = ['Sailor', 'Ship', 'Report'].map((type) => ({
  type,
  key: 'Name',
  fields: type === 'Report' ? { Body: 'String' } : {},
}));
await client.schema.put({ nodes: types, edges: [{ type: 'Sails' }] });
await client.graph.ingest([
  { op: 'addOrUpdate', type: 'Report', key: '1', fields: { Body: 'Ada sails the Aurora.' } },
]);
`,
    '[items.length, written.approved]',
    [2, 2],
  ),
  'duplicates 1': program(
    `${SIGNED_IN}await client.schema.put({
  nodes: [{ type: 'Contact', key: 'Number', fields: { Phone: 'String' } }],
  edges: [],
});
const [a, b] = ['1', '2'].map((key) => ({ type: 'Contact', key }));
await client.graph.ingest([{ op: 'addOrUpdate', ...a }, { op: 'addOrUpdate', ...b }]);
await client.duplicates.merge({ into: a, node: b });
`,
    '[into.Id, node.Id]',
    ['1', '2'],
  ),
  'endpoints 1': endpoint({ word: 'dog' }, [expect.objectContaining({ Id: 'n1' })]),
  'endpoints 2': endpoint({ word: 'dog' }, [expect.objectContaining({ Id: 'dog' })]),
  'endpoints 3': endpoint(
    { query: 'dog', types: ['Word'] },
    expect.objectContaining({ hits: [expect.objectContaining({ from: 'text' })] }),
  ),
  'endpoints 4': statements('q', '[near.map(({ node }) => node.Id), more.map(({ Id }) => Id)]', [
    ['n2', 'n1'],
    ['n2', 'c1'],
  ]),
  'endpoints 5': statements('graph', 'sum', 45),
  'endpoints 6': endpoint({ task: 'paint' }, null),
  'endpoints 7': program(
    `${SIGNED_IN}await client.endpoints.create({
  name: 'books/count',
  code: 'export default async () => 3;',
  isReadOnly: true,
});
let seen;
const show = (value) => {
  seen = value;
  stop.abort();
};
`,
    'seen',
    3,
  ),
  'endpoints 8': endpoint({ author: 'Frank Herbert' }, ['Dune']),
  'endpoints 9': async (code) => {
    const [, , , , , , , booksBy] = documentedCode().filter(({ name }) =>
      name.startsWith('endpoints '),
    );
    const files = { 'books-by.ts': booksBy?.text ?? '', 'program.ts': code };
    expect(await at.run(files, ['--test'])).toContain('pass 1');
  },
  'endpoints 10': program(
    `${SIGNED_IN}const [code, isReadOnly] = ['export default async ({ q }: Scope) =>\\n// Column 24 is after the last dot.\\nq().startAt("Word","").', true];
`,
    '(editor.close(), [items.some(({ label }) => label === "out"), diagnostics.length > 0])',
    [true, true],
  ),
  'indexes 1': endpoint(
    {},
    expect.objectContaining({
      count: 1,
      files: [{ value: 'noun.food', count: 1 }],
      first: [expect.objectContaining({ Name: 'bread' })],
      plan: { steps: expect.any(Array), advice: expect.any(Array) },
    }),
  ),
  'interfaces 1': program(
    `globalThis.document = { baseURI: process.env.BASE_URL + '/' };\n${PERSON}`,
    'hits.map(({ node }) => node.Id)',
    ['dog'],
  ),
  'llm 1': program(
    'const token = process.env.LLM_TOKEN;\n',
    `(await client.chat.completions.create({ model: 'large', messages: [{ role: 'user', content: 'dog?' }] })).choices[0].message.content`,
    'A dog is a word.',
  ),
  'llm 2': program(
    'const token = process.env.ANTHROPIC_TOKEN;\n',
    `(await client.messages.create({ model: 'large', max_tokens: 99, messages: [{ role: 'user', content: 'dog?' }] })).content[0].text`,
    'A dog is a word.',
  ),
  'migrations 1': async (code) => {
    await at.admin('POST', '/api/migrations', { name: '001-authors', code });
    const job = Object(await at.admin('POST', '/api/migrations/run', { name: '001-authors' }));
    const text = `${SIGNED_IN}for await (const event of client.jobs.watch('${job.id}')) void event;
console.log((await client.jobs.get('${job.id}')).state);\n`;
    expect(await at.run({ 'program.ts': text })).toBe('succeeded\n');
  },
  'modules 1': async (code) => {
    const made = await at.admin('POST', '/api/modules/create', { name: 'prices', code });
    expect(made).toMatchObject({ compiles: true, diagnostics: [] });
  },
  'modules 2': endpoint({ pages: 300 }, { cents: 3210 }),
  'modules 3': async (code) => {
    await at.push({ 'endpoints/due.ts': code }, ['date-fns']);
    const answer = await at.admin('POST', '/api/endpoints/run/due', { day: '2026-02-20' });
    expect(answer).toEqual({ due: '2026-03-06' });
  },
  'sdk 1': async (code) => {
    const byAuthor =
      "export default ({ body, q }: Scope<{ author: string }>) => q().startWhere('Book', 'AuthorName', '=', body.author).nodes();";
    const asked = { name: 'books/by-author', code: byAuthor, isReadOnly: true };
    await at.admin('POST', '/api/endpoints/create', asked);
    const before = `${PERSON}const { signal } = new AbortController();\n`;
    await program(before, '[answer[0].Title, node.Id]', ['Dune', 'dog'])(code);
  },
  'sdk 2': program(
    `import { Trellis, TrellisError } from '@trellis/client';
${PERSON}const trellis = new Trellis({ baseUrl: process.env.BASE_URL, token: 'expired' });
`,
    `trellis.token !== 'expired'`,
    true,
  ),
  'sdk 3': program(
    `import { Trellis } from '@trellis/client';\nconst baseUrl = process.env.BASE_URL;\n`,
    'trellis instanceof Trellis',
    true,
  ),
  'sdk 4': program(
    `import { Trellis } from '@trellis/client';
globalThis.window = { MSKSERVERPATH: './', MSKREPLICAURLS: '' };
globalThis.document = { baseURI: process.env.BASE_URL + '/' };
`,
    `await new Promise((opened) => socket.addEventListener('open', () => (socket.close(), opened('open'))))`,
    'open',
  ),
  'search 1': statements(
    'searchAsUser',
    '{ ids: hits.map(({ node }) => node.Id), total, facets }',
    { ids: ['c1'], total: 1, facets: {} },
  ),
  'search 2': statements('searchAsUser', 'hits.map(({ node }) => node.Id)', ['c1']),
  'secrets 1': async (code) => {
    const call = `import { testWorkspace } from '@trellis/endpoint/testing';
const told = (_url, { headers }) => Response.json(Object.fromEntries(new Headers(headers)));
await using workspace = await testWorkspace({
  secrets: { CRM_KEY: 'a key of the test' },
  fetch: { 'https://crm.example.com': told },
});
const endpoint = new URL('./customer.ts', import.meta.url);
const { body } = await workspace.run(endpoint, { body: { id: '7' } });
console.log(JSON.stringify(body.authorization));
`;
    const printed = await at.run({ 'customer.ts': code, 'program.ts': call });
    expect(JSON.parse(printed)).toBe('Bearer [secret CRM_KEY]');
  },
  'secrets 2': program(
    "import { testWorkspace } from '@trellis/endpoint/testing';\n",
    'body',
    '[secret CRM_KEY]',
  ),
  'tasks 1': endpoint({}, 'done'),
  'tools 1': endpoint({ word: 'dog' }, [expect.objectContaining({ Id: 'dog' })]),
  'triggers 1': async (code) => {
    const fields = { Title: 'String' } as const;
    await at.admin('PUT', '/api/schema', {
      nodes: [{ type: 'Ticket', key: 'Number', fields }],
      edges: [],
    });
    const body = { event: 'created', key: 'T-1', after: { Title: 'Lamp' } };
    await endpoint(body, 'Lamp')(code);
  },
  'webhooks 1': async (code) => {
    const secret = `whsec_${btoa('a secret of a receiver')}`;
    const port = String(await freePort());
    const send = `import { Webhook } from 'standardwebhooks';
process.env.WEBHOOK_SECRET = '${secret}';
const print = console.log;
let seen = '';
console.log = (...words) => (seen = words.join(' '));
await import('./receiver.ts');
const body = JSON.stringify({ changes: [{ action: 'created', type: 'Task' }] });
const at = new Date();
const headers = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': new Webhook(process.env.WEBHOOK_SECRET).sign('msg_1', at, body),
};
const { status } = await fetch('http://127.0.0.1:${port}/', { method: 'POST', headers, body });
print(JSON.stringify([status, seen]));
process.exit();
`;
    const files = { 'receiver.ts': code.replace('4040', port), 'program.ts': send };
    expect(JSON.parse(await at.run(files))).toEqual([204, 'created Task']);
  },
  'webhooks 2': program(SIGNED_IN, 'secret.slice(0, 6)', 'whsec_'),
};

describe('the code of a page does what it says', () => {
  const blocks = documentedCode();

  test.each(blocks)('$name ($place)', async ({ name, text }) => {
    await USES[name]?.(text);
    expect(Object.keys(USES)).toContain(name);
  });

  test('and there is no other', () => {
    expect(Object.keys(USES)).toEqual(blocks.map(({ name }) => name));
  });
});
