import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  TABLE_CONDITIONS_MAX,
  TABLE_FIELDS_MAX,
  TABLE_TAKE_MAX,
} from '@trellis/contract/limits.ts';
import { valueAt, type Answer } from '../support/http-client.ts';
import { items, People } from '../support/people.ts';

/**
 * Books b1 to b5. b1 and b2 have the same author, and b1 leads to b5 by b3 and by b4; b4 is
 * restricted to the team that only Ada is in. `Cites` has no inverse.
 */
const SCHEMA = {
  nodes: [
    { type: 'Book', key: 'Isbn', fields: { Title: 'String', Pages: 'Int' } },
    { type: 'Author', key: 'Name', fields: {} },
  ],
  edges: [
    { type: 'WrittenBy', inverse: 'Wrote' },
    { type: 'Wrote', inverse: 'WrittenBy' },
    { type: 'Cites', fields: { Page: 'Int' } },
  ],
};

const book = (key: string) => ({ type: 'Book', key });
const link = (from: object, edge: string, to: object, fields?: object) => ({
  op: 'link',
  from,
  edge,
  to,
  ...(fields && { fields }),
});

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await people.add('bob');
  const team = await people.addTeam('Readers', { add: [people.uid('ada')] });
  await admin('PUT', '/api/schema', SCHEMA);
  const herbert = { type: 'Author', key: 'Herbert' };
  const { status, text } = await admin('POST', '/api/ingest', {
    operations: [
      ...[1, 2, 3, 4, 5].map((n) => ({
        op: 'addOrUpdate',
        ...book(`b${n}`),
        fields: { Title: `Book ${n}`, Pages: n * 100 },
      })),
      { op: 'addOrUpdate', ...herbert },
      link(book('b1'), 'WrittenBy', herbert),
      link(book('b2'), 'WrittenBy', herbert),
      link(book('b1'), 'Cites', book('b3'), { Page: 7 }),
      link(book('b1'), 'Cites', book('b4')),
      link(book('b3'), 'Cites', book('b5')),
      link(book('b4'), 'Cites', book('b5')),
      { op: 'restrict', node: book('b4'), team: { uid: team } },
    ],
  });
  expect(status, text).toBe(200);
});
afterAll(() => people[Symbol.asyncDispose]());

const admin = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);

const run = (user: string, name: string, body?: unknown): Promise<Answer> =>
  people.as(user, 'POST', `/api/cce/system/${name}`, body);

async function answer(user: string, name: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, json, text } = await run(user, name, body);
  expect(status, text).toBe(200);
  return Object(json);
}

const keys = (nodes: unknown): string[] => (nodes as { Id: string }[]).map(({ Id }) => Id);

describe('system/nodes', () => {
  const listed = async (user: string, body: object) =>
    keys((await answer(user, 'nodes', body))['items']);

  test('by type, keys and UIDs, without those that are hidden', async () => {
    const all = await listed('ada', { type: 'Book' });
    expect(all.toSorted()).toEqual(['b1', 'b2', 'b3', 'b4', 'b5']);
    expect((await listed('bob', { type: 'Book' })).toSorted()).toEqual(['b1', 'b2', 'b3', 'b5']);
    expect(await listed('bob', { type: 'Book', keys: ['b4', 'b3', 'none'] })).toEqual(['b3']);
    const [b4] = items(await run('ada', 'nodes', { type: 'Book', keys: ['b4'] }));
    const uids = [b4?.['UID']];
    expect(await listed('ada', { uids })).toEqual(['b4']);
    expect(await listed('bob', { uids })).toEqual([]);
  });

  test('compared, sorted, by pages, with some fields and a total', async () => {
    const asked = {
      type: 'Book',
      where: [{ field: 'Pages', compare: '>=', value: 200 }],
      sort: { by: 'field', field: 'Pages', direction: 'desc' },
      fields: ['Title'],
      take: 2,
      total: true,
    };
    const first = await answer('bob', 'nodes', asked);
    expect(first).toMatchObject({ skip: 0, take: 2, hasMore: true, total: 3 });
    expect(keys(first['items'])).toEqual(['b5', 'b3']);
    expect((first['items'] as object[])[0]).toMatchObject({ Title: 'Book 5' });
    expect((first['items'] as object[])[0]).not.toHaveProperty('Pages');
    const second = await answer('bob', 'nodes', { ...asked, skip: 2 });
    expect(keys(second['items'])).toEqual(['b2']);
    expect(second).toMatchObject({ hasMore: false });
    const from = new Date(Date.now() + 3_600_000).toISOString();
    expect(await listed('bob', { type: 'Book', from })).toEqual([]);
    expect(await listed('bob', { type: 'Book', sort: { by: 'connectivity' }, take: 1 })).toEqual([
      'b1',
    ]);
    expect(await listed('bob', { type: 'Book', sort: { by: 'timestamp' }, take: 9 })).toHaveLength(
      4,
    );
  });
});

