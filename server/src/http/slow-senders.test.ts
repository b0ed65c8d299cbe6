import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '#base/problem.ts';
import { errorBody } from '@trellis/contract/errors.ts';
import { chunkedIngest, chunkOf, RawConnection } from './testing/raw-connection.ts';
import { RecordedStreams } from './testing/recorded-streams.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const TIMEOUTS = { headers: 100, request: 200, streamIdle: 1_500, linger: 20 };
let at: TestServer;
beforeAll(async () => {
  at = await startTestServer({ timeouts: TIMEOUTS });
});
afterAll(() => at.server.close());
let recorded: RecordedStreams;
beforeEach(() => {
  recorded = new RecordedStreams();
  recorded.record(at.services.ingest);
});

const HEALTH = 'GET /health HTTP/1.1\r\nHost: x\r\n';
const LINE = '{"op":"tryAdd","type":"Word","key":"dog"}\n';
const lastStream = () => recorded.last;
const codeOf = (json: unknown) => errorBody.parse(json).error.code;

describe('a sender that takes its time', () => {
  it.each([
    ['over its headers', HEALTH],
    [
      'over its body',
      'POST /api/login/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    ],
  ])('%s is told so, and cut off', async (_, bytes) => {
    await using connection = await RawConnection.open(at.port);
    connection.send(bytes);
    const response = await connection.response();
    expect(response.status).toBe(408);
    expect(errorBody.parse(JSON.parse(response.body)).error.code).toBe('request_timeout');
    expect(await connection.closed()).toBe('');
  });

  it('after it was refused is cut off without another answer', async () => {
    await using patient = await startTestServer({ timeouts: { linger: 20 } });
    await using connection = await RawConnection.open(patient.port);
    connection.send('POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    expect((await connection.response()).status).toBe(404);
    expect(await connection.closed()).toBe('');
  });
});

describe('a stream of NDJSON', () => {
  it('may take longer than other requests, as long as something arrives', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(chunkedIngest(at.tokens['ingestion-token']));
    const began = performance.now();
    while (performance.now() - began < 3 * TIMEOUTS.request) {
      const written = new Promise<void>((resolve) => {
        recorded.onWrite = async () => resolve();
      });
      connection.send(chunkOf(LINE));
      await written;
    }
    connection.send('0\r\n\r\n');
    expect((await connection.response()).status).toBe(200);
    expect(lastStream().ended).toBe('end');
  });

  it('that falls silent is given up, and told so', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(chunkedIngest(at.tokens['ingestion-token']) + chunkOf(LINE));
    const response = await connection.response();
    expect([response.status, codeOf(JSON.parse(response.body))]).toEqual([408, 'request_timeout']);
    expect(lastStream()).toEqual({ text: LINE, ended: 'abort' });
    expect(await connection.closed()).toBe('');
  });

  it('that was refused and goes on all the same is cut off', async () => {
    recorded.onWrite = () => Promise.reject(new Problem('invalid_operation', 'No.'));
    await using connection = await RawConnection.open(at.port);
    connection.send(chunkedIngest(at.tokens['ingestion-token']) + chunkOf(LINE));
    expect((await connection.response()).status).toBe(422);
    connection.send(chunkOf(LINE));
    expect(await connection.closed()).toBe('');
  });

  it('that is refused before it begins is not read', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(chunkedIngest(at.tokens.user) + chunkOf(LINE));
    expect((await connection.response()).status).toBe(403);
    expect(await connection.closed()).toBe('');
    expect(recorded.streams).toEqual([]);
  });
});
