import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { INTERFACE_ZIP_BYTES_MAX, JSON_BODY_BYTES_MAX } from '@trellis/contract/limits.ts';
import { interfaceRecord } from '@trellis/contract/shapes/interface.ts';
import { webSocketMessage } from '@trellis/contract/web-socket.ts';
import { field, HttpClient, type Answer } from '../support/http-client.ts';
import { items } from '../support/people.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';
import { zipOf } from '../support/zip.ts';

const page = (title: string): string => `<!doctype html><title>${title}</title><script src="a.js">`;
const ZIP = { 'content-type': 'application/zip' };

let at: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  env = { TRELLIS_FRONT_END: join(folder.path, 'web') };
  await mkdir(join(folder.path, 'web/assets'), { recursive: true });
  await writeFile(join(folder.path, 'web/index.html'), page('built in'));
  await writeFile(join(folder.path, 'web/assets/b.js'), 'b');
  at = await startWorkspace(env);
});
afterAll(async () => {
  // It may be another one than at first.
  await at.server.kill();
  await at[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});
afterEach(async () => {
  await choose(null);
  for (const { name } of items(await send('GET', ''))) await send('DELETE', `/${String(name)}`);
});

const send = (method: string, path: string, body?: unknown, token = at.token): Promise<Answer> =>
  at.http.send({ method, path: `/api/interfaces${path}`, token, body, headers: body ? ZIP : {} });
const put = async (name: string, contents: Readonly<Record<string, string>>, token?: string) =>
  send('PUT', `/${name}`, await zipOf(contents), token);
const choose = (name: string | null): Promise<Answer> =>
  at.http.send({
    method: 'PUT',
    path: '/api/workspace/settings',
    token: at.token,
    body: { interface: name },
  });
const titleOf = async (path: string): Promise<string | undefined> =>
  /<title>(.*)<\/title>/.exec((await at.http.send({ path })).text)?.[1];
const statusOf = async (path: string): Promise<number> => (await at.http.send({ path })).status;
const codeOf = ({ status, json }: Answer) => [status, Object(Object(json).error).code];
const kept = (): Promise<string[]> => readdir(join(at.storage, 'front-end'));

describe('an interface', () => {
  test('is uploaded, chosen, and served at the root; the built-in one stays below /trellis/', async () => {
    const uploaded = await put('ours', { 'index.html': page('ours'), 'a.js': 'a', 'x/y.css': '' });
    expect(uploaded.status).toBe(200);
    expect(interfaceRecord.parse(uploaded.json)).toMatchObject({
      name: 'ours',
      files: 3,
      uploadedBy: { name: 'admin' },
      chosen: false,
    });
    expect([await titleOf('/'), await statusOf('/a.js')]).toEqual(['built in', 404]);

    expect((await choose('ours')).json).toMatchObject({ interface: 'ours' });
    expect([await titleOf('/'), await statusOf('/a.js'), await statusOf('/x/y.css')]).toEqual([
      'ours',
      200,
      200,
    ]);
    expect(await statusOf('/assets/b.js'), 'nothing of the built-in one').toBe(404);
    expect([await titleOf('/trellis/'), await statusOf('/trellis/assets/b.js')]).toEqual([
      'built in',
      200,
    ]);
    const { status, headers } = await at.http.send({ path: '/trellis' });
    expect([status, headers.get('location')]).toEqual([308, './trellis/']);
    expect(items(await send('GET', ''))).toEqual([{ ...Object(uploaded.json), chosen: true }]);

    await choose(null);
    expect([await titleOf('/'), await statusOf('/a.js')]).toEqual(['built in', 404]);
  });

  test('that is chosen is replaced as a whole by its next version, and pages hear of it', async () => {
    await put('ours', { 'index.html': page('one'), 'a.js': 'a' });
    await choose('ours');
    const messages: unknown[] = [];
    const socket = new WebSocket(`${at.server.url.replace('http', 'ws')}/api/ws`);
    socket.addEventListener('message', ({ data }) => {
      const { type } = webSocketMessage.parse(JSON.parse(data));
      if (type !== 'VIEW_CHANGED') messages.push(type);
    });
    socket.addEventListener('open', () => socket.send(JSON.stringify({ token: at.token })));
    await expect.poll(() => messages).toEqual(['REPLICAS_CHANGED']);
    await put('ours', { 'index.html': page('two'), 'b.js': 'b' });
    expect([await titleOf('/'), await statusOf('/a.js'), await statusOf('/b.js')]).toEqual([
      'two',
      404,
      200,
    ]);
    // The same files once more change nothing.
    await put('ours', { 'index.html': page('two'), 'b.js': 'b' });
    await put('theirs', { 'index.html': page('theirs') });
    await choose('theirs');
    await expect
      .poll(() => messages)
      .toEqual(['REPLICAS_CHANGED', 'FRONTEND_CHANGED', 'FRONTEND_CHANGED']);
    socket.close();
    expect(items(await send('GET', '?take=1&skip=1'))).toMatchObject([{ name: 'theirs' }]);
  });

  test('is there for a restarted server, and its files are only as long as they are needed', async () => {
    await put('ours', { 'index.html': page('one'), 'a.js': 'a' });
    await put('ours', { 'index.html': page('two'), 'a.js': 'a' });
    await choose('ours');
    await put('theirs', { 'index.html': page('two') });
    expect(await kept(), 'one file for the same content').toHaveLength(2);
    await at.server.kill();
    await using again = await TrellisProcess.start({ storage: at.storage, env });
    const http = new HttpClient(again.url);
    expect((await http.send({ path: '/' })).text).toContain('two');
    await again.kill();
    // The same without the files, as after a restore that lacks them.
    await rm(join(at.storage, 'front-end'), { recursive: true });
    const without = await TrellisProcess.start({ storage: at.storage, env });
    expect((await new HttpClient(without.url).send({ path: '/' })).text).toContain('built in');
    expect(without.stderr).toContain('The interface \\"ours\\" cannot be read');
    at = { ...at, server: without, http: new HttpClient(without.url) };
    await put('ours', { 'index.html': page('two'), 'a.js': 'a' });
    expect(await titleOf('/')).toBe('two');
  });

  test('is uploaded with a token for that, which may do nothing else', async () => {
    const { json } = await at.http.send({
      path: '/api/tokens',
      token: at.token,
      body: { kind: 'interface', name: 'deploy' },
    });
    const token = field(json, 'token');
    const uploaded = await put('ours', { 'index.html': page('ours') }, token);
    expect([uploaded.status, Object(uploaded.json).uploadedBy]).toEqual([200, null]);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', '/ours'],
    ] as const) {
      expect(codeOf(await send(method, path, undefined, token))).toEqual([403, 'forbidden']);
    }
    const settings = {
      path: '/api/workspace/settings',
      method: 'PUT',
      body: { interface: 'ours' },
    };
    expect(codeOf(await at.http.send({ ...settings, token }))).toEqual([403, 'forbidden']);
    const audit = await at.http.send({ path: '/api/audit?action=interface', token: at.token });
    expect(items(audit)[0]).toMatchObject({
      action: 'interface.uploaded',
      actor: null,
      target: { kind: 'interface', id: 'ours' },
    });
  });

  test('that is chosen cannot be deleted; another one can', async () => {
    await put('ours', { 'index.html': page('ours') });
    await choose('ours');
    expect(codeOf(await send('DELETE', '/ours'))).toEqual([409, 'interface_in_use']);
    await choose(null);
    expect((await send('DELETE', '/ours')).status).toBe(204);
    expect(codeOf(await send('DELETE', '/ours'))).toEqual([404, 'interface_not_found']);
    expect(items(await send('GET', ''))).toEqual([]);
  });

  test('that there is not cannot be chosen', async () => {
    const { status, json } = await choose('nowhere');
    expect([status, json]).toMatchObject([
      400,
      { error: { code: 'invalid_request', details: { fields: [{ path: 'interface' }] } } },
    ]);
    expect(codeOf(await choose('no/name'))).toEqual([400, 'invalid_request']);
  });
});

