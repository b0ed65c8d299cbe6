import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { items } from '../support/people.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
});
afterAll(() => workspace[Symbol.asyncDispose]());

const admin = (method: string, path: string, body?: unknown) =>
  workspace.http.send({ method, path, token: workspace.token, body });

async function refusal(method: string, path: string, body?: unknown): Promise<unknown[]> {
  const { status, json } = await admin(method, path, body);
  return [status, valueAt(json, 'error', 'code')];
}

test('they are listed, read-only, and marked in the catalog', async () => {
  const names = [
    'neighbors',
    'nodes',
    'paths',
    'search',
    'search-modes',
    'similar',
    'suggest',
    'table',
  ].map((name) => `system/${name}`);
  const list = items(await admin('GET', '/api/endpoints?take=1000'));
  const own = list.filter(({ name }) => String(name).startsWith('system/'));
  expect(own.map(({ name }) => name)).toEqual(names);
  for (const endpoint of own) expect(endpoint).toMatchObject({ isReadOnly: true, version: 1 });
  const catalog = items(await admin('GET', '/api/build/catalog'));
  const marked = catalog.filter(({ isBuiltIn }) => isBuiltIn === true);
  expect(marked.map(({ name }) => name)).toEqual(names);
  expect(marked[0]).toMatchObject({ folder: 'system', isReadOnly: true, updatedBy: null });
});

test('they compile in a workspace that has no types yet', async () => {
  const status = async () => (await admin('GET', '/api/build/compile-status')).json;
  await expect.poll(async () => valueAt(await status(), 'Pending')).toBe(false);
  expect(valueAt(await status(), 'FailingIds')).toEqual([]);
});

test.each([
  ['PUT', '/api/endpoints/system/nodes', { description: 'Mine.' }],
  ['DELETE', '/api/endpoints/system/nodes', undefined],
  ['POST', '/api/code/history/restore/endpoint/system/nodes', { version: 1 }],
])('nobody changes them: %s %s', async (method, path, body) => {
  expect(await refusal(method, path, body)).toEqual([403, 'endpoint_built_in']);
});

test('nobody creates another among them', async () => {
  const body = { name: 'system/other', code: 'export default () => 1;' };
  const path = '/api/endpoints/create';
  expect(await refusal('POST', path, body)).toEqual([400, 'invalid_request']);
});

test('a start commits nothing when they are there already', async () => {
  await using folder = await temporaryFolder();
  const start = async () => {
    const server = await TrellisProcess.start({ storage: folder.path });
    const http = new HttpClient(server.url);
    const token = await http.signIn();
    const { json } = await http.send({ path: '/api/code/history/all', token });
    await server.stop();
    return valueAt(json, 'total');
  };
  expect([await start(), await start()]).toEqual([8, 8]);
});
