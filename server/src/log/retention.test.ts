import { expect, it } from 'vitest';
import { droppableSegments, segmentBytesMaxDefault } from './retention.ts';

const NOW = 1_000_000;
const MIB = 1024 * 1024;

/**
 * Five segments, each of ten sequences and 100 bytes. The newest record of each is one second later
 * than that of the segment before.
 */
const SEGMENTS = [1, 2, 3, 4, 5].map((i) => ({
  last: i * 10,
  bytes: 100,
  newestTime: NOW - 5_000 + i * 1_000,
}));

it.each([
  { rule: 'nothing is old or too much', keepAfter: 50, ttlMs: 5_000, bytesMax: 1_000, dropped: 0 },
  { rule: 'exactly as old as allowed', keepAfter: 50, ttlMs: 4_000, bytesMax: 1_000, dropped: 0 },
  { rule: 'a millisecond older', keepAfter: 50, ttlMs: 3_999, bytesMax: 1_000, dropped: 1 },
  { rule: 'exactly as large as allowed', keepAfter: 50, ttlMs: 5_000, bytesMax: 400, dropped: 0 },
  { rule: 'a byte larger', keepAfter: 50, ttlMs: 5_000, bytesMax: 399, dropped: 1 },
  { rule: 'the newest never goes', keepAfter: 99, ttlMs: -1, bytesMax: 0, dropped: 4 },
  { rule: 'needed from within a segment', keepAfter: 19, ttlMs: -1, bytesMax: 0, dropped: 1 },
  { rule: 'needed from after a segment', keepAfter: 20, ttlMs: -1, bytesMax: 0, dropped: 2 },
  { rule: 'what is needed is no archive', keepAfter: 20, ttlMs: 5_000, bytesMax: 200, dropped: 0 },
  { rule: 'all is needed', keepAfter: 0, ttlMs: -1, bytesMax: 0, dropped: 0 },
])('drops $dropped: $rule', ({ keepAfter, ttlMs, bytesMax, dropped }) => {
  expect(droppableSegments(SEGMENTS, keepAfter, { ttlMs, bytesMax }, NOW)).toBe(dropped);
});

it('makes segments small enough for the archive', () => {
  const sizes = [256 * MIB, 1024 * MIB, MIB, 0].map((bytesMax) =>
    segmentBytesMaxDefault({ ttlMs: 0, bytesMax }),
  );
  expect(sizes).toEqual([64 * MIB, 64 * MIB, MIB / 4, MIB / 16]);
});
