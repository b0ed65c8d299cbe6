import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCHEMA_NAME_CHARACTERS_MAX } from '#base/limits.ts';
import { SCHEMA_FIELDS_PER_TYPE_MAX } from '@trellis/contract/limits.ts';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { tagOf, widens } from './field-types.ts';
import { mergeSchema } from './schema-merge.ts';
import { SchemaRegistry } from './schema-registry.ts';
import { problemOf } from './testing/test-graph.ts';

const asUser = { system: false };

function merged(...documents: Partial<SchemaDocument>[]): SchemaRegistry {
  let registry = SchemaRegistry.empty;
  for (const document of documents) {
    registry = mergeSchema(registry, { nodes: [], edges: [], ...document }, asUser);
  }
  return registry;
}

const WORD = { type: 'Word', key: 'Lemma', fields: { Rank: 'Int' } } as const;

const allTypes: readonly FieldType[] = SCALAR_TYPES.flatMap((scalar) => [
  scalar,
  `${scalar}[]` as const,
]);

/** Documents that never contradict each other: the type of a field follows from its name. */
const name = fc.constantFrom('A', 'B', 'C', 'D', 'E');
const fields = fc
  .uniqueArray(fc.nat(allTypes.length - 1), { maxLength: 6 })
  .map((types) => Object.fromEntries(types.map((i) => [`F${i}`, allTypes[i]!])));
const document: fc.Arbitrary<SchemaDocument> = fc.record({
  nodes: fc.uniqueArray(
    fc.record({ type: name, fields }).map((type) => ({ ...type, key: `Key${type.type}` })),
    { selector: ({ type }) => type },
  ),
  edges: fc.uniqueArray(
    fc
      .record({ type: name, fields, isPaired: fc.boolean() })
      .map(({ type, isPaired, ...rest }) => ({
        type,
        ...rest,
        ...(isPaired ? { inverse: `Inverse${type}` } : {}),
      })),
    { selector: ({ type }) => type },
  ),
});

/** The content of a schema, in a form that does not depend on the order of its parts. */
function content(registry: SchemaRegistry): unknown {
  const { nodes, edges } = registry.toDocument();
  const byType = (list: readonly { readonly type: string }[]) =>
    Object.fromEntries(list.map((type) => [type.type, type]));
  return { nodes: byType(nodes), edges: byType(edges) };
}

