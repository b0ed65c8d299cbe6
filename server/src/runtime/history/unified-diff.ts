import { CODE_DIFF_CHANGES_MAX } from '#base/limits.ts';
import { diffArrays } from 'diff';

const CONTEXT_LINES = 3;
const NO_NEWLINE = '\\ No newline at end of file';

export interface TextFile {
  /** As the head of the diff shows it; `/dev/null` when there is no such file. */
  readonly path: string;
  readonly text: string;
}

/** What `diff -u` writes for two files, and `patch` reads; empty when the texts are equal. */
export function unifiedDiff(before: TextFile, after: TextFile): string {
  if (before.text === after.text) return '';
  const edits = diffLines(linesOf(before.text), linesOf(after.text), CODE_DIFF_CHANGES_MAX);
  const heads = [`--- ${before.path}\n`, `+++ ${after.path}\n`];
  return [...heads, ...hunksOf(edits).map((hunk) => hunkText(edits, hunk))].join('');
}

/** Lines with their line ends, so that a missing one at the end of the text is a difference. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

interface Hunk {
  readonly start: number;
  end: number;
}

/** Changes with the lines around them; hunks that touch are joined. */
function hunksOf(edits: readonly Edit[]): Hunk[] {
  const hunks: Hunk[] = [];
  for (const [i, { kind }] of edits.entries()) {
    if (kind === ' ') continue;
    const last = hunks.at(-1);
    const start = Math.max(0, i - CONTEXT_LINES);
    const end = Math.min(edits.length, i + 1 + CONTEXT_LINES);
    if (last !== undefined && start <= last.end) last.end = end;
    else hunks.push({ start, end });
  }
  return hunks;
}

function hunkText(edits: readonly Edit[], { start, end }: Hunk): string {
  const before = edits.slice(0, start);
  const inside = edits.slice(start, end);
  const old = range(count(before, '-'), count(inside, '-'));
  const now = range(count(before, '+'), count(inside, '+'));
  const lines = inside.map(({ kind, line }) =>
    line.endsWith('\n') ? `${kind}${line}` : `${kind}${line}\n${NO_NEWLINE}\n`,
  );
  return `@@ -${old} +${now} @@\n${lines.join('')}`;
}

/** The lines of one side: a line that stays is in both. */
function count(edits: readonly Edit[], side: '-' | '+'): number {
  return edits.filter(({ kind }) => kind === ' ' || kind === side).length;
}

function range(before: number, length: number): string {
  // An empty range has the number of the line before it.
  const first = length === 0 ? before : before + 1;
  return length === 1 ? String(first) : `${first},${length}`;
}

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
    ...editsOf(' ', before.slice(0, start)),
    ...middleEdits(
      before.slice(start, before.length - end),
      after.slice(start, after.length - end),
      changesMax,
    ),
    ...editsOf(' ', before.slice(before.length - end)),
  ];
}

function middleEdits(before: string[], after: string[], maxEditLength: number): Edit[] {
  const changes = diffArrays(before, after, { maxEditLength });
  if (changes === undefined) return [...editsOf('-', before), ...editsOf('+', after)];
  return changes.flatMap(({ added, removed, value }) =>
    editsOf(added ? '+' : removed ? '-' : ' ', value),
  );
}

function editsOf(kind: Edit['kind'], lines: readonly string[]): Edit[] {
  return lines.map((line) => ({ kind, line }));
}

/** What a version is about. */
export interface CodeContent {
  readonly code: string;
  /** Everything that can be set beside the code. */
  readonly settings: object;
}

/**
 * Settings and code as the files `<name>.json` and `<name>.ts`; undefined where there is nothing.
 */
export function contentDiff(
  name: string,
  before: CodeContent | undefined,
  after: CodeContent | undefined,
): string {
  const settings = (content: CodeContent) => `${JSON.stringify(content.settings, null, 2)}\n`;
  const code = (content: CodeContent) => content.code;
  const diffOf = (ending: string, textOf: (content: CodeContent) => string) => {
    const file = (side: string, content: CodeContent | undefined): TextFile =>
      content === undefined
        ? { path: '/dev/null', text: '' }
        : { path: `${side}/${name}.${ending}`, text: textOf(content) };
    return unifiedDiff(file('a', before), file('b', after));
  };
  return diffOf('json', settings) + diffOf('ts', code);
}
