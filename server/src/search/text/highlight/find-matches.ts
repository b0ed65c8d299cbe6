import {
  SEARCH_HIGHLIGHT_CHARACTERS_MAX,
  SEARCH_HIGHLIGHT_MATCHES_MAX,
} from '#base/search-limits.ts';
import type { Analyzer, Token } from '../../analysis/analyzer.ts';
import type { PhraseAlternative, QueryGroup } from '../text-query.ts';

/** A stretch of text that a query found; UTF-16 offsets, the end excluded. `group` is the group of the query. */
export interface Match {
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
export function findMatches(
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
