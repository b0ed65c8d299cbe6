import type { FieldType, IndexDocument } from '@trellis/contract/shapes/schema-document.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../test/support/scale.ts';
import { convertValue } from './field-conversion.ts';
import { tagOf } from './field-types.ts';
import type { SchemaEdit } from './schema-edits.ts';
import type { SchemaPlace } from './schema-rename.ts';
import type { StateReader } from './state-reader.ts';
import { runQuery } from './query/run.ts';
import { finishIndexes, indexContent } from './testing/index-content.ts';
import { openTestGraph, problemOf, type TestGraph } from './testing/test-graph.ts';

const edit = (graph: TestGraph, ...edits: readonly SchemaEdit[]) =>
  graph.writer.commit({ system: true, edits: { edits }, operations: [] }).then((done) => {
    graph.reader.refresh();
    return done;
  });

async function openWords(): Promise<TestGraph> {
  const graph = await openTestGraph();
  await graph.addSchema({
    nodes: [
      {
        type: 'Word',
        key: 'Lemma',
        label: 'Text',
        timestamp: 'At',
        fields: { Text: 'String', Score: 'Int', At: 'Time' },
        indexes: [{ field: 'Score' }, { fields: ['Text', 'Score'] }, { field: 'Timestamp' }],
      },
      { type: 'Note', key: 'Name', fields: { Body: 'String' } },
    ],
    edges: [
      { type: 'Means', inverse: 'MeantBy', fields: { Weight: 'Int' } },
      { type: 'MeantBy', inverse: 'Means', fields: { Weight: 'Int' } },
      { type: 'About' },
    ],
  });
  await graph.write(
    ...['a', 'b'].map((key, i) => ({
      op: 'addOrUpdate' as const,
      type: 'Word',
      key,
      fields: { Text: `text ${key}`, Score: i, At: '2026-01-01' },
    })),
    { op: 'addOrUpdate', type: 'Note', key: 'n', fields: { Body: 'body' } },
    { op: 'link', from: word('a'), edge: 'Means', to: word('b'), fields: { Weight: 3 } },
    { op: 'link', from: { type: 'Note', key: 'n' }, edge: 'About', to: word('a') },
  );
  return graph;
}

const word = (key: string) => ({ type: 'Word', key });

const nameOf = ({ field, fields }: IndexDocument): string => (fields ?? [field]).join(' ');

/** All that readers show. */
function shown(reader: StateReader): unknown {
  const { nodes, edges } = reader.schema();
  return {
    schema: {
      // An index that is built again is the last one.
      nodes: nodes.map((node) => ({ ...node, indexes: node.indexes?.map(nameOf).toSorted() })),
      edges,
    },
    nodes: nodes.flatMap(({ type }) =>
      reader.idsOfType(type, { oldestFirst: true }).map((id) => ({
        node: reader.node(id),
        out: reader.edges(id, 'out'),
        in: reader.edges(id, 'in'),
        degree: reader.degree(id),
        history: reader.history(id)?.changes,
      })),
    ),
    counts: edges.map(({ type }) => [type, reader.countOfEdgeType(type)]),
  };
}

