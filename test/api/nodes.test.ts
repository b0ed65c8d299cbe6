import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, type Answer } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

const MISSING_UID = '1111111111111111111111';
const SCHEMA = {
  nodes: [
    {
      type: 'Note',
      key: 'Name',
      fields: { Text: 'String', Price: 'Decimal', Tags: 'String[]', Secret: 'String' },
      label: 'Name',
    },
    { type: 'Topic', key: 'Name', fields: { Rank: 'Int' } },
  ],
  edges: [{ type: 'About', inverse: 'HasNote' }],
};

let people: People;
const uids = new Map<string, string>();
const uid = (name: string): string => uids.get(name) ?? '';

beforeAll(async () => {
  people = await People.start();
  for (const name of ['ann', 'bob']) await people.add(name);
  await people.add('reader', { isReadOnlyAdmin: true });
  await people.add('guest', { isGuest: true });
  uids.set('user ann', people.uid('ann'));
  const sales = await people.addTeam('Sales', { add: [people.uid('bob')] });
  await people.addToken('read-token', { kind: 'api', name: 'reads', scopes: ['read'] });
  await people.addToken('search-token', { kind: 'api', name: 'searches', scopes: ['search'] });
  await people.as('admin', 'PUT', '/api/schema', SCHEMA);
  const note = (key: string, fields: object, timestamp: string) => ({
    op: 'addOrUpdate',
    type: 'Note',
    key,
    timestamp,
    fields: { Secret: `secret of ${key}`, ...fields },
  });
  const to = (key: string) => ({ from: { type: 'Note', key }, to: { type: 'Topic', key: 't' } });
  const operations = [
    { op: 'addOrUpdate', type: 'Topic', key: 't', fields: { Rank: -1 } },
    note('open', { Text: '=1+1', Price: '-2.50', Tags: ['a', 'b'] }, '2026-01-03T00:00:00Z'),
    note('sales', { Text: 'one "quoted"\r\nline' }, '2026-01-02T00:00:00Z'),
    note('ann', { Text: 'for ann' }, '2026-01-01T00:00:00Z'),
    ...['open', 'sales', 'ann'].map((key) => ({ op: 'link', edge: 'About', ...to(key) })),
    { op: 'restrict', node: { type: 'Note', key: 'sales' }, team: { uid: sales } },
    { op: 'restrict', node: { type: 'Note', key: 'ann' }, user: { uid: people.uid('ann') } },
  ];
  const ingested = await people.as('admin', 'POST', '/api/ingest', { operations });
  if (ingested.status !== 200) throw new Error(ingested.text);
  await people.as('admin', 'PUT', '/api/access/types', {
    types: { Note: { fields: { Secret: { teams: [sales] } } } },
  });
  for (const type of ['Note', 'Topic']) {
    for (const node of items(await people.as('admin', 'POST', '/api/node/query', { type }))) {
      uids.set(String(node['Id']), String(node['UID']));
    }
  }
});
afterAll(() => people[Symbol.asyncDispose]());

const get = (who: string, name: string): Promise<Answer> =>
  people.as(who, 'GET', `/api/node/${uids.get(name) ?? name}`);
const post = (who: string, path: string, body: unknown): Promise<Answer> =>
  people.as(who, 'POST', `/api/node/${path}`, body);

/** What an error says, without what is of one request only. */
async function error(answer: Promise<Answer>): Promise<unknown> {
  const { status, json } = await answer;
  return [status, Object(json).error];
}

