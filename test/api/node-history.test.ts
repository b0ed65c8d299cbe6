import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

const SCHEMA = {
  nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String', Secret: 'String', Rank: 'Int' } }],
  edges: [],
};

let people: People;
let uid = '';
let notes = 0;

beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob']) await people.add(name);
  await people.add('reader', { isReadOnlyAdmin: true });
  await people.add('guest', { isGuest: true });
  const sales = await people.addTeam('Sales', { add: [people.uid('bob')] });
  await people.addToken('read-token', { kind: 'api', name: 'r', scopes: ['read'] });
  await people.addToken('ingest-token', { kind: 'api', name: 'i', scopes: ['ingestion'] });
  await people.as('admin', 'PUT', '/api/schema', SCHEMA);
  await people.as('admin', 'PUT', '/api/access/types', {
    types: { Note: { fields: { Secret: { teams: [sales] } } } },
  });
});
afterAll(() => people[Symbol.asyncDispose]());

/** Writes the note at hand, and answers the sequence of the commit. */
async function write(fields: object, as = 'admin', more: object = {}): Promise<number> {
  const operation = { op: 'addOrUpdate', type: 'Note', key: `note ${notes}`, fields, ...more };
  const answer = await people.as(as, 'POST', '/api/ingest', { operations: [operation] });
  if (answer.status !== 200) throw new Error(answer.text);
  return Object(answer.json).sequence;
}
const remove = () =>
  people.as('admin', 'POST', '/api/ingest', { operations: [{ op: 'delete', uid }] });
const history = (who: string, query = '', of = uid): Promise<Answer> =>
  people.as(who, 'GET', `/api/node/${of}/history${query}`);
const changesOf = async (who: string): Promise<unknown[]> =>
  items(await history(who)).map(({ changes }) => changes);

beforeEach(async () => {
  notes++;
  await write({ Text: 'first', Secret: 's1' }, 'admin', { timestamp: '2026-01-01T00:00:00Z' });
  const query = { type: 'Note', take: 1_000 };
  const found = items(await people.as('admin', 'POST', '/api/node/query', query));
  uid = String(found.find(({ Id }) => Id === `note ${notes}`)?.['UID']);
});

test('tells who changed what, when and in which commit, newest first', async () => {
  const from = Date.now();
  const second = await write({ Text: 'second', Rank: 1 });
  const third = await write({ Rank: null }, 'ingest-token', { timestamp: 0 });
  const answer = await history('admin');
  expect(answer.json).toEqual({
    items: [
      {
        version: 3,
        sequence: expect.any(Number),
        timestamp: expect.any(String),
        actor: null,
        changes: [
          {
            field: 'Timestamp',
            before: '2026-01-01T00:00:00.000Z',
            after: '1970-01-01T00:00:00.000Z',
          },
          { field: 'Rank', before: 1, after: null },
        ],
      },
      {
        version: 2,
        sequence: expect.any(Number),
        timestamp: expect.any(String),
        actor: { uid: expect.any(String), name: 'admin' },
        changes: [
          { field: 'Text', before: 'first', after: 'second' },
          { field: 'Rank', before: null, after: 1 },
        ],
      },
      {
        version: 1,
        sequence: null,
        timestamp: null,
        actor: null,
        changes: [
          { field: 'Timestamp', before: null, after: '2026-01-01T00:00:00.000Z' },
          { field: 'Text', before: null, after: 'first' },
          { field: 'Secret', before: null, after: 's1' },
        ],
      },
    ],
    total: 3,
    skip: 0,
    take: 50,
  });
  const [newest, older] = items(answer);
  expect(Number(newest?.['sequence'])).toBeGreaterThan(second);
  expect(Number(newest?.['sequence'])).toBeLessThanOrEqual(third);
  expect(Number(older?.['sequence'])).toBeLessThanOrEqual(second);
  expect(Date.parse(String(older?.['timestamp']))).toBeGreaterThanOrEqual(from);
  expect(answer.headers.get('x-msk-sequence')).toMatch(/^\d+$/);
});

test('is read page by page', async () => {
  for (let i = 0; i < 4; i++) await write({ Rank: i });
  const versionsIn = (answer: Answer) => items(answer).map(({ version }) => version);
  const first = await history('admin', '?take=2');
  expect([versionsIn(first), Object(first.json).total]).toEqual([[5, 4], 5]);
  expect(versionsIn(await history('admin', '?skip=2&take=2'))).toEqual([3, 2]);
  expect(versionsIn(await history('admin', '?skip=4&take=2'))).toEqual([1]);
  expect((await history('admin', '?skip=9')).json).toMatchObject({ items: [], total: 5 });
  expect((await history('admin', '?take=0')).status).toBe(400);
});

