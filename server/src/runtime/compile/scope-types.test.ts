import type { FieldType, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { faultOfName, RESERVED_FIELD_NAMES } from '#graph/names.ts';
import { scopeTypes } from './scope-types.ts';
import { TypeChecker } from './type-checker.ts';

const checker = new TypeChecker();
afterAll(() => checker.close());

/** Names that mean something to TypeScript, to the language, or to the static part of the scope. */
const TELLING_NAMES =
  'Promise Array Error Node Edge Query Graph Scope UID Json NodeOf Reply Endpoint NodeTypes EdgeTypes ' +
  'GeoPoint Record Exclude string any never class default constructor toString hasOwnProperty Some ' +
  'SomeNode WorkspaceUser _User AbortSignal Problem';
const name = fc
  .oneof(
    fc.constantFrom(...TELLING_NAMES.split(' ')),
    fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/),
  )
  .filter((text) => faultOfName(text) === undefined);
const fieldName = name.filter((text) => !RESERVED_FIELD_NAMES.has(text));
const fieldType = fc
  .tuple(fc.constantFrom(...SCALAR_TYPES), fc.boolean())
  .map(([scalar, isList]): FieldType => (isList ? `${scalar}[]` : scalar));

const schemas: fc.Arbitrary<SchemaDocument> = fc.record({
  nodes: fc.uniqueArray(
    fc.record(
      { type: name, key: fieldName, fields: fc.dictionary(fieldName, fieldType, { maxKeys: 5 }) },
      { requiredKeys: ['type', 'fields'] },
    ),
    { maxLength: 8, selector: ({ type }) => type },
  ),
  edges: fc.uniqueArray(fc.record({ type: name, inverse: name }, { requiredKeys: ['type'] }), {
    maxLength: 6,
    selector: ({ type }) => type,
  }),
});

/** Names every type, field and edge of a schema, in the way its values are used. */
function codeThatUses({ nodes, edges }: SchemaDocument): string {
  const lines = nodes.flatMap(({ type, key, fields }) => [
    `{ const n = await graph.get('${type}', 'k'); const t: '${type}' = n.Type; void t;`,
    ...Object.keys(fields).map(
      (field) => `  void n.${field}; q().startAt('${type}').sortBy('${field}');`,
    ),
    ...Object.entries(fields).map(([field, fieldOf]) => `  ${usage(`n.${field}`, fieldOf)}`),
    ...(key === undefined ? [] : [`  void (n.${key} satisfies unknown);`]),
    '}',
  ]);
  const steps = edges.map(({ type, inverse }) =>
    nodes
      .map((node) => `q().startAt('${node.type}').out('${node.type}', '${inverse ?? type}');`)
      .join(''),
  );
  return `export default async ({ graph, q }: Scope) => {\n${[...lines, ...steps].join('\n')}\nvoid graph; void q; };`;
}

function usage(value: string, type: FieldType): string {
  if (type.endsWith('[]')) return `for (const one of ${value} ?? []) void one;`;
  if (type === 'GeoPoint') return `${value}?.lat.toFixed();`;
  if (type === 'Bool') return `void (${value} satisfies boolean | undefined);`;
  return ['Int', 'Float', 'Double'].includes(type) ? `${value}?.toFixed();` : `void ${value};`;
}

it('makes a scope that compiles of any schema, in which all its names are known', async () => {
  await fc.assert(
    fc.asyncProperty(schemas, fc.boolean(), async (schema, isReadOnly) => {
      const scope = isReadOnly ? 'read-only' : 'full';
      const source = codeThatUses(schema);
      const checked = await checker.check({
        source,
        scope,
        scopeTypes: scopeTypes(schema, isReadOnly),
      });
      const found = [...checked.syntaxErrors, ...checked.errors];
      expect(found.map(({ text, pos }) => `${text} at ${source.slice(pos, pos + 40)}`)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