describe('one node', () => {
  test.each([
    ['admin', ['open', 'sales', 'ann', 't']],
    ['reader', ['open', 'sales', 'ann', 't']],
    ['ann', ['open', 'ann', 't']],
    ['bob', ['open', 'sales', 't']],
    ['guest', ['open', 't']],
    ['read-token', ['open', 't']],
  ])('is seen by %s if it is one of %j', async (who, names) => {
    const seen: string[] = [];
    for (const name of ['open', 'sales', 'ann', 't']) {
      if ((await get(who, name)).status === 200) seen.push(name);
    }
    expect(seen).toEqual(names);
  });

  test('tells its version as its ETag', async () => {
    const write = (fields: object) =>
      people.as('admin', 'POST', '/api/ingest', {
        operations: [{ op: 'addOrUpdate', type: 'Topic', key: 'tagged', fields }],
      });
    const read = async () => {
      const reference = [{ type: 'Topic', key: 'tagged' }];
      const [node] = Object(
        (await people.as('admin', 'POST', '/api/node/many/full', { uids: reference })).json,
      );
      return (await people.as('ann', 'GET', `/api/node/${node.UID}`)).headers.get('etag');
    };
    await write({ Rank: 1 });
    const first = await read();
    await write({ Rank: 1 });
    const same = await read();
    await write({ Rank: 2 });
    expect([first, same, await read()]).toEqual(['"1"', '"1"', '"2"']);
  });

  test('is the same 404 when it is hidden, does not exist, or has no UID at all', async () => {
    const hidden = await error(get('bob', 'ann'));
    expect(hidden).toMatchObject([404, { code: 'node_not_found' }]);
    expect(await error(get('bob', MISSING_UID))).toEqual(hidden);
    expect(await error(get('bob', 'no%20uid'))).toEqual(hidden);
    expect(await error(get('bob', people.uid('bob').toLowerCase()))).toEqual(hidden);
  });

  test('lacks the fields that the caller may not read', async () => {
    expect((await get('ann', 'open')).json).toEqual({
      UID: uid('open'),
      Type: 'Note',
      Timestamp: '2026-01-03T00:00:00.000Z',
      Id: 'open',
      Name: 'open',
      Text: '=1+1',
      Price: '-2.50',
      Tags: ['a', 'b'],
    });
    for (const who of ['bob', 'admin', 'reader']) {
      expect((await get(who, 'open')).json).toHaveProperty('Secret', 'secret of open');
    }
    expect((await get('read-token', 'open')).json).not.toHaveProperty('Secret');
  });
});

describe('a query', () => {
  const names = (answer: Answer): unknown[] => items(answer).map((node) => node['Id']);

  test('lists a type, newest first, and counts what the caller sees', async () => {
    const all = await post('admin', 'query', { type: 'Note' });
    expect([names(all), Object(all.json).total]).toEqual([['open', 'sales', 'ann'], 3]);
    const seen = await post('ann', 'query', { type: 'Note', skip: 1, take: 1 });
    expect(seen.json).toMatchObject({ total: 2, skip: 1, take: 1 });
    expect(names(seen)).toEqual(['ann']);
    expect(seen.headers.get('x-msk-sequence')).toMatch(/^\d+$/);
  });

  test('finds UIDs in their order, of a type when one is given', async () => {
    const all = [uid('ann'), uid('t'), MISSING_UID, 'x', uid('open'), uid('t')];
    expect(names(await post('ann', 'query', { uids: all }))).toEqual(['ann', 't', 'open']);
    expect(names(await post('bob', 'query', { uids: all }))).toEqual(['t', 'open']);
    const notes = await post('ann', 'query', { uids: all, type: 'Note' });
    expect(names(notes)).toEqual(['ann', 'open']);
    expect(Object(notes.json).total).toBe(2);
  });

  test('does not list what the server keeps for itself, but to administrators', async () => {
    for (const type of ['_Setting', '_AuditEvent']) {
      expect((await post('ann', 'query', { type })).json).toMatchObject({ items: [], total: 0 });
      expect(items(await post('reader', 'query', { type })).length).toBeGreaterThan(0);
    }
  });

  test.each([
    [{}, ''],
    [{ type: 'Notes' }, 'type'],
    [{ type: 'Note', take: 0 }, 'take'],
    [{ type: 'Note', take: 1001 }, 'take'],
    [{ type: 'Note', skip: -1 }, 'skip'],
    [{ uids: Array(1001).fill('x') }, 'uids'],
    [{ uids: ['x'], fields: ['Text'] }, 'fields'],
  ])('of %j is refused', async (body, path) => {
    expect(await error(post('ann', 'query', body))).toMatchObject([
      400,
      { code: 'invalid_request', details: { fields: [{ path }] } },
    ]);
  });

  test('says which type was meant', async () => {
    expect(await error(post('ann', 'query', { type: 'Notes' }))).toMatchObject([
      400,
      { hint: 'Did you mean "Note"?' },
    ]);
  });
});

