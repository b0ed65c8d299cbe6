import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { LOG_PLACE_BYTES } from '#base/limits.ts';
import { type Direction, fileLines, mergedLines } from './log-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'trellis-log-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'a.log');

async function all(blocks: AsyncIterable<string[]>): Promise<string[]> {
  return (await Array.fromAsync(blocks)).flat();
}

const read = (direction: Direction, blockBytes: number, lineBytesMax = 1_000) =>
  all(fileLines(path, direction, { blockBytes, lineBytesMax }));

it('lines come in both directions, wherever blocks are cut', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' '), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 12 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      async (lines, blockBytes, hasEnd) => {
        writeFileSync(path, lines.join('\n') + (hasEnd ? '\n' : ''));
        const expected = lines.filter((text) => text !== '');
        expect(await read('forward', blockBytes)).toEqual(expected);
        expect(await read('backward', blockBytes)).toEqual(expected.toReversed());
      },
    ),
  );
});

it('a line that is too long is left out', async () => {
  writeFileSync(path, `one\n${'x'.repeat(200)}\ntwo\nthree`);
  expect(await read('forward', 8, 50)).toEqual(['one', 'two', 'three']);
  expect(await read('backward', 8, 50)).toEqual(['three', 'two', 'one']);
  writeFileSync(path, 'x'.repeat(200));
  expect(await read('forward', 8, 50)).toEqual([]);
  expect(await read('backward', 8, 50)).toEqual([]);
});

it('only the lines of a span of time are read', async () => {
  const line = (ms: number, more: string): string =>
    `{"level":"info","time":"${new Date(ms).toISOString()}","msg":"${more}"}`;
  const record = fc.record({
    afterMs: fc.integer({ min: 0, max: 3 }),
    // Some are longer than what is read at a time to find a place.
    characters: fc.oneof(
      { weight: 20, arbitrary: fc.integer({ min: 0, max: 900 }) },
      { weight: 1, arbitrary: fc.constantFrom(LOG_PLACE_BYTES - 60, LOG_PLACE_BYTES * 3) },
    ),
    isTorn: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  });
  const ms = fc.integer({ min: -2, max: 400 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 200 }),
      ms,
      ms,
      fc.constantFrom<Direction>('forward', 'backward'),
      async (records, from, length, direction) => {
        let nowMs = 0;
        const lines = records.map(({ afterMs, characters, isTorn }) => {
          nowMs += afterMs;
          const text = line(nowMs, 'x'.repeat(characters));
          return { nowMs, isTorn, text: isTorn ? text.slice(1) : text };
        });
        writeFileSync(path, lines.map(({ text }) => `${text}\n`).join(''));
        const [fromMs, toMs] = [from, from + Math.max(1, length)];
        const found = await all(fileLines(path, direction, { fromMs, toMs }));
        const whole = lines.filter(({ isTorn }) => !isTorn);
        const expected = whole
          .filter((one) => one.nowMs >= fromMs && one.nowMs < toMs)
          .map(({ text }) => text);
        const sign = direction === 'forward' ? expected : expected.toReversed();
        expect(found.filter((text) => text.startsWith('{'))).toEqual(sign);
      },
    ),
  );
});

it('a file that is not there has no lines', async () => {
  expect(await all(fileLines(join(folder, 'none.log'), 'forward'))).toEqual([]);
});

it('several files are read in the order of time', async () => {
  const at = (second: number): string => `{"level":"info","time":"00:${10 + second}","msg":""}`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 5 }))),
      fc.constantFrom<Direction>('forward', 'backward'),
      async (files, direction) => {
        const sign = direction === 'forward' ? 1 : -1;
        const inOrder = (numbers: readonly number[]) =>
          numbers.toSorted((one, other) => sign * (one - other)).map(at);
        const sources = files.map(async function* (blocks) {
          const lines = inOrder(blocks.flat());
          for (const block of blocks) yield lines.splice(0, block.length);
        });
        expect(await all(mergedLines(sources, direction))).toEqual(inOrder(files.flat(2)));
      },
    ),
  );
});

it('a line without a time stays after the one before it', async () => {
  const head = (second: number): string => `{"level":"info","time":"00:0${second}"}`;
  const blocks = async function* (...lines: string[]) {
    yield lines;
  };
  const sources = [blocks(head(1), 'torn', head(3)), blocks(head(2))];
  expect(await all(mergedLines(sources, 'forward'))).toEqual([head(1), 'torn', head(2), head(3)]);
});
