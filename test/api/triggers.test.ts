import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';

const AT = '/api/admin/triggers';

/** Keeps each body that it is called with. */
const RECORDS = `export default async ({ body, graph }: Scope<{ uid: string }>) => {
  const key = Date.now() + ' ' + Math.random();
  await graph.addOrUpdate('Seen', key, { Of: body.uid, Body: JSON.stringify(body) });
};`;

let people: People;
let admin: TrellisClient;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('rita', { isReadOnlyAdmin: true });
  await people.addToken('token', { kind: 'api', name: 't', scopes: ['admin:tasks'] });
  const baseUrl = people.workspace.server.url;
  admin = new TrellisClient({ baseUrl, token: people.token('admin'), retry: { retriesMax: 0 } });
  await admin.schema.put({
    nodes: [
      { type: 'Ticket', key: 'Number', fields: { Title: 'String', Size: 'Int' } },
      { type: 'Note', fields: { Text: 'String' } },
      { type: 'Seen', key: 'Key', fields: { Of: 'UID', Body: 'String' } },
    ],
    edges: [],
  });
});
afterAll(() => people[Symbol.asyncDispose]());
beforeEach(async () => {
  const { items } = await admin.endpoints.list({ take: 1_000 });
  for (const { name } of items) if (!name.startsWith('system/')) await admin.endpoints.delete(name);
});

async function save(name: string, lines: readonly string[], code = RECORDS): Promise<void> {
  const head = lines.map((line) => `// trellis: on ${line}\n`).join('');
  const { diagnostics } = await admin.endpoints.create({ name, code: head + code });
  expect(diagnostics).toEqual([]);
}

const ticket = (key: string, fields: Record<string, string | number | null> = {}) =>
  ({ op: 'addOrUpdate', type: 'Ticket', key, fields }) as const;

const remove = (key: string) => ({ op: 'delete', type: 'Ticket', key }) as const;

function write(...operations: Parameters<TrellisClient['graph']['ingest']>[0]) {
  return admin.graph.ingest(operations);
}

