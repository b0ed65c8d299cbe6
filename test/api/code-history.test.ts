import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, valueAt, type Answer } from '../support/http-client.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(method: string, path: string, body?: unknown): Promise<Answer> {
  return workspace.http.send({ method, path, token: workspace.token, body });
}

/** Code that answers with a value. */
const answering = (value: unknown) =>
  `export default async function () {\n  return ${JSON.stringify(value)};\n}\n`;

const create = (name: string, code: string, more: object = {}) =>
  send('POST', '/api/endpoints/create', { name, code, ...more });
const put = (name: string, change: object) => send('PUT', `/api/endpoints/${name}`, change);
const history = (what: string, name: string) => `/api/code/history/${what}/endpoint/${name}`;

function itemsOf({ status, json }: Answer): Record<string, unknown>[] {
  expect(status).toBe(200);
  return Object(json).items;
}

test('every change is kept: who, when, which version, and in what it differs', async () => {
  const created = await create('kept/here', answering(1));
  await put('kept/here', { code: answering(2), description: 'Two.' });
  await send('DELETE', '/api/endpoints/kept/here');
  const changes = itemsOf(await send('GET', history('item', 'kept/here')));
  expect(changes.map(({ version, action }) => [version, action])).toEqual([
    [3, 'deleted'],
    [2, 'changed'],
    [1, 'created'],
  ]);
  expect(changes[1]).toEqual({
    uid: field(created.json, 'UID'),
    kind: 'endpoint',
    name: 'kept/here',
    version: 2,
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    by: { uid: expect.stringMatching(/^\w{22}$/), name: 'admin' },
    action: 'changed',
    diff: expect.stringContaining('-  return 1;\n+  return 2;\n'),
  });
  expect(String(changes[1]?.['diff'])).toContain('+  "description": "Two."');
  expect(String(changes[2]?.['diff'])).toContain('--- /dev/null\n+++ b/kept/here.ts\n');
  // The history of all code begins with the same changes.
  const all = itemsOf(await send('GET', '/api/code/history/all?take=3'));
  expect(all).toEqual(changes);
});

test('the timeline is newest first, paged, and limited to a time', async () => {
  await create('timeline', answering(0));
  for (const n of [1, 2, 3]) await put('timeline', { code: answering(n) });
  const all = itemsOf(await send('GET', '/api/code/history/all?take=1000'));
  const times = all.map(({ at }) => String(at));
  expect(times).toEqual(times.toSorted().toReversed());
  const page = await send('GET', '/api/code/history/all?skip=1&take=2');
  expect(page.json).toMatchObject({ total: all.length, skip: 1, take: 2 });
  expect(itemsOf(page)).toEqual(all.slice(1, 3));
  const middle = times[1] ?? '';
  const before = itemsOf(await send('GET', `/api/code/history/all?take=1000&to=${middle}`));
  const since = itemsOf(await send('GET', `/api/code/history/all?take=1000&from=${middle}`));
  expect([...since, ...before]).toEqual(all);
  expect(before.every(({ at }) => String(at) < middle)).toBe(true);
  expect((await send('GET', '/api/code/history/all?from=yesterday')).status).toBe(400);
});

test('any version can be read, compared and restored, also of what is deleted', async () => {
  await create('back', answering('first'), { timeoutMs: 900 });
  await put('back', { code: answering('second'), timeoutMs: 1_000 });
  const old = await send('GET', `${history('version', 'back')}?version=1`);
  expect(old.json).toMatchObject({ version: 1, code: answering('first') });
  expect(valueAt(old.json, 'settings', 'timeoutMs')).toBe(900);
  const newest = field((await send('GET', history('diff', 'back'))).json, 'diff');
  expect(newest).toContain('-  return "first";\n+  return "second";\n');
  const reverse = await send('GET', `${history('diff', 'back')}?from=2&to=1`);
  expect(reverse.json).toMatchObject({ from: 2, to: 1 });
  expect(field(reverse.json, 'diff')).toContain('-  return "second";\n+  return "first";\n');

  const restored = await send('POST', history('restore', 'back'), { version: 1 });
  expect(restored.json).toMatchObject({ version: 3, code: answering('first'), timeoutMs: 900 });
  expect((await send('POST', '/api/endpoints/run/back')).json).toBe('first');
  await send('DELETE', '/api/endpoints/back');
  expect((await send('POST', '/api/endpoints/run/back')).status).toBe(404);
  await send('POST', history('restore', 'back'), { version: 2 });
  expect((await send('POST', '/api/endpoints/run/back')).json).toBe('second');
  const changes = itemsOf(await send('GET', history('item', 'back')));
  expect(changes.map(({ action }) => action)).toEqual([
    'restored',
    'deleted',
    'restored',
    'changed',
    'created',
  ]);
});

