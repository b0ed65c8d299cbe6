import { diffArrays } from 'diff';

/** A line that stays, goes, or comes. */
export interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

/**
 * The lines that lead from one text to another, with as few changes as possible. When more than
 * `changesMax` lines change, everything between the common beginning and the common end is
 * replaced as a whole: the time for the best diff grows with the square of the changes.
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
  return [
    ...edits(' ', before.slice(0, start)),
    ...middleEdits(
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
      changesMax,
    ),
    ...edits(' ', before.slice(before.length - end)),
  ];
}

function middleEdits(before: string[], after: string[], maxEditLength: number): Edit[] {
  const changes = diffArrays(before, after, { maxEditLength });
  if (changes === undefined) return [...edits('-', before), ...edits('+', after)];
  return changes.flatMap(({ added, removed, value }) =>
    edits(added ? '+' : removed ? '-' : ' ', value),
  );
}

function edits(kind: Edit['kind'], lines: readonly string[]): Edit[] {
  return lines.map((line) => ({ kind, line }));
}
