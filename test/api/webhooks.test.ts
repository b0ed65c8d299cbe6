import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

let people: People;
let admin: TrellisClient;
let receiver: WebhookReceiver;

beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('rita', { isReadOnlyAdmin: true });
  await people.addToken('token', { kind: 'api', name: 't', scopes: ['admin:webhooks'] });
  admin = clientOf('admin');
  await admin.schema.put({
    nodes: [
      { type: 'Person', key: 'Name', fields: { Age: 'Int' } },
      { type: 'Company', key: 'Name', fields: { Note: 'String' } },
    ],
    edges: [{ type: 'WorksAt', fields: { Since: 'Int' } }],
  });
});
afterAll(() => people[Symbol.asyncDispose]());
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  await admin.workspace.putSettings({ fetchAllowList: [receiver.origin] });
});
afterEach(async () => {
  for (const { id } of (await admin.webhooks.list()).items) await admin.webhooks.delete(id);
  await receiver[Symbol.asyncDispose]();
});

function clientOf(name: string): TrellisClient {
  const baseUrl = people.workspace.server.url;
  return new TrellisClient({ baseUrl, token: people.token(name), retry: { retriesMax: 0 } });
}

type Settings = Parameters<TrellisClient['webhooks']['create']>[0];

function create(settings: Partial<Settings> = {}) {
  return admin.webhooks.create({ name: 'hook', url: receiver.url, ...settings });
}

const person = (key: string, fields: Record<string, number> = {}) =>
  ({ op: 'addOrUpdate', type: 'Person', key, fields }) as const;
const company = (key: string, fields: Record<string, string> = {}) =>
  ({ op: 'addOrUpdate', type: 'Company', key, fields }) as const;
const link = (from: string, to: string) =>
  ({
    op: 'link',
    from: { type: 'Person', key: from },
    edge: 'WorksAt',
    to: { type: 'Company', key: to },
    fields: { Since: 2020 },
  }) as const;

const write = (...operations: Parameters<TrellisClient['graph']['ingest']>[0]) =>
  admin.graph.ingest(operations);

const UID = expect.stringMatching(/^.{22}$/) as unknown;

test('a commit is one delivery that the makers of the standard verify', async () => {
  const { secret, ...made } = await create();
  expect(secret).toMatch(/^whsec_/);
  expect(made).toMatchObject({ state: 'active', types: null, payload: 'full', enabled: true });
  const { sequence } = await write(
    person('ann', { Age: 40 }),
    company('acme'),
    link('ann', 'acme'),
  );
  const [first] = await receiver.wait(1);
  WebhookReceiver.verify(secret, first!);
  expect(() => WebhookReceiver.verify(`whsec_${btoa('another')}`, first!)).toThrow(
    'No matching signature',
  );
  const node = { UID, Timestamp: expect.any(String) };
  expect(first!.body).toEqual({
    type: 'graph.changed',
    sequence,
    time: expect.stringMatching(/Z$/),
    changes: [
      {
        action: 'created',
        type: 'Person',
        uid: UID,
        key: 'ann',
        node: { ...node, Type: 'Person', Id: 'ann', Name: 'ann', Age: 40 },
      },
      {
        action: 'created',
        type: 'Company',
        uid: UID,
        key: 'acme',
        node: { ...node, Type: 'Company', Id: 'acme', Name: 'acme' },
      },
      {
        action: 'linked',
        edge: 'WorksAt',
        from: { uid: UID, type: 'Person', key: 'ann' },
        to: { uid: UID, type: 'Company', key: 'acme' },
        timestamp: expect.any(String),
        fields: { Since: 2020 },
      },
    ],
  });
  expect(first!.headers).toMatchObject({ 'content-type': 'application/json' });
  expect(first!.id).toBe(`msg_${made.id}_${sequence}`);
  await write(person('ann', { Age: 41 }));
  await write({ op: 'delete', type: 'Person', key: 'ann' });
  await receiver.wait(3);
  const [, second, third] = receiver.bodies;
  expect(second?.changes).toMatchObject([{ action: 'updated', node: { Age: 41 } }]);
  expect(third?.changes).toEqual([
    { action: 'deleted', type: 'Person', uid: UID, key: 'ann' },
    {
      action: 'unlinked',
      edge: 'WorksAt',
      from: { uid: UID, type: 'Person', key: 'ann' },
      to: { uid: UID, type: 'Company', key: 'acme' },
    },
  ]);
  await expect.poll(async () => (await admin.webhooks.deliveries(made.id)).items.length).toBe(3);
  const { items } = await admin.webhooks.deliveries(made.id);
  expect(items.map(({ sequence: of }) => of)).toEqual(
    receiver.bodies.map((body) => body.sequence).toReversed(),
  );
  expect(items[0]).toMatchObject({
    status: 'delivered',
    attempts: 1,
    response: { status: 204, body: '' },
    error: null,
  });
  const shown = await admin.webhooks.get(made.id);
  expect(JSON.stringify([shown, await admin.webhooks.list()])).not.toContain(secret);
});

