import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { People } from '../support/people.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

let people: People;
let admin: TrellisClient;
let resources: AsyncDisposableStack;

beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob']) await people.add(name);
  const baseUrl = people.workspace.server.url;
  admin = new TrellisClient({ baseUrl, token: people.token('admin'), retry: { retriesMax: 0 } });
  await admin.schema.put({
    nodes: [
      { type: 'Note', key: 'Name', fields: { Text: 'String', Secret: 'String' } },
      { type: 'Plan', key: 'Name', fields: {} },
    ],
    edges: [{ type: 'About' }],
  });
  const only = { users: [people.uid('bob')] };
  await admin.access.putTypes({
    types: {
      Note: { fields: { Secret: only } },
      Plan: { visibleTo: 'restricted' },
    },
  });
  resources = new AsyncDisposableStack();
});
afterAll(() => people[Symbol.asyncDispose]());
afterEach(async () => {
  for (const { id } of (await admin.webhooks.list()).items) await admin.webhooks.delete(id);
  await resources.disposeAsync();
  resources = new AsyncDisposableStack();
});

async function receive(): Promise<WebhookReceiver> {
  const receiver = resources.use(await WebhookReceiver.start());
  await allow(receiver.origin);
  return receiver;
}

async function allow(...origins: readonly string[]): Promise<void> {
  const { fetchAllowList } = await admin.workspace.getSettings();
  await admin.workspace.putSettings({ fetchAllowList: [...fetchAllowList, ...origins] });
}

type Settings = Parameters<TrellisClient['webhooks']['create']>[0];
const create = (receiver: { readonly url: string }, settings: Partial<Settings> = {}) =>
  admin.webhooks.create({ name: 'hook', url: receiver.url, ...settings });

const write = (...operations: Parameters<TrellisClient['graph']['ingest']>[0]) =>
  admin.graph.ingest(operations);
const note = (key: string, fields: Record<string, string> = {}) =>
  ({ op: 'addOrUpdate', type: 'Note', key, fields }) as const;
const node = (key: string, type = 'Note') => ({ type, key });
const restrict = (key: string) =>
  ({ op: 'restrict', node: node(key), user: { uid: people.uid('bob') } }) as const;
const remove = (key: string, type = 'Note') => ({ op: 'delete', type, key }) as const;
const link = (op: 'link' | 'unlink', from: string, to: string) =>
  ({ op, from: node(from), edge: 'About', to: node(to) }) as const;

test('as a user, nothing is told that the user may not see', async () => {
  const [all, seen, bobs] = [await receive(), await receive(), await receive()];
  await create(all);
  await create(seen, { asUser: people.uid('ann') });
  await create(bobs, { asUser: people.uid('bob') });
  // Never visible to Ann, not for a moment: what is in one commit is restricted together.
  await write(note('hidden', { Text: 'hidden-text' }), restrict('hidden'));
  await bobs.wait(1);
  await write(note('open', { Text: 'told', Secret: 'hidden-secret' }));
  await write({ op: 'addOrUpdate', type: 'Plan', key: 'hidden-plan', fields: {} });
  await write(link('link', 'open', 'hidden'), link('link', 'hidden', 'open'));
  await write(link('unlink', 'open', 'hidden'));
  await write(note('hidden', { Text: 'hidden-text-2' }));
  await write(remove('hidden-plan', 'Plan'));
  // What it was restricted to is gone when it is deleted, and told with it alone.
  await write(remove('hidden'));
  await write(note('loose', {}), restrict('loose'));
  await write(
    { op: 'unrestrict', node: node('loose'), user: { uid: people.uid('bob') } },
    remove('loose'),
  );
  await write(note('end', {}));
  const ends = (receiver: WebhookReceiver) => () =>
    receiver.changes.some(({ action, key }) => action === 'created' && key === 'end');
  for (const receiver of [all, seen, bobs]) {
    await expect.poll(ends(receiver)).toBe(true);
  }
  expect(JSON.stringify(all.bodies)).toContain('hidden-secret');
  expect(all.changes.filter(({ action }) => action === 'deleted')).toHaveLength(3);
  const told = JSON.stringify(seen.received);
  expect(told).not.toMatch(/hidden|loose|Plan/);
  expect(seen.changes.map(({ action, key }) => `${action} ${key}`)).toEqual([
    'created open',
    'created end',
  ]);
  expect(seen.changes[0]?.node).toEqual({
    UID: expect.any(String),
    Type: 'Note',
    Timestamp: expect.any(String),
    Id: 'open',
    Name: 'open',
    Text: 'told',
  });
  expect(JSON.stringify(bobs.bodies)).toContain('hidden-text');
});

