import { afterAll, beforeAll, expect, it } from 'vitest';
import { openGraphReader } from './open-reader.ts';
import { StateReader } from './state-reader.ts';
import { CAT, DOG, openGraphOfWords, uidOf, word } from './testing/graph-of-words.ts';
import type { TestGraph } from './testing/test-graph.ts';

let graph: TestGraph;

beforeAll(async () => {
  graph = await openGraphOfWords();
});

afterAll(() => graph[Symbol.asyncDispose]());

const NOBODY = 1_000_000;

it('answers undefined or nothing for what is not there', () => {
  const { reader } = graph;
  for (const reference of [
    { uid: 'dog' },
    { uid: uidOf('Word', 'nobody') },
    { type: 'Word', key: 'nobody' },
    { type: 'Wrod', key: 'dog' },
    // A key with the same digest as the replacement character, which is a word in this graph.
    { type: 'Word', key: '\ud800' },
  ]) {
    expect(reader.id(reference)).toBeUndefined();
  }
  expect(reader.node(NOBODY)).toBeUndefined();
  expect(reader.uid(NOBODY)).toBeUndefined();
  expect(reader.typeOf(NOBODY)).toBeUndefined();
  expect(reader.version(NOBODY)).toBeUndefined();
  expect(reader.field(NOBODY, 'UID')).toBeUndefined();
  expect(reader.aliases(NOBODY)).toEqual([]);
  expect(reader.neighbors(NOBODY, 'out')).toEqual([]);
  expect(reader.edges(NOBODY, 'in')).toEqual([]);
  expect(reader.edge(graph.idOf('Word', 'dog'), 1, NOBODY)).toBeUndefined();
  expect(reader.idsOfType('Wrod')).toEqual([]);
  expect(reader.countOfType('Wrod')).toBe(0);
});

it('shows an empty workspace as empty', async () => {
  const { reader } = graph;
  await using empty = await openGraphOfWords();
  expect(empty.reader.countOfType('Note')).toBe(0);
  expect(reader.idsOfType('Note')).toEqual([]);
});

it('finds what every node has, and one field of many', () => {
  const id = graph.idOf('Word', 'dog');
  const { UID, Type, Timestamp, Id } = graph.reader.node(id)!;
  const read = ['UID', 'Type', 'Timestamp', 'Id'].map((name) => graph.reader.field(id, name));
  expect(read).toEqual([UID, Type, Timestamp, Id]);
  expect(graph.reader.typeOf(id)).toBe('Word');
  expect(graph.reader.field(id, 'Rank')).toBe(1);
  expect(graph.reader.field(graph.idOf('Word', 'ant'), 'Rank')).toBeUndefined();
});

it('stays at its commit within a turn, and moves on when it is told to', async () => {
  using reader = openGraphReader({ storage: graph.storage });
  const before = reader.sequence;
  expect(reader.id({ type: 'Word', key: 'later' })).toBeUndefined();
  const { sequence } = await graph.writer.commit({ operations: [word('later')] });
  expect(reader.refresh()).toBe(sequence);
  expect(reader.sequence).toBeGreaterThan(before);
  expect(reader.id({ type: 'Word', key: 'later' })).toBeDefined();
});

it('learns of types and fields that were added, without being told', async () => {
  // The writer's view is always at the newest commit, so it needs no `refresh`.
  const view = new StateReader(graph.state.view, { refresh: () => 0, sequence: 0 });
  const dog = graph.idOf('Word', 'dog');
  expect(view.node(dog)).not.toHaveProperty('Sound');
  const committed = graph.writer.commit({
    operations: [
      { op: 'update', ...DOG, fields: { Sound: 'woof' } },
      { op: 'addOrUpdate', type: 'Breed', key: 'pug', fields: { Origin: 'China' } },
      { op: 'link', from: DOG, edge: 'HasBreed', to: { type: 'Breed', key: 'pug' } },
      { op: 'link', from: DOG, edge: 'Cites', to: CAT, fields: { Page: 7 } },
    ],
    schema: {
      nodes: [
        { type: 'Word', fields: { Sound: 'String' } },
        { type: 'Breed', fields: { Origin: 'String' } },
      ],
      edges: [{ type: 'HasBreed' }, { type: 'Cites', fields: { Page: 'Int' } }],
    },
  });
  // The commit is built, but neither in the log nor applied.
  expect(view.node(dog)).toMatchObject({ Rank: 1, Sound: 'woof' });
  const pug = view.id({ type: 'Breed', key: 'pug' })!;
  const fresh = (): StateReader =>
    new StateReader(graph.state.view, { refresh: () => 0, sequence: 0 });
  expect(fresh().field(pug, 'Origin')).toBe('China');
  expect(view.typeOf(pug)).toBe('Breed');
  expect(view.countOfType('Breed')).toBe(1);
  expect(view.idsOfType('Breed')).toEqual([pug]);
  expect(view.neighbors(dog, 'out', 'HasBreed')).toEqual([pug]);
  expect(view.edges(dog, 'out', 'Cites')).toMatchObject([{ Page: 7 }]);
  await committed;
  graph.reader.refresh();
  expect(graph.reader.edges(dog, 'out')).toEqual(view.edges(dog, 'out'));
  expect(graph.reader.schema()).toEqual(view.schema());
});

it('reads a node whose type is newer than its schema, whichever question comes first', async () => {
  const questions: [string, (reader: StateReader, id: number) => unknown, unknown][] = [
    ['A', (reader, id) => reader.typeOf(id), 'A'],
    ['B', (reader, id) => reader.node(id)?.['F'], 'x'],
    ['C', (reader, id) => reader.field(id, 'F'), 'x'],
    ['D', (reader, id) => reader.edges(id, 'in').map(({ W }) => W), [1]],
    ['E', (reader, id) => reader.neighbors(id, 'in', 'ToE'), [graph.idOf('Word', 'dog')]],
  ];
  for (const [type, ask, answer] of questions) {
    const view = new StateReader(graph.state.view, { refresh: () => 0, sequence: 0 });
    await graph.writer.commit({
      operations: [
        { op: 'addOrUpdate', type, key: 'k', fields: { F: 'x' } },
        { op: 'link', from: DOG, edge: `To${type}`, to: { type, key: 'k' }, fields: { W: 1 } },
      ],
      schema: {
        nodes: [{ type, fields: { F: 'String' } }],
        edges: [{ type: `To${type}`, fields: { W: 'Int' } }],
      },
    });
    expect(ask(view, view.id({ type, key: 'k' })!)).toEqual(answer);
  }
});

it('reads an edge whose field is newer than its schema', async () => {
  const view = new StateReader(graph.state.view, { refresh: () => 0, sequence: 0 });
  await graph.writer.commit({
    operations: [{ op: 'link', from: CAT, edge: 'Means', to: DOG, fields: { Since: 'ever' } }],
    schema: { nodes: [], edges: [{ type: 'Means', fields: { Since: 'String' } }] },
  });
  expect(view.edges(graph.idOf('Word', 'cat'), 'out', 'Means')).toMatchObject([{ Since: 'ever' }]);
});
