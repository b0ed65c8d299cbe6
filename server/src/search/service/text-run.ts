import type { Page } from '@trellis/contract/shapes/list.ts';
import { SEARCH_HITS_FEW } from '#base/search-limits.ts';
import { NodeSet } from '../text/document-filter.ts';
import {
  nameGroup,
  orNamed,
  type QueryNames,
  queryNamesOf,
} from '../text/query-text/name-query.ts';
import { parseQueryText, type QueryNode } from '../text/query-text/parse-query-text.ts';
import {
  type ResolvedQuery,
  type ResolveOptions,
  resolveQuery,
} from '../text/query-text/resolve-query.ts';
import type { QueryGroup, TextQuery } from '../text/text-query.ts';
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
  /** What the query says: its words are marked in hits. */
  readonly resolved: ResolvedQuery;
  /** What is searched, by which its hits are scored and explained. */
  readonly query: TextQuery;
  readonly options: PassOptions;
  /** Why its hits come before others; undefined where they do not. */
  readonly name?: NameMatch | undefined;
  /** It can find only this node. */
  readonly only?: number;
}

/** The query is the name or the UID of a node, or a name begins with it. */
export type NameMatch = 'whole' | 'uid' | 'beginning';

/** Whether a hit is what the query names: such hits come first, whatever their scores. */
export function isNamed(name: NameMatch | undefined): boolean {
  return name === 'whole' || name === 'uid';
}

type PassOptions = TextSearchOptions &
  Required<Pick<TextSearchOptions, 'filter' | 'visibleFields'>>;

/** A hit with the search that found it. */
export interface FoundHit extends TextPass {
  readonly hit: TextHit;
}

/** 22 letters of base58 (open-shapes, section 2). */
const UID = /^[1-9A-HJ-NP-Za-km-z]{22}$/;

const ORDERS = { relevance: 'relevance', recent: 'newest', oldest: 'oldest' } as const;

