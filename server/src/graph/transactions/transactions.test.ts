import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Query } from '../query/plan.ts';
import type { WriterOperation } from '../operations.ts';
import { openTestGraph, problemOf, type TestGraph } from '../testing/test-graph.ts';
import { openHeldGraphReader } from '../open-reader.ts';
import { runQuery } from '../query/run.ts';
import { StateReader } from '../state-reader.ts';
import { ReadSet, RecordingReader } from './read-set.ts';
import type { Snapshots } from './snapshots.ts';
import { type DraftedTransaction, TransactionDrafts } from './transaction-draft.ts';

let graph: TestGraph;
let reader: StateReader;
let snapshots: Snapshots;
beforeAll(async () => {
  graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      {
        type: 'Book',
        key: 'Name',
        fields: { Pages: 'Int', Shelf: 'String' },
        indexes: [{ field: 'Shelf' }],
      },
      { type: 'Note', fields: { Text: 'String' } },
    ],
    edges: [{ type: 'Cites' }],
  });
  ({ reader, snapshots } = openHeldGraphReader({ storage: graph.storage }));
});
afterAll(async () => {
  reader[Symbol.dispose]();
  await graph[Symbol.asyncDispose]();
});

const book = (key: string, fields: object = {}): WriterOperation => ({
  op: 'addOrUpdate',
  type: 'Book',
  key,
  fields: { ...fields },
});

/** A transaction that has read and written: commits it when it is told to. */
function begin(read: (reader: StateReader) => void, operations: readonly WriterOperation[]) {
  reader.refresh();
  const snapshot = snapshots.hold();
  const reads = new ReadSet();
  const recording = new RecordingReader(snapshot.state, reads);
  const position = { refresh: () => snapshot.sequence, sequence: snapshot.sequence };
  reads.isSchemaWatched = true;
  read(new StateReader(recording, position, undefined, reads.schema));
  using draft = new TransactionDrafts().begin(snapshot, () => graph.clock.now());
  const outcomes = draft.write(JSON.stringify(operations), 1);
  const drafted = JSON.parse(draft.toJson(reads.toKeys())) as DraftedTransaction;
  snapshot.release();
  return { outcomes, commit: () => graph.writer.commit({ ...drafted }) };
}

let others = 0;
const typed = (fields: object, indexes: readonly IndexDocument[] = []): SchemaDocument => ({
  nodes: [{ type: 'Book', fields: { ...fields }, indexes: [...indexes] }],
  edges: [],
});
const readNode = (at: StateReader) => void at.node(at.id({ type: 'Book', key: 'one' }) ?? 0);
const query = (at: StateReader, ...steps: object[]) =>
  runQuery(at, { steps, end: { end: 'count' } } as Query);
const pagesOver = (value: number) => ({ op: 'where', field: 'Pages', compare: '>', value });
const readShelf = (at: StateReader) =>
  void query(at, { op: 'startWhere', type: 'Book', field: 'Shelf', compare: '=', value: 'low' });

