import {
  REPLICATION_CHUNK_BYTES_MAX,
  REPLICATION_CHUNK_RECORDS_MAX,
} from '#base/replication-limits.ts';
import { type CommitLog, digestAt, type LogRecord } from '#log/commit-log.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../test/support/scale.ts';
import {
  memoryLog,
  patternBytes,
  REPLICA_UID,
  startPrimary,
  type TestPrimary,
} from './testing/cluster.ts';
import { settled, until } from './testing/settling.ts';
import { TcpProxy } from './testing/tcp-proxy.ts';

interface Append {
  readonly count: number;
  readonly bytes: number;
}

/** Sizes around nothing, small, around a frame and around a chunk. */
const appendArbitrary: fc.Arbitrary<Append> = fc.record({
  count: fc.integer({ min: 1, max: 5 }),
  bytes: fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 3_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 500_000, max: 550_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 2_000_000, max: 2_200_000 }) },
  ),
});
/** Bursts that are appended at once; between two of them the replica may catch up. */
const historyArbitrary = fc.array(fc.array(appendArbitrary, { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 6,
});
/** Bytes between one cut of the connection and the next. */
const cutsArbitrary = fc.array(fc.integer({ min: 1, max: 200_000 }), { maxLength: 4 });

async function appendAll(log: CommitLog, burst: readonly Append[]): Promise<void> {
  await Promise.all(
    burst.map(({ count, bytes }, i) =>
      log.append(count, patternBytes(`${log.lastSequence} ${i}`, bytes)),
    ),
  );
}

async function recordsOf(log: CommitLog, from = 1): Promise<LogRecord[]> {
  return Array.fromAsync(log.read(from));
}

/** Follows until it has everything up to `end()`, with a new connection after each cut. */
async function followTo(
  primary: TestPrimary,
  port: number,
  isComplete: (next: number) => boolean,
  onChunk: (chunk: readonly LogRecord[]) => void,
): Promise<void> {
  const { epoch } = primary.log;
  let next = 1;
  while (!isComplete(next)) {
    try {
      using channel = await primary.connect(port);
      for await (const chunk of channel.follow({ epoch, from: next })) {
        onChunk(chunk);
        next = chunk.at(-1)!.last + 1;
        if (isComplete(next)) break;
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'replication_unavailable' });
    }
  }
}

