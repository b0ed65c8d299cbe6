import { QueryContext } from '#graph/query/query-context.ts';
import type { Visibility } from '#graph/reader.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { RelatedFilter, SearchRequest } from '../request/read-request.ts';
import { NodeSet, type SearchFilter } from '../text/document-filter.ts';
import type { WordSources } from '../text/query-text/expand-word.ts';
import { connectionsIn } from '../indexing/connections.ts';
import { type Facet, openFacets } from './facets.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';
import { SearchScope } from './scope.ts';
import { ANY_EDGE } from '#graph/adjacency.ts';
import { fieldTest } from '#graph/query/filters.ts';
import { type Comparison, COMPARISONS } from '#graph/query/plan.ts';
import { invalid } from '../request/members.ts';

/**
 * What a node must meet to be a hit, besides the words. Nodes that the searcher may not see fail.
 */
interface Conditions {
  /** Ids, ascending: only these can be hits; undefined when any can. */
  readonly allowed: Float64Array | undefined;
  /** Undefined when there is nothing to ask. */
  readonly test: ((id: number, type: number) => boolean) | undefined;
}

type ConditionsRequest = Pick<SearchRequest, 'filters' | 'relatedTo' | 'targetUids'>;

/** Throws `invalid_request` for a wrong comparison, `invalid_query` for names not in the schema. */
export function conditionsOf(
  context: QueryContext,
  { filters, relatedTo, targetUids }: ConditionsRequest,
): Conditions {
  const sets: ReadonlySet<number>[] = relatedTo.map((one, i) =>
    neighborsOf(context, one, `request.relatedTo[${i}]`),
  );
  if (targetUids !== undefined) {
    const ids = targetUids.map((one) => context.idOfUid(context.reader.uidOf(one)));
    sets.push(new Set(ids.filter((id) => id !== undefined)));
  }
  const tests = filters.map(({ field, op, value }, i) => {
    const path = `request.filters[${i}]`;
    return fieldTest(context, { field, compare: comparisonOf(op, path), value }, undefined, path);
  });
  const { visibility } = context;
  const nameOf = typeNames(context);
  const sees = (id: number, type: number): boolean =>
    visibility === undefined || visibility.canSee(id, nameOf(type));
  const isFree = visibility === undefined && tests.length === 0;
  const allowed = intersectionOf(sets);
  return {
    allowed: allowed && Float64Array.from(allowed),
    test: isFree ? undefined : (id, type) => sees(id, type) && tests.every((test) => test(id)),
  };
}

/** Names of types by number, which saves reading the node of a document. */
function typeNames({ registry }: QueryContext): (type: number) => string {
  return (type) => registry.nodeTypeById(type).name;
}

function comparisonOf(op: string, path: string): Comparison {
  const found = COMPARISONS.find((one) => one === op);
  if (found !== undefined) return found;
  throw invalid(`${path}.op`, `must be one of ${COMPARISONS.join(', ')}`);
}

/** A node that the searcher does not see has no neighbors. */
function neighborsOf(
  context: QueryContext,
  { node, edge }: RelatedFilter,
  path: string,
): ReadonlySet<number> {
  const type = edge === undefined ? ANY_EDGE : context.edgeType(edge, `${path}.edge`).id;
  const id = context.reader.id(node);
  const found = new Set<number>();
  if (id === undefined || !context.sees(id)) return found;
  for (const direction of ['out', 'in'] as const) {
    const neighbors = context.neighbors(id, direction, type);
    for (let i = 0; i < neighbors.length; i++) found.add(neighbors.at(i));
  }
  return found;
}

function intersectionOf(sets: readonly ReadonlySet<number>[]): number[] | undefined {
  const [first, ...others] = sets.toSorted((a, b) => a.size - b.size);
  if (first === undefined) return undefined;
  return [...first]
    .filter((id) => others.every((other) => other.has(id)))
    .toSorted((a, b) => a - b);
}

export interface SearchSources {
  readonly reader: StateReader;
  readonly snapshot: OpenedSnapshot;
  readonly synonymsOf: NonNullable<WordSources['synonymsOf']>;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

/** A checked request with all that a search for this searcher needs. Throws as `search` does. */
export class PreparedSearch {
  readonly sources: SearchSources;
  readonly request: SearchRequest;
  readonly context: QueryContext;
  readonly scope: SearchScope;
  readonly conditions: Conditions;
  /** All conditions besides the words. */
  readonly filter: SearchFilter;
  /** What a score is multiplied by. */
  readonly decay: ((timestampMs: number) => number) | undefined;
  #isAllSeen: boolean | undefined;

  constructor(sources: SearchSources, request: SearchRequest, visibility: Visibility | undefined) {
    this.sources = sources;
    this.request = request;
    this.context = new QueryContext(sources.reader, visibility, undefined);
    this.scope = new SearchScope(sources.snapshot, this.context, request);
    this.conditions = conditionsOf(this.context, request);
    const { allowed, test } = this.conditions;
    this.filter = {
      ...(request.types === undefined ? {} : { types: new Set(this.scope.types.keys()) }),
      ...(allowed === undefined ? {} : { allowed: new NodeSet(allowed) }),
      ...(test === undefined ? {} : { test }),
    };
    this.decay = decayOf(request, sources);
  }

  /** Whether the query has words, or at least signs. */
  get hasQuery(): boolean {
    return this.request.query.trim() !== '';
  }

  /** What a node counts for among others of the same name; more comes first. */
  readonly worthOf = (node: number, type: number): number => {
    const weight = this.scope.types.get(type)?.weight ?? 0;
    return weight * (1 + Math.log2(1 + this.connectionsOf(node)));
  };

  /** None for who does not see every node: their number would tell of hidden ones. */
  connectionsOf(node: number): number {
    return this.#seesAllNodes ? connectionsIn(this.sources.snapshot.connections, node) : 0;
  }

  get #seesAllNodes(): boolean {
    const { visibility, registry } = this.context;
    return (this.#isAllSeen ??= registry.nodeTypes.every(
      ({ name }) => name.startsWith('_') || visibility?.mayHideOfType(name) !== true,
    ));
  }

  /** New collectors each time, as they count what they are shown. */
  openFacets(): readonly Facet[] {
    return openFacets(this.request.facets, this.scope, this.context);
  }
}

function decayOf(
  { halfLifeMs }: SearchRequest,
  sources: SearchSources,
): ((timestampMs: number) => number) | undefined {
  if (halfLifeMs === undefined) return undefined;
  const now = sources.now();
  // Above 0 however old the node is: 0 would mean no score.
  return (ms) => Math.max(2 ** (-Math.max(0, now - ms) / halfLifeMs), Number.MIN_VALUE);
}
