import { SEARCH_HITS_FEW, SEARCH_VECTOR_CANDIDATES } from '#base/search-limits.ts';
import { searchText, type TextHit } from '../text/text-search.ts';
import { AllowList } from '../vector/allow-list.ts';
import { type Entry, fuseRanks, fuseScores, orderByTime, type RankedHit } from './fusion.ts';
import type { PreparedSearch, SearchSources } from './prepared-search.ts';
import {
  type FoundHit,
  isNamed,
  nodeSetOf,
  type TextFound,
  type TextPass,
  TextRun,
} from './text-run.ts';
import {
  isComparable,
  type SoughtVector,
  type VectorCandidate,
  vectorCandidates,
} from './vector-candidates.ts';
import type { Facet } from './facets.ts';
import type { Problem } from '#base/problem.ts';
import { invalid } from '../request/members.ts';
import { readSearchRequest } from '../request/read-request.ts';
import { goesBy } from '../settings/named-now.ts';
import type { OpenedVectors } from './opened-snapshot.ts';
import type { FieldOfVectors } from './scope.ts';

/** What a search by vectors compares. */
interface SoughtVectors {
  readonly fields: readonly OpenedVectors[];
  readonly vectors: readonly SoughtVector[];
}

/**
 * The models whose vectors of the query a request must bring in `queryVectors`. Fields that the
 * searcher may not read count too. Unknown names have none; the search itself refuses those.
 */
export function modelsFor(
  { reader, snapshot }: Pick<SearchSources, 'reader' | 'snapshot'>,
  value: unknown,
): string[] {
  const request = readSearchRequest(value);
  const { mode, query, vector, types, fields } = request;
  if (mode === 'text' || vector !== undefined || query.trim() === '') return [];
  const wanted = types && new Set(types.map((name) => reader.registry.nodeType(name)?.id));
  const planned = snapshot.types
    .filter(({ id }) => wanted?.has(id) !== false)
    .flatMap((type) => type.vectors.map((field) => ({ type, field })))
    .filter(({ type, field }) => goesBy(type, field.name, fields));
  return modelsOf(planned);
}

/** The models of text fields. Which model made the vectors that came with nodes is not known. */
function modelsOf(planned: readonly FieldOfVectors[]): string[] {
  const ofText = planned.filter(({ field }) => field.chunk !== undefined);
  return [...new Set(ofText.map(({ field }) => field.model))];
}

/** Throws `invalid_request` if there is no vector, or no field to compare it with. */
function soughtVectors(search: PreparedSearch): SoughtVectors {
  const { request, scope, hasQuery } = search;
  const { mode, vector, fields } = request;
  const planned = scope.vectors(fields);
  if (planned.length === 0) {
    if (scope.concealsVectors(fields)) return { fields: [], vectors: [] };
    throw invalid(
      'request.mode',
      `"${mode}" needs a field with vectors, and no field that is searched has any`,
      'Set vector for a field in the search settings, or search for words: mode "text".',
    );
  }
  if (vector === undefined && !hasQuery) {
    throw invalid('request.query', `is empty, and there is no vector for the mode "${mode}"`);
  }
  const vectors = vector === undefined ? vectorsOfModels(search, planned) : [{ vector }];
  return { fields: scope.opened(planned), vectors };
}

function vectorsOfModels(
  { request }: PreparedSearch,
  planned: readonly FieldOfVectors[],
): SoughtVector[] {
  const { queryVectors } = request;
  for (const model of modelsOf(planned)) {
    if (queryVectors.has(model)) continue;
    throw invalid('request.queryVectors', `has no vector of the model "${model}"`);
  }
  const vectors = [...queryVectors].map(([model, vector]) => ({ model, vector }));
  if (vectors.some(({ model }) => planned.some(({ field }) => field.model === model))) {
    return vectors;
  }
  throw invalid(
    'request.vector',
    'is missing: all vectors that are searched came with their nodes',
    'Give the vector that is looked for, made by what made theirs.',
  );
}

/**
 * Call it when nothing is near. Throws `invalid_request` when a vector can be compared with nothing
 * that the searcher sees. The message says nothing of fields that only others see.
 */
function checkDimensions(search: PreparedSearch, { fields, vectors }: SoughtVectors): void {
  const seen = fields.filter((one) => hasSeen(search, one));
  for (const sought of vectors) {
    const { model, vector } = sought;
    const ofModel = seen.filter(({ index }) => model === undefined || index.model === model);
    if (ofModel.length === 0 || ofModel.some((one) => isComparable(one, sought))) continue;
    throw unfit(model, vector.length, ofModel);
  }
}

