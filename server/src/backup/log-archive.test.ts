import fc from 'fast-check';
import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { BackupPool } from './backup-pool.ts';
import { FolderTarget } from './folder-target.ts';
import { chainFrom, listArchive, LogArchiver, readArchived } from './log-archive.ts';

const EPOCH = '0'.repeat(32);
const SECRET = Buffer.alloc(32, 7);

const anyCommit = fc.record({
  operations: fc.integer({ min: 1, max: 9 }),
  time: fc.integer({ min: 0, max: 2 ** 41 }),
  payload: fc.uint8Array({ maxLength: 200 }),
});

it('gives back the commits that it was given, plain and encrypted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyCommit, { minLength: 1, maxLength: 20 }),
      fc.constantFrom(undefined, SECRET),
      async (commits, secret) => {
        await using folder = await temporaryFolder();
        const target = new FolderTarget(folder.path);
        const pool = new BackupPool(target, secret);
        const archiver = new LogArchiver(pool, EPOCH);
        let next = 11;
        const records = commits.map(({ operations, time, payload }) => {
          const first = next;
          next += operations;
          return { first, last: next - 1, time, payload: Buffer.from(payload) };
        });
        for (const [i, record] of records.entries()) {
          await archiver.add(record);
          if (i % 3 === 0) await archiver.flush();
        }
        await archiver.flush();
        const { chain, reached } = chainFrom(await listArchive(target, EPOCH), 10);
        expect(reached).toBe(next - 1);
        const read = await Promise.all(chain.map((file) => readArchived(pool, file)));
        expect(read.flat()).toEqual(records);
        expect(await listArchive(target, '1'.repeat(32))).toEqual([]);
      },
    ),
    { numRuns: 30 },
  );
});

const FILE = { path: '', epoch: '', digest: '', bytes: 0 };

it('chains what overlaps, and stops where something is missing', () => {
  const anyFile = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(
      fc.array(anyFile, { maxLength: 12 }),
      fc.integer({ min: 0, max: 20 }),
      fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
      (ranges, after, to) => {
        const files = ranges
          .map(([first, more]) => ({ ...FILE, first, last: first + more }))
          .toSorted((one, other) => one.first - other.first);
        const there = new Set(
          files.flatMap(({ first, last }) =>
            Array.from({ length: last - first + 1 }, (_, i) => first + i),
          ),
        );
        let expected = after;
        while (there.has(expected + 1)) expected++;
        const { chain, reached } = chainFrom(files, after, to);
        if (to === undefined) expect(reached).toBe(expected);
        else expect(reached >= to).toBe(Math.max(expected, after) >= to);
        let at = after;
        for (const { first, last } of chain) {
          expect(first).toBeLessThanOrEqual(at + 1);
          expect(last).toBeGreaterThan(at);
          at = last;
        }
        expect(at).toBe(reached);
      },
    ),
  );
});
