import { createHash, randomBytes } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLogTail } from './log-tail.ts';
import { openSegmentLog } from './segment-log.ts';
import { filled, KEEP_NONE, readAll, settings } from './testing/log-engine.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import type { CommitLog, LogRecord } from './commit-log.ts';
import type { DurableEnd, LogTail } from './log-tail.ts';
import type { LogSettings } from './testing/log-engine.ts';
import type { TemporaryFolder } from './testing/temporary-folder.ts';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const encryptionKey = randomBytes(32);

function openLog(some: Partial<LogSettings> = {}, key?: Uint8Array): Promise<CommitLog> {
  const secret = key === undefined ? {} : { encryptionKey: key };
  return openSegmentLog({ ...settings(some), ...secret, folder: folder.path });
}

/** What the writing thread would tell; here it comes from the log itself. */
function endOf(log: CommitLog): DurableEnd {
  return { get: () => log.lastSequence, onChange: (listener) => log.onDurable(listener) };
}

function openTail(log: CommitLog, key?: Uint8Array): Promise<LogTail> {
  const secret = key === undefined ? {} : { encryptionKey: key };
  return openLogTail({ folder: folder.path, ...secret, durable: endOf(log) });
}

async function allOf(tail: LogTail, from: number): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const record of tail.read(from)) records.push(record);
  return records;
}

describe.each([
  ['plain', undefined],
  ['encrypted', encryptionKey],
])('the tail of a %s log', (_kind, key) => {
  test('reads what the log reads, whatever is appended between', async () => {
    await using log = await openLog({}, key);
    const tail = await openTail(log, key);
    const steps = fc.array(
      fc.record({
        commits: fc.array(
          fc.record({ count: fc.integer({ min: 1, max: 5 }), bytes: fc.nat(700) }),
          {
            maxLength: 8,
          },
        ),
        from: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      { maxLength: 10 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        for (const { commits, from } of all) {
          await Promise.all(
            commits.map(({ count, bytes }) => log.append(count, filled(bytes, count))),
          );
          const start = 1 + Math.floor(from * log.lastSequence);
          expect(await allOf(tail, start)).toEqual(await readAll(log, start));
        }
      }),
      { numRuns: 15 },
    );
    expect([tail.epoch, tail.firstSequence]).toEqual([log.epoch, 1]);
  });

  test('is told when there is more', async () => {
    await using log = await openLog({}, key);
    const tail = await openTail(log, key);
    const told = new Promise<number>((resolve) => {
      const stop = tail.onDurable((last) => {
        stop();
        resolve(last);
      });
    });
    await log.append(3, filled(10));
    expect(await told).toBe(3);
  });
});

describe('a tail that goes on where it has ended', () => {
  test('reads what was written since without a turn to another thread', async () => {
    await using log = await openLog({ segmentBytesMax: 1_000 });
    const tail = await openTail(log);
    let atOnce = 0;
    for (let next = 1; next <= 30; next = log.lastSequence + 1) {
      await Promise.all([log.append(1, filled(100, next)), log.append(2, filled(90, next))]);
      const reading = allOf(tail, next);
      const isAtOnce = await Promise.race([reading.then(() => true), nextTurn(false)]);
      if (isAtOnce) atOnce++;
      expect(await reading).toEqual(await readAll(log, next));
    }
    // Neither the first read does, nor those that find a new segment.
    expect(atOnce).toBeGreaterThan(3);
    expect(atOnce).toBeLessThan(10);
  });

  test('knows the end of each of several followers', async () => {
    await using log = await openLog();
    const tail = await openTail(log);
    const follow = async (from: number): Promise<boolean> => {
      const reading = allOf(tail, from);
      const isAtOnce = await Promise.race([reading.then(() => true), nextTurn(false)]);
      expect(await reading).toEqual(await readAll(log, from));
      return isAtOnce;
    };
    await log.append(1, filled(10));
    expect(await follow(1)).toBe(false);
    await log.append(1, filled(20));
    await log.append(1, filled(30));
    expect(await follow(2)).toBe(true);
    await log.append(1, filled(40));
    expect([await follow(2), await follow(4)]).toEqual([true, true]);
  });

  test('takes no more than is durable, and finds the rest later', async () => {
    await using log = await openLog();
    let durable = 1;
    const tail = await openLogTail({
      folder: folder.path,
      durable: { get: () => durable, onChange: () => () => undefined },
    });
    for (let i = 0; i < 4; i++) await log.append(1, filled(10, i));
    const lasts = async (from: number): Promise<number[]> =>
      (await allOf(tail, from)).map(({ last }) => last);
    expect(await lasts(1)).toEqual([1]);
    durable = 3;
    expect(await lasts(2)).toEqual([2, 3]);
    durable = 4;
    expect(await lasts(4)).toEqual([4]);
  });

  test('says where the log is damaged', async () => {
    await using log = await openLog();
    const tail = await openTail(log);
    await log.append(1, filled(10));
    await allOf(tail, 1);
    await log.append(1, filled(20));
    const name = (await readdir(folder.path)).find((one) => one.endsWith('.segment')) ?? '';
    const file = await open(join(folder.path, name), 'r+');
    const { size } = await file.stat();
    await file.write(Buffer.from([0xff]), 0, 1, size - 1);
    await file.close();
    await expect(allOf(tail, 2)).rejects.toMatchObject({ code: 'log_corrupt' });
  });
});

describe('a tail that was just opened', () => {
  const large = { segmentBytesMax: 8 * 1024 * 1024 };
  /** Payload lengths of the records of one segment; some are longer than one read. */
  const lengths = [10, 900_000, 0, 300_000, 5_000, 262_104, 262_144, 40, 1_200_000, 70];

  test('begins with any record, without having read those before', async () => {
    await using log = await openLog(large);
    for (const [i, bytes] of lengths.entries()) await log.append(1 + (i % 3), filled(bytes, i));
    for (let from = 1; from <= log.lastSequence; from++) {
      const [found, expected] = [await allOf(await openTail(log), from), await readAll(log, from)];
      expect(found.map(inShort)).toEqual(expected.map(inShort));
    }
  });

  test('says where a log is damaged whose headers lead nowhere', async () => {
    await using log = await openLog(large);
    for (const [i, bytes] of lengths.entries()) await log.append(1, filled(bytes, i));
    const name = (await readdir(folder.path)).find((file) => file.endsWith('.segment'));
    const file = await open(join(folder.path, name ?? ''), 'r+');
    const { buffer } = await file.read({ buffer: Buffer.alloc(2_000_000) });
    // A wrong length in the fourth record: after it, reads begin at places where no record begins.
    const [, , , fourth] = recordStarts(buffer);
    const bytes = Buffer.from([0, 4, 0, 1]);
    await file.write(bytes, 0, 4, (fourth ?? 0) + 8);
    await file.close();
    expect(await allOf(await openTail(log), 4).catch((error: unknown) => error)).toMatchObject({
      code: 'log_corrupt',
      message: expect.stringContaining(`byte ${fourth}`),
    });
    await expect(allOf(await openTail(log), 9)).rejects.toMatchObject({
      code: 'log_corrupt',
      message: expect.stringContaining(`byte ${fourth}`),
    });
  });
});

/** A record with a sum in place of its payload, so that megabytes compare quickly. */
function inShort({ payload, ...record }: LogRecord): unknown {
  return { ...record, payload: createHash('sha256').update(payload).digest('hex') };
}

/** The places of the marker `TRLR`, which the payloads of this test do not contain. */
function recordStarts(bytes: Buffer): number[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf('TRLR', 8); at >= 0; at = bytes.indexOf('TRLR', at + 1)) {
    starts.push(at);
  }
  return starts;
}

