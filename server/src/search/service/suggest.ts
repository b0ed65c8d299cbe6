import {
  SEARCH_SUGGESTIONS_DEFAULT,
  SEARCH_SUGGESTIONS_MAX,
  SEARCH_WORD_COMPLETIONS_MAX,
  SYNONYM_CANDIDATES_MAX,
} from '#base/search-limits.ts';
import { QueryContext } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import { SEARCH_TYPES_MAX } from '@trellis/contract/limits.ts';
import { asList, invalid, Members } from '../request/members.ts';
import type { SearchSources } from './prepared-search.ts';
import { SearchScope } from './scope.ts';
import { SeenWords, wordsFor } from './seen-vocabulary.ts';

export interface Suggestion {
  /** The query with its last word completed. */
  readonly query: string;
  readonly word: string;
  /** Nodes that the asker sees and that have the word. */
  readonly count: number;
}

const LAST_WORD = /[\p{L}\p{M}\p{N}]+$/u;

/**
 * Completions of the last word of a query, most frequent first. Each is looked up as the caller:
 * words that only hidden nodes or fields have are left out and do not change the order.
 */
export function suggest(
  sources: SearchSources,
  value: unknown,
  visibility: Visibility | undefined,
): readonly Suggestion[] {
  const { query, types, take } = readRequest(value);
  const { snapshot } = sources;
  const [last] = LAST_WORD.exec(query) ?? [];
  if (last === undefined) return [];
  const context = new QueryContext(sources.reader, visibility, undefined);
  const scope = new SearchScope(snapshot, context, { types, fields: undefined });
  const analyzers = snapshot.analyzers(undefined);
  const surfaces = new Set(
    analyzers.flatMap((analyzer) => analyzer.analyze(last).map(({ surface }) => surface)),
  );
  const list = wordsFor(snapshot, scope, context);
  const words = new Set(
    [...surfaces].flatMap((surface) =>
      list.completions(surface, SEARCH_WORD_COMPLETIONS_MAX).map(({ word }) => word),
    ),
  );
  const before = query.slice(0, query.length - last.length);
  const seen = new SeenWords(snapshot, scope, context);
  return [...words]
    .map((word) => ({ query: before + word, word, count: seen.countOf(word) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
    .slice(0, take);
}

function readRequest(value: unknown): {
  readonly query: string;
  readonly types: readonly string[] | undefined;
  readonly take: number;
} {
  const members = new Members(value, 'request');
  const query = members.optional('query', text);
  const types = members.optional('types', (list, path) =>
    asList(list, path, SEARCH_TYPES_MAX, text),
  );
  const take = members.wholeNumber('take', 1, SEARCH_SUGGESTIONS_MAX) ?? SEARCH_SUGGESTIONS_DEFAULT;
  members.refuseOthers();
  if (query === undefined) throw invalid('request.query', 'is missing');
  return { query, types, take };
}

function text(value: unknown, path: string): string {
  if (typeof value === 'string') return value;
  throw invalid(path, 'must be a text');
}

export interface SimilarWord {
  readonly term: string;
  /** 1 minus edits / letters of the longer word. */
  readonly similarity: number;
}

/**
 * Words that differ in at most two letters and are at least as similar as `tolerance`; most similar
 * first, then most frequent. Each is looked up as the caller, as in `suggest`.
 */
export function similarWords(
  sources: SearchSources,
  wanted: { readonly word: string; readonly language: string; readonly tolerance: number },
  visibility: Visibility | undefined,
): readonly SimilarWord[] {
  const { snapshot } = sources;
  const [analyzer] = snapshot.analyzers(wanted.language);
  const tokens = analyzer?.analyze(wanted.word) ?? [];
  const surface = tokens[0]?.surface;
  // Several words have no suggestions: each has its own.
  if (surface === undefined || tokens.length > 1) return [];
  const edits = Math.floor((1 - wanted.tolerance) * (lettersOf(surface) + 2) + 1e-9);
  if (edits === 0) return [];
  const context = new QueryContext(sources.reader, visibility, undefined);
  const scope = new SearchScope(snapshot, context, { types: undefined, fields: undefined });
  const near = wordsFor(snapshot, scope, context)
    .within(surface, edits === 1 ? 1 : 2, SYNONYM_CANDIDATES_MAX)
    .map(({ word, distance }) => ({ word, similarity: similarityOf(surface, word, distance) }))
    .filter(({ word, similarity }) => word !== surface && similarity >= wanted.tolerance);
  const seen = new SeenWords(snapshot, scope, context);
  return near
    .map(({ word, similarity }) => ({ term: word, similarity, count: seen.countOf(word) }))
    .filter(({ count }) => count > 0)
    .toSorted(
      (a, b) => b.similarity - a.similarity || b.count - a.count || (a.term < b.term ? -1 : 1),
    )
    .map(({ term, similarity }) => ({ term, similarity }));
}

function similarityOf(a: string, b: string, edits: number): number {
  return 1 - edits / Math.max(lettersOf(a), lettersOf(b));
}

function lettersOf(word: string): number {
  return Array.from(word).length;
}