test.each<[string, Partial<Settings>, string[]]>([
  ['types', { types: ['Person'] }, ['created Person', 'updated Person']],
  ['edges', { edges: ['WorksAt'] }, ['linked WorksAt', 'unlinked WorksAt']],
  ['actions', { actions: ['updated', 'unlinked'] }, ['updated Person', 'unlinked WorksAt']],
  [
    'types and edges',
    { types: ['Company'], edges: ['WorksAt'], actions: ['created', 'linked'] },
    ['created Company', 'linked WorksAt'],
  ],
])('%s are a filter', async (name, filter, expected) => {
  await create(filter);
  const [one, other] = [`p ${name}`, `c ${name}`];
  await write(person(one), company(other), link(one, other));
  await write(person(one, { Age: 1 }));
  const { op: _op, fields: _fields, ...edge } = link(one, other);
  await write({ op: 'unlink', ...edge });
  const told = () =>
    receiver.changes.map(({ action, type, edge: of }) => `${action} ${type ?? of}`);
  await expect.poll(told).toEqual(expected);
});

test('"ids" tells which, and nothing of what they hold', async () => {
  await create({ payload: 'ids' });
  await write(person('ids', { Age: 1 }), company('ids'), link('ids', 'ids'));
  await receiver.wait(1);
  expect(receiver.changes).toEqual([
    { action: 'created', type: 'Person', uid: UID, key: 'ids' },
    { action: 'created', type: 'Company', uid: UID, key: 'ids' },
    {
      action: 'linked',
      edge: 'WorksAt',
      from: { uid: UID, type: 'Person', key: 'ids' },
      to: { uid: UID, type: 'Company', key: 'ids' },
    },
  ]);
});

test('a large commit comes in parts, and a large node without what it holds', async () => {
  const { id } = await create();
  const keys = Array.from({ length: 1_234 }, (_, i) => `n${i}`);
  const { sequence } = await write(...keys.map((key) => person(key)));
  await receiver.wait(3);
  expect(receiver.bodies.map(({ sequence: of, part, isLast }) => ({ of, part, isLast }))).toEqual([
    { of: sequence, part: 1, isLast: false },
    { of: sequence, part: 2, isLast: false },
    { of: sequence, part: 3, isLast: true },
  ]);
  const ids = receiver.received.map((each) => each.id);
  const one = `msg_${id}_${sequence}`;
  expect(ids).toEqual([1, 2, 3].map((n) => expect.stringMatching(`^${one}_${n}_[\\w-]{8}$`)));
  expect(receiver.changes.map(({ key }) => key)).toEqual(keys);
  await write(company('large', { Note: 'x'.repeat(400_000) }));
  await receiver.wait(4);
  expect(receiver.changes.at(-1)).toEqual({
    action: 'created',
    type: 'Company',
    uid: UID,
    key: 'large',
    isCut: true,
  });
});

test('a part of a commit has the id of before only where the commit is cut as before', async () => {
  const made = await create();
  const { sequence } = await write(...Array.from({ length: 501 }, (_, i) => person(`p${i}`)));
  await receiver.wait(2);
  await admin.webhooks.replay(made.id, { fromSequence: sequence });
  await receiver.wait(4);
  const { name, url } = made;
  await admin.webhooks.update(made.id, { name, url, payload: 'ids' });
  await admin.webhooks.replay(made.id, { fromSequence: sequence });
  await receiver.wait(6);
  const ids = receiver.received.map((each) => each.id);
  expect(ids.slice(2, 4)).toEqual(ids.slice(0, 2));
  expect(new Set(ids).size).toBe(4);
});

test('what fails is tried again, in order, and told in the list', async () => {
  const { id } = await create();
  receiver.answer = (response) => response.writeHead(500).end('no <b>');
  await write(person('f1'));
  await receiver.wait(1);
  await expect.poll(async () => (await admin.webhooks.get(id)).state).toBe('retrying');
  await write(person('f2'));
  expect(await admin.webhooks.get(id)).toMatchObject({
    attempts: 1,
    reason: 'It answers 500',
    nextAttemptAt: expect.any(String),
  });
  expect((await admin.webhooks.deliveries(id)).items).toMatchObject([
    { status: 'retrying', response: { status: 500, body: 'no <b>' }, error: 'It answers 500' },
  ]);
  receiver.answer = undefined;
  await receiver.wait(3);
  expect(receiver.changes.map(({ key }) => key)).toEqual(['f1', 'f1', 'f2']);
  expect(new Set(receiver.received.map((each) => each.id)).size).toBe(2);
  await expect
    .poll(async () => (await admin.webhooks.deliveries(id)).items)
    .toMatchObject([{ attempts: 1 }, { status: 'delivered', attempts: 2, error: null }]);
  expect(await admin.webhooks.get(id)).toMatchObject({ state: 'active', reason: null });
});