describe('following the log', () => {
  it('brings any history, in order and within the limits of a chunk, whatever is cut', async () => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary, cutsArbitrary, async (history, cuts) => {
        await using primary = await startPrimary();
        await using proxy = await TcpProxy.before(primary.server.port);
        const { log } = primary;
        const end = history.flat().reduce((sum, { count }) => sum + count, 0);
        const appending = (async () => {
          for (const burst of history) await appendAll(log, burst);
        })();
        const left = cuts.values();
        const got: LogRecord[] = [];
        const cutNext = (): void => {
          const bytes = left.next().value;
          if (bytes !== undefined) proxy.faults.cutAfterBytes = proxy.bytesForwarded + bytes;
        };
        cutNext();
        await followTo(
          primary,
          proxy.port,
          (next) => {
            if (proxy.faults.cutAfterBytes === undefined) cutNext();
            return next > end;
          },
          (chunk) => {
            checkLimits(chunk);
            got.push(
              ...chunk.map((record) => ({ ...record, payload: Buffer.from(record.payload) })),
            );
          },
        );
        await appending;
        const want = await recordsOf(log);
        expect(got.map(({ first, last, time }) => ({ first, last, time }))).toEqual(
          want.map(({ first, last, time }) => ({ first, last, time })),
        );
        for (const [i, { payload }] of want.entries()) {
          expect(Buffer.compare(got[i]!.payload, payload)).toBe(0);
        }
      }),
      { seed: seed(), numRuns: scale({ sample: 8, soak: 300 }) },
    );
  });

  it('merges what waits: one chunk for many commits, a new one at either limit', async () => {
    await using primary = await startPrimary();
    const small = Array.from({ length: REPLICATION_CHUNK_RECORDS_MAX + 1 }, () => ({
      count: 1,
      bytes: 1,
    }));
    await appendAll(primary.log, small);
    const large = Array.from({ length: 3 }, () => ({
      count: 1,
      bytes: REPLICATION_CHUNK_BYTES_MAX / 2,
    }));
    await appendAll(primary.log, large);
    await appendAll(primary.log, [{ count: 1, bytes: REPLICATION_CHUNK_BYTES_MAX + 1 }]);
    using channel = await primary.connect();
    const sizes: number[] = [];
    let records = 0;
    for await (const chunk of channel.follow({ epoch: primary.log.epoch, from: 1 })) {
      sizes.push(chunk.length);
      records += chunk.length;
      if (records === small.length + 4) break;
    }
    expect(sizes).toEqual([REPLICATION_CHUNK_RECORDS_MAX, 2, 1, 1, 1]);
  });

  it('begins in the middle of the log, and wakes for what is appended later', async () => {
    await using primary = await startPrimary();
    const { log } = primary;
    await appendAll(log, [
      { count: 3, bytes: 10 },
      { count: 2, bytes: 10 },
    ]);
    using channel = await primary.connect();
    const chunks = channel.follow({ epoch: log.epoch, from: 4 });
    expect((await chunks.next()).value).toMatchObject([{ first: 4, last: 5 }]);
    const next = chunks.next();
    await log.append(1, Buffer.from('later'));
    expect((await next).value).toMatchObject([{ first: 6, last: 6 }]);
  });

  it('reads the log no faster than the replica takes it', async () => {
    await using primary = await startPrimary();
    const { log } = primary;
    await appendAll(
      log,
      Array.from({ length: 40 }, () => ({ count: 1, bytes: 1024 * 1024 })),
    );
    await using proxy = await TcpProxy.before(primary.server.port);
    using channel = await primary.connect(proxy.port);
    const chunks = channel.follow({ epoch: log.epoch, from: 1 });
    await chunks.next();
    const forwarded = await settled(() => proxy.bytesForwarded);
    expect(forwarded).toBeLessThan(24 * 1024 * 1024);
    let last = 0;
    for await (const chunk of chunks) {
      last = chunk.at(-1)!.last;
      if (last === 40) break;
    }
    expect(last).toBe(40);
  });

  it('tells one that follows another epoch, is ahead, or comes too late', async () => {
    await using primary = await startPrimary();
    const { log, server } = primary;
    for (let i = 0; i < 3; i++) await log.append(2, Buffer.from('a commit'));
    using channel = await primary.connect();
    const codeAt = async (epoch: string, from: number): Promise<unknown> => {
      try {
        await channel.follow({ epoch, from }).next();
        return undefined;
      } catch (error) {
        return error;
      }
    };
    expect(await codeAt('f'.repeat(32), 1)).toMatchObject({ code: 'replication_epoch_differs' });
    expect(await codeAt(log.epoch, 8)).toMatchObject({ code: 'replication_epoch_differs' });
    expect(await codeAt(log.epoch, 2)).toMatchObject({ code: 'replication_epoch_differs' });
    await log.trim(4);
    expect(await codeAt(log.epoch, 1)).toMatchObject({ code: 'log_trimmed' });
    expect(await codeAt(log.epoch, log.firstSequence)).toBeUndefined();
    // What was refused must not have moved what is kept.
    expect(primary.followers.lowestNeeded()).toBe(log.firstSequence - 1);
    expect(server.replicas()).toMatchObject([{ replicaUID: REPLICA_UID }]);
  });

  it('tells one whose last commit is another than the primary has there', async () => {
    await using primary = await startPrimary();
    const { log, clock } = primary;
    const other = memoryLog(clock, log.epoch);
    for (const text of ['same', 'ours']) await log.append(2, Buffer.from(text));
    for (const text of ['same', 'lost']) await other.append(2, Buffer.from(text));
    await log.append(2, Buffer.from('more'));
    using channel = await primary.connect();
    const next = async (from: number, previous: string | undefined) =>
      (await channel.follow({ epoch: log.epoch, from, previous }).next()).value.at(0)?.first;
    await expect(next(5, await digestAt(other, 4))).rejects.toMatchObject({
      code: 'replication_epoch_differs',
      message: expect.stringContaining('another commit at sequence 4'),
    });
    expect(await next(3, await digestAt(other, 2))).toBe(3);
    expect(await next(5, await digestAt(log, 4))).toBe(5);
    expect(await next(5, undefined)).toBe(5);
    // What the primary no longer has it cannot compare.
    await log.trim(4);
    expect(await next(5, await digestAt(other, 4))).toBe(5);
  });

  it('stops at its signal with the reason, and lets go of the log', async () => {
    let listeners = 0;
    await using primary = await startPrimary();
    const { log } = primary;
    const onDurable = log.onDurable.bind(log);
    Object.defineProperty(log, 'onDurable', {
      value: (listener: (last: number) => void) => {
        listeners++;
        const stop = onDurable(listener);
        return () => {
          listeners--;
          stop();
        };
      },
    });
    using channel = await primary.connect();
    const ending = new AbortController();
    const next = channel.follow({ epoch: log.epoch, from: 1 }, ending.signal).next();
    await until(() => listeners === 1);
    ending.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
    await until(() => listeners === 0);
  });
});

function checkLimits(chunk: readonly LogRecord[]): void {
  expect(chunk.length).toBeLessThanOrEqual(REPLICATION_CHUNK_RECORDS_MAX);
  const bytes = chunk.reduce((sum, { payload }) => sum + payload.length, 0);
  if (chunk.length > 1) expect(bytes).toBeLessThanOrEqual(REPLICATION_CHUNK_BYTES_MAX);
}
