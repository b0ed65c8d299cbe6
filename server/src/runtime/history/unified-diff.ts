import { CODE_DIFF_CHANGES_MAX } from '#base/limits.ts';
import { diffLines } from './line-diff.ts';
import type { Edit } from './line-diff.ts';

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