describe('drops', () => {
  it('lets nobody write a hidden node that was written just before, nor take its UID', async () => {
    await using graph = await openWords();
    await graph.write({ op: 'addOrUpdate', type: 'Note', fields: { Body: 'no key' } });
    const uids = graph.reader.idsOfType('Note').map((id) => graph.reader.uid(id) ?? '');
    await graph.write(
      ...uids.map((uid) => ({ op: 'update' as const, uid, fields: { Body: 'x' } })),
    );
    const before = shown(graph.reader);
    await edit(graph, { drop: { type: 'Note' }, by: 'drop' });
    for (const uid of uids) {
      const writes = [
        { op: 'update' as const, uid, fields: { Body: 'hidden' } },
        { op: 'addOrUpdate' as const, type: 'Word', uid, fields: { Text: 'taken' } },
      ];
      for (const write of writes) {
        const request = { system: true, operations: [write] };
        expect(await problemOf(() => graph.writer.commit(request))).toMatchObject({
          code: 'invalid_operation',
        });
      }
    }
    await edit(graph, { restore: 'drop' });
    expect(shown(graph.reader)).toEqual(before);
  });

  it.each([
    ['a type', { type: 'Word' }],
    ['an edge type', { edge: 'Means' }],
    ['its inverse', { edge: 'MeantBy' }],
    ['a field that is label', { type: 'Word', field: 'Text' }],
    ['a field that is the timestamp', { type: 'Word', field: 'At' }],
    ['a field that is indexed', { type: 'Word', field: 'Score' }],
    ['a field of an edge type', { edge: 'Means', field: 'Weight' }],
  ] satisfies [string, SchemaPlace][])(
    '%s is gone at once, and back after the undo',
    async (_, drop: SchemaPlace) => {
      await using graph = await openWords();
      const before = shown(graph.reader);
      await edit(graph, { drop, by: 'one' });
      const after = JSON.stringify(shown(graph.reader));
      const name = drop.field ?? drop.type ?? drop.edge ?? '';
      expect(after).not.toMatch(new RegExp(`"${name}"`));
      await finishIndexes(graph);
      const { held, due } = indexContent(graph);
      expect(held).toEqual(due);
      await edit(graph, { restore: 'one' });
      await finishIndexes(graph);
      const restored = indexContent(graph);
      expect(restored.held).toEqual(restored.due);
      expect(shown(graph.reader)).toEqual(before);
      expect(shown(await graph.reopen())).toEqual(shown(graph.reader));
    },
  );

  it('a type that is gone cannot be read, written, linked or counted', async () => {
    await using graph = await openWords();
    const { reader } = graph;
    const [a, note] = [graph.idOf('Word', 'a'), graph.idOf('Note', 'n')];
    const uid = reader.uid(a)!;
    await edit(graph, { drop: { type: 'Word' }, by: 'one', edges: { About: 1 } });
    expect([reader.id(uid), reader.node(a), reader.typeOf(a)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([reader.neighbors(note, 'out'), reader.degree(note)]).toEqual([[], 0]);
    expect([reader.connections(note, 10), reader.countOfEdgeType('About')]).toEqual([0, 0]);
    const out = [{ op: 'out' as const }];
    const steps = [{ op: 'startAt' as const, type: 'Note' }, ...out];
    expect(runQuery(reader, { steps, end: { end: 'count' } })).toBe(0);
    for (const operation of [
      { op: 'addOrUpdate' as const, uid, fields: { Text: 'x' } },
      { op: 'link' as const, from: { type: 'Note', key: 'n' }, edge: 'About', to: { uid } },
      { op: 'addOrUpdate' as const, type: 'Word', key: 'c' },
    ]) {
      expect(await problemOf(() => graph.write(operation))).toMatchObject({
        code: 'invalid_operation',
      });
    }
    // A new type may have the name: its nodes are others.
    await graph.addSchema({ nodes: [{ type: 'Word', key: 'Lemma', fields: {} }] });
    await graph.write({ op: 'addOrUpdate', ...word('a') });
    expect(reader.uid(graph.idOf('Word', 'a'))).not.toBe(uid);
    expect(await problemOf(() => edit(graph, { restore: 'one' }))).toMatchObject({
      code: 'schema_conflict',
    });
    await edit(graph, { rename: { type: 'Word', to: 'Other' } });
    expect(await problemOf(() => edit(graph, { restore: 'one' }))).toMatchObject({
      code: 'schema_conflict',
    });
    await graph.writer.commit({
      system: true,
      operations: [],
      edits: { removedAliases: [{ type: 'Other', alias: 'Word' }] },
    });
    await edit(graph, { restore: 'one' });
    expect(reader.uid(graph.idOf('Word', 'a'))).toBe(uid);
    expect(reader.neighbors(note, 'out')).toEqual([a]);
    expect(reader.countOfEdgeType('About')).toBe(1);
  });

  it('a node that is deleted takes its edges to hidden ones along', async () => {
    await using graph = await openWords();
    await edit(graph, { drop: { type: 'Word' }, by: 'one' });
    await graph.write({ op: 'delete', type: 'Note', key: 'n' });
    await edit(graph, { restore: 'one' });
    expect(graph.reader.neighbors(graph.idOf('Word', 'a'), 'in', 'About')).toEqual([]);
  });

  it('a writer that replaces the edges of a node leaves those to hidden ones', async () => {
    await using graph = await openWords();
    await edit(graph, { drop: { type: 'Word' }, by: 'one' });
    const from = { type: 'Note', key: 'n' };
    await graph.write({ op: 'unlinkExcept', from, edge: 'About', keep: [] });
    await edit(graph, { restore: 'one' });
    expect(graph.reader.neighbors(graph.idOf('Word', 'a'), 'in', 'About')).toHaveLength(1);
    await graph.write({ op: 'unlinkExcept', from, edge: 'About', keep: [] });
    expect(graph.reader.neighbors(graph.idOf('Word', 'a'), 'in', 'About')).toEqual([]);
  });

  it('values of a dropped field are kept by writes, and a new field of its name has none', async () => {
    await using graph = await openWords();
    await edit(graph, { drop: { type: 'Word', field: 'Text' }, by: 'one' });
    await graph.write({ op: 'addOrUpdate', ...word('a'), fields: { Score: 9 } });
    await graph.addSchema({ nodes: [{ type: 'Word', fields: { Text: 'Int' } }] });
    await graph.write({ op: 'addOrUpdate', ...word('b'), fields: { Text: 7 } });
    const textOf = (key: string) => graph.reader.field(graph.idOf('Word', key), 'Text');
    expect([textOf('a'), textOf('b')]).toEqual([undefined, 7]);
    await edit(graph, { drop: { type: 'Word', field: 'Text' }, by: 'two' });
    await edit(graph, { restore: 'one' });
    expect([textOf('a'), textOf('b')]).toEqual(['text a', 'text b']);
  });

  it.each([
    [{ drop: { type: 'None' }, by: 'x' }, 'changes[0].drop.type'],
    [{ drop: { type: '_User' }, by: 'x' }, 'changes[0].drop.type'],
    [{ drop: { edge: 'RestrictAccessToTeam' }, by: 'x' }, 'changes[0].drop.edge'],
    [{ drop: { type: 'Word', field: 'Lemma' }, by: 'x' }, 'changes[0].drop.field'],
    [{ drop: { type: 'Word', field: 'None' }, by: 'x' }, 'changes[0].drop.field'],
    [
      { retype: { type: 'Word', field: 'Lemma', to: 'Int' as const }, by: 'x' },
      'changes[0].retype.field',
    ],
    [
      { retype: { type: 'Word', field: 'Score', to: 'Int' as const }, by: 'x' },
      'changes[0].retype.to',
    ],
  ])('%j cannot be had', async (one, path) => {
    await using graph = await openWords();
    expect(await problemOf(() => edit(graph, one))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path }] },
    });
  });
});

