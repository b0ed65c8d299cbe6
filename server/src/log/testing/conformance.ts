import { setImmediate as nextTurn } from 'node:timers/promises';
import { COMMIT_OPERATIONS_MAX } from '#base/limits.ts';
import { describe, expect, it } from 'vitest';
import { checkHistories } from './conformance-histories.ts';
import { filled, KEEP_NONE, type LogEngine, readAll, settings, TestClock } from './log-engine.ts';

/** Tests whether an engine keeps the promises of the commit log port. */
export function commitLogConformance(name: string, engine: LogEngine): void {
  describe(`${name}: the commit log port`, () => {
    describeBeginning(engine);
    describeAppend(engine);
    describeListeners(engine);
    describeRead(engine);
    describeTrim(engine);
    describeFullMedium(engine);
    it('agrees with a model over random appends, reads, trims and restarts', async () => {
      await checkHistories(engine);
    });
  });
}

function describeBeginning(engine: LogEngine): void {
  it('begins empty, at sequence 1', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    expect(log.epoch).toMatch(/^[0-9a-f]{32}$/);
    expect([log.firstSequence, log.lastSequence]).toEqual([1, 0]);
    expect(await readAll(log)).toEqual([]);
  });

  it('has an epoch of its own, which stays over a restart', async () => {
    await using one = await engine.createMedium();
    await using other = await engine.createMedium();
    const log = await one.open(settings());
    await log[Symbol.asyncDispose]();
    await using again = await one.open(settings());
    await using foreign = await other.open(settings());
    expect(again.epoch).toBe(log.epoch);
    expect(foreign.epoch).not.toBe(log.epoch);
  });
}

function describeAppend(engine: LogEngine): void {
  it('gives every operation a sequence and keeps the order of the calls', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    const counts = Array.from({ length: 200 }, (_, i) => 1 + (i % 7));
    const settled: number[] = [];
    const appends = counts.map(async (count, i) => {
      const last = await log.append(count, filled(i % 50, i));
      settled.push(last);
      expect(log.lastSequence).toBeGreaterThanOrEqual(last);
      return last;
    });
    let sum = 0;
    const expected = counts.map((count) => (sum += count));
    expect(await Promise.all(appends)).toEqual(expected);
    expect(settled).toEqual(expected);
    const records = await readAll(log);
    expect(records.map((record) => record.last)).toEqual(expected);
    expect(records.map((record) => record.payload.length)).toEqual(counts.map((_, i) => i % 50));
  });

  it('keeps payloads of all sizes, the empty one too, and the time of the append', async () => {
    await using medium = await engine.createMedium();
    const clock = new TestClock();
    await using log = await medium.open(settings({ clock }));
    const sizes = [0, 1, 999, 1_000, 1_001, 100_000, 3_000_000, 0];
    const times = sizes.map((size, i) => {
      clock.time += i;
      void log.append(1, filled(size, i));
      return clock.time;
    });
    await log.append(1, filled(1));
    const records = (await readAll(log)).slice(0, sizes.length);
    expect(records.map((record) => record.time)).toEqual(times);
    for (const [i, { payload }] of records.entries()) {
      expect(Buffer.compare(payload, filled(sizes[i]!, i))).toBe(0);
    }
  });

  it('has a copy of its own of what is durable', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    const payload = filled(10, 1);
    await log.append(1, payload);
    payload.fill(2);
    const [record] = await readAll(log);
    expect(Buffer.compare(record!.payload, filled(10, 1))).toBe(0);
  });

  it('refuses what is no commit, and goes on', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    for (const count of [0, -1, 1.5]) {
      await expect(log.append(count, filled(1))).rejects.toThrow('a commit of');
    }
    await expect(log.append(COMMIT_OPERATIONS_MAX + 1, filled(1))).rejects.toMatchObject({
      code: 'payload_too_large',
    });
    expect(await log.append(COMMIT_OPERATIONS_MAX, filled(1))).toBe(COMMIT_OPERATIONS_MAX);
    const [record] = await readAll(log);
    expect(record).toMatchObject({ first: 1, last: COMMIT_OPERATIONS_MAX });
  });

  it('settles what was appended before it is closed, and takes nothing afterwards', async () => {
    await using medium = await engine.createMedium();
    const log = await medium.open(settings());
    const appends = [log.append(1, filled(10)), log.append(1, filled(10))];
    await log[Symbol.asyncDispose]();
    expect(await Promise.all(appends)).toEqual([1, 2]);
    await expect(log.append(1, filled(1))).rejects.toThrow('closed');
    await using again = await medium.open(settings());
    expect(await readAll(again)).toHaveLength(2);
  });
}

