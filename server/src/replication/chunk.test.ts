import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  REPLICATION_CHUNK_BYTES_MAX,
  REPLICATION_CHUNK_RECORDS_MAX,
} from '#base/replication-limits.ts';
import type { LogRecord } from '#log/commit-log.ts';
import { ChunkBuilder, decodeChunk } from './chunk.ts';

const history = fc
  .record({
    from: fc.integer({ min: 1, max: 2 ** 50 }),
    commits: fc.array(
      fc.record({
        count: fc.integer({ min: 1, max: 2 ** 32 }),
        time: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
        payload: fc.uint8Array({ maxLength: 200 }),
      }),
      { minLength: 1, maxLength: 20 },
    ),
  })
  .map(({ from, commits }) => {
    let next = from;
    return commits.map(({ count, time, payload }): LogRecord => {
      const first = next;
      next += count;
      return { first, last: next - 1, time, payload };
    });
  });

function encode(records: readonly LogRecord[]): Buffer {
  const builder = new ChunkBuilder();
  for (const record of records) builder.add(record);
  return Buffer.concat(builder.take());
}

function recordOf(first: number, bytes: number): LogRecord {
  return { first, last: first, time: 0, payload: new Uint8Array(bytes) };
}

describe('a chunk', () => {
  it('brings any records as they were', () => {
    fc.assert(
      fc.property(history, (records) => {
        const got = decodeChunk(encode(records), records[0]!.first);
        expect(got.map((each) => ({ ...each, payload: Uint8Array.from(each.payload) }))).toEqual(
          records,
        );
      }),
    );
  });

  it('is refused when it is cut anywhere, is empty, or does not go on where it must', () => {
    fc.assert(
      fc.property(history, fc.nat(), (records, at) => {
        const chunk = encode(records);
        const ends = new Set([0]);
        for (const { payload } of records) ends.add(Math.max(...ends) + 28 + payload.length);
        const cut = at % chunk.length;
        const decode = (): LogRecord[] => decodeChunk(chunk.subarray(0, cut), records[0]!.first);
        if (cut > 0 && ends.has(cut)) expect(decode().length).toBeLessThan(records.length);
        else expect(decode).toThrow(expect.objectContaining({ code: 'replication_corrupt' }));
        expect(() => decodeChunk(chunk, records[0]!.first + 1)).toThrow(
          expect.objectContaining({ code: 'replication_corrupt' }),
        );
      }),
    );
    const gap = encode([recordOf(1, 1), recordOf(3, 1)]);
    expect(() => decodeChunk(gap, 1)).toThrow(
      expect.objectContaining({ code: 'replication_corrupt' }),
    );
  });

  it('is full at either bound, and never for its first record', () => {
    const builder = new ChunkBuilder();
    const large = recordOf(1, REPLICATION_CHUNK_BYTES_MAX);
    expect(builder.isFullFor(large)).toBe(false);
    builder.add(recordOf(1, 1));
    expect(builder.isFullFor(recordOf(2, REPLICATION_CHUNK_BYTES_MAX - 57))).toBe(false);
    expect(builder.isFullFor(recordOf(2, REPLICATION_CHUNK_BYTES_MAX - 56))).toBe(true);
    builder.take();
    expect(builder.isEmpty).toBe(true);
    for (let i = 1; i < REPLICATION_CHUNK_RECORDS_MAX; i++) builder.add(recordOf(i, 0));
    expect(builder.isFullFor(recordOf(1, 0))).toBe(false);
    builder.add(recordOf(1, 0));
    expect(builder.isFullFor(recordOf(1, 0))).toBe(true);
  });
});