describe('system/neighbors', () => {
  test('counts and items hold what the caller sees', async () => {
    const ada = await answer('ada', 'neighbors', { node: book('b1'), direction: 'out' });
    expect(ada).toMatchObject({
      node: { Id: 'b1' },
      counts: [
        { direction: 'out', edge: 'Cites', count: 2 },
        { direction: 'out', edge: 'WrittenBy', count: 1 },
      ],
      total: 3,
      items: [
        { direction: 'out', edge: { type: 'Cites', Page: 7 }, node: { Id: 'b3' } },
        { direction: 'out', edge: { type: 'Cites' }, node: { Id: 'b4' } },
        { direction: 'out', edge: { type: 'WrittenBy' }, node: { Id: 'Herbert' } },
      ],
    });
    const bob = await answer('bob', 'neighbors', { node: book('b1'), edges: ['Cites'] });
    expect(bob).toMatchObject({ total: 1, items: [{ node: { Id: 'b3' } }] });
    expect(bob['counts']).toContainEqual({ direction: 'out', edge: 'Cites', count: 1 });
    expect(bob['counts']).toContainEqual({ direction: 'in', edge: 'Wrote', count: 1 });
    const b5 = await answer('bob', 'neighbors', { node: book('b5'), direction: 'in' });
    expect(b5).toMatchObject({
      counts: [{ direction: 'in', edge: 'Cites', count: 1 }],
      items: [{ direction: 'in', edge: { type: 'Cites' }, node: { Id: 'b3' } }],
    });
  });

  test('pages go on over edge types and directions, each edge once', async () => {
    const all = (await answer('ada', 'neighbors', { node: book('b1') }))['items'] as unknown[];
    expect(all).toHaveLength(4);
    const paged: unknown[] = [];
    for (let skip = 0; skip < 6; skip++) {
      const page = await answer('ada', 'neighbors', { node: book('b1'), skip, take: 1 });
      expect(page).toMatchObject({ skip, take: 1, total: 4 });
      paged.push(...(page['items'] as unknown[]));
    }
    expect(paged).toEqual(all);
  });

  test('a node that is hidden is not found, as one that is not there', async () => {
    const hidden = await run('bob', 'neighbors', { node: book('b4') });
    const missing = await run('bob', 'neighbors', { node: book('none') });
    const errorOf = ({ json }: Answer) => valueAt(json, 'error');
    expect([hidden.status, valueAt(errorOf(hidden), 'message')]).toEqual([
      missing.status,
      valueAt(errorOf(missing), 'message'),
    ]);
    expect(missing.status).toBe(404);
  });
});

describe('system/paths', () => {
  const between = async (user: string, body: object) => {
    const { hops, paths } = await answer(user, 'paths', {
      from: book('b1'),
      to: book('b5'),
      ...body,
    });
    return { hops, paths: (paths as { nodes: unknown }[]).map(({ nodes }) => keys(nodes).join()) };
  };

  test('all the shortest, over what the caller sees', async () => {
    const ada = await between('ada', {});
    expect(ada.hops).toBe(2);
    expect(ada.paths.toSorted()).toEqual(['b1,b3,b5', 'b1,b4,b5']);
    expect(await between('bob', {})).toEqual({ hops: 2, paths: ['b1,b3,b5'] });
  });

  test('limited in length, number, edges and direction', async () => {
    const none = { hops: null, paths: [] };
    expect((await between('ada', { take: 1 })).paths).toHaveLength(1);
    expect(await between('ada', { maxHops: 1 })).toEqual(none);
    expect(await between('ada', { edges: ['WrittenBy'] })).toEqual(none);
    expect(await between('ada', { direction: 'in' })).toEqual(none);
    const author = { type: 'Author', key: 'Herbert' };
    expect((await between('ada', { from: author })).hops).toBe(3);
    expect((await run('bob', 'paths', { from: book('b1'), to: book('b4') })).status).toBe(404);
  });
});

const condition = { field: 'Pages', compare: '>', value: 0 };