interface SeenBody {
  readonly event: string;
  readonly key: string | null;
  readonly sequence: number;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** The bodies that were seen of a ticket, once there are so many. */
async function seen(key: string, count: number): Promise<SeenBody[]> {
  const found: SeenBody[] = [];
  await expect
    .poll(async () => {
      found.length = 0;
      const { items } = await admin.nodes.query({ type: 'Seen', take: 1_000 });
      for (const { Body } of items.toReversed()) {
        const body = JSON.parse(String(Body)) as SeenBody;
        if (body.key === key) found.push(body);
      }
      return found.length;
    })
    .toBe(count);
  return found;
}

async function setAside(endpoint: string, count = 1) {
  let items: Awaited<ReturnType<typeof admin.triggers.listSetAside>>['items'] = [];
  await expect
    .poll(async () => ({ items } = await admin.triggers.listSetAside({ endpoint })).items.length)
    .toBe(count);
  return items;
}

test('a change runs the endpoint with what it was, after what was written before it', async () => {
  await write(ticket('old', { Title: 'x' }));
  await save('watch', ['created Ticket', 'updated Ticket', 'deleted Ticket']);
  const { sequence } = await write(ticket('1', { Title: 'Lamp', Size: 1 }));
  await write(ticket('1', { Title: 'Light', Size: null }), { op: 'addOrUpdate', type: 'Note' });
  await write(remove('1'));
  const uid = expect.stringMatching(/^.{22}$/) as unknown;
  const node = { UID: uid, Type: 'Ticket', Timestamp: expect.any(String), Id: '1', Number: '1' };
  const common = { type: 'Ticket', uid, key: '1', at: expect.any(String) };
  const first = { ...node, Title: 'Lamp', Size: 1 };
  const second = { ...node, Title: 'Light' };
  expect(await seen('1', 3)).toEqual([
    { ...common, event: 'created', sequence, after: first },
    { ...common, event: 'updated', sequence: expect.any(Number), before: first, after: second },
    { ...common, event: 'deleted', sequence: expect.any(Number), before: second },
  ]);
  await write(ticket('old', { Title: 'y' }));
  expect(await seen('old', 1)).toMatchObject([{ event: 'updated' }]);
  const { items } = await admin.triggers.list();
  expect(items).toMatchObject([
    {
      endpoint: 'watch',
      lines: ['created', 'updated', 'deleted'].map((event) => ({ event, type: 'Ticket' })),
      isPaused: false,
      setAside: 0,
      runs: 4,
      failures: 0,
      lastError: null,
      missed: null,
    },
  ]);
});

test('the changes of each node run in their order, those of several side by side', async () => {
  await save('watch', ['created Ticket', 'updated Ticket']);
  const keys = Array.from({ length: 5 }, (_, i) => `order ${i}`);
  for (let Size = 0; Size < 10; Size++) await write(...keys.map((key) => ticket(key, { Size })));
  for (const key of keys) {
    const sizes = (await seen(key, 10)).map(({ after }) => after?.['Size']);
    expect(sizes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
});

test('another line is for what comes from then on, and one that is gone for nothing', async () => {
  await save('watch', ['created Ticket']);
  await write(ticket('lines', { Size: 1 }));
  await write(ticket('lines', { Size: 2 }));
  expect(await seen('lines', 1)).toMatchObject([{ event: 'created' }]);
  const code = `// trellis: on updated Ticket\n${RECORDS}`;
  await admin.endpoints.put('watch', { code });
  await write(ticket('lines', { Size: 3 }), ticket('other'));
  await write(ticket('other', { Size: 1 }));
  expect(await seen('other', 1)).toMatchObject([{ event: 'updated' }]);
  expect(await seen('lines', 2)).toMatchObject([{}, { event: 'updated', before: { Size: 2 } }]);
  await admin.endpoints.put('watch', { code: RECORDS });
  expect(await admin.triggers.list()).toEqual({ items: [] });
});

test('what a run refuses is set aside, is run again by hand, and holds nothing up', async () => {
  const code = `export default async ({ body, graph, badRequest }: Scope<{ key: string }>) => {
  if (await graph.tryGet('Note', 'n') === null && body.key === 'bad') return badRequest('no note');
};`;
  await save('picky', ['created Ticket'], code);
  await save('watch', ['created Ticket']);
  await write(ticket('bad'), ticket('good'));
  await seen('bad', 1);
  const [event] = await setAside('picky');
  expect(event).toMatchObject({
    endpoint: 'picky',
    event: 'created',
    type: 'Ticket',
    key: 'bad',
    attempts: 1,
    error: { code: 'bad_request', message: 'no note' },
  });
  const id = event?.id ?? '';
  expect(await admin.triggers.retrySetAside(id)).toMatchObject({
    succeeded: false,
    error: { code: 'bad_request' },
  });
  expect(await setAside('picky')).toMatchObject([{ attempts: 2 }]);
  await admin.endpoints.put('picky', { code: `// trellis: on created Ticket\n${RECORDS}` });
  expect(await admin.triggers.retrySetAside(id)).toEqual({ succeeded: true, error: null });
  await setAside('picky', 0);
  await seen('bad', 2);
  expect(await people.outcome('admin', 'POST', `${AT}/set-aside/${id}/retry`)).toEqual([
    404,
    'trigger_event_not_found',
  ]);
});

test('endpoints that run one another are stopped, with a reason', async () => {
  const more = `export default async ({ body, graph }: Scope<{ key: string }>) => {
  const { Size = 0 } = await graph.get('Ticket', body.key);
  await graph.update('Ticket', body.key, { Size: Size + 1 });
};`;
  await save('ping', ['created Ticket', 'updated Ticket'], more);
  await write(ticket('loop', { Size: 0 }));
  const [event] = await setAside('ping');
  expect(event).toMatchObject({ key: 'loop', error: { code: 'trigger_loop' } });
  const chain = Array.from({ length: 9 }, () => 'ping').join(' > ');
  expect(event?.error.message).toContain(chain);
  const { items } = await admin.nodes.query({ type: 'Ticket', take: 1_000 });
  expect(items.find(({ Id }) => Id === 'loop')).toMatchObject({ Size: 8 });
  // Through an endpoint that it runs, too.
  await save('more', [], more);
  const through = `export default async ({ body, run }: Scope<{ key: string }>) => {
  await run('more', body);
};`;
  await admin.endpoints.delete('ping');
  await save('pong', ['created Ticket', 'updated Ticket'], through);
  await write(ticket('nested', { Size: 0 }));
  expect(await setAside('pong')).toMatchObject([{ error: { code: 'trigger_loop' } }]);
});

test('a paused trigger runs nothing, and goes on from there', async () => {
  await save('watch', ['created Ticket']);
  expect(await admin.triggers.pause({ endpoint: 'watch' })).toMatchObject({
    isPaused: true,
    reason: null,
  });
  await save('other', ['created Ticket']);
  await write(ticket('paused'));
  expect(await seen('paused', 1)).toHaveLength(1);
  expect(await admin.triggers.resume({ endpoint: 'watch' })).toMatchObject({ isPaused: false });
  await seen('paused', 2);
});

test('a body that is too large comes without the node', async () => {
  await save('watch', ['created Ticket']);
  await write(ticket('large', { Title: 'x'.repeat(300 * 1024) }));
  const [body] = await seen('large', 1);
  expect(body).toMatchObject({ event: 'created', key: 'large', isCut: true });
  expect(body).not.toHaveProperty('after');
});

test('who may', async () => {
  await save('watch', ['created Ticket']);
  const body = { endpoint: 'watch' };
  for (const [who, reads, writes] of [
    ['', 401, 401],
    ['ann', 403, 403],
    ['rita', 200, 403],
    ['token', 200, 200],
  ] as const) {
    expect((await people.as(who, 'GET', AT)).status).toBe(reads);
    expect((await people.as(who, 'GET', `${AT}/set-aside`)).status).toBe(reads);
    expect((await people.as(who, 'POST', `${AT}/pause`, body)).status).toBe(writes);
    expect((await people.as(who, 'POST', `${AT}/resume`, body)).status).toBe(writes);
  }
  const none = { endpoint: 'none' };
  const notFound = [404, 'trigger_not_found'];
  expect(await people.outcome('admin', 'POST', `${AT}/pause`, none)).toEqual(notFound);
  expect(await people.outcome('admin', 'POST', `${AT}/resume`, none)).toEqual(notFound);
  const noEvent = [404, 'trigger_event_not_found'];
  expect(await people.outcome('admin', 'DELETE', `${AT}/set-aside/x`)).toEqual(noEvent);
});