describe('many nodes', () => {
  test('come in order, null where there is none to be seen', async () => {
    const body = { uids: [uid('sales'), uid('ann'), MISSING_UID, uid('t'), uid('ann')] };
    const { json } = await post('ann', 'many/full', body);
    expect((json as ({ Id: string } | null)[]).map((node) => node?.Id ?? null)).toEqual([
      null,
      'ann',
      null,
      't',
      'ann',
    ]);
  });

  test('are at most a thousand', async () => {
    const answers = [1000, 1001].map((count) =>
      post('ann', 'many/full', { uids: Array(count).fill(uid('open')) }),
    );
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 400]);
  });

  test('show a field, or a text of several, and BLOCKED where one may not be read', async () => {
    const all = [uid('open'), uid('sales'), uid('t'), MISSING_UID];
    const [open = '', sales = '', topic = ''] = all;
    const plain = { uids: all, field: 'Secret' };
    const text = { uids: all, template: '{Name}: {Secret}{Unknown}' };
    expect((await post('ann', 'many/field', plain)).json).toEqual({
      [open]: 'BLOCKED',
      [sales]: null,
      [topic]: null,
      [MISSING_UID]: null,
    });
    expect((await post('ann', 'many/field', text)).json).toEqual({
      [open]: 'BLOCKED',
      [sales]: null,
      [topic]: 't: ',
      [MISSING_UID]: null,
    });
    expect((await post('bob', 'many/field', plain)).json).toMatchObject({
      [open]: 'secret of open',
      [sales]: 'secret of sales',
    });
    expect((await post('bob', 'many/field', text)).json).toMatchObject({
      [open]: 'open: secret of open',
    });
  });

  test.each([
    [{ uids: [] }, ''],
    [{ uids: [], field: 'A', template: '{A}' }, ''],
    [{ uids: [], template: '{A' }, 'template'],
    [{ uids: [], template: 'x'.repeat(1001) }, 'template'],
  ])('by %j are refused', async (body, path) => {
    expect(await error(post('ann', 'many/field', body))).toMatchObject([
      400,
      { code: 'invalid_request', details: { fields: [{ path }] } },
    ]);
  });
});

describe('a user', () => {
  const PUBLIC = ['UID', 'Type', 'Timestamp', 'UserName', 'FirstName', 'LastName', 'FullName'];

  test.each([
    ['bob', false],
    ['guest', false],
    ['read-token', false],
    ['ann', true],
    ['reader', true],
    ['admin', true],
  ])('is shown to %s whole: %s', async (who, isWhole) => {
    const nodes = [
      (await get(who, 'user ann')).json,
      items(await post(who, 'query', { uids: [uid('user ann')] }))[0],
      ((await post(who, 'many/full', { uids: [uid('user ann')] })).json as unknown[])[0],
    ];
    for (const node of nodes) {
      expect(node).toHaveProperty('Email', 'ann@example.com');
      const others = Object.keys(Object(node)).filter((name) => !PUBLIC.includes(name));
      if (isWhole) expect(node).toHaveProperty('Active', true);
      else expect(others).toEqual(['Email']);
    }
    const answer = async (wanted: object) =>
      field(
        (await post(who, 'many/field', { uids: [uid('user ann')], ...wanted })).json,
        uid('user ann'),
      );
    expect(await answer({ template: '{Active} {UserName}' })).toBe(
      isWhole ? 'true ann' : 'BLOCKED',
    );
    expect(await answer({ field: 'UserName' })).toBe('ann');
  });
});

test.each([
  ['GET', '/api/node/x', undefined],
  ['POST', '/api/node/query', { type: 'Note' }],
  ['POST', '/api/node/many/full', { uids: [] }],
  ['POST', '/api/node/many/field', { uids: [], field: 'Text' }],
  ['POST', '/api/node/download/csv', { type: 'Note' }],
  ['POST', '/api/node/download/jsonl', { type: 'Note' }],
  ['POST', '/api/node/download/zip', { type: 'Note' }],
])('%s %s is for users and for tokens that may read', async (method, path, body) => {
  expect(await people.outcome('', method, path, body)).toEqual([401, 'missing_token']);
  expect(await people.outcome('search-token', method, path, body)).toEqual([403, 'forbidden']);
  for (const who of ['guest', 'read-token']) {
    const [, code] = await people.outcome(who, method, path, body);
    expect([undefined, 'node_not_found']).toContain(code);
  }
});
