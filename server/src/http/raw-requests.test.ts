import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HTTP_HEADER_BYTES_MAX } from '#base/limits.ts';
import { errorBody } from '@trellis/contract/errors.ts';
import { RawConnection } from './testing/raw-connection.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

const HEALTH = 'GET /health HTTP/1.1\r\nHost: x\r\n';

describe('bytes that are no proper request', () => {
  it.each<[string, string, number, string]>([
    ['no HTTP at all', 'hello there\r\n\r\n', 400, 'malformed_request'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'malformed_request'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_request'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'malformed_request'],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n', 400, 'malformed_request'],
    ['a header without a name', `${HEALTH}: x\r\n\r\n`, 400, 'malformed_request'],
    ['a header with a NUL', `${HEALTH}x: a\0b\r\n\r\n`, 400, 'malformed_request'],
    ['a bare line feed in headers', `${HEALTH}a: b\nc d\r\n\r\n`, 400, 'malformed_request'],
    [
      'two lengths, as request smuggling has',
      'POST /api/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a negative length',
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a chunk whose size is no number',
      'POST /api/login/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers beyond the limit',
      `${HEALTH}x: ${'y'.repeat(HTTP_HEADER_BYTES_MAX)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'a path beyond the limit',
      `GET /${'y'.repeat(HTTP_HEADER_BYTES_MAX)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['an expectation nobody can meet', `${HEALTH}Expect: cake\r\n\r\n`, 417, 'expectation_failed'],
  ])('%s', async (_, bytes, status, code) => {
    await using connection = await RawConnection.open(at.port);
    connection.send(bytes);
    const response = await connection.response();
    expect(response.status).toBe(status);
    const { error, traceId } = errorBody.parse(JSON.parse(response.body));
    expect(error.code).toBe(code);
    expect(response.headers.get('x-request-id')).toBe(traceId);
    expect(response.headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(at.records.some((record) => record['traceId'] === traceId)).toBe(true);
  });

  it('takes headers just below the limit', async () => {
    await using connection = await RawConnection.open(at.port);
    const name = 'x: ';
    const room = HTTP_HEADER_BYTES_MAX - HEALTH.length - name.length - 4;
    connection.send(`${HEALTH}${name}${'y'.repeat(room)}\r\n\r\n`);
    expect((await connection.response()).status).toBe(200);
  });

  it('takes a target in absolute form, as proxies send it', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send('GET http://x/health HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await connection.response()).status).toBe(200);
  });

  it('takes HTTP/1.0 without Host, and closes', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send('GET /health HTTP/1.0\r\n\r\n');
    expect((await connection.response()).status).toBe(200);
    expect(await connection.closed()).toBe('');
  });

  it('refuses CONNECT without a word, as there is nobody to connect to', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await connection.closed()).toBe('');
  });

  it('answers a request to upgrade as if it were none', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(`${HEALTH}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    expect((await connection.response()).status).toBe(200);
  });

  it('keeps requests in a pipeline in order', async () => {
    await using connection = await RawConnection.open(at.port);
    connection.send(`${HEALTH}\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n${HEALTH}\r\n`);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      statuses.push((await connection.response()).status);
    }
    expect(statuses).toEqual([200, 404, 200]);
  });
});
