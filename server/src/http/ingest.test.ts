import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { GZIP_EXPANSION_RATIO_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { errorBody } from '@trellis/contract/errors.ts';
import { INGEST_COMMIT_OPERATIONS_MAX, JSON_BODY_BYTES_MAX } from '@trellis/contract/limits.ts';
import { chunkedIngest, chunkOf, RawConnection } from './testing/raw-connection.ts';
import { RecordedStreams } from './testing/recorded-streams.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());
let recorded: RecordedStreams;
beforeEach(() => {
  recorded = new RecordedStreams();
  recorded.record(at.services.ingest);
  vi.spyOn(at.services.ingest, 'commit').mockImplementation(async (_caller, operations) => ({
    nodes: operations.length,
    created: 0,
    edges: 0,
    splits: 0,
    commits: 1,
    sequence: 10,
  }));
});

const NDJSON = { 'content-type': 'application/x-ndjson' };
const JSON_TYPE = { 'content-type': 'application/json' };
const GZIP = { 'content-encoding': 'GZip' };
const LINE = `${JSON.stringify({ op: 'tryAdd', type: 'Word', key: 'dog' })}\n`;

const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string>) =>
  at.request('POST', '/api/ingest', { as: 'ingestion-token', body, headers });
const lastStream = () => recorded.last;
const commits = () =>
  vi.mocked(at.services.ingest.commit).mock.calls.map(([, operations]) => operations);
const codeOf = (json: unknown) => errorBody.parse(json).error.code;

