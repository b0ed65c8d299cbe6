import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../test/support/scale.ts';
import { mergeSchema } from './schema-merge.ts';
import { SchemaRegistry } from './schema-registry.ts';
import { editSchema } from './schema-edits.ts';
import type { SchemaRename } from './schema-rename.ts';
import { openTestGraph, problemOf } from './testing/test-graph.ts';

function registryOf(document: Partial<SchemaDocument>): SchemaRegistry {
  const whole = { nodes: [], edges: [], ...document };
  return mergeSchema(SchemaRegistry.empty, whole, { system: false });
}

describe('renames in the schema', () => {
  it('keeps the origins of key and fields through renames, undos and storage', () => {
    const before = registryOf({ nodes: [{ type: 'Word', key: 'Id', fields: { Text: 'String' } }] });
    const renames = [
      { type: 'Word', field: 'Id', to: 'Lemma' },
      { type: 'Word', field: 'Lemma', to: 'Name' },
      { type: 'Word', field: 'Text', to: 'Body' },
    ];
    const renamed = editSchema(before, { edits: renames.map((rename) => ({ rename })) });
    const stored = SchemaRegistry.decode(renamed.encode());
    const originsOf = (registry: SchemaRegistry, ...names: string[]) =>
      names.map((name) => registry.nodeType('Word')?.byName.get(name)?.origin ?? name);
    expect(originsOf(stored, 'Name', 'Body')).toEqual(['Id', 'Text']);
    const undone = editSchema(stored, {
      edits: [
        { rename: { type: 'Word', field: 'Body', to: 'Text' } },
        { rename: { type: 'Word', field: 'Name', to: 'Lemma' } },
      ],
    });
    expect(originsOf(undone, 'Lemma', 'Text')).toEqual(['Id', 'Text']);
  });

  it('a field that takes the first name of the key has another origin', () => {
    const before = registryOf({ nodes: [{ type: 'Word', key: 'Lemma', fields: {} }] });
    const renamed = editSchema(before, {
      edits: [{ rename: { type: 'Word', field: 'Lemma', to: 'Name' } }],
      removedAliases: [{ type: 'Word', field: 'Name', alias: 'Lemma' }],
    });
    const nodes = [{ type: 'Word', fields: { Lemma: 'String' as const } }];
    const merged = mergeSchema(renamed, { nodes, edges: [] }, { system: false });
    const { byName } = merged.nodeType('Word')!;
    expect(byName.get('Name')?.origin).toBe('Lemma');
    expect(byName.get('Lemma')?.origin).not.toBe('Lemma');
  });

  it('does not give an edge the field of its inverse that it did not share', async () => {
    const registry = registryOf({
      edges: [
        { type: 'Likes', inverse: 'LikedBy', fields: { Weight: 'Int' } },
        { type: 'LikedBy', inverse: 'Likes', fields: { Share: 'Int' } },
      ],
    });
    const renames = [{ edge: 'Likes', field: 'Weight', to: 'Share' }];
    expect(
      await problemOf(() => editSchema(registry, { edits: renames.map((rename) => ({ rename })) })),
    ).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ path: 'changes[0].rename.to' }] },
    });
  });
});

const NAMES = ['A', 'B', 'C', 'D', 'E', 'F'];
const name = fc.constantFrom(...NAMES);
const KEYS = ['x', 'y'];

/** A step names things by their place in the model, so that most of them can be done. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('type'), at: fc.nat(2), to: name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('field'), at: fc.nat(2), to: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('key'), at: fc.nat(2), to: name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edge'), at: fc.nat(2), to: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('undo'), at: fc.nat(2), to: name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('alias'), at: fc.nat(9), to: name }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write'), at: fc.nat(5), to: name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('link'), at: fc.nat(8), to: name }) },
);

/** What has a name, and those that it had, which reads still take. */
interface Named {
  name: string;
  readonly former: Set<string>;
}
interface ModelType extends Named {
  readonly key: Named;
  readonly fields: readonly Named[];
}
interface ModelNode {
  readonly uid: string;
  readonly type: ModelType;
  readonly key: string;
  readonly values: Map<Named, string>;
}

/** A graph whose nodes and edges refer to what has names, and not to names. */
class Model {
  readonly types: readonly ModelType[] = ['A', 'B', 'C'].map((type) => ({
    ...named(type),
    key: named('E'),
    fields: [named('A'), named('B')],
  }));
  readonly edges: readonly Named[] = ['A', 'B', 'C'].map(named);
  readonly nodes = new Map<string, ModelNode>();
  readonly links = new Set<string>();

  isFree(to: string, own: Named, others: readonly Named[]): boolean {
    return (
      own.name !== to &&
      others.every((one) => one === own || !(one.name === to || one.former.has(to)))
    );
  }
}

function named(given: string): Named {
  return { name: given, former: new Set() };
}

