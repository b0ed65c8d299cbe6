import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ANSWER_COMPRESSED_BYTES_MIN, ANSWER_SLICE_BYTES } from '#base/limits.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

const RUN = '/api/cce/any';
/** JSON of so many bytes. */
const textOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

async function ask(method: string, path: string, encoding: string | undefined) {
  const headers = {
    authorization: `Bearer ${at.tokens.admin}`,
    ...(encoding !== undefined && { 'accept-encoding': encoding }),
  };
  const asked = request({ port: at.port, method, path, headers }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
}

describe.each([
  ['by itself', 'small', ANSWER_COMPRESSED_BYTES_MIN],
  ['in slices', 'large', 2 * ANSWER_SLICE_BYTES],
])('an answer that an endpoint sends %s', (_, __, bytes) => {
  const text = textOf(bytes);
  beforeEach(() => {
    vi.spyOn(at.services.endpoints, 'run').mockResolvedValue({ status: 200, body: text });
  });

  it('is compressed for those who take it so', async () => {
    const { headers, body } = await ask('POST', RUN, 'br, gzip;q=0.5');
    expect(headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      'content-type': 'application/json; charset=utf-8',
      'x-msk-sequence': expect.any(String),
      'x-request-id': expect.any(String),
    });
    expect(body.length).toBeLessThan(bytes / 4);
    expect(gunzipSync(body).toString()).toBe(text);
  });

  it.each([undefined, 'identity', 'br', 'gzip;q=0'])('is as it is for %s', async (encoding) => {
    const { headers, body } = await ask('POST', RUN, encoding);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers).toMatchObject({ vary: 'accept-encoding', 'content-length': String(bytes) });
    expect(body.toString()).toBe(text);
  });
});

describe('an answer of an endpoint', () => {
  it('that is tiny, or has an encoding of its own, is sent as it is', async () => {
    const run = vi.spyOn(at.services.endpoints, 'run');
    run.mockResolvedValueOnce({ status: 200, body: textOf(ANSWER_COMPRESSED_BYTES_MIN - 1) });
    const tiny = await ask('POST', RUN, 'gzip');
    expect([tiny.headers['content-encoding'], tiny.headers.vary]).toEqual([undefined, undefined]);
    const headers = { 'X-Of': 'its own', 'Content-Encoding': 'identity' };
    run.mockResolvedValueOnce({ status: 201, body: textOf(5_000), headers });
    const own = await ask('POST', RUN, 'gzip');
    expect([own.status, own.headers['content-encoding']]).toEqual([201, 'identity']);
    expect(own.headers).toMatchObject({ 'x-of': 'its own', 'content-length': '5000' });
  });
});

describe('an answer of an operation', () => {
  const path = '/api/openapi.json';

  it('is compressed, and is the same', async () => {
    const [plain, gzip] = [await ask('GET', path, undefined), await ask('GET', path, 'gzip')];
    expect(gzip.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding' });
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(gzip.body.length).toBeLessThan(plain.body.length / 4);
  });

  it('of a middle size has the length of what is sent, for HEAD too', async () => {
    const some = '/api/graph/stats/database';
    vi.spyOn(at.services.statistics, 'database').mockResolvedValue('of all '.repeat(1_000));
    const got = await ask('GET', some, 'gzip');
    expect(got.headers['content-encoding']).toBe('gzip');
    expect(got.headers['content-length']).toBe(String(got.body.length));
    const head = await ask('HEAD', some, 'gzip');
    expect([head.body.length, head.headers.vary]).toEqual([0, 'accept-encoding']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
  });

  it('that has secrets in it is sent as it is', async () => {
    const answer = await ask('GET', '/api/tokens?take=1000', 'gzip');
    expect([answer.headers['content-encoding'], answer.headers.vary]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is sent as it is while many others are compressed, and later is compressed again', async () => {
    const text = textOf(ANSWER_SLICE_BYTES);
    vi.spyOn(at.services.endpoints, 'run').mockResolvedValue({ status: 200, body: text });
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask('POST', RUN, 'gzip')));
    for (const { headers, body } of answers) {
      const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      expect(bytes.toString()).toBe(text);
    }
    expect((await ask('POST', RUN, 'gzip')).headers['content-encoding']).toBe('gzip');
  });
});
