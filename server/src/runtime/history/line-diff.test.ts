import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffLines, type Edit } from './unified-diff.ts';

/** Few different lines, so that much is in common. */
const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

const side = (edits: readonly Edit[], left: '-' | '+') =>
  edits.filter(({ kind }) => kind === ' ' || kind === left).map(({ line }) => line);
const changes = (edits: readonly Edit[]) => edits.filter(({ kind }) => kind !== ' ').length;

/** The length of the longest common subsequence, by the textbook. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let above: number[] = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const row = [0];
    for (const [j, other] of b.entries()) {
      row.push(line === other ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!));
    }
    above = row;
  }
  return above.at(-1) ?? 0;
}

it('leads from the one to the other with as few changes as there can be', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const edits = diffLines(before, after, 1_000);
      expect(side(edits, '-')).toEqual(before);
      expect(side(edits, '+')).toEqual(after);
      const fewest = before.length + after.length - 2 * commonLength(before, after);
      expect(changes(edits)).toBe(fewest);
    }),
    { numRuns: 500 },
  );
});

it('replaces what lies between the common ends when there is more to change than it may look for', () => {
  fc.assert(
    fc.property(lines, lines, fc.integer({ min: 0, max: 6 }), (before, after, changesMax) => {
      const edits = diffLines(before, after, changesMax);
      expect(side(edits, '-')).toEqual(before);
      expect(side(edits, '+')).toEqual(after);
    }),
  );
  const many = Array.from({ length: 50_000 }, (_, i) => `old ${i}`);
  const others = many.map((line) => `new ${line}`);
  const edits = diffLines(['top', ...many, 'end'], ['top', ...others, 'end'], 500);
  expect(edits.at(0)).toEqual({ kind: ' ', line: 'top' });
  expect(changes(edits)).toBe(100_000);
});
