import { SYNONYM_CANDIDATES_MAX } from '#base/search-limits.ts';
import { QueryContext } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import type { SearchSources } from './prepared-search.ts';
import { SearchScope } from './scope.ts';
import { SeenWords, wordsFor } from './seen-vocabulary.ts';

export interface SimilarWord {
  readonly term: string;
  /** 1 less the part of its letters that differ: edits by the letters of the longer word. */
  readonly similarity: number;
}

/**
 * Words that differ from one in at most two letters and are at least as similar as `tolerance`, the most similar first, then those
 * in the most nodes. Each is looked up as the asker: a word that only hidden nodes or fields have is not told.
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
  // Words are suggested for one word: of several, each has its own.
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