describe('retypes', () => {
  it('convert what is read and indexed, and give back what was written', async () => {
    await using graph = await openWords();
    const { reader } = graph;
    const score = (key: string) => reader.field(graph.idOf('Word', key), 'Score');
    await edit(graph, { retype: { type: 'Word', field: 'Score', to: 'String' }, by: 'one' });
    expect([score('a'), score('b')]).toEqual(['0', '1']);
    await graph.write({ op: 'addOrUpdate', ...word('b'), fields: { Score: 'many' } });
    await finishIndexes(graph);
    const { held, due } = indexContent(graph);
    expect(held).toEqual(due);
    expect(reader.indexes().map(({ fields }) => fields)).toContainEqual(['Text', 'Score']);
    const found = (value: unknown) =>
      runQuery(reader, {
        steps: [
          { op: 'startAt', type: 'Word' },
          { op: 'where', field: 'Score', compare: '=', value },
        ],
        end: { end: 'count' },
      });
    expect([found('0'), found('many'), found('1')]).toEqual([1, 1, 0]);
    await edit(graph, { retype: { type: 'Word', field: 'Score', to: 'Json' }, by: 'two' });
    expect([score('a'), score('b')]).toEqual([0, 'many']);
    // A value of this type may not be beside others in an index.
    expect(reader.indexes().map(({ fields }) => fields)).not.toContainEqual(['Text', 'Score']);
    expect(await problemOf(() => edit(graph, { restore: 'one' }))).toMatchObject({
      code: 'schema_conflict',
    });
    await edit(graph, { restore: 'two' }, { restore: 'one' });
    expect([score('a'), score('b')]).toEqual([0, undefined]);
    expect(reader.indexes().map(({ fields }) => fields)).toContainEqual(['Text', 'Score']);
    await finishIndexes(graph);
    expect(found(0)).toBe(1);
  });

  it('take the timestamp from a type, and give it back', async () => {
    await using graph = await openWords();
    const timestamp = () =>
      graph.reader.schema().nodes.find(({ type }) => type === 'Word')?.timestamp;
    await edit(graph, { retype: { type: 'Word', field: 'At', to: 'Long' }, by: 'one' });
    expect([timestamp(), graph.reader.field(graph.idOf('Word', 'a'), 'At')]).toEqual([
      undefined,
      Date.UTC(2026, 0, 1),
    ]);
    await edit(graph, { restore: 'one' });
    expect(timestamp()).toBe('At');
  });
});

