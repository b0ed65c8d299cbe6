import { SEARCH_HITS_FEW, SEARCH_START_HITS_MAX } from '#base/search-limits.ts';
import { QueryContext, type WantedText } from '#graph/query/query-context.ts';
import type { NodeObject, Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import { parseQueryText } from '../text/query-text/parse-query-text.ts';
import {
  resolveQuery,
  type ResolvedQuery,
  type ResolveOptions,
} from '../text/query-text/resolve-query.ts';
import type { QueryNode } from '../text/query-text/query-tree.ts';
import type { WordSources } from '../text/query-text/expand-word.ts';
import { searchText, type TextHit, type TextSearchOptions } from '../text/text-search.ts';
import { invalid } from '../request/members.ts';
import { readSearchRequest } from '../request/read-request.ts';
import type { SearchRequest } from '../request/search-request.ts';
import { NodeSet } from '../text/node-set.ts';
import { conditionsOf } from './conditions.ts';
import { openFacets, type Facet, type FacetCount } from './facets.ts';
import { highlightsOf, type FieldHighlight } from './hit-highlights.ts';
import { explanationOf, type HitExplanation } from './hit-explanation.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';
import { SearchScope } from './scope.ts';
import { wordsFor } from './seen-vocabulary.ts';

/** The same shapes as those of `@trellis/endpoint`. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly facets: Readonly<Record<string, readonly FacetCount[]>>;
  readonly tookMs: number;
}

export interface SearchHit {
  readonly node: NodeObject;
  readonly score: number;
  readonly from: 'text';
  readonly highlights: readonly FieldHighlight[];
  readonly explain?: HitExplanation;
}

export interface SearchSources {
  readonly reader: StateReader;
  readonly snapshot: OpenedSnapshot;
  readonly synonymsOf: NonNullable<WordSources['synonymsOf']>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
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
  const request = readSearchRequest(value);
  if (request.mode !== 'text') {
    throw invalid('request.mode', 'must be "text": no field of this workspace has vectors');
  }
  const run = new SearchRun(sources, request, visibility);
  const { hits, total } = run.find();
  return {
    hits: hits.flatMap((hit) => run.present(hit)),
    total,
    facets: Object.fromEntries(run.facets.map((facet) => [facet.name, facet.counts()])),
    tookMs: Math.max(0, sources.now() - startedAt),
  };
}

/** The nodes whose field has these words, of those that somebody may see; the best first, and no more than a query can take. */
export function findByText(
  sources: SearchSources,
  { type, field, text }: WantedText,
  visibility: Visibility | undefined,
): readonly { readonly id: number; readonly score: number }[] {
  const planned = sources.snapshot.type(type)?.texts.some(({ name }) => name === field) === true;
  if (!planned) {
    const hint = 'Set text for it in the search settings.';
    throw invalid('startSearch', `the field "${field}" of "${type}" is not searched`, hint);
  }
  const request = readSearchRequest({ query: text, types: [type], fields: [field] });
  const run = new SearchRun(sources, { ...request, take: SEARCH_START_HITS_MAX }, visibility);
  // Nothing asked for is nothing found: all nodes of a type are where `startAt` begins.
  if (text.trim() === '') return [];
  return run.find().hits.map(({ hit: { node, score } }) => ({ id: node, score }));
}

/** One search from its checked request on. */
class SearchRun {
  readonly #sources: SearchSources;
  readonly #request: SearchRequest;
  readonly #context: QueryContext;
  readonly #scope: SearchScope;
  readonly #conditions: ReturnType<typeof conditionsOf>;
  #facets: readonly Facet[];

  constructor(sources: SearchSources, request: SearchRequest, visibility: Visibility | undefined) {
    this.#sources = sources;
    this.#request = request;
    this.#context = new QueryContext(sources.reader, visibility, undefined);
    this.#scope = new SearchScope(sources.snapshot, this.#context, request);
    this.#conditions = conditionsOf(this.#context, request);
    this.#facets = this.#openFacets();
  }

  get facets(): readonly Facet[] {
    return this.#facets;
  }

  find(): Found {
    const nodes = parseQueryText(this.#request.query, this.#scope.fieldNames);
    const strict = this.#resolve(nodes, 'all');
    // Signs alone ask for nothing, which is not the same as for everything.
    if (strict.query.groups.length === 0 && this.#request.query.trim() !== '') {
      return { hits: [], total: 0 };
    }
    const found = this.#look(strict, this.#options());
    if (found.total >= SEARCH_HITS_FEW) return found;
    const loose = this.#resolve(nodes, 'any');
    // A single word is what it is; of a run of Chinese any part will do.
    const words = loose.query.groups.filter(({ occurrence }) => occurrence === 'should');
    return words.length < 2 ? found : this.#loosened(strict, loose);
  }

  /** When hardly anything has all the words: behind that, what has any of them. In an order by time they are one. */
  #loosened(strict: ResolvedQuery, loose: ResolvedQuery): Found {
    const { skip, take, sort } = this.#request;
    // What was counted is counted again.
    this.#facets = this.#openFacets();
    const options = this.#options();
    if (sort !== 'relevance') return this.#look(loose, options);
    const found = this.#look(strict, options);
    const all = { ...options, offset: 0, limit: SEARCH_HITS_FEW, collectors: [] };
    const first = this.#look(strict, all).hits.map(({ hit }) => hit.node);
    const rest = this.#look(loose, {
      ...options,
      filter: {
        ...options.filter,
        denied: new NodeSet(Float64Array.from(first.toSorted((a, b) => a - b))),
      },
      offset: Math.max(0, skip - first.length),
      limit: take - found.hits.length,
    });
    return { hits: [...found.hits, ...rest.hits], total: found.total + rest.total };
  }

  #openFacets(): readonly Facet[] {
    const { facets } = this.#request;
    return openFacets(facets, this.#sources.snapshot, this.#scope, this.#context);
  }

  #look(resolved: ResolvedQuery, options: TextSearchOptions): Found {
    const { hits, total = 0 } = searchText(this.#sources.snapshot.view, resolved.query, options);
    return { hits: hits.map((hit) => ({ hit, resolved, options })), total };
  }

  #resolve(nodes: readonly QueryNode[], match: ResolveOptions['match']): ResolvedQuery {
    const { snapshot, synonymsOf } = this.#sources;
    return resolveQuery(nodes, {
      analyzers: snapshot.analyzers(this.#request.language),
      vocabularies: wordsFor(snapshot, this.#scope, this.#context),
      fuzziness: this.#request.fuzziness,
      fieldsOf: (name) => this.#scope.fieldsOf(name),
      synonymsOf,
      match,
    });
  }

  #options(): TextSearchOptions {
    const { skip, take, query, sort } = this.#request;
    const { allowed, test } = this.#conditions;
    const isAll = this.#request.types === undefined;
    return {
      limit: take,
      offset: skip,
      order: query.trim() === '' && sort === 'relevance' ? 'newest' : ORDERS[sort],
      filter: {
        ...(isAll ? {} : { types: new Set(this.#scope.types.keys()) }),
        ...(allowed === undefined ? {} : { allowed }),
        ...(test === undefined ? {} : { test }),
      },
      visibleFields: this.#scope.visibleFields,
      isCounted: true,
      collectors: this.#facets.map(({ collector }) => collector),
      ...this.#decay(),
    };
  }

  #decay(): Pick<TextSearchOptions, 'decay'> {
    const { halfLifeMs } = this.#request;
    if (halfLifeMs === undefined) return {};
    const now = this.#sources.now();
    // Above 0 however old it is: a score of nothing would be no score.
    return {
      decay: (ms) => Math.max(2 ** (-Math.max(0, now - ms) / halfLifeMs), Number.MIN_VALUE),
    };
  }

  /** Nothing for a node that is gone since it was indexed. */
  present({ hit, resolved, options }: FoundHit): SearchHit[] {
    const node = this.#context.node(hit.node);
    if (node === undefined) return [];
    const { snapshot } = this.#sources;
    const texts = this.#scope.texts.get(hit.type) ?? [];
    return [
      {
        node,
        score: hit.score,
        from: 'text',
        highlights: highlightsOf(node, hit, texts, resolved.query, snapshot),
        ...(this.#request.explain
          ? { explain: explanationOf(snapshot.view, hit, resolved, texts, options) }
          : {}),
      },
    ];
  }
}

interface Found {
  readonly hits: readonly FoundHit[];
  readonly total: number;
}

/** With what it was found by. */
interface FoundHit {
  readonly hit: TextHit;
  readonly resolved: ResolvedQuery;
  readonly options: TextSearchOptions;
}

const ORDERS = { relevance: 'relevance', recent: 'newest', oldest: 'oldest' } as const;
