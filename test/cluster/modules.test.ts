import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServingPair } from './serving-pair.ts';
import { zipOf } from '../support/zip.ts';

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

test('and with packages of npm', async () => {
  const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: '' });
  const head = { package: 'ours', version: '1.0.0', license: 'MIT', isCommonJs: false };
  const bundle = { ...head, typesEntry: null, types: {}, code: 'export const price = 7;\n', map };
  const code = "import { price } from 'ours';\nexport default () => price as number;\n";
  const zip = await zipOf({
    'manifest.json': '{"format": 1}',
    'npm/ours.json': JSON.stringify(bundle),
    'endpoints/asks-ours.ts': code,
    'endpoints/asks-ours.json': '{"isReadOnly": true}',
  });
  const { url } = pair.scene.people.workspace.server;
  const imported = await fetch(new URL('/api/graph/import-definitions', url), {
    method: 'POST',
    body: zip,
    headers: { authorization: `Bearer ${pair.admin}`, 'content-type': 'application/zip' },
  });
  expect(await imported.text()).toContain('"applied":true');
  const done = await pair.asAdmin('POST', '/api/modules/create', { name: 'later', code: '' });
  const path = '/api/endpoints/run/asks-ours';
  const call = { method: 'POST', path, body: '{}', token: pair.admin };
  expect((await pair.afterwards(call, done)).json).toBe(7);
  const list = { path: '/api/packages', token: pair.admin };
  expect((await pair.afterwards(list, done)).json).toMatchObject({ total: 1 });
});
