import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from '#log/commit-log.ts';
import { PausableState } from './followed-state.ts';
import type { FollowedState } from './replica-run.ts';

class RecordedState implements FollowedState {
  readonly epoch = '0'.repeat(32);
  sequence = 0;
  readonly applied: LogRecord[] = [];

  async apply(records: readonly LogRecord[]): Promise<number> {
    await Promise.resolve();
    for (const record of records) {
      expect(record.first).toBe(this.sequence + 1);
      this.sequence = record.last;
      this.applied.push(record);
    }
    return this.sequence;
  }

  async lastDigest(): Promise<undefined> {}

  async [Symbol.asyncDispose](): Promise<void> {}
}

function recordsOf(counts: readonly number[]): LogRecord[] {
  let first = 1;
  return counts.map((count) => {
    const record = { first, last: first + count - 1, time: 0, payload: new Uint8Array(0) };
    first += count;
    return record;
  });
}

function chunksOf(records: readonly LogRecord[], sizes: readonly number[]): LogRecord[][] {
  const chunks: LogRecord[][] = [];
  const rest = [...records];
  for (const size of sizes) if (rest.length > 0) chunks.push(rest.splice(0, size));
  if (rest.length > 0) chunks.push(rest);
  return chunks;
}

async function applyAll(state: PausableState, chunks: readonly LogRecord[][]): Promise<void> {
  for (const chunk of chunks) await state.apply(chunk);
}

describe('a state that can be paused', () => {
  it('is looked at where it was asked to be, and loses nothing by it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 10 }),
        fc.nat(),
        fc.nat(),
        async (counts, sizes, applyFirst, goOn) => {
          const records = recordsOf(counts);
          const chunks = chunksOf(records, sizes);
          const before = chunks.slice(0, applyFirst % (chunks.length + 1));
          const recorded = new RecordedState();
          const state = new PausableState(recorded);
          await applyAll(state, before);
          const at = await state.pause();
          expect(at).toBe(recorded.sequence);
          const later = applyAll(state, chunks.slice(before.length));
          const ends = [at, ...records.map(({ last }) => last).filter((last) => last > at)];
          const target = ends[goOn % ends.length] ?? at;
          await state.advanceTo(target);
          expect(recorded.sequence).toBe(target);
          state.resume();
          await later;
          expect(recorded.applied).toEqual(records);
        },
      ),
    );
  });

  it('goes on when it is resumed without having been told where to look', async () => {
    const recorded = new RecordedState();
    const state = new PausableState(recorded);
    await state.pause();
    const applied = state.apply(recordsOf([1, 2]));
    state.resume();
    expect(await applied).toBe(3);
  });

  it('pauses after what is being applied', async () => {
    const recorded = new RecordedState();
    const state = new PausableState(recorded);
    const applied = state.apply(recordsOf([2]));
    expect(await state.pause()).toBe(2);
    await applied;
  });
});
