import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Problem } from '#base/problem.ts';
import { errorBody } from '@trellis/contract/errors.ts';
import type { ErrorCode } from '@trellis/contract/errors.ts';
import type { EndpointAnswer } from '#runtime/call-outcome.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const SEND_AND_RESET = `
  const [, port, request] = process.argv;
  const socket = require('node:net').connect(Number(port), '127.0.0.1');
  socket.write(request, () => socket.resetAndDestroy());`;

let at: TestServer;
beforeAll(async () => {
  at = await startTestServer();
});
afterAll(() => at.server.close());

it('takes nothing of a client that was gone before its connection was accepted', async () => {
  const body = '{"name":"admin","password":"x"}';
  const head = `POST /api/login/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
  const request = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  const before = at.records.length;
  // This thread, which would accept it, stands still meanwhile.
  const { status } = spawnSync(process.execPath, ['-e', SEND_AND_RESET, String(at.port), request]);
  expect(status).toBe(0);
  expect((await at.request('GET', '/health')).status).toBe(200);
  expect(at.records.slice(before)).toEqual([]);
});

describe('faults of ours', () => {
  const run = (onRun: () => Promise<EndpointAnswer>) => {
    vi.spyOn(at.services.endpoints, 'run').mockImplementation(onRun);
    return at.request('POST', '/api/cce/x', { as: 'user' });
  };

  it.each<[string, () => Promise<EndpointAnswer>]>([
    ['an error', () => Promise.reject(new Error('disk /dev/sda1 is on fire'))],
    ['no error at all', () => Promise.reject('/dev/sda1')],
    [
      'a problem that no catalogue has',
      () =>
        Promise.reject(
          new Problem('on_fire' as ErrorCode, '/dev/sda1', {
            hint: '/dev/sda1',
            details: { disk: '/dev/sda1' },
          }),
        ),
    ],
    [
      'a header of the endpoint’s own making',
      async () => ({
        status: 303,
        headers: { location: '/dev/sda1\r\nset-cookie: a=b' },
        body: null,
      }),
    ],
  ])('%s shows nothing of the inside, and is in the log', async (_, onRun) => {
    const response = await run(onRun);
    expect(response.status).toBe(500);
    const { error, traceId } = errorBody.parse(response.json);
    expect(error.code).toBe('internal_error');
    expect(error.details).toBeUndefined();
    expect(response.text + JSON.stringify([...response.headers])).not.toContain('sda1');
    const record = at.records.find((one) => one['traceId'] === traceId);
    expect(record).toMatchObject({ level: 'error', status: 500 });
    expect(record).toHaveProperty('err');
  });

  it('storage that fails says so, but not where', async () => {
    const where = { hint: '/dev/sda1', details: { folder: '/dev/sda1', retryAfterSeconds: 1 } };
    for (const [code, status] of [
      ['storage_failed', 503],
      ['storage_full', 507],
    ] as const) {
      const response = await run(() =>
        Promise.reject(new Problem(code, 'writing /dev/sda1', where)),
      );
      expect([response.status, errorBody.parse(response.json).error.code]).toEqual([status, code]);
      expect(response.text).not.toContain('sda1');
      expect(at.records.at(-1)).toMatchObject({
        level: 'error',
        err: { message: expect.stringContaining('sda1') },
      });
    }
  });

  it('a problem with Retry-After has that of the catalogue, or its own', async () => {
    const own = { details: { retryAfterSeconds: 3 } };
    const first = await run(() => Promise.reject(new Problem('endpoint_overloaded', 'Busy.')));
    const second = await run(() =>
      Promise.reject(new Problem('endpoint_overloaded', 'Busy.', own)),
    );
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1']);
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '3']);
    expect(at.records.at(-1)).toMatchObject({ level: 'warn', code: 'endpoint_overloaded' });
  });

  it('an answer that the server does not end because it stops is no warning', async () => {
    await run(() => Promise.reject(new Problem('server_stopping', 'The server is stopping.')));
    expect(at.records.at(-1)).toMatchObject({ level: 'info', code: 'server_stopping' });
  });
});

describe('the log of requests', () => {
  it('has every answer at level debug, without its query', async () => {
    await using debugged = await startTestServer({ level: 'debug' });
    const path = '/api/graph/ready?secret=1';
    await debugged.request('GET', path, { headers: { 'x-request-id': 'trace-me' } });
    expect(debugged.records).toEqual([
      expect.objectContaining({
        level: 'debug',
        traceId: 'trace-me',
        method: 'GET',
        path: '/api/graph/ready',
        status: 200,
      }),
    ]);
  });

  it('has none above', async () => {
    const before = at.records.length;
    await at.request('GET', '/api/graph/ready');
    expect(at.records).toHaveLength(before);
  });
});

describe('the request id', () => {
  it.each<[string, boolean]>([
    ['4bf92f3577b34da6a3ce929d0e0e4736', true],
    ['client:42.a_b-c', true],
    ['12345678', true],
    ['1234567', false],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['has blanks in it', false],
    ['<script>alert(1)</script>', false],
  ])('%j is taken over: %s', async (id, isTaken) => {
    const response = await at.request('GET', '/health', { headers: { 'x-request-id': id } });
    const answered = response.headers.get('x-request-id');
    if (isTaken) expect(answered).toBe(id);
    else expect(answered).toMatch(/^[\da-f-]{36}$/);
  });
});
