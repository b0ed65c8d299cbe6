import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NODE_HISTORY_VALUE_BYTES_MAX } from '#base/limits.ts';
import { DB } from '#store/databases.ts';
import { changesOfCommit } from './node-changes.ts';
import type { CommitRequest, WriterOperation } from './operations.ts';
import { openTestGraph, type TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;
beforeEach(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      {
        type: 'Ticket',
        key: 'Number',
        fields: { Title: 'String', Size: 'Int', Tags: 'String[]' },
        indexes: [{ fields: ['Size'] }],
      },
      { type: 'Note', fields: { Text: 'String' } },
    ],
    edges: [{ type: 'About', inverse: 'HasNote' }],
  });
});
afterEach(() => graph[Symbol.asyncDispose]());

const WANTED = new Set(['Ticket', 'Gone']);

/** What the log says of a commit. */
async function changesOf(request: CommitRequest, wanted: ReadonlySet<string> = WANTED) {
  const before = graph.log.lastSequence;
  await graph.writer.commit(request);
  graph.reader.refresh();
  const found = [];
  for await (const record of graph.log.read(before + 1)) {
    const { registry } = graph.reader;
    const { triggers, nodes: all } = changesOfCommit(record.payload, registry);
    const nodes = all.filter(({ type }) => wanted.has(type));
    found.push({
      triggers,
      nodes: nodes.map(({ event, type, uid, key, ...node }) => {
        return { event, type, uid, key, before: node.before(), after: node.after() };
      }),
    });
  }
  return found;
}

const write = (key: string, fields: object): WriterOperation => ({
  op: 'addOrUpdate',
  type: 'Ticket',
  key,
  fields: { ...fields },
});

it('tells of nodes of wanted types alone, and by which triggers they came', async () => {
  const note: WriterOperation = { op: 'addOrUpdate', type: 'Note', fields: { Text: 'x' } };
  const triggers = ['a', 'b/c'];
  const [commit] = await changesOf({ operations: [note, write('1', { Size: 1 })], triggers });
  expect(commit?.triggers).toEqual(triggers);
  expect(commit?.nodes).toMatchObject([{ event: 'created', type: 'Ticket', key: '1' }]);
  expect(await changesOf({ operations: [note] })).toEqual([{ triggers: [], nodes: [] }]);
  // What changes nothing is no commit, whoever made it.
  expect(await changesOf({ operations: [write('1', { Size: 1 })], triggers })).toEqual([]);
});

it('leaves out values that the history does not keep', async () => {
  const large = 'x'.repeat(NODE_HISTORY_VALUE_BYTES_MAX + 1);
  await graph.write(write('1', { Title: large, Size: 1 }));
  const [changed] = await changesOf({ operations: [write('1', { Title: 'y', Size: 2 })] });
  expect(changed?.nodes[0]?.before).toMatchObject({ Number: '1', Id: '1', Size: 1 });
  expect(changed?.nodes[0]?.before).not.toHaveProperty('Title');
  expect(changed?.nodes[0]?.after).toMatchObject({ Title: 'y', Size: 2 });
  await graph.write(write('1', { Title: large }));
  const [deleted] = await changesOf({ operations: [{ op: 'delete', type: 'Ticket', key: '1' }] });
  expect(deleted?.nodes).toEqual([
    {
      event: 'deleted',
      type: 'Ticket',
      uid: expect.any(String),
      key: '1',
      before: expect.objectContaining({ Number: '1', Id: '1', Size: 2 }),
      after: undefined,
    },
  ]);
});

it('keeps nothing of a deleted node in the state', async () => {
  await graph.write(write('1', { Title: 'secret' }), write('1', { Title: 'other' }));
  await graph.write({ op: 'delete', type: 'Ticket', key: '1' });
  const left: Uint8Array[] = [];
  graph.snapshot.refresh();
  graph.snapshot.scan(
    DB.history,
    { start: Buffer.of(0), end: Buffer.of(255) },
    (key) => void left.push(key),
  );
  expect(left).toEqual([]);
});

const KEYS = ['1', '2', '3'];
const operation = fc.oneof(
  fc
    .record({
      key: fc.constantFrom(...KEYS),
      fields: fc.record(
        {
          Title: fc.option(fc.constantFrom('a', 'b', '')),
          Size: fc.option(fc.integer({ min: 0, max: 2 })),
          Tags: fc.option(fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 })),
        },
        { requiredKeys: [] },
      ),
      timestamp: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    })
    .map(({ key, fields, timestamp }) => ({
      ...write(key, fields),
      ...(timestamp === undefined ? {} : { timestamp }),
    })),
  fc.constantFrom(...KEYS).map((key) => ({ op: 'delete', type: 'Ticket', key }) as const),
);

it('says what the state was and became, whatever a commit does', async () => {
  const commits = fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(commits, async (all) => {
      for (const operations of all) {
        const nodes = () =>
          new Map(
            KEYS.map((key) => {
              const id = graph.reader.id({ type: 'Ticket', key });
              return [key, id === undefined ? undefined : { id, node: graph.reader.node(id) }];
            }),
          );
        const before = nodes();
        const found = (await changesOf({ operations })).flatMap((commit) => commit.nodes);
        const after = nodes();
        const expected = KEYS.flatMap((key): object[] => {
          const [was, is] = [before.get(key), after.get(key)];
          if (was?.id === is?.id) {
            if (JSON.stringify(was?.node) === JSON.stringify(is?.node)) return [];
            return [{ event: 'updated', key, before: was?.node, after: is?.node }];
          }
          return [
            ...(was === undefined ? [] : [{ event: 'deleted', key, before: was.node }]),
            ...(is === undefined ? [] : [{ event: 'created', key, after: is.node }]),
          ];
        });
        const inOrder = KEYS.flatMap((key) => found.filter((one) => one.key === key));
        expect(inOrder.filter(isChange)).toMatchObject(expected);
        expect(inOrder.filter(isChange)).toHaveLength(expected.length);
      }
    }),
    { numRuns: 60 },
  );
});

/** A commit may change a node and change it back. */
function isChange({ before, after }: { before: object | undefined; after: object | undefined }) {
  const sorted = (node: object | undefined) =>
    node && Object.entries(node).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(sorted(before)) !== JSON.stringify(sorted(after));
}