describe('two who edit the same endpoint', () => {
  test('the second is refused with both versions, and nothing is lost', async () => {
    await create('shared', answering('base'));
    const [first, second] = await Promise.all([
      put('shared', { code: answering('mine'), version: 1 }),
      put('shared', { code: answering('theirs'), version: 1 }),
    ]);
    const [winner, loser] = first?.status === 200 ? [first, second] : [second, first];
    expect([winner.status, loser.status]).toEqual([200, 409]);
    expect(field(loser.json, 'error', 'code')).toBe('version_conflict');
    expect(valueAt(loser.json, 'error', 'details')).toMatchObject({
      seenVersion: 1,
      currentVersion: 2,
      seen: { version: 1, code: answering('base') },
      current: { version: 2, code: field(winner.json, 'code'), by: { name: 'admin' } },
    });
    // With the version that is current now it goes through.
    const again = await put('shared', { code: answering('both'), version: 2 });
    expect(again.json).toMatchObject({ version: 3, code: answering('both') });
    expect(itemsOf(await send('GET', history('item', 'shared')))).toHaveLength(3);
  });

  test('who names no version writes over it, and who restores may name one too', async () => {
    await create('careless', answering(1));
    await put('careless', { code: answering(2) });
    expect((await put('careless', { code: answering(3) })).status).toBe(200);
    const refused = await send('POST', history('restore', 'careless'), { version: 1, seen: 2 });
    expect([refused.status, field(refused.json, 'error', 'code')]).toEqual([
      409,
      'version_conflict',
    ]);
    const good = await send('POST', history('restore', 'careless'), { version: 1, seen: 3 });
    expect(good.json).toMatchObject({ version: 4, code: answering(1) });
  });
});

