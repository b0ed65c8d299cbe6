import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WATCH_PING_MS } from '#base/watch-limits.ts';
import { pinging } from './watch-route.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

const PING = 'event: ping\ndata: {}\n\n';

it('pings each 15 seconds, unless nobody reads, until the stream ends', () => {
  expect(WATCH_PING_MS).toBe(15_000);
  const response = new PassThrough({ highWaterMark: PING.length * 3 });
  const sent = (): string => String(response.read() ?? '');
  {
    using _pings = pinging(response, WATCH_PING_MS);
    vi.advanceTimersByTime(WATCH_PING_MS - 1);
    expect(sent()).toBe('');
    vi.advanceTimersByTime(1);
    expect(sent()).toBe(PING);
    vi.advanceTimersByTime(2 * WATCH_PING_MS);
    expect(sent()).toBe(PING + PING);
    // What nobody reads does not pile up.
    vi.advanceTimersByTime(100 * WATCH_PING_MS);
    expect(response.writableNeedDrain).toBe(true);
    expect(response.readableLength + response.writableLength).toBeLessThan(10 * PING.length);
  }
  const before = response.readableLength + response.writableLength;
  vi.advanceTimersByTime(WATCH_PING_MS);
  expect(response.readableLength + response.writableLength).toBe(before);
});
