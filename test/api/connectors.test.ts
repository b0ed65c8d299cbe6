import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { endedRun, runToEnd } from '../support/connector-runs.ts';
import { People } from '../support/people.ts';

let people: People;
let admin: TrellisClient;
let server: Server;
let origin: string;
let answer: RequestListener;

beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('rita', { isReadOnlyAdmin: true });
  await people.addToken('token', { kind: 'api', name: 't', scopes: ['admin:connectors'] });
  admin = clientOf('admin');
  server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await admin.workspace.putSettings({ fetchAllowList: [origin] });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await people[Symbol.asyncDispose]();
});
afterEach(async () => {
  for (const { id } of (await admin.connectors.list()).items) {
    await admin.connectors.cancel(id);
    await ended(id);
    await admin.connectors.delete(id);
  }
});

function clientOf(name: string): TrellisClient {
  const baseUrl = people.workspace.server.url;
  return new TrellisClient({ baseUrl, token: people.token(name), retry: { retriesMax: 0 } });
}

const csv =
  (text: string): RequestListener =>
  (_request, response) =>
    response.end(text);
const sourceOf = (type: string) =>
  ({ kind: 'csv', url: `${origin}/people.csv`, type, key: 'Email' }) as const;

const ended = (id: string) => endedRun(admin, id);
const run = (id: string, full = false) => runToEnd(admin, id, full);

async function namesOf(type: string): Promise<unknown[]> {
  const { items } = await admin.nodes.query({ type, take: 1_000 });
  return items.map((node) => node['Id']).toSorted();
}

test('a table is brought, and each run tells what has changed', async () => {
  answer = csv('Email,Name\na@x.org,Ann\nb@x.org,Bob\n');
  const { id, ...made } = await admin.connectors.create({ name: 'HR', source: sourceOf('Person') });
  expect(made).toMatchObject({
    name: 'HR',
    hasSecret: false,
    schedule: null,
    scheduleInWords: null,
    nextRunAt: null,
    enabled: true,
    jobId: null,
    lastRun: null,
  });
  expect(await run(id)).toMatchObject({
    state: 'succeeded',
    trigger: 'manual',
    error: null,
    report: { rows: 2, added: 2, changed: 0, removed: 0, unchanged: 0, rejected: 0 },
  });
  expect(await namesOf('Person')).toEqual(['a@x.org', 'b@x.org']);
  answer = csv('Email,Name\na@x.org,Anna\nc@x.org,Cy\n');
  expect((await run(id))?.report).toMatchObject({
    rows: 2,
    changes: [
      { row: 'a@x.org', change: 'changed' },
      { row: 'c@x.org', change: 'added' },
      { row: 'b@x.org', change: 'removed' },
    ],
  });
  expect(await namesOf('Person')).toEqual(['a@x.org', 'c@x.org']);
  expect((await run(id))?.report).toMatchObject({ unchanged: 2, operations: 0, changes: [] });
  const { items, total } = await admin.connectors.runs(id);
  expect([items.map(({ report }) => report?.rows), total]).toEqual([[2, 2, 2], 3]);
});

test('a renamed type is followed: nothing is made twice, and what goes later goes', async () => {
  answer = csv('Email,Name\na@x.org,Ann\nb@x.org,Bob\n');
  const { id } = await admin.connectors.create({ name: 'HR', source: sourceOf('Employee') });
  await run(id);
  await admin.schema.change({ changes: [{ rename: { type: 'Employee', to: 'Colleague' } }] });
  expect((await admin.connectors.get(id)).source).toMatchObject({ type: 'Colleague' });
  expect(await run(id)).toMatchObject({ state: 'succeeded', report: { added: 2, removed: 0 } });
  expect(await namesOf('Colleague')).toEqual(['a@x.org', 'b@x.org']);
  answer = csv('Email,Name\na@x.org,Ann\n');
  expect((await run(id))?.report).toMatchObject({ removed: 1 });
  expect(await namesOf('Colleague')).toEqual(['a@x.org']);
  const { nodes } = await admin.schema.get();
  expect(nodes.map(({ type }) => type)).not.toContain('Employee');
});