function give(one: Named, to: string): void {
  one.former.add(one.name);
  one.former.delete(to);
  one.name = to;
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Done {
  readonly rename: SchemaRename;
  readonly of: Named;
  readonly among: readonly Named[];
}

/** The rename of a step, as the model has the names. */
function renameOf(model: Model, { do: kind, at, to }: Step): Done {
  const type = model.types[at % 3]!;
  if (kind === 'type') return { rename: { type: type.name, to }, of: type, among: model.types };
  if (kind === 'edge') {
    const edge = model.edges[at % 3]!;
    return { rename: { edge: edge.name, to }, of: edge, among: model.edges };
  }
  const of = kind === 'key' ? type.key : type.fields[at % 2]!;
  const among = [type.key, ...type.fields];
  return { rename: { type: type.name, field: of.name, to }, of, among };
}

describe('random renames, undos, removed aliases and writes', () => {
  it('the graph by all names is that of a model whose nodes know no names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        await using graph = await openTestGraph();
        const { writer, reader } = graph;
        const model = new Model();
        await graph.addSchema({
          nodes: ['A', 'B', 'C'].map((type) => ({
            type,
            key: 'E',
            fields: { A: 'String' as const, B: 'String' as const },
          })),
          edges: ['A', 'B', 'C'].map((type) => ({ type })),
        });
        const done: Done[] = [];
        const rename = async (one: Done): Promise<void> => {
          const { to } = one.rename;
          const isFree = model.isFree(to, one.of, one.among);
          const commit = () =>
            writer.commit({
              system: true,
              edits: { edits: [{ rename: one.rename }] },
              operations: [],
            });
          if (!isFree) {
            expect(await problemOf(commit)).toMatchObject({ code: 'invalid_request' });
            return;
          }
          await commit();
          done.push({ ...one, rename: { ...one.rename } });
          give(one.of, to);
        };
        for (const each of steps) {
          const { do: kind, at, to } = each;
          if (kind === 'undo') {
            const last = done.pop();
            if (last === undefined) continue;
            const before = [...last.of.former].at(-1);
            if (before !== undefined) await rename(renameBack(model, last, before));
          } else if (kind === 'alias') {
            await removeAlias(model, at, (removed) =>
              writer.commit({ system: true, edits: { removedAliases: [removed] }, operations: [] }),
            );
          } else if (kind === 'write') {
            const type = model.types[at % 3]!;
            const key = KEYS[at % 2]!;
            const field = type.fields[at % 2]!;
            await graph.write({
              op: 'addOrUpdate',
              type: type.name,
              key,
              fields: { [field.name]: to },
            });
            const id = `${at % 3} ${key}`;
            const uid = reader.uid(graph.idOf(type.name, key))!;
            const known = model.nodes.get(id) ?? { uid, type, key, values: new Map() };
            expect(uid).toBe(known.uid);
            known.values.set(field, to);
            model.nodes.set(id, known);
          } else if (kind === 'link') {
            const nodes = [...model.nodes.values()];
            const [from, end] = [nodes[at % nodes.length], nodes[(at + 1) % nodes.length]];
            const edge = model.edges[at % 3]!;
            if (from === undefined || end === undefined) continue;
            await graph.write({ op: 'link', from: from.uid, edge: edge.name, to: end.uid });
            model.links.add(`${from.uid} ${model.edges.indexOf(edge)} ${end.uid}`);
          } else await rename(renameOf(model, each));
          reader.refresh();
        }
        expectAsModel(graph.reader, model);
        expectAsModel(await graph.reopen(), model);
      }),
      { numRuns: scale({ sample: 12, soak: 400 }), seed: seed() },
    );
  });
});

function renameBack(model: Model, { of, among }: Done, to: string): Done {
  const type = model.types.find((one) => one.key === of || one.fields.includes(of));
  if (type !== undefined) {
    return { rename: { type: type.name, field: of.name, to }, of, among };
  }
  const isType = model.types.some((one) => one === of);
  return { rename: isType ? { type: of.name, to } : { edge: of.name, to }, of, among };
}

async function removeAlias(
  model: Model,
  at: number,
  remove: (
    alias: { alias: string; field?: string } & ({ type: string } | { edge: string }),
  ) => unknown,
): Promise<void> {
  const type = model.types[at % 3]!;
  const edge = model.edges[at % 3]!;
  const places = [
    { of: type as Named, place: { type: type.name } },
    { of: edge, place: { edge: edge.name } },
    ...[type.key, ...type.fields].map((of) => ({ of, place: { type: type.name, field: of.name } })),
  ];
  const { of, place } = places[at % places.length]!;
  const [alias] = of.former;
  if (alias === undefined) return;
  await remove({ ...place, alias });
  of.former.delete(alias);
}

const allNames = ({ name: present, former }: Named): string[] => [present, ...former];

function expectAsModel(
  reader: Awaited<ReturnType<typeof openTestGraph>>['reader'],
  { types, edges, nodes, links }: Model,
): void {
  const own = reader.schema().nodes.filter(({ type }) => !type.startsWith('_'));
  expect(own.map(({ type }) => type)).toEqual(types.map((type) => type.name));
  for (const node of nodes.values()) {
    const { type, key, uid, values } = node;
    for (const one of allNames(type)) {
      const id = reader.id({ type: one, key });
      expect(id === undefined ? undefined : reader.uid(id)).toBe(uid);
    }
    const id = reader.id(uid)!;
    const shown = Object.fromEntries([...values].map(([field, value]) => [field.name, value]));
    expect(reader.node(id)).toMatchObject({
      Type: type.name,
      Id: key,
      [type.key.name]: key,
      ...shown,
    });
    for (const [field, value] of values) {
      for (const one of allNames(field)) expect(reader.field(id, one)).toBe(value);
    }
    for (const [i, edge] of edges.entries()) {
      const ends = [...links].flatMap((link) => {
        const [from, by, to] = link.split(' ');
        return from === uid && by === String(i) ? [to] : [];
      });
      for (const one of allNames(edge)) {
        const found = [...reader.neighbors(id, 'out', one)].map((end) => reader.uid(end));
        expect(found.toSorted()).toEqual(ends.toSorted());
      }
    }
  }
}
