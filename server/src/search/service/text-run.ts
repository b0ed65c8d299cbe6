import type { Page } from '@trellis/contract/shapes/list.ts';
import { SEARCH_HITS_FEW } from '#base/search-limits.ts';
import { NodeSet } from '../text/document-filter.ts';
import { parseQueryText, type QueryNode } from '../text/query-text/parse-query-text.ts';
import {
  type ResolvedQuery,
  type ResolveOptions,
  resolveQuery,
} from '../text/query-text/resolve-query.ts';
import { searchText, type TextHit, type TextSearchOptions } from '../text/text-search.ts';
import type { PreparedSearch } from './prepared-search.ts';
import { wordsFor } from './seen-vocabulary.ts';
import type { Facet } from './facets.ts';

export interface TextFound {
  readonly hits: readonly FoundHit[];
  /** All matches. */
  readonly total: number;
  /** The searches that gave the hits, in order. */
  readonly passes: readonly TextPass[];
  /** Facets that have counted all matches. */
  readonly facets: readonly Facet[];
}

export interface TextPass {
  readonly resolved: ResolvedQuery;
  readonly options: PassOptions;
}

type PassOptions = TextSearchOptions &
  Required<Pick<TextSearchOptions, 'filter' | 'visibleFields'>>;

/** A hit with the search that found it. */
export interface FoundHit extends TextPass {
  readonly hit: TextHit;
}

const ORDERS = { relevance: 'relevance', recent: 'newest', oldest: 'oldest' } as const;

/** The search for the words of a request. */
export class TextRun {
  readonly #search: PreparedSearch;
  readonly #page: Page;
  #facets: readonly Facet[];

  constructor(search: PreparedSearch, page: Page) {
    this.#search = search;
    this.#page = page;
    this.#facets = search.openFacets();
  }

  find(): TextFound {
    const nodes = parseQueryText(this.#search.request.query, this.#search.scope.fieldNames);
    const strict = this.#resolve(nodes, 'all');
    // A query of signs alone finds nothing, not everything.
    if (strict.query.groups.length === 0 && this.#search.hasQuery) return this.#found([], 0, []);
    const options = this.#options();
    const found = this.#look({ resolved: strict, options });
    if (found.total >= SEARCH_HITS_FEW) return found;
    const loose = this.#resolve(nodes, 'any');
    // A single word cannot be loosened; a run of Chinese can, as it is several terms.
    const words = loose.query.groups.filter(({ occurrence }) => occurrence === 'should');
    return words.length < 2 ? found : this.#loosened(strict, loose);
  }

  /** Adds nodes with any of the words after the few with all. Sorted by time, it is one list. */
  #loosened(strict: ResolvedQuery, loose: ResolvedQuery): TextFound {
    const { skip, take } = this.#page;
    // Count from the start again.
    this.#facets = this.#search.openFacets();
    const options = this.#options();
    if (this.#search.request.sort !== 'relevance') return this.#look({ resolved: loose, options });
    const found = this.#look({ resolved: strict, options });
    const all = { ...options, offset: 0, limit: SEARCH_HITS_FEW, collectors: [] };
    const first = this.#look({ resolved: strict, options: all }).hits.map(({ hit }) => hit.node);
    const rest = this.#look({
      resolved: loose,
      options: {
        ...options,
        filter: { ...options.filter, denied: nodeSetOf(first) },
        offset: Math.max(0, skip - first.length),
        limit: take - found.hits.length,
      },
    });
    const passes = [...found.passes, ...rest.passes];
    return this.#found([...found.hits, ...rest.hits], found.total + rest.total, passes);
  }

  #look(pass: TextPass): TextFound {
    const { snapshot } = this.#search.sources;
    const { hits, total = 0 } = searchText(snapshot.view, pass.resolved.query, pass.options);
    return this.#found(
      hits.map((hit) => ({ hit, ...pass })),
      total,
      [pass],
    );
  }

  #found(hits: readonly FoundHit[], total: number, passes: readonly TextPass[]): TextFound {
    return { hits, total, passes, facets: this.#facets };
  }

  #resolve(nodes: readonly QueryNode[], match: ResolveOptions['match']): ResolvedQuery {
    const { sources, request, scope, context } = this.#search;
    const { snapshot, synonymsOf } = sources;
    return resolveQuery(nodes, {
      analyzers: snapshot.analyzers(request.language),
      vocabularies: wordsFor(snapshot, scope, context),
      fuzziness: request.fuzziness,
      fieldsOf: (name) => scope.fieldsOf(name),
      synonymsOf,
      match,
    });
  }

  #options(): PassOptions {
    const { request, hasQuery, filter, scope, decay } = this.#search;
    const { skip, take } = this.#page;
    const { sort } = request;
    return {
      limit: take,
      offset: skip,
      order: !hasQuery && sort === 'relevance' ? 'newest' : ORDERS[sort],
      filter,
      visibleFields: scope.visibleFields,
      isCounted: true,
      collectors: this.#facets.map(({ collector }) => collector),
      ...(decay === undefined ? {} : { decay }),
    };
  }
}

export function nodeSetOf(nodes: readonly number[]): NodeSet {
  return new NodeSet(new Float64Array(nodes).toSorted());
}
