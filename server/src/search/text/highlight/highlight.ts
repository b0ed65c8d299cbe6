import {
  SEARCH_HIGHLIGHT_CHARACTERS_MAX,
  SEARCH_HIGHLIGHT_MATCHES_MAX,
  SEARCH_SNIPPET_CHARACTERS_MAX,
  SEARCH_SNIPPETS_MAX,
} from '#base/search-limits.ts';
import type { Analyzer, Token } from '../../analysis/analyzer.ts';
import type { PhraseAlternative, QueryGroup, TextQuery } from '../text-query.ts';

/** UTF-16 offsets in a text, the end excluded. */
interface Passage {
  readonly start: number;
  readonly end: number;
}

const WORDS = new Intl.Segmenter('und', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });
const SENTENCE_END = /[.!?…。！？\n]\s*$/u;
/** Extra text on both sides of a cut, so that boundaries do not depend on where the text starts. */
const MARGIN_CHARACTERS = 64;

/**
 * The passage of a text around `core`, of at most `SEARCH_SNIPPET_CHARACTERS_MAX`, with `core` in
 * the middle. It begins at a sentence if it can, else at a word, and never splits a visible
 * character.
 */
export function fittedTo(text: string, core: Passage): Passage {
  const max = SEARCH_SNIPPET_CHARACTERS_MAX;
  const slack = Math.max(0, max - (core.end - core.start));
  const earliest = Math.max(0, Math.min(core.start - (slack >> 1), text.length - max));
  const start = startOf(text, earliest, core.start);
  return { start, end: endOf(text, start, Math.min(core.end, start + max), start + max) };
}

function startOf(text: string, earliest: number, latest: number): number {
  if (earliest === 0) return 0;
  const starts = boundaries(WORDS, text, earliest, latest).filter(
    (at) => at >= earliest && at <= latest && !/\s/.test(text[at] ?? ' '),
  );
  const isSentenceStart = (at: number): boolean =>
    SENTENCE_END.test(text.slice(Math.max(0, at - MARGIN_CHARACTERS), at));
  return starts.find(isSentenceStart) ?? starts[0] ?? latest;
}

function endOf(text: string, start: number, earliest: number, latest: number): number {
  if (latest >= text.length) return text.length;
  const isBetween = (at: number): boolean => at >= earliest && at <= latest;
  const word = boundaries(WORDS, text, earliest, latest).findLast(isBetween);
  const end =
    word ??
    boundaries(GRAPHEMES, text, start, latest).findLast((at) => at > start && at <= latest) ??
    codePointStart(text, latest);
  const shown = text.slice(start, end).trimEnd();
  return Math.max(start + shown.length, Math.min(earliest, end));
}

/** Boundaries of segments near `[from, to]`, ascending. */
function boundaries(segmenter: Intl.Segmenter, text: string, from: number, to: number): number[] {
  const begin = codePointStart(text, Math.max(0, from - MARGIN_CHARACTERS));
  const piece = text.slice(begin, codePointStart(text, to + MARGIN_CHARACTERS));
  const found = Array.from(segmenter.segment(piece), ({ index }) => begin + index);
  // The start of the piece is no boundary, unless the text begins there.
  return begin === 0 ? found : found.slice(1);
}

/** The offset itself, or the one before it when it would split a pair of surrogates. */
function codePointStart(text: string, at: number): number {
  const isInsidePair = at > 0 && at < text.length && (text.codePointAt(at - 1) ?? 0) > 0xffff;
  return isInsidePair ? at - 1 : at;
}

/** A passage of a field's plain text, with what to mark in it. Offsets are UTF-16 units. */
export interface Snippet {
  readonly text: string;
  /** Where the passage begins in the field's text. */
  readonly start: number;
  /** In the passage; ascending, apart from each other, the end excluded. */
  readonly matches: readonly { readonly start: number; readonly end: number }[];
}

/**
 * The passages that show best why a query found the text, in its order: those with the most
 * different words, then with the most matches. A short text is one passage; a text without matches
 * has none. `analyzer` indexed the text, and `field` is its number in the index.
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
    // Far enough apart that the words around them do not overlap.
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

/** The overlap of two passages: for a word longer than a passage, the part that is shown. */
function common(a: Passage, b: Passage): Passage[] {
  const start = Math.max(a.start, b.start);
  const end = Math.min(a.end, b.end);
  return start < end ? [{ start, end }] : [];
}

/** A match in the text; UTF-16 offsets, end excluded. `group` is the group of the query. */
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
 * The matches of a query in one field, by start. Words of a phrase count only in whole occurrences.
 * Reads at most `SEARCH_HIGHLIGHT_CHARACTERS_MAX` of the text, and `SEARCH_HIGHLIGHT_MATCHES_MAX`
 * tokens that may match.
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
    // The word at the cut may be the beginning of a longer one.
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
