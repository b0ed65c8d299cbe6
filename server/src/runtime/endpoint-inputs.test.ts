import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX } from '#base/endpoint-limits.ts';
import { ADMIN, openTestEndpoints, USER, type TestEndpoints } from './testing/test-endpoints.ts';

let at: TestEndpoints;
beforeAll(async () => {
  at = await openTestEndpoints();
});
afterAll(() => at[Symbol.asyncDispose]());

const MAIN = 'export default async () => 1;\n';
let made = 0;

async function schemaOf(input: string): Promise<unknown> {
  const name = `input-${++made}`;
  const { diagnostics } = await at.service.create(ADMIN, { name, code: `${input}\n${MAIN}` });
  expect(diagnostics).toEqual([]);
  return at.service.inputSchema(name);
}

it.each<[string, unknown]>([
  ['', { type: 'object' }],
  [
    'export const input = z.object({ word: z.string() });',
    { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  ],
  // What is given, not what is made of it.
  [
    'export const input = z.strictObject({ at: z.string().transform((text) => new Date(text)) });',
    {
      type: 'object',
      properties: { at: { type: 'string' } },
      required: ['at'],
      additionalProperties: false,
    },
  ],
  [
    'export const input = z.looseObject({});',
    { type: 'object', properties: {}, additionalProperties: {} },
  ],
  [
    'export const input = z.union([z.object({ a: z.int32() }), z.object({ b: z.boolean() })]);',
    { type: 'object', anyOf: [expect.anything(), expect.anything()] },
  ],
  [
    'export const input = z.object({ at: z.date() });',
    { type: 'object', properties: { at: {} }, required: ['at'] },
  ],
  ['export const input = z.array(z.string());', null],
  ['export const input = z.string();', null],
])('%s', async (input, schema) => {
  expect(await schemaOf(input)).toEqual(schema);
});

it('is any object where the code cannot say it, and the server goes on', async () => {
  const any = { type: 'object' };
  const long = `z.object({ a: z.string().describe('x'.repeat(${ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX})) })`;
  expect(await schemaOf(`export const input = ${long};`)).toEqual(any);
  expect(await schemaOf('export const input = z.object({});\nthrow new Error("no");')).toEqual(any);
  expect(await at.service.inputSchema('none')).toBeNull();
});

it('changes with the endpoint', async () => {
  const code = (member: string) =>
    `export const input = z.object({ ${member}: z.string() });\n${MAIN}`;
  await at.service.create(ADMIN, { name: 'changing', code: code('before') });
  expect(await at.service.inputSchema('changing')).toHaveProperty('properties.before');
  await at.service.put(ADMIN, 'changing', { code: code('after') });
  expect(await at.service.inputSchema('changing')).not.toHaveProperty('properties.before');
  expect(await at.service.inputSchema('changing')).toHaveProperty('properties.after');
});

it('runs are those that the caller may begin', async () => {
  const more = { code: MAIN, isReadOnly: true };
  await at.service.create(ADMIN, { name: 'runs/users', ...more });
  await at.service.create(ADMIN, { name: 'runs/admins', ...more, access: 'admins' });
  await at.service.create(ADMIN, { name: 'runs/broken', code: 'export default 1 +;' });
  const names = (caller: typeof ADMIN) =>
    at.service
      .runnable(caller)
      .map(({ name }) => name)
      .filter((name) => name.startsWith('runs/'));
  expect(names(ADMIN)).toEqual(['runs/admins', 'runs/users']);
  expect(names(USER)).toEqual(['runs/users']);
});