describe.each([
  [
    'where',
    TABLE_CONDITIONS_MAX,
    (count: number) => Array.from({ length: count }, () => condition),
  ],
  ['fields', TABLE_FIELDS_MAX, (count: number) => Array.from({ length: count }, () => 'Pages')],
  ['take', TABLE_TAKE_MAX, (count: number) => count],
] as const)('at most so much in %s: %i', (member, max, of) => {
  test.each(['nodes', 'table'])('of system/%s', async (name) => {
    for (const count of [max - 1, max]) {
      await answer('bob', name, { type: 'Book', [member]: of(count) });
    }
    const { status, json } = await run('bob', name, { type: 'Book', [member]: of(max + 1) });
    expect([status, valueAt(json, 'error', 'code')]).toEqual([400, 'invalid_request']);
    expect(valueAt(json, 'error', 'details', 'fields')).toMatchObject([{ path: member }]);
  });
});

describe('a body that is not taken', () => {
  const NODE = { node: { type: 'Book', key: 'b1' } };
  const ENDS = { from: { type: 'Book', key: 'b1' }, to: { type: 'Book', key: 'b5' } };
  test.each([
    ['nodes', {}, 'type'],
    ['nodes', { type: 'Book', uids: [] }, 'type'],
    ['nodes', { uids: [], keys: [] }, 'keys'],
    ['nodes', { type: 'Bok' }, 'type'],
    ['nodes', { type: 'Book', take: 0 }, 'take'],
    ['nodes', { type: 'Book', take: 1_001 }, 'take'],
    ['nodes', { type: 'Book', skip: -1 }, 'skip'],
    ['nodes', { type: 'Book', uids: undefined, colour: 1 }, 'colour'],
    ['nodes', { type: 'Book', from: 'yesterday' }, 'from'],
    ['nodes', { type: 'Book', where: [{ field: 'Title', compare: 'like' }] }, 'where.0.compare'],
    [
      'nodes',
      {
        type: 'Book',
        where: [
          { field: 'Title', compare: 'exists' },
          { field: 'Ttl', compare: '=' },
        ],
      },
      'where.1.field',
    ],
    [
      'nodes',
      { type: 'Book', where: [{ field: 'Pages', compare: '=', value: 'many' }] },
      'where.0.value',
    ],
    ['nodes', { type: 'Book', sort: { by: 'field' } }, 'sort.field'],
    ['nodes', { type: 'Book', sort: { by: 'field', field: 'Ttl' } }, 'sort.field'],
    ['nodes', { type: 'Book', fields: ['Title', 'Ttl'] }, 'fields.1'],
    ['neighbors', {}, 'node'],
    ['neighbors', { node: { type: 'Book' } }, 'node'],
    ['neighbors', { node: { type: 'Bok', key: 'b1' } }, 'node.type'],
    ['neighbors', { ...NODE, edges: ['Cites', 'Cite'] }, 'edges.1'],
    ['neighbors', { ...NODE, take: 1_001 }, 'take'],
    ['neighbors', { ...NODE, direction: 'up' }, 'direction'],
    ['paths', { from: NODE.node }, 'to'],
    ['paths', { ...ENDS, to: { type: 'Bok', key: 'b1' } }, 'to.type'],
    ['paths', { ...ENDS, edges: ['Cite'] }, 'edges'],
    ['paths', { ...ENDS, maxHops: 21 }, 'maxHops'],
    ['paths', { ...ENDS, take: 51 }, 'take'],
  ])('system/%s %j: 400 that names %s', async (name, body, path) => {
    const { status, json, text } = await run('bob', name, body);
    expect(status, text).toBe(400);
    const error = valueAt(json, 'error');
    expect(error).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path, message: expect.any(String) }] },
    });
  });
});

describe('who calls them', () => {
  test('nobody without a session', async () => {
    expect((await run('', 'nodes', { type: 'Book' })).status).toBe(401);
  });

  test('an endpoint token, as the user it acts as, and not as nobody', async () => {
    await people.addToken('acting', {
      kind: 'endpoint',
      name: 'acting',
      actingUser: people.uid('bob'),
    });
    await people.addToken('nobody', { kind: 'endpoint', name: 'nobody' });
    const path = '/api/endpoints/token/run/system/nodes';
    const acting = await people.as('acting', 'POST', path, { type: 'Book', total: true });
    expect([acting.status, valueAt(acting.json, 'total')]).toEqual([200, 4]);
    expect(await people.outcome('nobody', 'POST', path, { type: 'Book' })).toEqual([
      403,
      'forbidden',
    ]);
  });

  test('other endpoints, as their caller', async () => {
    const code = `export default ({ run }: Scope) => run('system/nodes', { type: 'Book', total: true });\n`;
    await admin('POST', '/api/endpoints/create', { name: 'count-books', code, isReadOnly: true });
    const total = async (user: string) =>
      valueAt((await people.as(user, 'POST', '/api/cce/count-books')).json, 'total');
    expect([await total('ada'), await total('bob')]).toEqual([5, 4]);
  });
});
