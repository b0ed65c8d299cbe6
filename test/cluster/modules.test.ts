import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServingPair } from './serving-pair.ts';

let pair: ServingPair;
beforeAll(async () => {
  pair = await ServingPair.start();
});
afterAll(() => pair[Symbol.asyncDispose]());

test('a replica runs endpoints with the modules that they serve, old ones too', async () => {
  const name = 'prices';
  await pair.asAdmin('POST', '/api/modules/create', { name, code: 'export const price = 1;' });
  const code = "import { price } from '#lib/prices.ts';\nexport default () => price;\n";
  const made = await pair.asAdmin('POST', '/api/endpoints/create', {
    name: 'asks',
    code,
    isReadOnly: true,
  });
  const call = { method: 'POST', path: '/api/endpoints/run/asks', body: '{}', token: pair.admin };
  expect((await pair.afterwards(call, made)).json).toBe(1);
  const put = (text: string) => pair.asAdmin('PUT', '/api/modules/prices', { code: text });
  expect((await pair.afterwards(call, await put('export const price = 2;'))).json).toBe(2);
  const breaking = await put('export const cost = 3;');
  expect((await pair.afterwards(call, breaking)).json).toBe(2);
  const read = { path: '/api/modules/prices', token: pair.admin };
  expect((await pair.afterwards(read, breaking)).json).toMatchObject({
    version: 3,
    usedBy: [{ kind: 'endpoint', name: 'asks', compiles: false }],
  });
  const write = { method: 'PUT', path: '/api/modules/prices', body: '{}', token: pair.admin };
  expect((await pair.replica.http.send(write)).status).toBe(303);
});
