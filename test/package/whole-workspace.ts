import { expect } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { HttpClient } from '../support/http-client.ts';
import { ADMIN_PASSWORD, type StartOptions, TrellisProcess } from '../support/trellis-process.ts';

const EMULATED_MS_MAX = 180_000;

interface Served extends StartOptions {
  /** What the program says that it is; by default that of a build with the number 42. */
  readonly version?: RegExp;
  /** Its first search may take longer than an endpoint may: then it is asked again. */
  readonly isEmulated?: boolean;
}

/** The whole workspace: sign-in, a checked endpoint, search, the front end. */
export async function expectToServe({
  version = /\.42$/,
  isEmulated = false,
  ...options
}: Served): Promise<void> {
  await using server = await TrellisProcess.start(options);
  const http = new HttpClient(server.url);
  const token = await http.signIn('admin', ADMIN_PASSWORD);
  const post = (path: string, body: object) => http.send({ method: 'POST', path, token, body });

  const code =
    'export default async ({ q }: Scope) => ({ users: await q().startAt("_User").count() });';
  const broken = code.replace('count()', 'counted()');
  const check = await post('/api/endpoints/check', { code: broken });
  expect(check.json).toMatchObject({ diagnostics: [{ line: 1 }] });
  const created = await post('/api/endpoints/create', { name: 'users', code, isReadOnly: true });
  expect(created).toMatchObject({ status: 201, json: { compiles: true } });
  expect((await post('/api/endpoints/run/users', {})).json).toEqual({ users: 1 });
  const search = () => post('/api/cce/system/search', { query: 'admin' });
  if (isEmulated) {
    const asked = { timeout: EMULATED_MS_MAX };
    await expect.poll(async () => (await search()).status, asked).not.toBe(504);
  }
  const found = await search();
  expect(found.status, found.text).toBe(200);

  await expectTextOfFile(new TrellisClient({ baseUrl: server.url, token }));
  const page = await http.send({ path: '/' });
  expect(page.status).toBe(200);
  const [, script] = /<script[^>]* src="([^"]+)"/.exec(page.text) ?? [];
  const asset = await http.send({ path: new URL(String(script), `${server.url}/`).pathname });
  expect(asset.status).toBe(200);
  const documents = await http.send({ path: '/docs/tutorial.html' });
  expect(documents.text).toContain('Your own data in 15 minutes');
  expect((await http.send({ path: '/health', token })).json).toMatchObject({
    version: expect.stringMatching(version),
  });
  expect(await server.stop()).toBe(0);
}

/** What was written before it stopped, on the same folder. */
export async function expectToServeAgain(options: StartOptions): Promise<void> {
  await using server = await TrellisProcess.start(options);
  const http = new HttpClient(server.url);
  const token = await http.signIn('admin', ADMIN_PASSWORD);
  const run = { method: 'POST', path: '/api/endpoints/run/users', token, body: {} } as const;
  expect((await http.send(run)).json).toEqual({ users: 1 });
  const { nodes } = new TrellisClient({ baseUrl: server.url, token });
  expect(await nodes.get(nodeUid('Note', 'first'))).toMatchObject({ Title: 'first' });
  expect(await server.stop()).toBe(0);
}

/** Text is taken out of files by programs of their own, which may read little. */
async function expectTextOfFile(client: TrellisClient): Promise<void> {
  await client.schema.put({ nodes: [{ type: 'Note', key: 'Title', fields: {} }], edges: [] });
  await client.graph.ingest([{ op: 'addOrUpdate', type: 'Note', key: 'first' }]);
  const page = new Blob(['<h1>Trellis</h1>'], { type: 'text/html' });
  const file = await client.files.uploadInPieces(nodeUid('Note', 'first'), 'page.html', page);
  const state = async () => (await client.files.get(file.UID)).TextState;
  await expect.poll(state).toBe('extracted');
}
