import { describe, expect, it, vi } from 'vitest';
import type { EndpointRun } from '#runtime/invocation.ts';
import { RawConnection, rawRun } from './testing/raw-connection.ts';
import { testServers, type TestServer } from '#app/testing/test-server.ts';

const startTestServer = testServers();

const HEALTH = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

/** A run that is under way until it is let go. */
function hold({ services }: TestServer) {
  const started = Promise.withResolvers<EndpointRun['signal']>();
  const answer = Promise.withResolvers<void>();
  vi.spyOn(services.endpoints, 'run').mockImplementation(async ({ signal }) => {
    started.resolve(signal);
    await answer.promise;
    return { status: 200, body: '"done"' };
  });
  return { started: started.promise, letGo: () => answer.resolve() };
}

describe('listening', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['0.0.0.0', '127.0.0.1'],
  ])('on %s is reached under %s', async (host, reached) => {
    await using at = await startTestServer({ host });
    expect(new URL(at.url).hostname).toBe(reached);
    expect((await at.request('GET', '/health')).status).toBe(200);
  });
});

describe('stopping', () => {
  it('accepts no more connections and closes the idle ones', async () => {
    const at = await startTestServer();
    const used = await RawConnection.open(at.port);
    used.send(HEALTH);
    expect((await used.response()).status).toBe(200);
    const unused = await RawConnection.open(at.port);
    await at.server.close();
    expect(await used.closed()).toBe('');
    expect(await unused.closed()).toBe('');
    await expect(RawConnection.open(at.port)).rejects.toThrow('ECONNREFUSED');
  });

  it('lets what is under way finish, and then closes its connection', async () => {
    const at = await startTestServer();
    const run = hold(at);
    const connection = await RawConnection.open(at.port);
    connection.send(rawRun(at.tokens.user));
    const signal = await run.started;
    const stopped = at.server.close();
    run.letGo();
    const response = await connection.response();
    expect([response.status, response.body]).toEqual([200, '"done"']);
    expect(await connection.closed()).toBe('');
    await stopped;
    expect(signal.aborted).toBe(false);
  });

  it('cuts off and aborts what takes longer than the grace period', async () => {
    const at = await startTestServer({ timeouts: { stopGrace: 50 } });
    const run = hold(at);
    const connection = await RawConnection.open(at.port);
    connection.send(rawRun(at.tokens.user));
    const signal = await run.started;
    await at.server.close();
    expect(signal.aborted).toBe(true);
    expect(await connection.closed()).toBe('');
    run.letGo();
  });

  it('closes a connection in the middle of a request that never ends', async () => {
    const at = await startTestServer({ timeouts: { stopGrace: 50 } });
    const connection = await RawConnection.open(at.port);
    connection.send('POST /api/login/create HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
    await at.server.close();
    await connection.closed();
  });

  it('is the same when asked twice, and before anything was listened to', async () => {
    const at = await startTestServer();
    await Promise.all([at.server.close(), at.server.close()]);
    await at.server[Symbol.asyncDispose]();
  });
});