test('rows that the workspace refuses are named, and the others are brought', async () => {
  answer = csv(`Email,Name\n${'x'.repeat(5_000)},Long\nd@x.org,Dee\n`);
  const { id } = await admin.connectors.create({ name: 'long', source: sourceOf('Guest') });
  const last = await run(id);
  expect(last).toMatchObject({ state: 'succeeded', report: { rejected: 1, added: 1 } });
  expect(last?.report?.rejectedRows[0]?.row).toMatch(/^x+\.\.\.$/);
  expect(await namesOf('Guest')).toEqual(['d@x.org']);
});

test('a secret is sent to its server, shown to nobody, and does not follow to another', async () => {
  const seen: unknown[] = [];
  answer = (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401).end();
  };
  const source = sourceOf('Secret');
  const secret = 'quokka-on-the-island';
  const { id, ...made } = await admin.connectors.create({ name: 's', source, secret });
  expect(made).toMatchObject({ hasSecret: true });
  expect(await run(id)).toMatchObject({ state: 'failed', error: { code: 'connector_failed' } });
  expect(seen).toEqual([`Bearer ${secret}`]);
  const other = 'https://elsewhere.example.com';
  await admin.workspace.putSettings({ fetchAllowList: [origin, other] });
  const moved = { name: 's', source: { ...source, url: `${other}/a.csv` } };
  await expect(admin.connectors.update(id, moved)).rejects.toMatchObject({
    code: 'invalid_request',
    details: { fields: [{ path: 'secret' }] },
  });
  await expect(admin.connectors.test({ id, source: moved.source })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  const tested = await admin.connectors.test({ id, source });
  expect(tested).toEqual({ isReachable: false, message: `${source.url} answers 401` });
  const renamed = await admin.connectors.update(id, { name: 'renamed', source });
  expect(renamed).toMatchObject({ name: 'renamed', hasSecret: true });
  const without = await admin.connectors.update(id, { ...moved, secret: null });
  expect(without.hasSecret).toBe(false);
  const everything = JSON.stringify([
    await admin.connectors.list(),
    await admin.connectors.runs(id),
    await admin.audit.list({ take: 100 }),
    await admin.jobs.list({}),
  ]);
  expect(everything).not.toContain(secret);
});

test('the password of a database that was encrypted is not sent in clear by whoever does not know it', async () => {
  const database = 'postgres://db.example.com';
  await admin.workspace.putSettings({ fetchAllowList: [origin, `${database}:5432`] });
  const source = {
    kind: 'postgres' as const,
    url: `${database}/shop`,
    tls: true,
    user: 'reader',
    query: 'SELECT 1 AS id',
    type: 'Order',
    key: 'id',
    changed: null,
    team: null,
  };
  const secret = 'numbat-in-the-log';
  const { id } = await admin.connectors.create({ name: 'db', source, secret });
  const clear = { name: 'db', source: { ...source, tls: false } };
  const refusal = { code: 'invalid_request', details: { fields: [{ path: 'secret' }] } };
  await expect(admin.connectors.update(id, clear)).rejects.toMatchObject(refusal);
  await expect(admin.connectors.test({ id, source: clear.source })).rejects.toMatchObject(refusal);
  const given = await admin.connectors.update(id, { ...clear, secret });
  expect(given).toMatchObject({ hasSecret: true, source: { tls: false } });
  const back = await admin.connectors.update(id, { name: 'db', source });
  expect(back).toMatchObject({ hasSecret: true, source: { tls: true } });
});

