import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '#base/assert.ts';
import { file, PAGE, pageGlobals } from '../testing/front-end-files.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer({ isReady: false });
  at.frontEnd.files.set('/index.html', file(PAGE));
  at.frontEnd.files.set('/page.js', file('let a;'));
  at.frontEnd.files.set('/assets/app-0123456789abcdef.js', file('let b;'));
  at.frontEnd.files.set('/assets/app-services.css', file('a{}'));
  at.frontEnd.files.set('/a%20b.bin', file('bytes'));
});
afterAll(() => at.server.close());

const pageGlobal = (html: string): unknown => pageGlobals(html).MSKREPLICAURLS;

describe('the files of the front end', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/index.html?a=/b', 'text/html; charset=utf-8', 'no-cache'],
    ['/page.js', 'text/javascript; charset=utf-8', 'no-cache'],
    [
      '/assets/app-0123456789abcdef.js',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ],
    ['/assets/app-services.css', 'text/css; charset=utf-8', 'no-cache'],
    ['/a%20b.bin', 'application/octet-stream', 'no-cache'],
  ])('%s is sent before the graph is loaded', async (path, contentType, cacheControl) => {
    const answer = await at.request('GET', path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(contentType);
    expect(answer.headers.get('cache-control')).toBe(cacheControl);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    const head = await at.request('HEAD', path);
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-length', 'etag', 'content-type', 'cache-control']) {
      expect(head.headers.get(name), name).toBe(answer.headers.get(name));
    }
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)));
  });

  it('are not sent again to who has them', async () => {
    for (const path of ['/', '/page.js']) {
      const etag = must((await at.request('GET', path)).headers.get('etag'), 'an ETag');
      for (const known of [etag, `"x", W/${etag}`, '*']) {
        const headers = { 'if-none-match': known };
        const answer = await at.request('GET', path, { headers });
        expect([answer.status, answer.text]).toEqual([304, '']);
        expect(answer.headers.get('etag')).toBe(etag);
      }
      const stale = await at.request('GET', path, { headers: { 'if-none-match': '"x"' } });
      expect(stale.status).toBe(200);
    }
  });

  it('take no other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await at.request(method, '/page.js');
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it.each([
    '/PAGE.JS',
    '/page.js/',
    '//page.js',
    '/./page.js',
    '/x/../page.js',
    '/%70age.js',
    '/..%2fpage.js',
    '/page.js%00',
    '/toString',
    '/api/index.html',
  ])('%s is none', async (path) => {
    const answer = await at.request('GET', path);
    // What a client makes the same path of is the same file.
    const isSame = new URL(path, 'http://x').pathname === '/page.js';
    expect(answer.status).toBe(isSame ? 200 : 404);
    if (!isSame) expect(answer.json).toMatchObject({ error: { code: 'route_not_found' } });
  });

  it('are sent by HTTPS alone when so configured', async () => {
    await using strict = await startTestServer({ redirectToHttps: true });
    strict.frontEnd.files.set('/index.html', file(PAGE));
    const answer = await strict.request('GET', '/');
    expect(answer.status).toBe(308);
  });
});

describe('a server whose front end was not built', () => {
  it('says so, and answers everything else', async () => {
    await using bare = await startTestServer();
    const answer = await bare.request('GET', '/');
    expect([answer.status, answer.json]).toEqual([
      404,
      expect.objectContaining({
        error: expect.objectContaining({
          code: 'front_end_not_built',
          hint: expect.stringContaining('npm run build'),
        }),
      }),
    ]);
    expect((await bare.request('GET', '/health')).status).toBe(200);
  });
});

describe('the code of a worker', () => {
  it('may load what belongs to it and ask the server, and nothing else', async () => {
    const policy = (await at.request('GET', '/page.js')).headers.get('content-security-policy');
    expect(policy).toBe(
      "default-src 'none';script-src 'self';connect-src 'self';frame-ancestors 'none'",
    );
  });
});

describe('a page', () => {
  it('knows the replicas, and may run its own scripts and call them, and nothing else', async () => {
    at.frontEnd.replicaUrls = 'https://r1.example;http://r2.example:81/graph';
    const answer = await at.request('GET', '/');
    const policy = must(answer.headers.get('content-security-policy'), 'a policy');
    const script = must(/<script>([^]*?)<\/script>/.exec(answer.text)?.[1], 'a script');
    const hash = createHash('sha256').update(script).digest('base64');
    expect(policy.split(';')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src 'self' 'sha256-${hash}'`,
        "connect-src 'self' https://r1.example http://r2.example:81",
        "img-src 'self' data: blob:",
        "worker-src 'self'",
        "manifest-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]),
    );
    expect(policy).not.toContain('unsafe');
    expect(pageGlobal(answer.text)).toBe(at.frontEnd.replicaUrls);
    // Before every other script.
    expect(answer.text.indexOf(script)).toBeLessThan(answer.text.indexOf('page.js'));
    expect(answer.text.replace(`<script>${script}</script>`, '')).toBe(PAGE);
  });

  it('is another one once the list has changed', async () => {
    at.frontEnd.replicaUrls = '';
    const before = must((await at.request('GET', '/')).headers.get('etag'), 'an ETag');
    at.frontEnd.replicaUrls = 'https://r1.example';
    const answer = await at.request('GET', '/', { headers: { 'if-none-match': before } });
    expect(answer.status).toBe(200);
    expect(pageGlobal(answer.text)).toBe('https://r1.example');
  });

  it('of a replica may call the primary as well', async () => {
    await using replica = await startTestServer({
      primaryAddress: () => 'https://p.example/graph',
    });
    replica.frontEnd.files.set('/index.html', file(PAGE));
    const policy = (await replica.request('GET', '/')).headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self' https://p.example;");
  });

  it('stays whole whatever the list says', async () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '</script>',
        '<!--',
        '<script',
        '"',
        '\\',
        "'",
        '\n',
        '\u2028',
        'é',
        ';',
        '$&',
        ' ',
      ),
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(nasty, async (list) => {
        at.frontEnd.replicaUrls = list;
        const { text, headers } = await at.request('GET', '/');
        expect(pageGlobal(text)).toBe(list);
        expect(text.match(/<script/gi)).toHaveLength(2);
        expect(text).not.toContain('<!--');
        expect(headers.get('content-security-policy')).toMatch(/^[\x20-\x7e]+$/);
      }),
      { numRuns: 100 },
    );
    at.frontEnd.replicaUrls = '';
  });
});