function describeListeners(engine: LogEngine): void {
  it('tells listeners of every group, in order, until they stop', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    const heard: number[] = [];
    const stopped: number[] = [];
    log.onDurable((last) => {
      expect(log.lastSequence).toBe(last);
      heard.push(last);
    });
    const stop = log.onDurable((last) => stopped.push(last));
    await Promise.all(Array.from({ length: 50 }, () => log.append(2, filled(10))));
    expect(heard).toEqual(heard.toSorted((a, b) => a - b));
    expect(heard.at(-1)).toBe(100);
    expect(stopped).toEqual(heard);
    stop();
    await log.append(1, filled(1));
    expect(heard.at(-1)).toBe(101);
    expect(stopped.at(-1)).toBe(100);
  });
}

function describeRead(engine: LogEngine): void {
  it('begins with the record that holds the sequence', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    for (let i = 0; i < 10; i++) await log.append(3, filled(300, i));
    for (let from = 1; from <= 30; from++) {
      const records = await readAll(log, from);
      expect(records[0]!.first).toBe(from - ((from - 1) % 3));
      expect(records.at(-1)!.last).toBe(30);
    }
    expect(await readAll(log, 31)).toEqual([]);
  });

  it('says when a sequence is not in it', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    await log.append(3, filled(1));
    expect(() => log.read(0)).toThrow(expect.objectContaining({ code: 'log_trimmed' }));
    expect(() => log.read(5)).toThrow(
      expect.objectContaining({ code: 'log_ahead', details: { from: 5, lastSequence: 3 } }),
    );
  });

  it('ends where the log ended when it was called, though more is appended', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings());
    for (let i = 0; i < 18; i++) await log.append(1, filled(200));
    const records = log.read(1);
    await log.append(1, filled(200));
    let last = 0;
    for await (const record of records) {
      expect(record.first).toBe(last + 1);
      last = record.last;
      await log.append(1, filled(200));
    }
    expect(last).toBe(18);
  });
}

function describeFullMedium(engine: LogEngine): void {
  it('rejects while the medium is full, and goes on when there is room', async (context) => {
    context.skip(engine.whyNoSmallMedium !== undefined, engine.whyNoSmallMedium);
    await using medium = await engine.createSmallMedium(1_048_576);
    const archive = KEEP_NONE;
    const log = await medium.open(settings({ archive, segmentBytesMax: 100_000 }));
    const full = { code: 'storage_full' };
    let kept = 0;
    for (; ; kept++) {
      const settled = await log.append(1, filled(150_000)).catch((error: unknown) => error);
      if (typeof settled === 'number') continue;
      expect(settled).toMatchObject(full);
      break;
    }
    expect(kept).toBeGreaterThan(3);
    const group = [1_000_000, 10, 10].map((size) => log.append(1, filled(size)));
    for (const append of group) await expect(append).rejects.toMatchObject(full);
    expect(log.lastSequence).toBe(kept);
    expect(await readAll(log)).toHaveLength(kept);
    expect(await log.append(1, filled(10))).toBe(kept + 1);
    await log[Symbol.asyncDispose]();

    await using again = await medium.open(settings({ archive, segmentBytesMax: 100_000 }));
    expect(await readAll(again)).toHaveLength(kept + 1);
    await expect(again.append(1, filled(300_000))).rejects.toMatchObject(full);
    await again.trim(kept);
    expect(again.firstSequence).toBeGreaterThan(1);
    expect(await again.append(1, filled(300_000))).toBe(kept + 2);
    expect((await readAll(again)).at(-1)!.payload).toHaveLength(300_000);
  });
}

const MINUTE_MS = 60_000;

