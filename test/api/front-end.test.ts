import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let at: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder.path, 'web/assets'), { recursive: true });
  await mkdir(join(folder.path, 'web/.git'));
  const files = {
    'secret.txt': 'outside',
    'web/index.html': '<!doctype html><title>x</title><script src="a.js"></script>',
    'web/assets/app-0123456789abcdef.css': 'a {}',
    'web/.env': 'KEY=secret',
    'web/.git/config': 'secret',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  await symlink(join(folder.path, 'secret.txt'), join(folder.path, 'web/link.txt'));
  at = await startWorkspace({ TRELLIS_FRONT_END: join(folder.path, 'web') });
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const get = (path: string, headers = {}) => at.http.send({ path, headers });
const putReplicas = (ReplicaURLs: string) =>
  at.http.send({
    method: 'PUT',
    path: '/api/workspace/settings',
    token: at.token,
    body: { ReplicaURLs },
  });

/** The status line and the body, for a path as no client would send it. */
async function rawGet(path: string): Promise<string> {
  const { hostname, port } = new URL(at.server.url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => (text += part));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, 'latin1');
  await once(socket, 'close');
  return text;
}

describe('the front end', () => {
  test('is sent to anybody, by path', async () => {
    const page = await get('/');
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.text).toContain('<title>x</title>');
    expect((await get('/index.html')).text).toBe(page.text);
    const style = await get('/assets/app-0123456789abcdef.css');
    expect([style.status, style.text, style.headers.get('cache-control')]).toEqual([
      200,
      'a {}',
      'public, max-age=31536000, immutable',
    ]);
  });

  test('is not sent again while it is the same', async () => {
    const etag = (await get('/')).headers.get('etag') ?? '';
    expect((await get('/', { 'if-none-match': etag })).status).toBe(304);
    await putReplicas('https://elsewhere.example');
    expect((await get('/', { 'if-none-match': etag })).status).toBe(200);
    await putReplicas('');
    expect((await get('/', { 'if-none-match': etag })).status).toBe(304);
  });

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/..\\..\\secret.txt',
    '/%252e%252e/secret.txt',
    '//secret.txt',
    '/./../secret.txt',
    '/%c0%ae%c0%ae/secret.txt',
    '/index.html%00.txt',
    '/index.html/../../secret.txt',
    '/link.txt',
    '/.env',
    '/.git/config',
    '/assets',
    '/assets/',
    '/assets/.',
    '/constructor',
  ])('%s is nothing', async (path) => {
    const answer = await rawGet(path);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer).not.toMatch(/outside|secret=|KEY=/);
    expect(answer).toContain('application/json');
  });

  test('an unknown path is what it always was', async () => {
    const answer = await get('/nowhere');
    expect([answer.status, answer.json]).toEqual([
      404,
      expect.objectContaining({ error: expect.objectContaining({ code: 'route_not_found' }) }),
    ]);
  });

  test('keeps a server from starting when its folder cannot be read', async () => {
    await using storage = await temporaryFolder();
    const refused = await TrellisProcess.startRefused({
      storage: storage.path,
      env: { TRELLIS_FRONT_END: join(folder.path, 'nowhere') },
    });
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('TRELLIS_FRONT_END');
  });

  test('is in the graph for the replicas, by a commit when it has changed', async () => {
    await using own = await startWorkspace();
    const sequenceOf = async (url: string): Promise<number> => {
      const { headers } = await new HttpClient(url).send({ path: '/nowhere' });
      return Number(headers.get('x-msk-sequence'));
    };
    const restarted = async (env: Readonly<Record<string, string>>): Promise<number> => {
      await own.server.stop();
      await using server = await TrellisProcess.start({ storage: own.storage, env });
      const sequence = await sequenceOf(server.url);
      await server.stop();
      return sequence;
    };
    const first = await restarted({});
    expect(await restarted({})).toBe(first);
    const env = { TRELLIS_FRONT_END: join(folder.path, 'web') };
    expect(await restarted(env)).toBe(first + 1);
    expect(await restarted(env)).toBe(first + 1);
  });
});

describe('MSKREPLICAURLS', () => {
  test('is the setting ReplicaURLs, in order, each once', async () => {
    const put = await putReplicas(' https://b.example/;https://a.example ; https://B.example ');
    expect(put.status).toBe(200);
    expect((await get('/')).text).toContain(
      '<script>globalThis.MSKREPLICAURLS="https://b.example;https://a.example";',
    );
    expect((await get('/')).headers.get('content-security-policy')).toContain(
      "connect-src 'self' https://b.example https://a.example;",
    );
    const settings = await at.http.send({ path: '/api/workspace/settings', token: at.token });
    expect(settings.json).toMatchObject({ ReplicaURLs: expect.stringContaining('a.example') });
  });

  test.each([
    'nonsense',
    'ftp://a.example',
    'https://user@a.example',
    'https://a.example?x=1',
    'https://a.example#x',
    'https://a.example/</script><script>alert(1)</script>;x',
    'javascript:alert(1)',
    `https://a.example/${'x'.repeat(4_000)}`,
  ])('cannot be set to %.60s', async (urls) => {
    const { status, json } = await putReplicas(urls);
    expect([status, json]).toEqual([
      400,
      expect.objectContaining({ error: expect.objectContaining({ code: 'invalid_request' }) }),
    ]);
  });

  test('does not end the script it stands in', async () => {
    const put = await putReplicas('https://a.example/</script>"');
    expect(put.status).toBe(200);
    const { text } = await get('/');
    expect(text.match(/<\/script>/g)).toHaveLength(2);
    await putReplicas('');
  });

  test('is there for a restarted server', async () => {
    await putReplicas('https://kept.example');
    await at.server.stop();
    await using again = await TrellisProcess.start({ storage: at.storage });
    const page = await new HttpClient(again.url).send({ path: '/' });
    expect(page.text).toContain('MSKREPLICAURLS="https://kept.example"');
  });
});
