import { testServers } from '#app/testing/test-server.ts';
import { afterEach, expect, it, vi } from 'vitest';
import { cutOffSilentConnections } from './server.ts';
import { RawConnection, rawRun } from './testing/raw-connection.ts';

const startTestServer = testServers();

afterEach(() => void vi.useRealTimers());

it('a connection over which nothing comes or goes for too long is cut off', async () => {
  await using at = await startTestServer({ timeouts: { silentConnection: 200 } });
  const run = Promise.withResolvers<object>();
  vi.spyOn(at.services.endpoints, 'run').mockImplementation(({ signal }) => {
    run.resolve(signal);
    return new Promise(() => {});
  });
  await using connection = await RawConnection.open(at.port);
  connection.send(rawRun(at.tokens.user));
  expect(await connection.closed()).toBe('');
  expect(await run.promise).toHaveProperty('aborted', true);
});

it.each(['bytesRead', 'bytesWritten'] as const)('one of which %s rises is not', (rising) => {
  vi.useFakeTimers();
  const connection = { bytesRead: 1, bytesWritten: 2, destroy: vi.fn<() => void>() };
  const timer = cutOffSilentConnections(new Set([connection]), 1_000);
  for (let times = 0; times < 5; times++) {
    vi.advanceTimersByTime(1_000);
    connection[rising]++;
  }
  expect(connection.destroy).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2_000);
  expect(connection.destroy).toHaveBeenCalledOnce();
  clearInterval(timer);
});