test('410 pauses it, and enabling lets it go on where it was', async () => {
  const { id } = await create();
  receiver.answer = (response) => response.writeHead(410).end();
  await write(person('g1'));
  await expect.poll(async () => (await admin.webhooks.get(id)).state).toBe('paused');
  expect(await admin.webhooks.get(id)).toMatchObject({ reason: 'It answers 410', enabled: true });
  await write(person('g2'));
  receiver.answer = undefined;
  const settings = { name: 'hook', url: receiver.url };
  expect(await admin.webhooks.update(id, { ...settings, enabled: false })).toMatchObject({
    state: 'disabled',
  });
  await admin.webhooks.update(id, settings);
  await receiver.wait(3);
  expect(receiver.changes.map(({ key }) => key)).toEqual(['g1', 'g1', 'g2']);
});

test('a replay delivers again from a sequence on', async () => {
  const { id } = await create();
  const { sequence } = await write(person('r1'));
  await write(person('r2'));
  await receiver.wait(2);
  await admin.webhooks.replay(id, { fromSequence: sequence });
  await receiver.wait(4);
  expect(receiver.changes.map(({ key }) => key)).toEqual(['r1', 'r2', 'r1', 'r2']);
  expect(receiver.received[2]!.id).toBe(receiver.received[0]!.id);
  await expect(admin.webhooks.replay(id, { fromSequence: 10_000_000 })).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('a test is sent once, and says what came of it', async () => {
  const { id, secret } = await create({ enabled: false });
  expect(await admin.webhooks.test(id)).toMatchObject({
    type: 'webhook.test',
    status: 'delivered',
    response: { status: 204 },
  });
  const [sent] = receiver.received;
  WebhookReceiver.verify(secret, sent!);
  expect(sent!.body).toMatchObject({ type: 'webhook.test', changes: [] });
  receiver.answer = (response) => response.writeHead(302, { location: '/elsewhere' }).end();
  expect(await admin.webhooks.test(id)).toMatchObject({
    status: 'failed',
    error: 'It answers 302: redirects are not followed',
  });
  expect(receiver.received).toHaveLength(2);
});

test('a new secret signs beside the one before', async () => {
  const { id, secret } = await create();
  const { secret: newer } = await admin.webhooks.rotateSecret(id);
  await write(person('s1'));
  const [first] = await receiver.wait(1);
  WebhookReceiver.verify(secret, first!);
  WebhookReceiver.verify(newer, first!);
  const { secret: newest } = await admin.webhooks.rotateSecret(id);
  await write(person('s2'));
  const [, second] = await receiver.wait(2);
  WebhookReceiver.verify(newest, second!);
  WebhookReceiver.verify(newer, second!);
  expect(() => WebhookReceiver.verify(secret, second!)).toThrow('No matching signature');
});

test.each<[string, Partial<Settings>, string, string?]>([
  ['an address that is not allowed', { url: 'http://10.0.0.1/x' }, 'webhook_address_not_allowed'],
  ['another protocol', { url: 'file:///etc/passwd' }, 'invalid_request'],
  ['a password', { url: 'http://a:b@example.com/' }, 'invalid_request'],
  ['a type that is not there', { types: ['Persn'] }, 'invalid_request', 'Person'],
  ['a type of the system', { types: ['_User'] }, 'invalid_request'],
  ['an edge that decides about access', { edges: ['RestrictAccessToTeam'] }, 'invalid_request'],
  ['actions that never happen', { types: ['Person'], actions: ['linked'] }, 'invalid_request'],
  ['a user that is not there', { asUser: '1'.repeat(22) }, 'invalid_request'],
  ['no name', { name: ' ' }, 'invalid_request'],
])('%s is refused', async (_, settings, code, hint = '') => {
  const refused = await create(settings).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ code });
  expect(JSON.stringify(refused) + String((refused as { hint?: string }).hint)).toContain(hint);
});

test('administrators and tokens with the scope have them, and each deed is audited', async () => {
  const { id } = await clientOf('token').webhooks.create({ name: 'by token', url: receiver.url });
  expect(await clientOf('rita').webhooks.get(id)).toMatchObject({ name: 'by token' });
  for (const name of ['rita', 'ann']) {
    await expect(clientOf(name).webhooks.delete(id)).rejects.toMatchObject({ status: 403 });
  }
  await expect(clientOf('ann').webhooks.list()).rejects.toMatchObject({ status: 403 });
  await admin.webhooks.delete(id);
  await expect(admin.webhooks.get(id)).rejects.toMatchObject({ code: 'webhook_not_found' });
  const { items } = await admin.audit.list({ take: 100 });
  const deeds = items.filter(({ action }) => action.startsWith('webhook.'));
  expect(deeds.slice(0, 2)).toMatchObject([
    { action: 'webhook.deleted', target: { kind: 'webhook', id, name: 'by token' } },
    { action: 'webhook.created', details: { origin: receiver.origin } },
  ]);
});
