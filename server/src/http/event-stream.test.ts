import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type { Caller } from '#access/caller.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { EVENT_STREAMS_MAX, EVENT_STREAMS_PER_CALLER_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { EventStreams } from './live-answers.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const open: TestServer[] = [];
afterEach(async () => {
  for (const at of open.splice(0)) await at.server.close();
});

const LIVE = '/api/endpoints/logs/live';
const LINE = {
  sequence: 7,
  at: '2026-11-20T00:00:00.000Z',
  endpoint: 'a',
  level: 'info',
  message: 'text',
  user: null,
  run: 1,
} as const;
const NOTHING = { lines: [], dropped: 0, sequence: 7 };

async function start(options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const at = await startTestServer(options);
  open.push(at);
  return at;
}

/** A log that says nothing more after its first batch until the watch is over. */
function silentLog(at: TestServer) {
  const watching = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  vi.spyOn(at.services.endpointLogs, 'watch').mockImplementation(async function* (
    _caller,
    _filter,
    { signal },
  ) {
    yield NOTHING;
    watching.resolve();
    if (!signal.aborted) await once(signal, 'abort');
    ended.resolve();
  });
  return { watching: watching.promise, ended: ended.promise };
}

it('writes events with their ids, says after which the client has come back, and how it ends', async () => {
  const at = await start();
  const seen: unknown[] = [];
  vi.spyOn(at.services.endpointLogs, 'watch').mockImplementation(async function* (
    _caller,
    filter,
    { after },
  ) {
    seen.push([filter, after]);
    yield { lines: [LINE, { ...LINE, sequence: 8, message: 'a\nb' }], dropped: 3, sequence: 8 };
  });
  const { text, headers } = await at.request('GET', `${LIVE}?level=warn`, {
    as: 'admin',
    headers: { 'last-event-id': '6' },
  });
  expect(seen).toEqual([[{ level: 'warn' }, 6]]);
  expect(headers.get('x-msk-sequence')).toBe(String(at.services.sequence()));
  expect(text.split('\n\n')).toEqual([
    ':',
    'event: dropped\ndata: {"count":3}',
    `id: 7\nevent: line\ndata: ${JSON.stringify(LINE)}`,
    `id: 8\nevent: line\ndata: ${JSON.stringify({ ...LINE, sequence: 8, message: 'a\nb' })}`,
    'event: end\ndata: {}',
    '',
  ]);
});

it('ends without a last event when the token is revoked, although nothing happens', async () => {
  const at = await start({ timeouts: { eventStreamHeartbeat: 5 } });
  const { watching, ended } = silentLog(at);
  const answer = at.request('GET', LIVE, { as: 'admin' });
  await watching;
  await at.request('POST', '/api/login/end', { as: 'admin' });
  await ended;
  const { text } = await answer;
  expect(text).toContain('event: position');
  expect(text).not.toContain('event: end');
});

it('ends when the server stops', async () => {
  const at = await start();
  const { watching, ended } = silentLog(at);
  const answer = at.request('GET', LIVE, { as: 'admin' });
  await watching;
  await at.server.close();
  await ended;
  expect((await answer).text).not.toContain('event: end');
});

it('asks for no more than the client takes, and for nothing once it has gone', async () => {
  const at = await start();
  const ended = Promise.withResolvers<number>();
  vi.spyOn(at.services.endpointLogs, 'watch').mockImplementation(async function* (
    _caller,
    _filter,
    { signal },
  ) {
    let count = 0;
    const message = 'x'.repeat(1024 * 1024);
    try {
      for (; !signal.aborted; count++) {
        yield { lines: [{ ...LINE, message }], dropped: 0, sequence: 7 };
      }
    } finally {
      ended.resolve(count);
    }
  });
  const { port, hostname } = new URL(at.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${LIVE} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${at.tokens.admin}\r\n\r\n`,
  );
  await once(socket, 'readable');
  socket.destroy();
  expect(await ended.promise).toBeLessThan(100);
});

it('that fails is cut off, and the log says why', async () => {
  const at = await start();
  vi.spyOn(at.services.endpointLogs, 'watch').mockImplementation(async function* () {
    yield NOTHING;
    throw new Error('the log is gone');
  });
  await expect(at.request('GET', LIVE, { as: 'admin' })).rejects.toThrow('terminated');
  expect(JSON.stringify(at.records)).toContain('the log is gone');
});

it('that is refused before it begins is an error as any other, and takes no room', async () => {
  const at = await start();
  vi.spyOn(at.services.jobs, 'watch').mockImplementation(() => {
    throw new Problem('job_not_found', 'There is no such job.');
  });
  for (let i = 0; i <= EVENT_STREAMS_MAX; i++) {
    const { status, json } = await at.request('GET', '/api/jobs/7/events', { as: 'admin' });
    expect([status, Object(json).error.code]).toEqual([404, 'job_not_found']);
  }
});

/** A request that does not end with anybody's rights. */
const by = (caller: Caller | null) => ({ caller, live: null });

it('there are only so many', () => {
  const streams = new EventStreams(1);
  const first = streams.open(by(ADMINISTRATOR));
  expect(() => streams.open(by(null))).toThrow(
    expect.objectContaining({ code: 'too_many_requests' }),
  );
  first.abort();
  expect(streams.open(by(null)).signal.aborted).toBe(false);
  streams.stop();
});

it('one caller has only so many, others have theirs', () => {
  const streams = new EventStreams();
  const own = Array.from({ length: EVENT_STREAMS_PER_CALLER_MAX }, () =>
    streams.open(by(ADMINISTRATOR)),
  );
  expect(() => streams.open(by({ ...ADMINISTRATOR }))).toThrow(
    expect.objectContaining({ code: 'too_many_requests' }),
  );
  expect(streams.open(by({ ...ADMINISTRATOR, userUid: 'another' })).signal.aborted).toBe(false);
  own[0]!.abort();
  expect(streams.open(by(ADMINISTRATOR)).signal.aborted).toBe(false);
  streams.stop();
});