const TYPES = ['A', 'B'] as const;
const EDGES = ['E', 'F'] as const;
const FIELD_TYPES = ['Int', 'String', 'Bool', 'Json', 'Double', 'String[]'] as const;
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('dropType'), at: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('dropEdge'), at: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('dropField'), at: fc.nat(1) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('retype'), at: fc.nat(11) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('undo'), at: fc.nat(9) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write'), at: fc.nat(23) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('link'), at: fc.nat(31) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), at: fc.nat(3) }) },
);

interface ModelNode {
  readonly type: 'A' | 'B';
  readonly key: string;
  stored?: { readonly value: unknown; readonly as: FieldType };
}

/** Data that no change of the schema touches, and what is hidden of it. */
class Model {
  readonly nodes = new Map<string, ModelNode>();
  readonly links = new Set<string>();
  readonly hidden = new Map<string, string>();
  readonly types: Record<'A' | 'B', { by: string; type: FieldType }[]> = {
    A: [{ by: '', type: 'Int' }],
    B: [{ by: '', type: 'Int' }],
  };

  isHidden(what: string): boolean {
    return [...this.hidden.values()].includes(what);
  }

  typeOf(type: 'A' | 'B'): FieldType {
    return this.types[type].at(-1)!.type;
  }

  valueOf({ type, stored }: ModelNode): unknown {
    if (stored === undefined || this.isHidden(`${type}.V`)) return undefined;
    return convertValue(stored.value, tagOf(stored.as)!, tagOf(this.typeOf(type))!);
  }
}

const VALUES: Record<string, readonly unknown[]> = {
  Int: [1, 7],
  String: ['1', 'x'],
  Bool: [true, false],
  Json: [{ a: 1 }, 1],
  Double: [1, 1.5],
  'String[]': [['1'], ['x', 'y']],
};

function idOfNode(at: number): { type: 'A' | 'B'; key: string } {
  return { type: TYPES[at % 2]!, key: String(Math.floor(at / 2) % 2) };
}