describe('mergeSchema', () => {
  it('adds, and keeps what a document leaves out', () => {
    const registry = merged(
      { nodes: [{ ...WORD, label: 'Lemma' }], edges: [{ type: 'HasSense', inverse: 'SenseOf' }] },
      {
        nodes: [{ type: 'Word', fields: { At: 'Time' }, timestamp: 'At' }],
        edges: [{ type: 'X' }],
      },
    );
    expect(registry.toDocument()).toEqual({
      nodes: [
        {
          type: 'Word',
          key: 'Lemma',
          fields: { Rank: 'Int', At: 'Time' },
          timestamp: 'At',
          label: 'Lemma',
        },
      ],
      edges: [
        { type: 'HasSense', inverse: 'SenseOf' },
        { type: 'SenseOf', inverse: 'HasSense' },
        { type: 'X' },
      ],
    });
  });

  it('is idempotent, and answers the same schema when nothing changes', () => {
    fc.assert(
      fc.property(document, document, (a, b) => {
        const registry = merged(a, b);
        expect(mergeSchema(registry, a, asUser)).toBe(registry);
        expect(mergeSchema(registry, b, asUser)).toBe(registry);
        expect(mergeSchema(registry, registry.toDocument(), asUser)).toBe(registry);
      }),
    );
  });

  it('does not depend on the order of documents', () => {
    fc.assert(
      fc.property(document, document, (a, b) => {
        expect(content(merged(a, b))).toEqual(content(merged(b, a)));
      }),
    );
  });

  it('never gives a number twice, and never another one', () => {
    fc.assert(
      fc.property(fc.array(document, { maxLength: 5 }), (documents) => {
        let before = SchemaRegistry.empty;
        for (const next of documents) {
          const after = mergeSchema(before, next, asUser);
          for (const type of before.nodeTypes) {
            expect(after.nodeType(type.name)?.id).toBe(type.id);
            for (const field of type.fields) {
              expect(after.nodeTypeById(type.id).byName.get(field.name)?.number).toBe(field.number);
            }
          }
          after.nodeTypes.forEach((type, i) => expect(type.id).toBe(i + 1));
          after.edgeTypes.forEach((type, i) => expect(type.id).toBe(i + 1));
          for (const type of after.nodeTypes) {
            type.fields.forEach((field, i) => expect(field.number).toBe(i + 2));
          }
          before = after;
        }
      }),
    );
  });

  it('survives being stored', () => {
    fc.assert(
      fc.property(document, (some) => {
        const registry = merged(some);
        const { nodeTypes, edgeTypes, indexNumbers } = SchemaRegistry.decode(registry.encode());
        expect(nodeTypes).toEqual(registry.nodeTypes);
        expect(edgeTypes).toEqual(registry.edgeTypes);
        expect(indexNumbers).toEqual(registry.indexNumbers);
      }),
    );
  });

  it('widens a field where stored values stay readable, and never narrows one', async () => {
    const typed = (type: FieldType) => ({ nodes: [{ type: 'T', fields: { F: type } }] });
    for (const from of allTypes) {
      for (const to of allTypes) {
        if (widens(tagOf(from)!, tagOf(to)!)) {
          expect(merged(typed(from), typed(to)).toDocument()).toEqual({ ...typed(to), edges: [] });
        } else {
          expect(await problemOf(() => merged(typed(from), typed(to)))).toEqual({
            code: 'schema_conflict',
            details: { type: 'T', field: 'F', from, to },
          });
        }
      }
    }
    const wider = (type: FieldType) => allTypes.filter((to) => widens(tagOf(type)!, tagOf(to)!));
    expect(wider('Int')).toEqual([
      'Int',
      'Int[]',
      'Long',
      'Long[]',
      'Double',
      'Double[]',
      'Decimal',
      'Decimal[]',
    ]);
    expect(wider('Float[]')).toEqual(['Float[]', 'Double[]']);
    expect(wider('String')).toEqual(['String', 'String[]']);
  });

  it('refuses another key, and another inverse', async () => {
    const another = { nodes: [{ ...WORD, key: 'Spelling' }] };
    expect(await problemOf(() => merged({ nodes: [WORD] }, another))).toEqual({
      code: 'schema_conflict',
      details: { type: 'Word', field: 'Spelling', from: 'Lemma', to: 'Spelling' },
    });
    const keyless = { nodes: [{ type: 'Word', fields: {} }] };
    expect(await problemOf(() => merged(keyless, { nodes: [WORD] }))).toMatchObject({
      code: 'schema_conflict',
      details: { from: null, to: 'Lemma' },
    });
    const edges = [{ type: 'A', inverse: 'B' }];
    expect(
      await problemOf(() => merged({ edges }, { edges: [{ type: 'A', inverse: 'C' }] })),
    ).toEqual({
      code: 'schema_conflict',
      details: { type: 'A', field: null, from: 'B', to: 'C' },
    });
    expect(
      await problemOf(() => merged({ edges }, { edges: [{ type: 'C', inverse: 'B' }] })),
    ).toMatchObject({ code: 'schema_conflict' });
  });

  it('takes the key among the fields, and shows it there then', () => {
    const listed = { ...WORD, fields: { Lemma: 'String', Rank: 'Int' } } as const;
    expect(merged({ nodes: [listed] }).toDocument().nodes).toEqual([listed]);
    expect(merged({ nodes: [WORD] }, { nodes: [listed] }).toDocument().nodes).toEqual([listed]);
    expect(merged({ nodes: [WORD] }).toDocument().nodes).toEqual([WORD]);
  });

  it('gives a symmetric edge itself as inverse', () => {
    const edges = [{ type: 'SiblingOf', inverse: 'SiblingOf' }];
    expect(merged({ edges }).toDocument().edges).toEqual(edges);
  });

  it.each<[string, unknown, string[]]>([
    ['no object', null, ['']],
    ['no lists', { nodes: {} }, ['nodes', 'edges']],
    ['an unknown member', { nodes: [], edges: [], types: [] }, ['types']],
    ['a bad type name', { nodes: [{ type: '1st', fields: {} }], edges: [] }, ['nodes[0].type']],
    ['no fields', { nodes: [{ type: 'A' }], edges: [] }, ['nodes[0].fields']],
    ['a type twice', { nodes: [], edges: [{ type: 'A' }, { type: 'A' }] }, ['edges[1].type']],
    [
      'bad fields',
      { nodes: [{ type: 'A', fields: { 'a b': 'Int', UID: 'UID', X: 'Integer' } }], edges: [] },
      ['nodes[0].fields.a b', 'nodes[0].fields.UID', 'nodes[0].fields.X'],
    ],
    [
      'a reserved key',
      { nodes: [{ type: 'A', key: 'Type', fields: {} }], edges: [] },
      ['nodes[0].key'],
    ],
    [
      'a key that is no String',
      { nodes: [{ type: 'A', key: 'K', fields: { K: 'Int' } }], edges: [] },
      ['nodes[0].fields.K'],
    ],
    [
      'a timestamp that is no Time',
      { nodes: [{ type: 'A', fields: { At: 'String' }, timestamp: 'At' }], edges: [] },
      ['nodes[0].timestamp'],
    ],
    [
      'a label that is no field',
      { nodes: [{ type: 'A', fields: {}, label: 'Name' }], edges: [] },
      ['nodes[0].label'],
    ],
    [
      'a reserved edge field',
      { nodes: [], edges: [{ type: 'A', fields: { from: 'String' } }] },
      ['edges[0].fields.from'],
    ],
    [
      'a name that reaches the prototype',
      JSON.parse('{"nodes":[{"type":"__proto__","fields":{"__proto__":"Int"}}],"edges":[]}'),
      ['nodes[0].type', 'nodes[0].fields.__proto__'],
    ],
    [
      'Id as a field beside another key',
      { nodes: [{ type: 'A', key: 'K', fields: { Id: 'String' } }], edges: [] },
      ['nodes[0].fields.Id'],
    ],
  ])('refuses %s', async (_, some, paths) => {
    // Deliberately a value that the type does not allow.
    const problem = await problemOf(() =>
      mergeSchema(SchemaRegistry.empty, some as SchemaDocument, asUser),
    );
    expect(problem).toMatchObject({
      code: 'invalid_request',
      details: { fields: paths.map((path) => ({ path, message: expect.any(String) })) },
    });
  });

  it('takes Id as the name of the key, which every node shows under it', () => {
    const keyed = { nodes: [{ type: 'A', key: 'Id', fields: { Id: 'String' } }], edges: [] };
    const made = mergeSchema(SchemaRegistry.empty, keyed as SchemaDocument, asUser);
    expect(made.toDocument()).toEqual(keyed);
  });

  it('bounds names and fields', async () => {
    const named = (length: number) => ({ edges: [{ type: 'A'.repeat(length) }] });
    expect(merged(named(SCHEMA_NAME_CHARACTERS_MAX - 1)).edgeTypes).toHaveLength(1);
    expect(merged(named(SCHEMA_NAME_CHARACTERS_MAX)).edgeTypes).toHaveLength(1);
    const tooLong = () => merged(named(SCHEMA_NAME_CHARACTERS_MAX + 1));
    expect(await problemOf(tooLong)).toMatchObject({ code: 'invalid_request' });

    const withFields = (count: number, prefix = 'F') => ({
      nodes: [
        {
          type: 'A',
          fields: Object.fromEntries(
            Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'Int' as const]),
          ),
        },
      ],
    });
    const full = withFields(SCHEMA_FIELDS_PER_TYPE_MAX);
    expect(merged(full).nodeTypes[0]!.fields).toHaveLength(SCHEMA_FIELDS_PER_TYPE_MAX);
    for (const documents of [
      [withFields(SCHEMA_FIELDS_PER_TYPE_MAX + 1)],
      [full, withFields(1, 'G')],
    ]) {
      expect(await problemOf(() => merged(...documents))).toMatchObject({
        code: 'invalid_request',
      });
    }
  });
});