describe('an upload', () => {
  test.each(['.hidden', 'a%2Fb', '-', 'x'.repeat(101)])(
    'under the name %.20s is refused',
    async (name) => {
      const answer = await put(name, { 'index.html': page('ours') });
      expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    },
  );

  test('of no zip, or of another type, is refused, and nothing is kept of it', async () => {
    const before = await kept();
    expect(codeOf(await send('PUT', '/ours', new Uint8Array(10)))).toEqual([
      422,
      'invalid_interface',
    ]);
    expect(codeOf(await put('ours', { 'page.html': '' }))).toEqual([422, 'invalid_interface']);
    const json = await at.http.send({
      method: 'PUT',
      path: '/api/interfaces/ours',
      token: at.token,
      body: {},
    });
    expect([codeOf(json), Object(json.json).error.details]).toEqual([
      [415, 'unsupported_media_type'],
      { supported: ['application/zip'] },
    ]);
    const bare = await at.http.send({
      method: 'PUT',
      path: '/api/interfaces/ours',
      token: at.token,
    });
    expect(codeOf(bare)).toEqual([415, 'unsupported_media_type']);
    expect([items(await send('GET', '')), await kept()]).toEqual([[], before]);
  });

  test('may be larger than a body of JSON', async () => {
    const noise = Buffer.alloc(JSON_BODY_BYTES_MAX);
    for (let byte = 0; byte < noise.length; byte += 65_536) {
      crypto.getRandomValues(noise.subarray(byte, byte + 65_536));
    }
    const zip = await zipOf({ 'index.html': page('ours'), 'noise.bin': noise });
    expect(zip.length).toBeGreaterThan(JSON_BODY_BYTES_MAX);
    const { json } = await send('PUT', '/ours', zip);
    expect(json).toMatchObject({ files: 2, bytes: noise.length + page('ours').length });
  });

  test('that is too large is refused', async () => {
    const tooLarge = new Uint8Array(INTERFACE_ZIP_BYTES_MAX + 1);
    const answer = await send('PUT', '/ours', tooLarge);
    expect([codeOf(answer), Object(answer.json).error.details]).toEqual([
      [413, 'body_too_large'],
      { limitBytes: INTERFACE_ZIP_BYTES_MAX },
    ]);
  });

  test('of more interfaces than there may be is refused', async () => {
    const contents = { 'index.html': page('ours') };
    for (let i = 0; i < 20; i++) expect((await put(`i${i}`, contents)).status).toBe(200);
    expect(codeOf(await put('one-more', contents))).toEqual([422, 'invalid_interface']);
    expect((await put('i0', contents)).status, 'of one that there is').toBe(200);
  });
});
