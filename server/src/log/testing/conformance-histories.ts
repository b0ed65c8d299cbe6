import fc from 'fast-check';
import { expect } from 'vitest';
import { TestClock, readAll } from './log-engine.ts';
import type { CommitLog, LogRecord } from '../commit-log.ts';
import type { LogEngine, LogSettings } from './log-engine.ts';

const HISTORIES = 40;

type Step =
  | { readonly kind: 'append'; readonly commits: readonly Commit[] }
  | { readonly kind: 'read' | 'trim'; readonly where: number }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'restart' };

interface Commit {
  readonly count: number;
  readonly payload: Uint8Array;
}

const anyCommit = fc.record({
  count: fc.integer({ min: 1, max: 20 }),
  payload: fc.uint8Array({ maxLength: 400 }),
});
const anywhere = fc.double({ min: 0, max: 1, noNaN: true });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      commits: fc.array(anyCommit, { minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('read' as const, 'trim' as const),
      where: anywhere,
    }),
  },
  fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(100) }),
  fc.constant({ kind: 'restart' as const }),
);

/** Checks that any history of a log gives the same as that history does with an array. */
export async function checkHistories(engine: LogEngine): Promise<void> {
  const histories = fc.array(anyStep, { minLength: 1, maxLength: 25 });
  const property = fc.asyncProperty(histories, fc.nat(3_000), async (steps, bytesMax) => {
    await using medium = await engine.createMedium();
    const clock = new TestClock();
    const settings = { clock, segmentBytesMax: 500, archive: { ttlMs: 100, bytesMax } };
    const model: LogRecord[] = [];
    let log = await medium.open(settings);
    for (const step of steps) {
      if (step.kind === 'restart') {
        await log[Symbol.asyncDispose]();
        log = await medium.open(settings);
      } else {
        await take(step, { log, model, clock, settings });
      }
      await check(log, model);
    }
    await log[Symbol.asyncDispose]();
  });
  await fc.assert(property, { numRuns: HISTORIES });
}

interface World {
  readonly log: CommitLog;
  /** All records since the beginning. */
  readonly model: LogRecord[];
  readonly clock: TestClock;
  readonly settings: LogSettings;
}

async function take(step: Exclude<Step, { kind: 'restart' }>, world: World): Promise<void> {
  const { log, model, clock } = world;
  switch (step.kind) {
    case 'append': {
      const appends = step.commits.map(({ count, payload }) => {
        const first = (model.at(-1)?.last ?? 0) + 1;
        model.push({ first, last: first + count - 1, time: clock.now(), payload });
        return log.append(count, payload);
      });
      const expected = model.slice(-appends.length).map((record) => record.last);
      expect(await Promise.all(appends)).toEqual(expected);
      return;
    }
    case 'read': {
      const span = log.lastSequence + 1 - log.firstSequence;
      const from = log.firstSequence + Math.round(step.where * span);
      expectRecords(
        await readAll(log, from),
        model.filter((record) => record.last >= from),
      );
      return;
    }
    case 'trim':
      await checkTrim(Math.round(step.where * log.lastSequence), world);
      return;
    case 'wait':
      clock.time += step.ms;
  }
}

/**
 * Checks that a trim drops only the oldest records, as a whole, nothing above `keepAfter`, and
 * nothing that the archive rule still keeps.
 */
async function checkTrim(keepAfter: number, world: World): Promise<void> {
  const { log, model, clock, settings } = world;
  const before = log.firstSequence;
  expect(log.bytesAfter(keepAfter)).toBeLessThanOrEqual(log.bytesAfter(0));
  expect(log.bytesAfter(log.lastSequence)).toBe(0);
  await log.trim(keepAfter);
  const after = log.firstSequence;
  expect(after).toBeGreaterThanOrEqual(before);
  const dropped = model.filter((record) => record.last >= before && record.last < after);
  if (dropped.length === 0) return;
  const newest = dropped.at(-1)!;
  expect(newest.last).toBe(after - 1);
  expect(newest.last).toBeLessThanOrEqual(keepAfter);
  const isExpired = clock.now() - newest.time > settings.archive.ttlMs;
  const archived = model.filter((record) => record.last >= before && record.last <= keepAfter);
  // A record and its share of a segment take less than a hundred bytes beside the payload.
  const bytes = archived.reduce((sum, record) => sum + record.payload.length + 100, 0);
  expect(isExpired || bytes > settings.archive.bytesMax).toBe(true);
}

async function check(log: CommitLog, model: readonly LogRecord[]): Promise<void> {
  expect(log.lastSequence).toBe(model.at(-1)?.last ?? 0);
  const held = model.filter((record) => record.first >= log.firstSequence);
  expect(log.firstSequence).toBe(held[0]?.first ?? log.lastSequence + 1);
  expectRecords(await readAll(log), held);
}

function expectRecords(records: readonly LogRecord[], expected: readonly LogRecord[]): void {
  const plain = (record: LogRecord): unknown => ({ ...record, payload: [...record.payload] });
  expect(records.map(plain)).toEqual(expected.map(plain));
}