describe('one commit of JSON', () => {
  const operations = (count: number) => Array.from({ length: count }, (_, i) => ({ op: 'x', i }));

  it('is handed on as it is, checked by nobody on the way', async () => {
    const given = [{ op: 'nonsense' }, null, 7];
    const response = await post(JSON.stringify({ operations: given }), JSON_TYPE);
    expect(response.json).toEqual({
      nodes: 3,
      created: 0,
      edges: 0,
      splits: 0,
      commits: 1,
      sequence: 10,
    });
    expect(response.headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
    expect(commits()).toEqual([given]);
  });

  it('may be compressed', async () => {
    const body = gzipSync(JSON.stringify({ operations: operations(3) }));
    const response = await post(body, { ...JSON_TYPE, ...GZIP });
    expect(response.status).toBe(200);
    expect(commits()).toEqual([operations(3)]);
  });

  it.each([
    [INGEST_COMMIT_OPERATIONS_MAX - 1, 200],
    [INGEST_COMMIT_OPERATIONS_MAX, 200],
    [INGEST_COMMIT_OPERATIONS_MAX + 1, 400],
  ])('of %d operations answers %d', async (count, status) => {
    const response = await post(JSON.stringify({ operations: operations(count) }), JSON_TYPE);
    expect(response.status).toBe(status);
    expect(commits()).toHaveLength(status === 200 ? 1 : 0);
  });

  it.each<[string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number, string]>([
    ['no operations', '{}', JSON_TYPE, 400, 'invalid_request'],
    ['more than operations', '{"operations":[],"x":1}', JSON_TYPE, 400, 'invalid_request'],
    ['nothing', '', JSON_TYPE, 400, 'invalid_request'],
    ['broken JSON', '{"operations":[', JSON_TYPE, 400, 'malformed_json'],
    ['no content type', new Uint8Array([123, 125]), {}, 415, 'unsupported_media_type'],
    ['another type', 'x', { 'content-type': 'text/csv' }, 415, 'unsupported_media_type'],
    [
      'another encoding',
      'x',
      { ...JSON_TYPE, 'content-encoding': 'br' },
      415,
      'unsupported_encoding',
    ],
    [
      'two encodings',
      'x',
      { ...JSON_TYPE, 'content-encoding': 'gzip, gzip' },
      415,
      'unsupported_encoding',
    ],
    [
      'no gzip though it says so',
      '{"operations":[]}',
      { ...JSON_TYPE, ...GZIP },
      400,
      'malformed_encoding',
    ],
    [
      'gzip cut short',
      new Uint8Array(gzipSync('{"operations":[]}').subarray(0, -4)),
      { ...JSON_TYPE, ...GZIP },
      400,
      'malformed_encoding',
    ],
    [
      'too many bytes',
      `{"operations":["${'x'.repeat(JSON_BODY_BYTES_MAX)}"]}`,
      JSON_TYPE,
      413,
      'body_too_large',
    ],
    [
      'too many bytes once unpacked',
      new Uint8Array(gzipSync('x'.repeat(JSON_BODY_BYTES_MAX + 1))),
      { ...JSON_TYPE, ...GZIP },
      413,
      'body_too_large',
    ],
  ])('with %s is refused', async (_, body, headers, status, code) => {
    const response = await post(body, headers);
    expect([response.status, codeOf(response.json)]).toEqual([status, code]);
    expect(commits()).toEqual([]);
  });
});

describe('a stream of NDJSON', () => {
  it('arrives whole', async () => {
    const text = LINE.repeat(50_000);
    const response = await post(text, NDJSON);
    expect(response.json).toMatchObject({ nodes: 50_000 });
    expect(lastStream()).toEqual({ text, ended: 'end' });
  });

  it('arrives unpacked when it was compressed, in several members too', async () => {
    const body = Buffer.concat([gzipSync(LINE), gzipSync(LINE.repeat(2))]);
    const response = await post(body, { ...NDJSON, ...GZIP });
    expect(response.json).toMatchObject({ nodes: 3 });
    expect(lastStream()).toEqual({ text: LINE.repeat(3), ended: 'end' });
  });

  it('may be empty', async () => {
    expect((await post('', NDJSON)).json).toMatchObject({ nodes: 0 });
    expect(lastStream()).toEqual({ text: '', ended: 'end' });
  });

  it('may be larger than any body of JSON', async () => {
    const text = LINE.repeat(Math.ceil((JSON_BODY_BYTES_MAX + 1) / LINE.length));
    expect((await post(text, NDJSON)).status).toBe(200);
    expect(lastStream().text).toHaveLength(text.length);
  });

  it('is read no faster than it is written', async () => {
    let running = 0;
    let most = 0;
    recorded.onWrite = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
    };
    await post(gzipSync(randomBytes(1 << 20).toString('hex')), { ...NDJSON, ...GZIP });
    expect(most).toBe(1);
  });

  it('makes its sender wait while nothing is taken', async () => {
    const taking = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    recorded.onWrite = () => {
      started.resolve();
      return taking.promise;
    };
    let sent = 0;
    const chunk = Buffer.from(LINE.repeat(1_000));
    const source = new ReadableStream({
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
        if (sent > 64 * 1024 * 1024) controller.close();
      },
    });
    const response = post(source, NDJSON);
    await started.promise;
    // Give the sender every chance to run ahead: turns of the loop, until it stands still.
    for (let before = -1; before !== sent;) {
      before = sent;
      for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
    }
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    recorded.onWrite = async () => {};
    taking.resolve();
    expect((await response).status).toBe(200);
  });

  it('whose sender goes away is dropped', async () => {
    const written = Promise.withResolvers<void>();
    recorded.onWrite = async () => written.resolve();
    const connection = await RawConnection.open(at.port);
    connection.send(chunkedIngest(at.tokens['ingestion-token']) + chunkOf(LINE));
    await written.promise;
    const stream = lastStream();
    await connection[Symbol.asyncDispose]();
    while (stream.ended === 'open') {
      await new Promise(setImmediate);
    }
    expect(stream.ended).toBe('abort');
  });

  it('is stopped by the first commit that fails, and its sender can read why', async () => {
    const details = { index: 3, commits: 1 };
    recorded.onWrite = () =>
      Promise.reject(new Problem('invalid_operation', 'Unknown type.', { details }));
    const text = LINE.repeat(200_000);
    for (const headers of [NDJSON, { ...NDJSON, ...GZIP }]) {
      const body = 'content-encoding' in headers ? gzipSync(randomBytes(4 << 20)) : text;
      const response = await post(body, headers);
      expect(response.status).toBe(422);
      expect(errorBody.parse(response.json).error).toMatchObject({
        code: 'invalid_operation',
        details,
      });
      expect(lastStream()).toEqual({ text: '', ended: 'abort' });
    }
  });

  it('leaves its connection to the next request when it was refused halfway', async () => {
    recorded.onWrite = () => Promise.reject(new Problem('invalid_operation', 'No.'));
    await using connection = await RawConnection.open(at.port);
    connection.send(chunkedIngest(at.tokens['ingestion-token']) + chunkOf(LINE));
    expect((await connection.response()).status).toBe(422);
    connection.send(`${chunkOf(LINE.repeat(10_000))}0\r\n\r\n`);
    connection.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await connection.response()).status).toBe(200);
  });

  it('that is broken gzip keeps what came before out of the commit', async () => {
    const good = gzipSync(LINE.repeat(100_000));
    const response = await post(good.subarray(0, -9), { ...NDJSON, ...GZIP });
    expect([response.status, codeOf(response.json)]).toEqual([400, 'malformed_encoding']);
    expect(lastStream().ended).toBe('abort');
  });

  it('that unpacks to a mountain is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(JSON_BODY_BYTES_MAX * 4, '\n'));
    expect(bomb.length * GZIP_EXPANSION_RATIO_MAX).toBeLessThan(JSON_BODY_BYTES_MAX * 4);
    const response = await post(bomb, { ...NDJSON, ...GZIP });
    expect([response.status, codeOf(response.json)]).toEqual([413, 'body_too_large']);
    expect(lastStream().ended).toBe('abort');
    expect(lastStream().text.length).toBeLessThan(JSON_BODY_BYTES_MAX * 2);
  });
});
