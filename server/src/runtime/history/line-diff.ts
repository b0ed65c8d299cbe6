import { must } from '#base/assert.ts';

/** A run of lines that stay, go, or come. */
export interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

/**
 * The lines that lead from one text to another: as few changes as there can be (Myers, "An O(ND)
 * Difference Algorithm", 1986), as long as these are at most `changesMax`. Of texts that differ in
 * more, what lies between their common beginning and their common end is replaced as a whole: the
 * time and the space for a diff grow with the square of the changes.
 */
export function diffLines(
  before: readonly string[],
  after: readonly string[],
  changesMax: number,
): Edit[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const oldMiddle = before.slice(start, before.length - end);
  const newMiddle = after.slice(start, after.length - end);
  const kept = (line: string): Edit => ({ kind: ' ', line });
  return [
    ...before.slice(0, start).map(kept),
    ...(shortestEdit(oldMiddle, newMiddle, changesMax) ?? replaced(oldMiddle, newMiddle)),
    ...before.slice(before.length - end).map(kept),
  ];
}

function replaced(before: readonly string[], after: readonly string[]): Edit[] {
  return [
    ...before.map((line): Edit => ({ kind: '-', line })),
    ...after.map((line): Edit => ({ kind: '+', line })),
  ];
}

/** Undefined when more than `changesMax` lines go or come. */
function shortestEdit(
  before: readonly string[],
  after: readonly string[],
  changesMax: number,
): Edit[] | undefined {
  const rounds: Reached[] = [];
  let reached: Reached = new Map([[1, 0]]);
  const limit = Math.min(changesMax, before.length + after.length);
  for (let changes = 0; changes <= limit; changes++) {
    rounds.push(reached);
    const next = new Map<number, number>();
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      let x = entryX(reached, diagonal, changes);
      let y = x - diagonal;
      while (x < before.length && y < after.length && before[x] === after[y]) {
        x++;
        y++;
      }
      next.set(diagonal, x);
      if (x >= before.length && y >= after.length) return walkBack(before, after, rounds);
    }
    reached = next;
  }
  return undefined;
}

/**
 * How far one comes in `before` on each diagonal (the position in `before` less that in `after`)
 * with a number of changes.
 */
type Reached = ReadonlyMap<number, number>;

/** Whether the last change before a diagonal is a line that comes; else one goes. */
function isEnteredByInsertion(reached: Reached, diagonal: number, changes: number): boolean {
  if (diagonal === -changes) return true;
  return diagonal !== changes && at(reached, diagonal - 1) < at(reached, diagonal + 1);
}

function entryX(reached: Reached, diagonal: number, changes: number): number {
  return isEnteredByInsertion(reached, diagonal, changes)
    ? at(reached, diagonal + 1)
    : at(reached, diagonal - 1) + 1;
}

function at(reached: Reached, diagonal: number): number {
  return must(reached.get(diagonal), 'a diagonal beside one of this round');
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  rounds: readonly Reached[],
): Edit[] {
  const edits: Edit[] = [];
  let x = before.length;
  let y = after.length;
  for (let changes = rounds.length - 1; changes >= 0; changes--) {
    const reached = must(rounds[changes], 'a round of the diff');
    const diagonal = x - y;
    const start = entryX(reached, diagonal, changes);
    for (; x > start; x--, y--) edits.push({ kind: ' ', line: before[x - 1] ?? '' });
    if (changes === 0) break;
    if (isEnteredByInsertion(reached, diagonal, changes)) {
      edits.push({ kind: '+', line: after[--y] ?? '' });
    } else {
      edits.push({ kind: '-', line: before[--x] ?? '' });
    }
  }
  return edits.toReversed();
}