test('ends where the log is durable, though more is written already', async () => {
  await using log = await openLog();
  await log.append(1, filled(10, 1));
  let durable = 1;
  const tail = await openLogTail({
    folder: folder.path,
    durable: { get: () => durable, onChange: () => () => undefined },
  });
  await log.append(1, filled(20, 2));
  await log.append(1, filled(30, 3));
  expect((await allOf(tail, 1)).map(({ last }) => last)).toEqual([1]);
  durable = 2;
  expect((await allOf(tail, 1)).map(({ last }) => last)).toEqual([1, 2]);
  expect(() => tail.read(4)).toThrow('ahead');
});

test('says so when what is asked for was trimmed, before or on the way', async () => {
  await using log = await openLog({ archive: KEEP_NONE });
  for (let i = 0; i < 30; i++) await log.append(1, filled(200, i));
  const tail = await openTail(log);
  const reading = tail.read(1)[Symbol.asyncIterator]();
  expect((await reading.next()).value).toMatchObject({ first: 1 });
  await log.trim(log.lastSequence);
  expect(tail.firstSequence).toBe(log.firstSequence);
  expect(() => tail.read(1)).toThrow('no longer in the commit log');
  const rest = async (): Promise<void> => {
    while ((await reading.next()).done !== true);
  };
  await expect(rest()).rejects.toMatchObject({ code: 'log_trimmed' });
});

test('needs the key of the log, and a log', async () => {
  await using log = await openLog({}, encryptionKey);
  await expect(openTail(log)).rejects.toMatchObject({ code: 'wrong_master_key' });
  await expect(openTail(log, randomBytes(32))).rejects.toMatchObject({ code: 'wrong_master_key' });
  const elsewhere = { folder: join(folder.path, 'no-log'), durable: endOf(log) };
  await expect(openLogTail(elsewhere)).rejects.toMatchObject({ code: 'log_corrupt' });
});

describe('a log that begins after a snapshot', () => {
  const beginning = { epoch: 'ab'.repeat(16), after: 41 };

  test('goes on with its history, and is that log from then on', async () => {
    const options = { ...settings(), folder: folder.path, beginning };
    {
      await using log = await openSegmentLog(options);
      expect([log.epoch, log.firstSequence, log.lastSequence]).toEqual([beginning.epoch, 42, 41]);
      expect(await log.append(2, filled(3), 77)).toBe(43);
    }
    await using again = await openSegmentLog({ ...options, beginning: { after: 7 } });
    expect([again.epoch, again.firstSequence, again.lastSequence]).toEqual([
      beginning.epoch,
      42,
      43,
    ]);
    expect(await readAll(again)).toMatchObject([{ first: 42, last: 43, time: 77 }]);
  });

  test('without an epoch begins a new history', async () => {
    await using log = await openSegmentLog({
      ...settings(),
      folder: folder.path,
      beginning: { after: 9 },
    });
    expect(log.epoch).toMatch(/^[0-9a-f]{32}$/);
    expect(log.firstSequence).toBe(10);
  });
});