async function take(graph: TestGraph, model: Model, { do: kind, at }: Step, by: string) {
  const node = idOfNode(at);
  const name = `${node.type}${node.key}`;
  const { type } = node;
  const known = model.nodes.get(name);
  switch (kind) {
    case 'dropType':
      if (model.isHidden(type)) return;
      model.hidden.set(by, type);
      return edit(graph, { drop: { type }, by });
    case 'dropEdge': {
      const edge = EDGES[at % 2]!;
      if (model.isHidden(edge)) return;
      model.hidden.set(by, edge);
      return edit(graph, { drop: { edge }, by });
    }
    case 'dropField':
      if (model.isHidden(type) || model.isHidden(`${type}.V`)) return;
      model.hidden.set(by, `${type}.V`);
      return edit(graph, { drop: { type, field: 'V' }, by });
    case 'retype': {
      const to = FIELD_TYPES[at % FIELD_TYPES.length]!;
      const isGone = model.isHidden(type) || model.isHidden(`${type}.V`);
      if (isGone || model.typeOf(type) === to) return;
      model.types[type].push({ by, type: to });
      return edit(graph, { retype: { type, field: 'V', to }, by });
    }
    case 'undo':
      return undo(graph, model, at);
    case 'write': {
      if (model.isHidden(type)) return;
      const as = model.typeOf(type);
      const value = VALUES[as]![Math.floor(at / 4) % 2];
      const hasField = !model.isHidden(`${type}.V`);
      await graph.write({ op: 'addOrUpdate', ...node, fields: hasField ? { V: value } : {} });
      const stored = hasField ? { value, as } : known?.stored;
      model.nodes.set(name, { ...node, ...(stored === undefined ? {} : { stored }) });
      return;
    }
    case 'link': {
      const to = idOfNode(Math.floor(at / 4));
      const edge = EDGES[at % 2]!;
      const other = `${to.type}${to.key}`;
      const isGone = [type, to.type, edge].some((one) => model.isHidden(one));
      if (isGone || known === undefined || !model.nodes.has(other)) return;
      await graph.write({ op: 'link', from: node, edge, to });
      model.links.add(`${name} ${edge} ${other}`);
      return;
    }
    default:
      if (model.isHidden(type) || known === undefined) return;
      await graph.write({ op: 'delete', ...node });
      model.nodes.delete(name);
      for (const link of model.links) {
        if (link.split(' ').includes(name)) model.links.delete(link);
      }
  }
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function undo(graph: TestGraph, model: Model, at: number): Promise<void> {
  const retypes = TYPES.flatMap((type) => {
    const last = model.types[type].at(-1)!;
    const isGone = model.isHidden(type) || model.isHidden(`${type}.V`);
    return isGone || last.by === '' ? [] : [{ by: last.by, done: () => model.types[type].pop() }];
  });
  const drops = [...model.hidden].flatMap(([by, what]) =>
    what.endsWith('.V') && model.isHidden(what[0]!)
      ? []
      : [{ by, done: () => model.hidden.delete(by) }],
  );
  const all = [...retypes, ...drops];
  const one = all[at % all.length];
  if (one === undefined) return;
  await edit(graph, { restore: one.by });
  one.done();
}

function expectAsModel(reader: StateReader, uids: ReadonlyMap<string, string>, model: Model): void {
  const visible = [...model.nodes].filter(([, { type }]) => !model.isHidden(type));
  for (const [name, uid] of uids) {
    const isThere = visible.some(([one]) => one === name);
    expect([name, reader.id(uid) !== undefined]).toEqual([name, isThere]);
  }
  const links = [...model.links]
    .map((link) => link.split(' ') as [string, string, string])
    .filter((parts) => !parts.some((part) => model.isHidden(part) || model.isHidden(part[0]!)));
  const idOf = (name: string): number => reader.id(uids.get(name)!)!;
  for (const [name, node] of visible) {
    const id = idOf(name);
    expect([name, reader.node(id)?.['V']]).toEqual([name, model.valueOf(node)]);
    const out = links.filter(([from]) => from === name).map(([, , to]) => idOf(to));
    const into = links.filter(([, , to]) => to === name).map(([from]) => idOf(from));
    expect(reader.neighbors(id, 'out').toSorted()).toEqual(out.toSorted());
    expect(reader.neighbors(id, 'in').toSorted()).toEqual(into.toSorted());
    expect(reader.degree(id)).toBe(out.length + into.length);
  }
}

describe('random drops, retypes, undos and writes', () => {
  it('shows what a model shows that hides and converts, and holds the same indexes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        await using graph = await openTestGraph();
        await graph.addSchema({
          nodes: TYPES.map((type) => ({
            type,
            key: 'K',
            fields: { V: 'Int' as const },
            indexes: [{ field: 'V' }],
          })),
          edges: EDGES.map((type) => ({ type })),
        });
        const model = new Model();
        const uids = new Map<string, string>();
        for (const [i, one] of steps.entries()) {
          await take(graph, model, one, `change/${i}`);
          for (const [name, { type, key }] of model.nodes) {
            if (model.isHidden(type)) continue;
            uids.set(name, graph.reader.uid(graph.idOf(type, key))!);
          }
          expectAsModel(graph.reader, uids, model);
        }
        await finishIndexes(graph);
        const { held, due } = indexContent(graph);
        expect(held).toEqual(due);
        expectAsModel(await graph.reopen(), uids, model);
      }),
      { numRuns: scale({ sample: 15, soak: 500 }), seed: seed() },
    );
  });
});
