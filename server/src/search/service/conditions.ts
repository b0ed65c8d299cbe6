import { ANY_EDGE } from '#graph/adjacency.ts';
import { fieldTest } from '#graph/query/filters.ts';
import { COMPARISONS, type Comparison } from '#graph/query/plan.ts';
import type { QueryContext } from '#graph/query/query-context.ts';
import { invalid } from '../request/members.ts';
import type { RelatedFilter, SearchRequest } from '../request/search-request.ts';

/** What a node must meet to be a hit, besides the words. Whatever the searcher may not see meets nothing. */
export interface Conditions {
  /** Ids, ascending: only these can be hits; undefined when any can. */
  readonly allowed: Float64Array | undefined;
  /** Undefined when there is nothing to ask. */
  readonly test: ((id: number, type: number) => boolean) | undefined;
}

type ConditionsRequest = Pick<SearchRequest, 'filters' | 'relatedTo' | 'targetUids'>;

/** Throws `invalid_request` for what cannot be compared so, and `invalid_query` for what the schema does not have. */
export function conditionsOf(
  context: QueryContext,
  { filters, relatedTo, targetUids }: ConditionsRequest,
): Conditions {
  const sets: ReadonlySet<number>[] = relatedTo.map((one, i) =>
    neighborsOf(context, one, `request.relatedTo[${i}]`),
  );
  if (targetUids !== undefined) {
    const ids = targetUids.map((uid) => context.idOfUid(uid));
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

/** By their numbers; what is known of a document saves looking its node up. */
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
