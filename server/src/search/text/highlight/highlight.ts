import { SEARCH_SNIPPETS_MAX, SEARCH_SNIPPET_CHARACTERS_MAX } from '#base/search-limits.ts';
import type { Analyzer } from '../../analysis/analyzer.ts';
import type { TextQuery } from '../text-query.ts';
import { type Match, findMatches } from './find-matches.ts';
import { type Passage, fittedTo } from './passage.ts';

/** A passage of a field's text, plain and unescaped, with what is to be marked in it. All offsets are UTF-16 units. */
export interface Snippet {
  readonly text: string;
  /** Where the passage begins in the field's text. */
  readonly start: number;
  /** In the passage; ascending, apart from each other, the end excluded. */
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

/**
 * The passages of a field's text that show best why a query found it, in the order of the text: those with the most
 * different words of the query, then with the most matches. A text that is short enough is one passage; a text in which
 * nothing matches has none. `analyzer` is the one that indexed the text, and `field` its number in the index.
 */
export function highlight(
  text: string,
  analyzer: Analyzer,
  query: TextQuery,
  field: number,
): Snippet[] {
  const matches = findMatches(text, analyzer, query.groups, field);
  if (matches.length === 0) return [];
  const marks = joined(matches);
  if (text.length <= SEARCH_SNIPPET_CHARACTERS_MAX) {
    return [snippetOf(text, { start: 0, end: text.length }, marks)];
  }
  return bestPassages(matches)
    .toSorted((a, b) => a.start - b.start)
    .map((core) => snippetOf(text, fittedTo(text, core), marks));
}

/** Matches that overlap, as pairs of Chinese characters do, as one. */
function joined(matches: readonly Match[]): Passage[] {
  const marks: { start: number; end: number }[] = [];
  for (const { start, end } of matches) {
    const last = marks.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else marks.push({ start, end });
  }
  return marks;
}

interface RankedPassage extends Passage {
  readonly groups: number;
  readonly matches: number;
}

/** From the first to the last match of each of the best passages, which do not overlap. */
function bestPassages(matches: readonly Match[]): Passage[] {
  const ranked = passagesFrom(matches).toSorted(
    (a, b) => b.groups - a.groups || b.matches - a.matches || a.start - b.start,
  );
  const chosen: Passage[] = [];
  for (const passage of ranked) {
    if (chosen.length === SEARCH_SNIPPETS_MAX) break;
    // So far apart that the words around one do not reach the other.
    const isApart = chosen.every(
      ({ start }) => Math.abs(start - passage.start) >= 2 * SEARCH_SNIPPET_CHARACTERS_MAX,
    );
    if (isApart) chosen.push(passage);
  }
  return chosen;
}

/** From each match as far as a passage may reach. */
function passagesFrom(matches: readonly Match[]): RankedPassage[] {
  const counts = new Map<number, number>();
  const passages: RankedPassage[] = [];
  let next = 0;
  for (const [i, { start, end, group }] of matches.entries()) {
    while (next < matches.length) {
      const match = matches[next]!;
      if (next > i && match.end - start > SEARCH_SNIPPET_CHARACTERS_MAX) break;
      counts.set(match.group, (counts.get(match.group) ?? 0) + 1);
      next++;
    }
    const last = matches[next - 1]!;
    const passage = { start, end: Math.max(end, last.end) };
    passages.push({ ...passage, groups: counts.size, matches: next - i });
    const count = counts.get(group)!;
    if (count === 1) counts.delete(group);
    else counts.set(group, count - 1);
  }
  return passages;
}

function snippetOf(text: string, passage: Passage, marks: readonly Passage[]): Snippet {
  const { start, end } = passage;
  const whole = marks.filter((mark) => mark.start >= start && mark.end <= end);
  const matches = (whole.length > 0 ? whole : marks.flatMap((mark) => common(mark, passage))).map(
    (mark) => ({ start: mark.start - start, end: mark.end - start }),
  );
  return { text: text.slice(start, end), start, matches };
}

/** What two passages have in common: of a word that is longer than a passage, the part that is shown. */
function common(a: Passage, b: Passage): Passage[] {
  const start = Math.max(a.start, b.start);
  const end = Math.min(a.end, b.end);
  return start < end ? [{ start, end }] : [];
}