function hasSeen({ context: { visibility } }: PreparedSearch, { type, index }: OpenedVectors) {
  const any = Float32Array.from({ length: index.dimensions }, (_, d) => (d === 0 ? 1 : 0));
  const accepts = (node: number): boolean => visibility?.canSee(node, type.name) !== false;
  return index.search(any, { count: 1, accepts }).length > 0;
}

function unfit(
  model: string | undefined,
  dimensions: number,
  fields: readonly OpenedVectors[],
): Problem {
  const known = [...new Set(fields.map(({ index }) => index.dimensions))].toSorted((a, b) => a - b);
  return invalid(
    model === undefined ? 'request.vector' : `request.queryVectors.${model}`,
    `has ${dimensions} dimensions, and what is searched has ${known.join(' or ')}`,
  );
}

const WITHOUT_WORDS = { groups: [] };
const NO_TEXT: TextFound = { hits: [], total: 0, passes: [], facets: [] };

/**
 * A search by vectors, and by words too if hybrid. Hits are the SEARCH_VECTOR_CANDIDATES nearest
 * nodes and all that match the words. Pages of any size continue each other.
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

/** The nearest nodes, by id. */
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
 * How many of the best texts may be on the page. More than the page has: the few with all words may
 * score below others, and with `rrf` the best texts may have ranks that do not count.
 */
function textsNeeded({ request: { skip, take, ranking } }: PreparedSearch): number {
  return skip + take + (ranking === 'rrf' ? SEARCH_VECTOR_CANDIDATES : SEARCH_HITS_FEW);
}

/** The hits by words among these nodes. */
function wordsOf(
  { sources }: PreparedSearch,
  passes: readonly TextPass[],
  nodes: readonly number[],
): ReadonlyMap<number, FoundHit> {
  const found = new Map<number, FoundHit>();
  for (const pass of passes) {
    const { only } = pass;
    const allowed = nodeSetOf(only === undefined ? nodes : nodes.filter((node) => node === only));
    const options = {
      ...pass.options,
      filter: { ...pass.options.filter, allowed },
      offset: 0,
      limit: SEARCH_VECTOR_CANDIDATES,
      isCounted: false,
      collectors: [],
    };
    const { hits } = searchText(sources.snapshot.view, pass.query, options);
    for (const hit of hits) found.set(hit.node, { ...pass, hit });
  }
  return found;
}

/**
 * The hits of `nodes` as the index has them, counted by facets. Nodes that are not in the index are
 * left out.
 */
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
  // With vectors alone, cosines are the scores.
  if (mode === 'vector') return fuseScores(entries, { weight: 0, bestText: 0, decay });
  if (ranking === 'weighted') {
    return namedFirst(
      fuseScores(entries, { weight, bestText: bestOf(search, text), decay }),
      search,
    );
  }
  const textRanks = new Map(text.hits.map(({ hit }, i) => [hit.node, i + 1]));
  return namedFirst(fuseRanks(entries, { weight, textRanks, decay }), search);
}

/** What the query names comes first, in the order of a search for words. */
function namedFirst(fused: readonly RankedHit[], { worthOf }: PreparedSearch): RankedHit[] {
  const named = fused.flatMap((found) => {
    const { hit, words } = found;
    if (!isNamed(words?.name)) return [];
    return [{ found, worth: words?.name === 'uid' ? Infinity : worthOf(hit.node, hit.type) }];
  });
  // Of two that are worth as much, the one with the lower id comes first there.
  named.sort((a, b) => b.worth - a.worth || a.found.hit.node - b.found.hit.node);
  return [
    ...named.map(({ found }) => found),
    ...fused.filter(({ words }) => !isNamed(words?.name)),
  ];
}

/**
 * The best text score without decay, whatever the page: the first hits of all passes include it.
 */
function bestOf({ sources, decay }: PreparedSearch, { hits, passes }: TextFound): number {
  const { view } = sources.snapshot;
  const known =
    decay === undefined
      ? hits.map(({ hit }) => hit)
      : passes.flatMap(({ query, options: { filter, visibleFields } }) => {
          return searchText(view, query, { filter, visibleFields, limit: 1 }).hits;
        });
  return known.reduce((best, { score }) => Math.max(best, score), 0);
}
