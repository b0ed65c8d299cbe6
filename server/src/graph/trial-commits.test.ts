import { afterEach, beforeEach, expect, test } from 'vitest';
import { TRIAL_COMMIT_OPERATIONS_MAX } from '#base/migration-limits.ts';
import { DB } from '#store/databases.ts';
import { openTestGraph, problemOf, type TestGraph } from './testing/test-graph.ts';
import { TrialCommits } from './trial-commits.ts';

let graph: TestGraph;
let trial: TrialCommits;
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      { type: 'Book', fields: { Title: 'String' } },
      { type: 'Author', fields: {} },
    ],
    edges: [{ type: 'WrittenBy', inverse: 'Wrote' }],
  });
  await graph.write(
    { op: 'addOrUpdate', type: 'Book', key: 'a', fields: { Title: 'A' } },
    { op: 'addOrUpdate', type: 'Book', key: 'b', fields: { Title: 'B' } },
    { op: 'addOrUpdate', type: 'Author', key: 'ann' },
  );
  const { storage, clock } = graph;
  trial = TrialCommits.open({ storage, environmentKey: undefined, clock });
});
afterEach(async () => {
  await trial[Symbol.asyncDispose]();
  await graph[Symbol.asyncDispose]();
});

const book = (key: string) => ({ type: 'Book', key });
const writtenBy = (key: string, author: string) =>
  ({
    op: 'link',
    from: book(key),
    edge: 'WrittenBy',
    to: { type: 'Author', key: author },
    inverse: 'Wrote',
  }) as const;

/** All keys of nodes and edges that readers of the real state see. */
function stored(): number {
  graph.reader.refresh();
  const all = { start: new Uint8Array(0), end: new Uint8Array(16).fill(255) };
  return [DB.nodes, DB.out, DB.in, DB.uids, DB.types, DB.history].reduce(
    (sum, db) => sum + graph.snapshot.countRange(db, all),
    graph.reader.sequence,
  );
}

test('counts what commits do that were not awaited one by one', async () => {
  const keys = Array.from({ length: 20 }, (_, i) => `new ${i}`);
  await Promise.all(
    keys.map((key) => trial.commit({ operations: [{ op: 'addOrUpdate', ...book(key) }] })),
  );
  expect(trial.changes().nodes).toEqual([{ type: 'Book', created: 20, changed: 0, deleted: 0 }]);
});

test('counts what commits would do, each seeing those before it, and writes nothing', async () => {
  const before = stored();
  await trial.commit({
    operations: [
      { op: 'addOrUpdate', type: 'Book', key: 'a', fields: { Title: 'Other' } },
      { op: 'addOrUpdate', type: 'Author', key: 'bob' },
    ],
  });
  const { outcomes } = await trial.commit({
    operations: [
      { op: 'addOrUpdate', type: 'Book', key: 'a', fields: { Title: 'Third' } },
      writtenBy('a', 'bob'),
      { op: 'delete', ...book('b') },
      { op: 'addOrUpdate', type: 'Author', key: 'ann' },
    ],
  });
  expect(outcomes.map(({ changed }) => changed)).toEqual([true, true, true, false]);
  await trial.commit({ operations: [{ op: 'addOrUpdate', type: 'Author', key: 'gone' }] });
  await trial.commit({ operations: [{ op: 'delete', type: 'Author', key: 'gone' }] });
  expect(trial.changes()).toEqual({
    nodes: [
      { type: 'Author', created: 1, changed: 0, deleted: 0 },
      { type: 'Book', created: 0, changed: 1, deleted: 1 },
    ],
    edges: [
      { type: 'WrittenBy', created: 1, changed: 0, deleted: 0 },
      { type: 'Wrote', created: 1, changed: 0, deleted: 0 },
    ],
  });
  expect(stored()).toBe(before);
});

test('refuses what a real commit would, and counts nothing of it', async () => {
  const refused = await problemOf(() =>
    trial.commit({
      operations: [
        { op: 'addOrUpdate', type: 'Book', key: 'a', fields: { Title: 'Other' } },
        writtenBy('a', 'nobody'),
      ],
    }),
  );
  expect(refused.code).toBe('invalid_operation');
  expect(trial.changes()).toEqual({ nodes: [], edges: [] });
  expect(trial.isFull).toBe(false);
});

test('stays at the commit that it began with, whatever is written meanwhile', async () => {
  await graph.write({ op: 'delete', ...book('b') });
  await trial.commit({
    operations: [{ op: 'update', type: 'Book', key: 'b', fields: { Title: 'Still there' } }],
  });
  expect(trial.changes().nodes).toEqual([{ type: 'Book', created: 0, changed: 1, deleted: 0 }]);
  expect(graph.reader.id(book('b'))).toBeUndefined();
});

test('takes no more than fits, and says so', async () => {
  // A new node puts its record, its UID and its place among those of its type.
  const nodes = Math.ceil(TRIAL_COMMIT_OPERATIONS_MAX / 3) + 1;
  const operations = Array.from({ length: nodes }, (_, at) => ({
    op: 'addOrUpdate' as const,
    type: 'Author',
    key: `author ${at}`,
  }));
  expect((await problemOf(() => trial.commit({ operations }))).code).toBe('invalid_request');
  expect(trial.isFull).toBe(true);
  expect(trial.changes().nodes).toEqual([]);
  const one = { operations: operations.slice(0, 1) };
  expect((await problemOf(() => trial.commit(one))).code).toBe('invalid_request');
});