/**
 * The search for the words of a request. By relevance, nodes whose name or UID the query is come
 * first, then those with a name that begins with it, then the others: each are a pass, in this
 * order, and no node is found by two.
 */
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
    const { request, scope, sources, hasQuery } = this.#search;
    const nodes = parseQueryText(request.query, scope.fieldNames);
    const strict = this.#resolve(nodes, 'all');
    const names = queryNamesOf(sources.snapshot.view, request.query, nodes);
    if (!hasQuery) return this.#run([this.#pass(strict, strict.query.groups)]);
    const found = this.#run(this.#passes(strict, names));
    if (found.total >= SEARCH_HITS_FEW) return found;
    const loose = this.#resolve(nodes, 'any');
    // A single word cannot be loosened; a run of Chinese can, as it is several terms.
    const words = loose.query.groups.filter(({ occurrence }) => occurrence === 'should');
    return words.length < 2 ? found : this.#loosened(found, strict, loose, names);
  }

  #passes(resolved: ResolvedQuery, names: QueryNames): TextPass[] {
    const { whole, longer } = names;
    const { groups } = resolved.query;
    if (this.#search.request.sort !== 'relevance') {
      // It is one list. A query of signs alone finds nothing, not everything.
      const found = orNamed(groups, [...whole, ...longer]);
      return found.length === 0 ? [] : [this.#pass(resolved, found)];
    }
    const passes: TextPass[] = [];
    const refused: QueryGroup[] = [];
    if (whole.length > 0) {
      // Their words only make their scores.
      const named = [nameGroup('must', whole), ...optional(groups)];
      const order = { worthOf: this.#search.worthOf };
      passes.push(this.#pass(resolved, named, { name: 'whole', order }));
      refused.push(nameGroup('not', whole));
    }
    if (longer.length > 0) {
      // A name is found where its words are not searched, too.
      const begun = [nameGroup('must', longer), ...optional(groups), ...refused];
      passes.push(this.#pass(resolved, begun, { name: 'beginning' }));
      refused.push(nameGroup('not', longer));
    }
    if (groups.length === 0) return [...this.#uidPass(resolved), ...passes];
    passes.push(this.#pass(resolved, [...groups, ...refused]));
    return [...this.#uidPass(resolved), ...passes];
  }

  /** The node whose UID the query is. A UID is no word, so that no other pass finds the node. */
  #uidPass(resolved: ResolvedQuery): TextPass[] {
    const { request, context, conditions } = this.#search;
    const uid = request.query.trim();
    const id = UID.test(uid) ? context.idOfUid(uid) : undefined;
    if (id === undefined || conditions.allowed?.includes(id) === false) return [];
    const pass = this.#pass(resolved, [], { name: 'uid' });
    const filter = { ...pass.options.filter, allowed: nodeSetOf([id]) };
    return [{ ...pass, only: id, options: { ...pass.options, filter } }];
  }

  /** Adds nodes with any of the words after the few with all. Sorted by time, it is one list. */
  #loosened(
    found: TextFound,
    strict: ResolvedQuery,
    loose: ResolvedQuery,
    names: QueryNames,
  ): TextFound {
    const { skip, take } = this.#page;
    if (this.#search.request.sort !== 'relevance') {
      // Count from the start again.
      this.#facets = this.#search.openFacets();
      return this.#run(this.#passes(loose, names));
    }
    const few = { skip: 0, take: SEARCH_HITS_FEW };
    const isAllFound = found.hits.length === found.total;
    const first = isAllFound
      ? found.hits
      : this.#run(this.#passes(strict, names).map(uncounted), few).hits;
    const pass = this.#pass(loose, loose.query.groups);
    const denied = nodeSetOf(first.map(({ hit }) => hit.node));
    const options = { ...pass.options, filter: { ...pass.options.filter, denied } };
    const rest = this.#run([{ ...pass, options }], {
      skip: Math.max(0, skip - first.length),
      take: take - found.hits.length,
    });
    const passes = [...found.passes, ...rest.passes];
    return this.#found([...found.hits, ...rest.hits], found.total + rest.total, passes);
  }

  /** The hits of all passes, one pass after the other. */
  #run(passes: readonly TextPass[], page = this.#page): TextFound {
    const { view } = this.#search.sources.snapshot;
    let { skip: offset, take: limit } = page;
    let total = 0;
    const hits: FoundHit[] = [];
    for (const pass of passes) {
      const isWhole = pass.name === 'whole';
      const query = isWhole ? withoutOptional(pass.query) : pass.query;
      const found = searchText(view, query, { ...pass.options, offset, limit });
      const scored = isWhole ? this.#scored(pass, found.hits) : found.hits;
      hits.push(...scored.map((hit) => ({ hit, ...pass })));
      const count = found.total ?? 0;
      total += count;
      offset = Math.max(0, offset - count);
      limit -= found.hits.length;
    }
    return this.#found(hits, total, passes);
  }

  /** Hits in their order, which is not that of their scores. */
  #scored({ query, options }: TextPass, hits: readonly TextHit[]): TextHit[] {
    if (hits.length === 0) return [];
    const { view } = this.#search.sources.snapshot;
    const allowed = nodeSetOf(hits.map(({ node }) => node));
    const found = searchText(view, query, {
      ...options,
      order: 'relevance',
      filter: { ...options.filter, allowed },
      isCounted: false,
      collectors: [],
      limit: hits.length,
    });
    const scores = new Map(found.hits.map(({ node, score }) => [node, score]));
    return hits.map((hit) => ({ ...hit, score: scores.get(hit.node) ?? 0 }));
  }

  #found(hits: readonly FoundHit[], total: number, passes: readonly TextPass[]): TextFound {
    return { hits, total, passes, facets: this.#facets };
  }

  #pass(
    resolved: ResolvedQuery,
    groups: readonly QueryGroup[],
    as: { readonly name?: NameMatch; readonly order?: TextSearchOptions['order'] } = {},
  ): TextPass {
    const { name, order } = as;
    const options = { ...this.#options(), ...(order && { order }) };
    return { resolved, query: { groups }, options, name };
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
    const { sort } = request;
    return {
      limit: 0,
      order: !hasQuery && sort === 'relevance' ? 'newest' : ORDERS[sort],
      filter,
      visibleFields: scope.visibleFields,
      isCounted: true,
      collectors: this.#facets.map(({ collector }) => collector),
      ...(decay === undefined ? {} : { decay }),
    };
  }
}

/** The pass without counting for facets again. */
function uncounted(pass: TextPass): TextPass {
  return { ...pass, options: { ...pass.options, collectors: [] } };
}

function optional(groups: readonly QueryGroup[]): QueryGroup[] {
  return groups
    .filter(({ occurrence }) => occurrence !== 'not')
    .map((group) => ({ ...group, occurrence: 'should' }));
}

/** The same matches: its words are only for the scores of hits. */
function withoutOptional({ groups }: TextQuery): TextQuery {
  return { groups: groups.filter(({ occurrence }) => occurrence !== 'should') };
}

export function nodeSetOf(nodes: readonly number[]): NodeSet {
  return new NodeSet(new Float64Array(nodes).toSorted());
}