test('as a user, what waits is decided when it is sent, also what the log still knows', async () => {
  const receiver = await receive();
  const { id } = await create(receiver, { asUser: people.uid('ann'), enabled: false });
  await write(note('w1', { Text: 'first-text' }), restrict('w1'));
  await write(note('w1', { Text: 'second-text' }));
  await write({ op: 'unrestrict', node: node('w1'), user: { uid: people.uid('bob') } });
  await write(note('w2', { Text: 'third-text' }), note('w3'), note('w4'));
  await write(link('link', 'w3', 'w4'), restrict('w3'));
  await write(link('unlink', 'w3', 'w4'));
  await write({ op: 'unrestrict', node: node('w3'), user: { uid: people.uid('bob') } });
  await write(restrict('w2'));
  // The commit that opens an end removes what hung on it while it was hidden.
  await write(note('w5'), restrict('w5'), link('link', 'w5', 'w4'));
  await write(
    { op: 'unrestrict', node: node('w5'), user: { uid: people.uid('bob') } },
    link('unlink', 'w5', 'w4'),
  );
  await write(note('last'));
  await admin.webhooks.update(id, {
    name: 'hook',
    url: receiver.url,
    asUser: people.uid('ann'),
  });
  const told = () => receiver.changes.map(({ action, key, edge }) => `${action} ${key ?? edge}`);
  await expect.poll(() => told().at(-1)).toBe('created last');
  // The first text was never hers to read; the edge was gone before she saw its ends.
  expect(told()).toEqual([
    'created w1',
    'updated w1',
    'created w3',
    'created w4',
    'created w5',
    'created last',
  ]);
  expect(JSON.stringify(receiver.bodies)).not.toMatch(/first-text|third-text|linked/);
  expect(receiver.changes[0]?.node).toMatchObject({ Text: 'second-text' });
});

test('a user who may not sign in any more is told nothing more', async () => {
  const receiver = await receive();
  const uid = await people.add('leaver');
  const { id } = await create(receiver, { asUser: uid });
  await admin.users.deactivate(uid);
  await write(note('after-leaving'));
  await expect.poll(async () => (await admin.webhooks.get(id)).state).toBe('paused');
  expect((await admin.webhooks.get(id)).reason).toContain('may not sign in');
  expect(receiver.received).toEqual([]);
});

test('a redirect, another name of the host, and an origin that is taken back lead nowhere', async () => {
  const [receiver, inner] = [await receive(), resources.use(await WebhookReceiver.start())];
  receiver.answer = (response) =>
    response.writeHead(307, { location: inner.url, 'retry-after': '1' }).end();
  const { id } = await create(receiver);
  await write(note('redirected'));
  await expect
    .poll(async () => (await admin.webhooks.get(id)).reason)
    .toBe('It answers 307: redirects are not followed');
  const byName = { url: inner.url.replace('127.0.0.1', 'localhost') };
  await expect(create(byName)).rejects.toMatchObject({ code: 'webhook_address_not_allowed' });
  await expect(create({ url: 'http://[::ffff:127.0.0.1]:1/' })).rejects.toMatchObject({
    code: 'webhook_address_not_allowed',
  });
  await admin.workspace.putSettings({ fetchAllowList: [] });
  expect(await admin.webhooks.test(id)).toMatchObject({
    status: 'failed',
    response: null,
    error: `A webhook may not reach ${receiver.origin}`,
  });
  expect([receiver.received.length, inner.received.length]).toEqual([1, 0]);
});

/** Takes connections, and does with each what a test says. */
async function rawReceiver(take: (socket: Socket) => void): Promise<{ readonly url: string }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    take(socket);
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  resources.defer(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await allow(origin);
  return { url: `${origin}/` };
}

test('receivers that hang, cut off or never end hold up neither others nor commits', async () => {
  const hangs = await rawReceiver(() => undefined);
  const cuts = await rawReceiver((socket) => socket.once('data', () => socket.destroy()));
  const endless = await rawReceiver((socket) =>
    socket.once('data', () => {
      const head = 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n';
      socket.write(head);
      const chunk = `ffff\r\n${'x'.repeat(0xffff)}\r\n`;
      const pour = (): void => {
        while (!socket.destroyed && socket.write(chunk));
        socket.once('drain', pour);
      };
      pour();
    }),
  );
  const good = await receive();
  const failing = [await create(hangs), await create(cuts), await create(endless)];
  const { id } = await create(good);
  const keys = Array.from({ length: 50 }, (_, i) => `many${i}`);
  for (const key of keys) await write(note(key));
  await good.wait(keys.length);
  expect(good.changes.map(({ key }) => key)).toEqual(keys);
  const reasonOf = async (at: number) => (await admin.webhooks.get(failing[at]!.id)).reason;
  await expect.poll(() => reasonOf(2)).toBe('It answers 500');
  await expect.poll(() => reasonOf(1)).toEqual(expect.any(String));
  const { items } = await admin.webhooks.deliveries(failing[2]!.id);
  expect(items[0]?.response?.body).toBe('x'.repeat(1_000));
  // It waits for an answer still: to delete it does not wait with it.
  await admin.webhooks.delete(failing[0]!.id);
  expect(await admin.webhooks.get(id)).toMatchObject({ state: 'active' });
});

test('there may be so many, and each of them is told everything in order', async () => {
  const receiver = await receive();
  const names = Array.from({ length: 100 }, (_, i) => `hook ${i}`);
  const ids = [];
  for (const name of names) ids.push((await create(receiver, { name, payload: 'ids' })).id);
  await expect(create(receiver)).rejects.toMatchObject({
    code: 'webhook_limit_reached',
    details: { limit: 100 },
  });
  const keys = Array.from({ length: 20 }, (_, i) => `each${i}`);
  for (const key of keys) await write(note(key));
  await receiver.wait(ids.length * keys.length);
  for (const id of ids) {
    const own = receiver.received.filter((one) => one.id.startsWith(`msg_${id}_`));
    expect(own.map(({ body }) => body.changes[0]?.key)).toEqual(keys);
  }
});
