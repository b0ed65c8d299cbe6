import { afterAll, expect, test } from 'vitest';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { SYSTEM_SCHEMA } from '#graph/system-schema.ts';
import { EndpointCompiler } from './endpoint-compiler.ts';

const SCHEMA: SchemaDocument = {
  nodes: [...SYSTEM_SCHEMA.nodes, { type: 'Book', key: 'Isbn', fields: { Title: 'String' } }],
  edges: SYSTEM_SCHEMA.edges,
};
const compiler = new EndpointCompiler();
afterAll(() => compiler.close());

async function typesOf(code: string) {
  const { diagnostics, types } = await compiler.inspect({ code, isReadOnly: false }, SCHEMA);
  expect(diagnostics).toEqual([]);
  return { ...types, notices: types?.notices.map(({ message }) => message) };
}

const taking = (type: string, more = '') =>
  typesOf(`${more}\nexport default ({ body }: Scope<${type}>) => { void body; };\n`);

test.each([
  ['string | undefined', { type: 'string' }, true],
  ['readonly number[]', { type: 'array', items: { type: 'number' } }, false],
  ["'a' | 1 | null", { enum: [null, 'a', 1] }, false],
  ['`a${string}` | boolean', { anyOf: [{ type: 'boolean' }, { type: 'string' }] }, false],
  ['Record<string, boolean>', { type: 'object', additionalProperties: { type: 'boolean' } }, false],
  ['{ a: Date }', object({ a: { type: 'string', format: 'date-time' } }, ['a']), false],
  [
    'Partial<{ a: 1 }> & { b: string & { brand: 1 } }',
    object({ a: { const: 1 }, b: { type: 'string' } }, ['b']),
    false,
  ],
  ['{ a: unknown; b: undefined }', object({ a: {}, b: {} }), false],
  [
    '[string, number?, ...boolean[]]',
    {
      type: 'array',
      prefixItems: [{ type: 'string' }, { anyOf: [{ type: 'number' }, { type: 'null' }] }],
      items: { type: 'boolean' },
      minItems: 1,
    },
    false,
  ],
])('a body of type %s', async (type, input, isBodyOptional) => {
  expect(await taking(type)).toMatchObject({ input, isBodyOptional, notices: [] });
});

test.each(['unknown', 'any', '{}', 'never'])('%s is no constraint', async (type) => {
  expect(await taking(type)).toMatchObject({ input: null, notices: [] });
});

test('what comes of the live schema is no constraint, as the schema changes', async () => {
  const type =
    '{ n: NodeOf<"Book">; f: FieldsOf<"Book">; t: NodeTypeName; w: WritableNodeTypeName; p: Pick<NodeOf<"Book">, "Title"> }';
  const anyObject = { type: 'object' };
  const text = { type: 'string' };
  expect((await taking(type)).input).toEqual(
    object(
      {
        n: anyObject,
        f: anyObject,
        t: text,
        w: text,
        p: object({ Title: { description: 'String' } }),
      },
      ['n', 'f', 't', 'w', 'p'],
    ),
  );
});

test('a literal that is the name of a type stays a literal where the code says it', async () => {
  expect((await taking("{ kind: 'Book' }")).input).toEqual(
    object({ kind: { const: 'Book' } }, ['kind']),
  );
});

test('types that contain themselves refer to themselves', async () => {
  const { input } = await taking(
    'Tree',
    'interface Tree { kids: Tree[]; more?: Nested }\ntype Nested = (string | Nested)[];',
  );
  expect(input).toEqual({
    $ref: '#/$defs/Tree',
    $defs: {
      Tree: object(
        {
          kids: { type: 'array', items: { $ref: '#/$defs/Tree' } },
          more: { $ref: '#/$defs/Nested' },
        },
        ['kids'],
      ),
      Nested: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/Nested' }] } },
    },
  });
});

test.each([
  ['{ a: () => void }', 'body.a is not checked: its type is a function'],
  ['{ a: { b: Map<string, 1> }[] }', 'body.a[].b is not checked: its type is a Map'],
  ['{ a: bigint }', 'body.a is not checked: its type is a type that JSON does not have'],
  ['Endless<string>', 'is not checked: its type is nested too deep'],
  [`{ ${Array.from({ length: 600 }, (_, i) => `m${i}: { x: 1 }`).join('; ')} }`, 'too many parts'],
  [
    `{ ${Array.from({ length: 300 }, (_, i) => `${'m'.repeat(100)}${i}: 1`).join('; ')} }`,
    'too long',
  ],
])('a notice says what is left out: %.30s', async (type, notice) => {
  const { notices } = await taking(type, 'interface Endless<T> { next: Endless<T[]> }');
  expect(notices).toEqual([expect.stringContaining(notice)]);
});

test.each([
  [
    '({ notFound }: Scope) => Math.random() > 1 ? notFound() : { a: 1, f() {} }',
    object({ a: { type: 'number' } }, ['a']),
  ],
  ["async ({ ok }: Scope) => ok(['a'])", { type: 'array', items: { type: 'string' } }],
  ['({ ok }: Scope) => ok()', { type: 'null' }],
  ['({ body }: Scope) => body ? 1 : undefined', { anyOf: [{ const: 1 }, { type: 'null' }] }],
  ['({ status }: Scope) => status(201, 1)', null],
  ['({ badRequest }: Scope) => badRequest()', null],
  ['() => {}', null],
])('what %s answers', async (code, output) => {
  expect((await typesOf(`export default ${code};\n`)).output).toEqual(output);
});

function object(properties: object, required?: string[]) {
  return { type: 'object', properties, ...(required === undefined ? {} : { required }) };
}