test('only addresses that are allowed are reached, also when the source redirects', async () => {
  const inner = createServer((_request, response) => response.end('Email\ninner@x.org\n'));
  inner.listen(0, '127.0.0.1');
  await once(inner, 'listening');
  const elsewhere = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/`;
  const refused = { name: 'x', source: { ...sourceOf('Inner'), url: elsewhere } };
  await expect(admin.connectors.create(refused)).rejects.toMatchObject({
    code: 'connector_address_not_allowed',
  });
  answer = (_request, response) => response.writeHead(302, { location: elsewhere }).end();
  const { id } = await admin.connectors.create({ name: 'x', source: sourceOf('Inner') });
  const last = await run(id);
  expect(last).toMatchObject({ state: 'failed', error: { code: 'connector_failed' } });
  expect(last?.error?.message).toContain('is not in the setting fetchAllowList');
  answer = (request, response) => response.writeHead(302, { location: `${request.url}x` }).end();
  expect((await run(id))?.error?.message).toContain('redirects without end');
  const { nodes } = await admin.schema.get();
  expect(nodes.map(({ type }) => type)).not.toContain('Inner');
  inner.close();
});

test('a source that never ends is cancelled, and one at a time runs', async () => {
  answer = (_request, response) => response.write('Email,Name\n');
  const { id } = await admin.connectors.create({ name: 'slow', source: sourceOf('Slow') });
  await admin.connectors.run(id, {});
  await expect(admin.connectors.run(id, {})).rejects.toMatchObject({ code: 'task_running' });
  await expect(admin.connectors.delete(id)).rejects.toMatchObject({ code: 'task_running' });
  await admin.connectors.cancel(id);
  expect(await ended(id)).toMatchObject({ state: 'cancelled', report: null });
});

test('hostile tables end their run, and nothing else', async () => {
  const { id } = await admin.connectors.create({ name: 'bad', source: sourceOf('Bad') });
  const bodies = [`Email,"${'x'.repeat(2_000_000)}`, `${'a,'.repeat(600)}Email\n`, 'Nothing\n', ''];
  for (const body of bodies) {
    answer = csv(body);
    const last = await run(id);
    expect(last).toMatchObject({ state: 'failed', error: { code: 'connector_failed' } });
    expect(last?.error?.message.length).toBeLessThan(600);
  }
  const { nodes } = await admin.schema.get();
  expect(nodes.map(({ type }) => type)).not.toContain('Bad');
});

test('it runs by its schedule, and what has no schedule does not', async () => {
  answer = csv('Email,Name\ne@x.org,Eve\n');
  const schedule = { cron: '* * * * * *', timeZone: 'UTC' };
  const source = sourceOf('Timed');
  const { id, ...made } = await admin.connectors.create({ name: 'timed', source, schedule });
  expect(made).toMatchObject({
    scheduleInWords: 'Every second',
    nextRunAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  await expect.poll(async () => (await admin.connectors.runs(id)).total).toBeGreaterThan(0);
  const off = { name: 'timed', source, schedule, enabled: false };
  expect(await admin.connectors.update(id, off)).toMatchObject({
    scheduleInWords: 'Every second',
    nextRunAt: null,
  });
  expect(await ended(id)).toMatchObject({ trigger: 'schedule' });
  const wrong = { name: 'w', source, schedule: { ...schedule, cron: 'never' } };
  await expect(admin.connectors.create(wrong)).rejects.toMatchObject({ code: 'invalid_schedule' });
});

test('administrators and tokens with the scope alone may, and every deed is in the audit', async () => {
  answer = csv('Email\n');
  const body = { name: 'rights', source: sourceOf('Rights') };
  expect(await people.outcome('ann', 'GET', '/api/connectors')).toEqual([403, 'forbidden']);
  expect(await people.outcome('rita', 'GET', '/api/connectors')).toEqual([200, undefined]);
  expect(await people.outcome('rita', 'POST', '/api/connectors', body)).toEqual([403, 'forbidden']);
  const { id } = await clientOf('token').connectors.create(body);
  expect(await clientOf('token').connectors.test({ source: body.source })).toEqual({
    isReachable: true,
    message: 'A table without rows',
  });
  await run(id);
  const { items } = await admin.audit.list({ take: 100 });
  const deeds = items.map(({ action }) => action);
  expect(deeds).toEqual(
    expect.arrayContaining(['connector.created', 'connector.tested', 'connector.run']),
  );
});