test('names the user who called the endpoint that wrote', async () => {
  const code = `export default async ({ graph, body }: Scope) => {
    await graph.addOrUpdate('Note', Object(body).name, { Text: 'by endpoint' });
  };`;
  const settings = { name: 'writes', code, isReadOnly: false, access: 'users' };
  const made = await people.as('admin', 'POST', '/api/endpoints/create', settings);
  expect(made.json).toMatchObject({ compiles: true });
  const body = { name: `note ${notes}` };
  const called = await people.as('ann', 'POST', '/api/endpoints/run/writes', body);
  expect(called.status).toBeLessThan(300);
  expect(items(await history('admin'))[0]).toMatchObject({
    actor: { uid: people.uid('ann'), name: 'ann' },
    changes: [{ field: 'Text', before: 'first', after: 'by endpoint' }],
  });
});

describe('whoever may not read a field', () => {
  beforeEach(async () => {
    await write({ Text: 'second', Secret: 's2' });
    await write({ Secret: 's3' });
    await write({ Text: 'fourth' });
  });

  test.each(['ann', 'guest', 'read-token'])(
    'learns neither its values nor that it changed, nor of a version it left: %s',
    async (who) => {
      const answer = await history(who);
      expect(answer.json).toMatchObject({ total: 2 });
      expect(items(answer).map(({ version }) => version)).toEqual([null, null]);
      expect(await changesOf(who)).toEqual([
        [{ field: 'Text', before: 'second', after: 'fourth' }],
        [{ field: 'Text', before: 'first', after: 'second' }],
      ]);
      expect(answer.text).not.toMatch(/Secret|s[123]"/);
      expect((await history(who, '?skip=1&take=1')).json).toMatchObject({ total: 2 });
    },
  );

  test.each(['admin', 'reader', 'bob'])('is not %s', async (who) => {
    const answer = await history(who);
    expect(items(answer).map(({ version }) => version)).toEqual([4, 3, 2, 1]);
    expect((await changesOf(who))[1]).toEqual([{ field: 'Secret', before: 's2', after: 's3' }]);
  });
});

test('a node that the caller may not see is not there, nor is one that does not exist', async () => {
  await write({ Text: 'hidden' });
  const node = { uid };
  const operations = [{ op: 'restrict', node, user: { uid: people.uid('bob') } }];
  await people.as('admin', 'POST', '/api/ingest', { operations });
  const hidden = await history('ann');
  expect([hidden.status, Object(hidden.json).error]).toMatchObject([
    404,
    { code: 'node_not_found' },
  ]);
  for (const of of ['1111111111111111111111', 'no%20uid']) {
    const absent = await history('ann', '', of);
    expect([absent.status, Object(absent.json).error]).toEqual([404, Object(hidden.json).error]);
  }
  for (const who of ['guest', 'read-token']) {
    expect((await history(who)).status).toBe(404);
  }
  for (const who of ['admin', 'reader', 'bob']) expect((await history(who)).status).toBe(200);
  expect((await history('')).status).toBe(401);
  expect((await history('ingest-token')).status).toBe(403);
});

test('a node that was deleted takes its history with it', async () => {
  await write({ Text: 'to be forgotten' });
  await remove();
  expect((await history('admin')).status).toBe(404);
  await write({ Text: 'anew' });
  const answer = await history('admin');
  expect(answer.json).toMatchObject({ total: 1, items: [{ version: 1 }] });
  expect(answer.text).not.toContain('forgotten');
});

test('nodes of the system have none', async () => {
  await people.as('admin', 'PUT', `/api/users/user/${people.uid('ann')}`, { firstName: 'Ann' });
  const answer = await history('admin', '', people.uid('ann'));
  expect([answer.status, answer.json]).toEqual([200, { items: [], total: 0, skip: 0, take: 50 }]);
});

test('of a value that is too large the size is told', async () => {
  await write({ Text: 'x'.repeat(20_000) });
  await write({ Text: 'short' });
  expect((await changesOf('admin')).slice(0, 2)).toEqual([
    [{ field: 'Text', before: null, after: 'short', beforeBytes: 20_000 }],
    [{ field: 'Text', before: 'first', after: null, afterBytes: 20_000 }],
  ]);
});
