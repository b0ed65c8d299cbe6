import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BackupHeader } from './backup-header.ts';
import { expired } from './retention.ts';

/** Newest first. */
function headersAt(times: readonly number[]): BackupHeader[] {
  const newestFirst = [...new Set(times)].toSorted((one, other) => other - one);
  return newestFirst.map((time) => ({
    format: 1,
    id: String(time),
    createdAt: new Date(time).toISOString(),
    completedAt: new Date(time).toISOString(),
    sequence: 0,
    snapshotSequence: 0,
    epoch: '',
    version: '',
    isEncrypted: false,
    nodes: 0,
    edges: 0,
    bytes: 0,
    newBytes: 0,
    hasLog: false,
    contents: '',
  }));
}

const at = (text: string): number => Date.parse(`${text}Z`);

it('keeps the newest ones, and the newest of days and of weeks', () => {
  const times = [
    '2026-11-22T18:00',
    '2026-11-22T12:00',
    '2026-11-22T06:00',
    '2026-11-21T23:59',
    '2026-11-21T00:00',
    // A Monday, and the Sunday before it.
    '2026-11-16T00:00',
    '2026-11-15T23:59',
    '2026-11-15T00:00',
    '2026-11-01T00:00',
  ];
  const headers = headersAt(times.map(at));
  const gone = (last: number, days: number, weeks: number): string[] =>
    expired(headers, { last, days, weeks }).map(({ createdAt }) => createdAt.slice(0, 16));
  expect(gone(9, 0, 0)).toEqual([]);
  expect(gone(2, 0, 0)).toEqual(times.slice(2));
  expect(gone(0, 0, 0)).toEqual(times.slice(1));
  expect(gone(0, 2, 0)).toEqual(times.filter((_, i) => i !== 0 && i !== 3));
  expect(gone(0, 0, 3)).toEqual(times.filter((_, i) => ![0, 6, 8].includes(i)));
  expect(gone(2, 2, 2)).toEqual(times.filter((_, i) => ![0, 1, 3, 6].includes(i)));
});

it('never lets the newest go, nor more by a larger rule', () => {
  const count = fc.integer({ min: 0, max: 5 });
  const rule = fc.record({ last: count, days: count, weeks: count });
  const anyTimes = fc.array(fc.integer({ min: 0, max: 40 * 86_400_000 }), { minLength: 1 });
  fc.assert(
    fc.property(anyTimes, rule, (times, given) => {
      const headers = headersAt(times);
      const gone = expired(headers, given);
      expect(gone).not.toContain(headers[0]);
      expect(headers.length - gone.length).toBeLessThanOrEqual(
        Math.max(1, given.last) + given.days + given.weeks,
      );
      const larger = expired(headers, { ...given, last: given.last + 1, days: given.days + 1 });
      expect(gone).toEqual(expect.arrayContaining([...larger]));
    }),
  );
});
