import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { file, PAGE, pageGlobals } from '../testing/front-end-files.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
  at.frontEnd.files.set('/index.html', file(PAGE));
});
afterAll(() => at.server.close());

describe('the form of a file', () => {
  const LONG = `let a;${' '.repeat(2_000)}`;
  const get = async (path: string, encoding: string, etag?: string) => {
    const { port } = at;
    const headers = {
      'accept-encoding': encoding,
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
    };
    const asked = request({ port, path, headers }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
  };
  beforeAll(() => {
    at.frontEnd.files.set('/long.js', file(LONG));
    at.frontEnd.files.set('/long.png', file(LONG));
    at.frontEnd.files.set('/long.html', file(PAGE + LONG));
  });

  it('is the one that the client takes, each with a tag of its own', async () => {
    const plain = await get('/long.js', 'identity');
    const br = await get('/long.js', 'gzip, br');
    const gzip = await get('/long.js', 'gzip');
    expect(plain.body.toString()).toBe(LONG);
    expect(brotliDecompressSync(br.body).toString()).toBe(LONG);
    expect(gunzipSync(gzip.body).toString()).toBe(LONG);
    const answers = [plain, br, gzip];
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual([
      undefined,
      'br',
      'gzip',
    ]);
    for (const { headers, body } of answers) {
      expect(headers).toMatchObject({
        vary: 'accept-encoding',
        'content-type': 'text/javascript; charset=utf-8',
        'content-length': String(body.length),
        'cache-control': 'no-cache',
      });
    }
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(3);
  });

  it('is not sent again in any form that the client has and takes', async () => {
    const tag = async (encoding: string) => String((await get('/long.js', encoding)).headers.etag);
    const [plain, br, gzip] = [await tag('identity'), await tag('br'), await tag('gzip')];
    for (const [encoding, known, status] of [
      ['br', br, 304],
      ['br, gzip', `"x", W/${gzip}`, 304],
      // It was sent so while its compressed form was made.
      ['br', plain, 304],
      ['identity', br, 200],
      ['gzip', br, 200],
    ] as const) {
      const answer = await get('/long.js', encoding, known);
      expect([answer.status, encoding], known).toEqual([status, encoding]);
      expect(answer.headers.vary).toBe('accept-encoding');
      if (status === 304) expect(known).toContain(answer.headers.etag);
    }
  });

  it('of a page has what was put into it', async () => {
    const page = brotliDecompressSync((await get('/long.html', 'br')).body).toString();
    expect(pageGlobals(page)).toEqual({ MSKREPLICAURLS: '', MSKSERVERPATH: './' });
  });

  it('of a picture is the only one', async () => {
    const { headers, body } = await get('/long.png', 'br');
    expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    expect(body.toString()).toBe(LONG);
  });

  it('is compressed for HEAD as well', async () => {
    const asked = request({
      port: at.port,
      method: 'HEAD',
      path: '/long.js',
      headers: { 'accept-encoding': 'br' },
    }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    answer.resume();
    const got = await get('/long.js', 'br');
    for (const name of ['content-length', 'content-encoding', 'etag', 'vary']) {
      expect(answer.headers[name], name).toBe(got.headers[name]);
    }
  });
});

describe('a folder with a page', () => {
  beforeAll(() => void at.frontEnd.files.set('/a/b/index.html', file(PAGE)));

  it('is that page, which knows the way to the server', async () => {
    const answer = await at.request('GET', '/a/b/');
    expect(answer.status).toBe(200);
    expect(pageGlobals(answer.text).MSKSERVERPATH).toBe('../../');
    expect(pageGlobals((await at.request('GET', '/')).text).MSKSERVERPATH).toBe('./');
  });

  it('is asked for with a slash at its end, wherever a proxy has it', async () => {
    const answer = await at.request('GET', '/a/b?x=/y');
    expect([answer.status, answer.headers.get('location')]).toEqual([308, './b/?x=/y']);
    expect((await at.request('GET', '/a')).status).toBe(404);
    expect((await at.request('POST', '/a/b')).status).toBe(405);
  });

  it('may be the same file as another page, and each is told its own way', async () => {
    const page = file(PAGE);
    at.frontEnd.files.set('/one.html', page);
    at.frontEnd.files.set('/c/one.html', page);
    for (const [path, way] of [
      ['/one.html', './'],
      ['/c/one.html', '../'],
      ['/one.html', './'],
    ] as const) {
      expect(pageGlobals((await at.request('GET', path)).text).MSKSERVERPATH).toBe(way);
    }
  });
});
