import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { KEEP_NONE, TestClock, filled, readAll, settings } from './log-engine.ts';
import type { LogEngine } from './log-engine.ts';

const MINUTE_MS = 60_000;

/** What the port says of trims, over an engine. Segments are of one record of 1,000 bytes. */
export function describeTrim(engine: LogEngine): void {
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