describe('an old version beside the new', () => {
  test('runs with the same body as the caller, and the answers are compared', async () => {
    const code = (factor: number) =>
      `export default async function ({ body, CurrentUser }: Scope<{ n: number }>) {
  return { n: body.n * ${factor}, who: CurrentUser?.UserName };\n}\n`;
    await create('trial', code(1));
    await put('trial', { code: code(2) });
    const compared = await send('POST', history('compare', 'trial'), {
      version: 1,
      body: { n: 21 },
    });
    expect(compared.json).toMatchObject({
      isEqual: false,
      runs: [
        { version: 1, status: 200, body: { n: 21, who: 'admin' }, error: null },
        { version: 2, status: 200, body: { n: 42, who: 'admin' }, error: null },
      ],
    });
    const same = await send('POST', history('compare', 'trial'), {
      version: 1,
      with: 1,
      body: { n: 1 },
    });
    expect(same.json).toMatchObject({ isEqual: true });
    // Trials are not calls.
    const metrics = await send('GET', '/api/endpoints/metrics');
    expect(Object(metrics.json).items).toContainEqual(
      expect.objectContaining({ name: 'trial', calls: 0 }),
    );
  });

  test('runs with what was recorded, once an administrator has asked for it', async () => {
    await create('recorded', 'export default ({ body }: Scope<{ n: number }>) => body.n;\n');
    const call = (n: number) => send('POST', '/api/endpoints/run/recorded', { n });
    await call(1);
    expect((await send('GET', history('inputs', 'recorded'))).json).toEqual({
      keep: 0,
      inputs: [],
    });
    await send('PUT', history('inputs', 'recorded'), { keep: 2 });
    for (const n of [2, 3, 4]) await call(n);
    await put('recorded', {
      code: 'export default ({ body }: Scope<{ n: number }>) => -body.n;\n',
    });
    const { inputs } = Object((await send('GET', history('inputs', 'recorded'))).json);
    expect(inputs.map(({ body }: { readonly body: string }) => body)).toEqual([
      '{"n":4}',
      '{"n":3}',
    ]);
    const compared = await send('POST', history('compare', 'recorded'), {
      version: 1,
      input: inputs[1].id,
    });
    expect(compared.json).toMatchObject({ isEqual: false, runs: [{ body: 3 }, { body: -3 }] });
    const off = await send('PUT', history('inputs', 'recorded'), { keep: 0 });
    expect(off.json).toEqual({ keep: 0, inputs: [] });
    // Once more changes nothing.
    await send('PUT', history('inputs', 'recorded'), { keep: 0 });
    const events = async () =>
      Object((await send('GET', '/api/audit?action=endpoint.recording-changed')).json).items;
    await expect.poll(events).toHaveLength(2);
    const target = { kind: 'endpoint', id: 'recorded', name: 'recorded' };
    expect(await events()).toMatchObject([
      { target, details: { keep: 0, before: 2 }, actor: { name: 'admin' }, address: '127.0.0.1' },
      { target, details: { keep: 2, before: 0 }, actor: { name: 'admin' }, outcome: 'success' },
    ]);
    const gone = await send('POST', history('compare', 'recorded'), { version: 1, input: 1 });
    expect([gone.status, field(gone.json, 'error', 'code')]).toEqual([
      404,
      'recorded_input_not_found',
    ]);
    expect((await send('PUT', history('inputs', 'recorded'), { keep: 101 })).status).toBe(400);
    expect((await send('PUT', history('inputs', 'never'), { keep: 1 })).status).toBe(404);
  });

  test('writes nothing, by itself or by way of another endpoint', async () => {
    await send('PUT', '/api/schema', { nodes: [{ type: 'Note', fields: {} }], edges: [] });
    const body = (text: string) => `export default async ({ graph, run, runOnPrimary }: Scope) => {
  void run; void runOnPrimary;\n  ${text}\n};\n`;
    const writes = body("await graph.addOrUpdate('Note', 'n', {}); return 1;");
    await create('writes', writes);
    await create('by-run', body("return run('writes');"));
    await create('by-primary', body("return runOnPrimary('writes');"));
    for (const name of ['writes', 'by-run', 'by-primary']) {
      const compared = await send('POST', history('compare', name), { version: 1 });
      expect(compared.status).toBe(200);
      expect(valueAt(compared.json, 'runs', '0', 'error')).toMatchObject({
        code: expect.any(String),
      });
    }
    const notes = await send('POST', '/api/node/query', { type: 'Note' });
    expect(notes.json).toMatchObject({ total: 0 });
  });

  test('is refused with diagnostics when it does not compile', async () => {
    await create('was-draft', 'export default () => nothing;');
    await put('was-draft', { code: answering(1) });
    const refused = await send('POST', history('compare', 'was-draft'), { version: 1 });
    expect([refused.status, field(refused.json, 'error', 'code')]).toEqual([
      422,
      'endpoint_not_compiled',
    ]);
    expect(valueAt(refused.json, 'error', 'details', 'diagnostics', '0', 'line')).toBe(1);
  });
});

test('what there never was is not found', async () => {
  await create('short', answering(1));
  for (const [method, path, body] of [
    ['GET', history('item', 'never')],
    ['GET', `${history('version', 'short')}?version=2`],
    ['GET', `${history('diff', 'short')}?from=1&to=9`],
    ['POST', history('restore', 'short'), { version: 7 }],
    ['POST', history('compare', 'never'), { version: 1 }],
  ] as const) {
    const answer = await send(method, path, body);
    expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([
      404,
      'code_version_not_found',
    ]);
  }
  expect((await send('GET', '/api/code/history/item/novel/short')).status).toBe(404);
});
