import { SEARCH_HITS_FEW, SEARCH_VECTOR_CANDIDATES } from '#base/search-limits.ts';
import { searchText, type TextHit } from '../text/text-search.ts';
import { AllowList } from '../vector/allow-list.ts';
import { fuseRanks, fuseScores, orderByTime, type Entry, type RankedHit } from './fusion.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { checkDimensions, soughtVectors } from './query-vectors.ts';
import { nodeSetOf, TextRun, type FoundHit, type TextFound, type TextPass } from './text-run.ts';
import { vectorCandidates, type VectorCandidate } from './vector-candidates.ts';
import type { Facet } from './time-histogram.ts';

const WITHOUT_WORDS = { groups: [] };
const NO_TEXT: TextFound = { hits: [], total: 0, passes: [], facets: [] };

/**
 * A search by vectors, and for words as well where it is hybrid. Its hits are the nearest nodes, so many at most, and all that the
 * words match; without words only the nearest. Pages go on from each other whatever their size.
 */
export function findByVectors(search: PreparedSearch): {
  readonly hits: readonly RankedHit[];
  readonly total: number;
  readonly facets: readonly Facet[];
} {
  const { request } = search;
  const nearest = nearestNodes(search);
  const hasWords = request.mode === 'hybrid' && search.hasQuery;
  const page = { skip: 0, take: textsNeeded(search) };
  const text = hasWords ? new TextRun(search, page).find() : NO_TEXT;
  const facets = hasWords ? text.facets : search.openFacets();
  const nodes = [...nearest.keys()];
  const words = wordsOf(search, text.passes, nodes);
  const others = documentsOf(
    search,
    nodes.filter((node) => !words.has(node)),
    facets,
  );
  const entries: Entry[] = [
    ...text.hits
      .filter(({ hit }) => !nearest.has(hit.node))
      .map((found) => ({ hit: found.hit, words: found })),
    ...[...words].map(([node, found]) => ({
      hit: found.hit,
      words: found,
      nearest: nearest.get(node),
    })),
    ...others.map((hit) => ({ hit, nearest: nearest.get(hit.node) })),
  ];
  const { skip, take } = request;
  return {
    hits: ranked(search, text, entries).slice(skip, skip + take),
    total: text.total + others.length,
    facets,
  };
}

/** By their ids. */
function nearestNodes(search: PreparedSearch): ReadonlyMap<number, VectorCandidate> {
  const { request, conditions } = search;
  const sought = soughtVectors(search);
  const { allowed, test } = conditions;
  const candidates = vectorCandidates(sought.fields, sought.vectors, {
    count: SEARCH_VECTOR_CANDIDATES,
    similarityMin: request.similarityMin,
    allow: allowed && new AllowList(allowed),
    accepts: test,
  });
  if (candidates.length === 0) checkDimensions(search, sought);
  return new Map(candidates.map((candidate) => [candidate.node, candidate]));
}

/**
 * Of the best texts, those that may be on the page: no other one can come before them. Those few that have all words may have lower
 * scores than others; and nodes whose rank in the text does not count may be among the best texts.
 */
function textsNeeded({ request: { skip, take, ranking } }: PreparedSearch): number {
  return skip + take + (ranking === 'rrf' ? SEARCH_VECTOR_CANDIDATES : SEARCH_HITS_FEW);
}

/** Those of the nodes that the words match. */
function wordsOf(
  { sources }: PreparedSearch,
  passes: readonly TextPass[],
  nodes: readonly number[],
): ReadonlyMap<number, FoundHit> {
  const found = new Map<number, FoundHit>();
  const allowed = nodeSetOf(nodes);
  for (const pass of passes) {
    const options = {
      ...pass.options,
      filter: { ...pass.options.filter, allowed },
      offset: 0,
      limit: SEARCH_VECTOR_CANDIDATES,
      isCounted: false,
      collectors: [],
    };
    const { hits } = searchText(sources.snapshot.view, pass.resolved.query, options);
    for (const hit of hits) found.set(hit.node, { ...pass, hit });
  }
  return found;
}

/** As the index has them, counted by facets. What it does not have any more, or not yet, is left out. */
function documentsOf(
  { sources }: PreparedSearch,
  nodes: readonly number[],
  facets: readonly Facet[],
): readonly TextHit[] {
  if (nodes.length === 0) return [];
  const { hits } = searchText(sources.snapshot.view, WITHOUT_WORDS, {
    limit: nodes.length,
    filter: { allowed: nodeSetOf(nodes) },
    collectors: facets.map(({ collector }) => collector),
  });
  return hits;
}

function ranked(search: PreparedSearch, text: TextFound, entries: readonly Entry[]): RankedHit[] {
  const { mode, sort, ranking, weight } = search.request;
  const { decay = () => 1 } = search;
  if (sort !== 'relevance') return orderByTime(entries, sort);
  // Without another side, cosines are the scores.
  if (mode === 'vector') return fuseScores(entries, { weight: 0, bestText: 0, decay });
  if (ranking === 'weighted') {
    return fuseScores(entries, { weight, bestText: bestOf(search, text), decay });
  }
  const textRanks = new Map(text.hits.map(({ hit }, i) => [hit.node, i + 1]));
  return fuseRanks(entries, { weight, textRanks, decay });
}

/** The score of the best text without decay, on whatever page it is: the first hits of all passes are among these. */
function bestOf({ sources, decay }: PreparedSearch, { hits, passes }: TextFound): number {
  const { view } = sources.snapshot;
  const known =
    decay === undefined
      ? hits.map(({ hit }) => hit)
      : passes.flatMap(({ resolved, options: { filter, visibleFields } }) => {
          return searchText(view, resolved.query, { filter, visibleFields, limit: 1 }).hits;
        });
  return known.reduce((best, { score }) => Math.max(best, score), 0);
}
