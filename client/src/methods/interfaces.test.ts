import { expect, it } from 'vitest';
import { scripted } from '../testing/scripted-server.ts';

it('uploads, lists and deletes interfaces', async () => {
  const record = { name: 'ours', files: 1, bytes: 2, chosen: false };
  const list = { items: [record], total: 1, skip: 0, take: 5 };
  const { client, seen } = await scripted([
    { body: record },
    { body: record },
    { body: list },
    { status: 204 },
  ]);
  const zip = new TextEncoder().encode('PK');
  expect(await client.interfaces.put('ours', zip)).toEqual(record);
  expect(await client.interfaces.put('ours', new Blob([zip]))).toEqual(record);
  expect(await client.interfaces.list({ take: 5 })).toEqual(list);
  await client.interfaces.delete('ours');
  expect(seen.map(({ method, url, body }) => [method, url, body])).toEqual([
    ['PUT', '/api/interfaces/ours', 'PK'],
    ['PUT', '/api/interfaces/ours', 'PK'],
    ['GET', '/api/interfaces?take=5', ''],
    ['DELETE', '/api/interfaces/ours', ''],
  ]);
  const types = seen.map(({ headers }) => headers['content-type']);
  expect(types).toEqual(['application/zip', 'application/zip', undefined, undefined]);
});

it('reads the description of the API', async () => {
  const document = { openapi: '3.1.0', info: {}, paths: {}, components: {} };
  const { client, seen } = await scripted([{ body: document }]);
  expect(await client.workspace.getApiDocument()).toEqual(document);
  expect(seen.map(({ method, url }) => [method, url])).toEqual([['GET', '/api/openapi.json']]);
});
