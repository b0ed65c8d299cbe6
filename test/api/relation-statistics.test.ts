import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';

const PATH = '/api/graph/stats/relations';

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ann');
  await people.add('rita', { isReadOnlyAdmin: true });
});
afterAll(() => people[Symbol.asyncDispose]());

const link = (from: string, to: string) => ({
  op: 'link',
  from: { type: 'Book', key: from },
  edge: 'WrittenBy',
  to: { type: 'Author', key: to },
});

test('edges are counted by the types at their ends, of one commit', async () => {
  await people.as('admin', 'PUT', '/api/schema', {
    nodes: [
      { type: 'Book', fields: {} },
      { type: 'Author', fields: {} },
    ],
    edges: [{ type: 'WrittenBy' }],
  });
  const operations = ['a', 'b', 'c'].flatMap((key) => [
    { op: 'addOrUpdate', type: 'Book', key },
    { op: 'addOrUpdate', type: 'Author', key },
    link(key, key),
  ]);
  await people.as('admin', 'POST', '/api/ingest', { operations });
  const { status, json } = await people.as('rita', 'GET', PATH);
  expect(status).toBe(200);
  const { relations, edges, counted, sequence } = json as Record<string, unknown>;
  expect(relations).toContainEqual({ from: 'Book', edge: 'WrittenBy', to: 'Author', edges: 3 });
  expect(counted).toBe(edges);
  expect(sequence).toBeGreaterThan(0);
});

test('is for administrators, since it counts what others may not see', async () => {
  expect(await people.outcome('ann', 'GET', PATH)).toEqual([403, 'forbidden']);
});