/** Tests what the port promises about trims. Each segment holds one record of 1,000 bytes. */
function describeTrim(engine: LogEngine): void {
  it('drops what is older than the time-to-live, as far as nobody needs it', async () => {
    await using medium = await engine.createMedium();
    const clock = new TestClock();
    const archive = { ttlMs: MINUTE_MS, bytesMax: Infinity };
    await using log = await medium.open(settings({ clock, archive }));
    for (let i = 0; i < 5; i++) await log.append(1, filled(1_000));
    clock.time += MINUTE_MS;
    await log.trim(5);
    expect(log.firstSequence).toBe(1);
    clock.time += 1;
    await log.trim(2);
    expect(log.firstSequence).toBe(3);
    expect(() => log.read(2)).toThrow(expect.objectContaining({ code: 'log_trimmed' }));
    await log.trim(5);
    expect(log.firstSequence).toBe(5);
    expect((await readAll(log)).map((record) => record.first)).toEqual([5]);
  });

  it('knows how old its segments are after a restart', async () => {
    await using medium = await engine.createMedium();
    const clock = new TestClock();
    const archive = { ttlMs: MINUTE_MS, bytesMax: Infinity };
    const log = await medium.open(settings({ clock, archive }));
    for (let i = 0; i < 5; i++) {
      await log.append(1, filled(1_000));
      clock.time += MINUTE_MS / 2;
    }
    await log[Symbol.asyncDispose]();
    await using again = await medium.open(settings({ clock, archive }));
    await again.trim(5);
    expect(again.firstSequence).toBe(4);
  });

  it('drops the oldest while the archive is larger than it may be', async () => {
    await using medium = await engine.createMedium();
    const archive = { ttlMs: Infinity, bytesMax: 35_000 };
    await using log = await medium.open(settings({ archive }));
    for (let i = 0; i < 10; i++) await log.append(1, filled(10_000));
    await log.trim(5);
    expect(log.firstSequence).toBe(3);
    await log.trim(10);
    expect(log.firstSequence).toBe(7);
  });

  it('tells a reader who is overtaken, and never skips', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings({ archive: KEEP_NONE }));
    for (let i = 0; i < 5; i++) await log.append(1, filled(1_000));
    const seen: number[] = [];
    const overtaken = (async () => {
      for await (const { first } of log.read(1)) {
        seen.push(first);
        await log.trim(5);
      }
    })();
    await expect(overtaken).rejects.toMatchObject({ code: 'log_trimmed' });
    expect(seen).toEqual([1]);
  });

  it('knows a segment that is just being dropped from one that is lost', async () => {
    await using medium = await engine.createMedium();
    await using log = await medium.open(settings({ archive: KEEP_NONE }));
    for (let i = 0; i < 50; i++) await log.append(1, filled(1_000));
    const progress = { isTrimmed: false };
    const trimming = log.trim(50).then(() => (progress.isTrimmed = true));
    while (!progress.isTrimmed) {
      try {
        const records = await readAll(log);
        expect(records.at(-1)!.last).toBe(50);
      } catch (error) {
        expect(error).toMatchObject({ code: 'log_trimmed' });
      }
      await nextTurn();
    }
    await trimming;
    expect(await readAll(log)).toHaveLength(1);
  });

  it('stays trimmed over a restart, with trims at the same time', async () => {
    await using medium = await engine.createMedium();
    const log = await medium.open(settings({ archive: KEEP_NONE }));
    for (let i = 0; i < 7; i++) await log.append(1, filled(1_000));
    await Promise.all([log.trim(3), log.trim(5), log.trim(4)]);
    await log[Symbol.asyncDispose]();
    await using again = await medium.open(settings());
    expect([again.firstSequence, again.lastSequence]).toEqual([6, 7]);
    expect(await readAll(again)).toHaveLength(2);
  });

  it('ends a trim before it is closed', async () => {
    await using medium = await engine.createMedium();
    const log = await medium.open(settings({ archive: KEEP_NONE }));
    for (let i = 0; i < 50; i++) await log.append(1, filled(1_000));
    let isTrimmed = false;
    const trimming = log.trim(50).then(() => (isTrimmed = true));
    await log[Symbol.asyncDispose]();
    expect(isTrimmed).toBe(true);
    await trimming;
  });
}
