import { SEARCH_START_HITS_MAX } from '#base/search-limits.ts';
import type { FoundNode, WantedText } from '#graph/query/query-context.ts';
import { QueryContext } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import { invalid } from '../request/members.ts';
import { readSearchRequest } from '../request/read-request.ts';
import { countsOf } from './facets.ts';
import type { RankedHit } from './fusion.ts';
import { PreparedSearch, type SearchSources } from './prepared-search.ts';
import { presentHit, type SearchHit } from './present-hit.ts';
import { TextRun } from './text-run.ts';
import { findByVectors } from './vector-run.ts';
import type { Facet, FacetCount } from './time-histogram.ts';

/** The same shape as that of `@trellis/endpoint`. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
  readonly tookMs: number;
}

/**
 * Searches as somebody, or as the system (open-shapes, section 6). What the searcher may not see is left out before anything is
 * ranked or counted. Throws `invalid_request`, and `invalid_query` for names that the schema does not have.
 */
export function search(
  sources: SearchSources,
  value: unknown,
  visibility: Visibility | undefined,
): SearchAnswer {
  const startedAt = sources.now();
  const prepared = new PreparedSearch(sources, readSearchRequest(value), visibility);
  const isOfText = prepared.request.mode === 'text';
  const { hits, total, facets } = isOfText ? findByWords(prepared) : findByVectors(prepared);
  return {
    hits: hits.flatMap((hit) => presentHit(prepared, hit)),
    total,
    facets: countsOf(facets),
    tookMs: Math.max(0, sources.now() - startedAt),
  };
}

function findByWords(prepared: PreparedSearch): {
  readonly hits: readonly RankedHit[];
  readonly total: number;
  readonly facets: readonly Facet[];
} {
  const { hits, total, facets } = new TextRun(prepared, prepared.request).find();
  return {
    hits: hits.map((words) => ({ hit: words.hit, score: words.hit.score, words })),
    total,
    facets,
  };
}

/** The nodes whose field has these words, of those that somebody may see; the best first, and no more than a query can take. */
export function findByText(
  sources: SearchSources,
  { type, field, text }: WantedText,
  visibility: Visibility | undefined,
): readonly FoundNode[] {
  const planned = sources.snapshot.type(type)?.texts.some(({ name }) => name === field) === true;
  if (!planned) {
    if (new QueryContext(sources.reader, visibility, undefined).conceals(type)) return [];
    const hint = 'Set text for it in the search settings.';
    throw invalid('startSearch', `the field "${field}" of "${type}" is not searched`, hint);
  }
  const request = readSearchRequest({ query: text, types: [type], fields: [field] });
  const prepared = new PreparedSearch(sources, request, visibility);
  // Nothing asked for is nothing found: all nodes of a type are where `startAt` begins.
  if (!prepared.hasQuery) return [];
  const { hits } = new TextRun(prepared, { skip: 0, take: SEARCH_START_HITS_MAX }).find();
  return hits.map(({ hit: { node, score } }) => ({ id: node, score }));
}