describe('a transaction', () => {
  it('commits what it was told, without anything in between', async () => {
    const { outcomes, commit } = begin(() => {}, [
      { op: 'addOrUpdate', type: 'Note', fields: { Text: 'one' } },
      book('told', { Pages: 1 }),
      book('told', { Pages: 1 }),
    ]);
    const result = await commit();
    expect(result.outcomes).toEqual(outcomes.map(({ uid, changed }) => ({ uid, changed })));
    expect(outcomes.map(({ changed }) => changed)).toEqual([true, true, false]);
  });

  it.each<[string, (reader: StateReader) => void, WriterOperation, WriterOperation | undefined]>([
    [
      'a node',
      (at) => void at.node(at.id({ type: 'Book', key: 'one' }) ?? 0),
      book('one', { Pages: 2 }),
      book('other', { Pages: 2 }),
    ],
    [
      'a node that is not there',
      (at) => void at.id({ type: 'Book', key: 'missing' }),
      book('missing'),
      book('missing too'),
    ],
    [
      'edges',
      (at) => void at.neighbors(at.id({ type: 'Book', key: 'one' }) ?? 0, 'out', 'Cites'),
      link('one', 'two'),
      link('two', 'one'),
    ],
    [
      'edges of all types',
      (at) => void at.neighbors(at.id({ type: 'Book', key: 'three' }) ?? 0, 'in'),
      link('one', 'three'),
      link('three', 'one'),
    ],
    [
      'the nodes of a type',
      (at) => void at.idsOfType('Book'),
      book('another'),
      { op: 'addOrUpdate', type: 'Note', fields: { Text: 'x' } },
    ],
  ])('that has read %s is refused when it has changed', async (_what, read, change, other) => {
    await graph.write(book('one'), book('two'), book('three'));
    const changed = begin(read, [book('written', { Pages: 7 })]);
    const unchanged = begin(read, [book('written', { Pages: 8 })]);
    if (other !== undefined) await graph.write(other);
    await unchanged.commit();
    await graph.write(change);
    expect(await problemOf(() => changed.commit())).toMatchObject({ code: 'write_conflict' });
  });

  it.each<[string, (reader: StateReader) => void, SchemaDocument]>([
    ['a node, and its type has another field', readNode, typed({ Weight: 'Float' })],
    ['an index, and its type has another one', readShelf, typed({}, [{ field: 'Pages' }])],
    [
      'edges, and they have another field',
      (at) => void at.neighbors(at.id({ type: 'Book', key: 'one' }) ?? 0, 'out', 'Cites'),
      { nodes: [], edges: [{ type: 'Cites', fields: { Since: 'Int' } }] },
    ],
    [
      'no node of a type, and there is one of this name',
      (at) => void at.idsOfType('Later'),
      { nodes: [{ type: 'Later', fields: {} }], edges: [] },
    ],
    [
      'a field of any type, and another type has it',
      (at) => void query(at, { op: 'startAt', type: 'Book' }, pagesOver(1)),
      { nodes: [{ type: 'Booklet', fields: { Pages: 'Int' } }], edges: [] },
    ],
    [
      'what all types are',
      (at) => void at.schema(),
      { nodes: [{ type: 'Whatever', fields: {} }], edges: [] },
    ],
  ])('that has read %s is refused, and not when others change', async (_what, read, schema) => {
    await graph.write(book('one'), book('two'));
    const other: SchemaDocument = {
      nodes: [{ type: `Other${++others}`, fields: { Own: 'Int' } }],
      edges: [],
    };
    const isOfAll = schema.nodes[0]?.type === 'Whatever';
    const unchanged = begin(read, [book('written', { Pages: 7 })]);
    if (!isOfAll) await graph.addSchema(other);
    await unchanged.commit();
    const changed = begin(read, [book('written', { Pages: 8 })]);
    await graph.addSchema(schema);
    expect(await problemOf(() => changed.commit())).toMatchObject({ code: 'write_conflict' });
  });

  it('that has used an index which is removed is refused: nobody tells of new entries', async () => {
    const changed = begin(readShelf, [book('written', { Pages: 9 })]);
    const remove = { type: 'Book', fields: ['Shelf'] };
    await graph.writer.commit({ operations: [], indexWork: { remove } });
    await graph.write(book('unseen', { Shelf: 'low' }));
    expect(await problemOf(() => changed.commit())).toMatchObject({ code: 'write_conflict' });
  });

  it('is refused when one of its writes does something else than it was told', async () => {
    const first = begin(() => {}, [{ op: 'tryAdd', type: 'Book', key: 'once' }]);
    const second = begin(() => {}, [{ op: 'tryAdd', type: 'Book', key: 'once' }]);
    await first.commit();
    expect(await problemOf(() => second.commit())).toMatchObject({ code: 'write_conflict' });
  });

  it('has read what a write needed that was refused, and one before that', async () => {
    const attempt = () => {
      reader.refresh();
      const snapshot = snapshots.hold();
      using draft = new TransactionDrafts().begin(snapshot, () => graph.clock.now());
      draft.write(JSON.stringify([{ op: 'addOrUpdate', type: 'Note', fields: { Text: 'a' } }]), 1);
      const gone = { op: 'update', type: 'Book', key: 'gone', fields: { Pages: 1 } };
      expect(() => draft.write(JSON.stringify([gone]), 1)).toThrow('no node');
      draft.write(JSON.stringify([book('instead')]), 1);
      const drafted = JSON.parse(draft.toJson()) as DraftedTransaction;
      snapshot.release();
      return () => graph.writer.commit({ ...drafted });
    };
    const [unchanged, changed] = [attempt(), attempt()];
    await graph.write(book('elsewhere'));
    expect((await unchanged()).nodes).toBe(2);
    await graph.write(book('gone'));
    expect(await problemOf(changed)).toMatchObject({ code: 'write_conflict' });
  });

  it('keeps the UID that it was told of a node without a key', async () => {
    const made = begin(() => {}, [{ op: 'addOrUpdate', type: 'Note', fields: { Text: 'own' } }]);
    await graph.write(book('meanwhile'));
    const { outcomes } = await made.commit();
    expect(outcomes[0]?.uid).toBe(made.outcomes[0]?.uid);
  });
});

describe('a commit that is held', () => {
  const holdNext = async (key: string) => {
    await graph.write(book(key));
    reader.refresh();
    return snapshots.hold();
  };

  it('is never read by what has stood at a newer one, such as an index of access', async () => {
    const older = await holdNext('older');
    const newer = await holdNext('newer');
    const newest = await holdNext('newest');
    await graph.write(book('last'));
    reader.refresh();
    const used = newer.reader;
    newer.release();
    expect(older.reader).not.toBe(used);
    expect(older.reader.id({ type: 'Book', key: 'newer' })).toBeUndefined();
    expect(newest.reader).toBe(used);
    expect(newest.reader.id({ type: 'Book', key: 'newest' })).toBeDefined();
    older.release();
    newest.release();
  });
});

function link(from: string, to: string): WriterOperation {
  const ends = { from: { type: 'Book', key: from }, to: { type: 'Book', key: to } };
  return { op: 'link', ...ends, edge: 'Cites' };
}
