import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '@trellis/contract/operations.ts';
import { valueAt } from '../support/http-client.ts';
import { People } from '../support/people.ts';

const MAIN = 'export default async () => 1;\n';
const INPUT = `export const input = z.object({ word: z.string().min(1), take: z.int().default(10) });\n`;
const TREE = `const tree = z.object({ get children() { return z.array(tree); } });\nexport const input = tree;\n`;

let people: People;
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await people.add('guest', { isGuest: true });
  const endpoints = [
    { name: 'words/lookup', code: INPUT + MAIN, isReadOnly: true, description: 'Looks up.' },
    { name: 'words/tree', code: TREE + MAIN },
    { name: 'words/list', code: `export const input = z.array(z.string());\n${MAIN}` },
    { name: 'slow', code: MAIN, mode: 'pooling' },
    { name: 'secret', code: MAIN, access: 'admins' },
    { name: 'draft', code: 'export default 1 +;' },
  ];
  for (const endpoint of endpoints) {
    const { status } = await people.as('admin', 'POST', '/api/endpoints/create', endpoint);
    expect(status, endpoint.name).toBe(201);
  }
  await people.addToken('reader', { kind: 'api', name: 'r', scopes: ['read'] });
  await people.addToken('runner', { kind: 'api', name: 'r', scopes: ['endpoints:run'] });
  await people.addToken('partner', { kind: 'endpoint', name: 'p', path: 'words/' });
});
afterAll(() => people[Symbol.asyncDispose]());

async function documentFor(name: string): Promise<Record<string, unknown>> {
  const { status, json, headers } = await people.as(name, 'GET', '/api/openapi.json');
  expect(status, name).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('x-msk-sequence')).toMatch(/^\d+$/);
  return json as Record<string, unknown>;
}

/** The custom endpoints in it but for those that the server brings along, each under its path. */
async function endpointsOf(name: string): Promise<string[]> {
  const { paths } = await documentFor(name);
  const builtIn = operations.map(({ path }) => path.replace('{+', '{'));
  return Object.keys(Object(paths))
    .filter((path) => !builtIn.includes(path) && !path.includes('/run/system/'))
    .map((path) => path.replace('/api/endpoints/', ''))
    .toSorted();
}

describe('the OpenAPI document', () => {
  test.each(['admin', 'ada', 'guest', 'reader', 'runner', 'partner'])(
    'of %s is valid by the schema of OpenAPI 3.1',
    async (name) => {
      const validator = new Validator();
      const document = await documentFor(name);
      expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
      expect(() => validator.resolveRefs()).not.toThrow();
      for (const { path, method, id } of operations) {
        const at = valueAt(document, 'paths', path.replace('{+', '{'), method.toLowerCase());
        expect(valueAt(at, 'operationId')).toBe(id);
      }
    },
  );

  test('has the custom endpoints that the caller may run, where the token runs them', async () => {
    const all = ['run/slow', 'run/words/list', 'run/words/lookup', 'run/words/tree'];
    expect(await endpointsOf('admin')).toEqual(['run/secret', ...all]);
    expect(await endpointsOf('ada')).toEqual(all);
    expect(await endpointsOf('guest')).toEqual(all);
    expect(await endpointsOf('runner')).toEqual(all);
    expect(await endpointsOf('reader')).toEqual([]);
    const theirs = ['words/list', 'words/lookup', 'words/tree'];
    expect(await endpointsOf('partner')).toEqual(theirs.map((name) => `token/run/${name}`));
  });

  test('says what an endpoint takes', async () => {
    const { paths, components } = await documentFor('ada');
    const post = (name: string) => valueAt(paths, `/api/endpoints/run/${name}`, 'post');
    const schema = (name: string) =>
      valueAt(post(name), 'requestBody', 'content', 'application/json', 'schema');
    expect(post('words/lookup')).toMatchObject({ description: 'Looks up.' });
    expect(schema('words/lookup')).toEqual({
      type: 'object',
      properties: {
        word: { type: 'string', minLength: 1 },
        take: { type: 'integer', default: 10, minimum: -(2 ** 53) + 1, maximum: 2 ** 53 - 1 },
      },
      required: ['word'],
    });
    expect(schema('words/list')).toEqual({ type: 'array', items: { type: 'string' } });
    expect(schema('words/tree')).toEqual({ $ref: '#/components/schemas/input.words.tree' });
    expect(valueAt(components, 'schemas', 'input.words.tree')).toBeDefined();
    expect(schema('slow')).toEqual({});
    expect(Object(valueAt(post('slow'), 'responses'))).toHaveProperty('202');
  });

  test('follows changes of endpoints', async () => {
    const name = 'changing';
    await people.as('admin', 'POST', '/api/endpoints/create', { name, code: MAIN });
    const path = `/api/endpoints/run/${name}`;
    const at = async () => valueAt((await documentFor('ada'))['paths'], path, 'post');
    expect(await at()).not.toHaveProperty('description');
    const change = { code: INPUT + MAIN, description: 'It changes.' };
    await people.as('admin', 'PUT', `/api/endpoints/${name}`, change);
    expect(await at()).toMatchObject({ description: 'It changes.' });
    expect(JSON.stringify(await at())).toContain('"word"');
    await people.as('admin', 'DELETE', `/api/endpoints/${name}`);
    expect(await at()).toBeUndefined();
  });

  test('is for signed-in callers', async () => {
    const { status, headers } = await people.as('', 'GET', '/api/openapi.json');
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    await people.addToken('connector', { kind: 'connector', name: 'c' });
    expect(await people.outcome('connector', 'GET', '/api/openapi.json')).toEqual([
      403,
      'forbidden',
    ]);
  });
});
