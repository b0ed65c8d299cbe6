import {
  SEARCH_SUGGESTIONS_DEFAULT,
  SEARCH_SUGGESTIONS_MAX,
  SEARCH_WORD_COMPLETIONS_MAX,
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
 * Words that the last word of a query may become, those in the most nodes first. Each is looked up as the asker: a word that only
 * hidden nodes or fields have is not told, and does not change the order of the others.
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
