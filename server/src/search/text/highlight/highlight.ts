import {
  SEARCH_HIGHLIGHT_CHARACTERS_MAX,
  SEARCH_HIGHLIGHT_MATCHES_MAX,
  SEARCH_SNIPPET_CHARACTERS_MAX,
  SEARCH_SNIPPETS_MAX,
} from '#base/search-limits.ts';
import type { Analyzer, Token } from '../../analysis/analyzer.ts';
import type { PhraseAlternative, QueryGroup, TextQuery } from '../text-query.ts';
import { fittedTo, type Passage } from './passage.ts';

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

/** A stretch of text that a query found; UTF-16 offsets, the end excluded. `group` is the group of the query. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly group: number;
}

/** What one field may be found by: terms and phrases, each with the number of its group. */
interface Wanted {
  readonly terms: ReadonlyMap<string, number>;
  /** By each term that they may begin with. */
  readonly phrases: ReadonlyMap<string, readonly WantedPhrase[]>;
  readonly phraseTerms: ReadonlySet<string>;
}

interface WantedPhrase {
  readonly phrase: PhraseAlternative;
  readonly group: number;
}

/**
 * The matches of a query in the text of one field, by ascending start. Of a phrase, the words of its whole occurrences only.
 * At most `SEARCH_HIGHLIGHT_CHARACTERS_MAX` of the text are looked at, and of these tokens that may match
 * `SEARCH_HIGHLIGHT_MATCHES_MAX`.
 */
function findMatches(
  text: string,
  analyzer: Analyzer,
  groups: readonly QueryGroup[],
  field: number,
): Match[] {
  const wanted = wantedIn(groups, field);
  if (wanted.terms.size === 0 && wanted.phraseTerms.size === 0) return [];
  const tokens = candidates(text, analyzer, wanted);
  const matches: Match[] = [];
  for (const { term, start, end } of tokens) {
    const group = wanted.terms.get(term);
    if (group !== undefined) matches.push({ start, end, group });
  }
  if (wanted.phrases.size > 0) addPhraseMatches(tokens, wanted, matches);
  return matches
    .toSorted((a, b) => a.start - b.start || a.end - b.end || a.group - b.group)
    .filter((match, i, all) => i === 0 || !isSame(match, all[i - 1]!));
}

function isSame(a: Match, b: Match): boolean {
  return a.start === b.start && a.end === b.end && a.group === b.group;
}

function wantedIn(groups: readonly QueryGroup[], field: number): Wanted {
  const terms = new Map<string, number>();
  const phrases = new Map<string, WantedPhrase[]>();
  const phraseTerms = new Set<string>();
  for (const [group, { occurrence, alternatives, fields }] of groups.entries()) {
    if (occurrence === 'not' || fields?.includes(field) === false) continue;
    for (const alternative of alternatives) {
      if (alternative.kind === 'term') {
        if (!terms.has(alternative.term)) terms.set(alternative.term, group);
        continue;
      }
      for (const word of alternative.words) for (const term of word.terms) phraseTerms.add(term);
      for (const term of alternative.words[0]!.terms) {
        const known = phrases.get(term);
        if (known === undefined) phrases.set(term, [{ phrase: alternative, group }]);
        else known.push({ phrase: alternative, group });
      }
    }
  }
  return { terms, phrases, phraseTerms };
}

function candidates(text: string, analyzer: Analyzer, wanted: Wanted): Token[] {
  const looked = text.slice(0, SEARCH_HIGHLIGHT_CHARACTERS_MAX);
  const isCut = looked.length < text.length;
  const tokens: Token[] = [];
  analyzer.analyzeDocument(looked, (token) => {
    // What stands at a cut may be the begin of a longer word.
    if (isCut && token.end === looked.length) return;
    if (!wanted.terms.has(token.term) && !wanted.phraseTerms.has(token.term)) return;
    if (tokens.length < SEARCH_HIGHLIGHT_MATCHES_MAX) tokens.push(token);
  });
  return tokens;
}

function addPhraseMatches(tokens: readonly Token[], wanted: Wanted, matches: Match[]): void {
  const byPosition = Map.groupBy(tokens, ({ position }) => position);
  for (const token of tokens) {
    for (const { phrase, group } of wanted.phrases.get(token.term) ?? []) {
      const first = token.position - phrase.words[0]!.offset;
      for (const { start, end } of phraseTokens(phrase, first, byPosition)) {
        matches.push({ start, end, group });
        if (matches.length > 2 * SEARCH_HIGHLIGHT_MATCHES_MAX) return;
      }
    }
  }
}

/** The tokens of a phrase that begins at a position; none when it does not stand there. */
function phraseTokens(
  { words }: PhraseAlternative,
  position: number,
  tokens: ReadonlyMap<number, readonly Token[]>,
): Token[] {
  const found: Token[] = [];
  for (const { offset, terms } of words) {
    const token = tokens.get(position + offset)?.find(({ term }) => terms.includes(term));
    if (token === undefined) return [];
    found.push(token);
  }
  return found;
}
