import { ANY_EDGE } from '../adjacency.ts';
import { IdList } from '../id-list.ts';
import { isListTag, scalarOf } from '../field-types.ts';
import { compareTyped } from './comparison.ts';
import type { QueryStep } from './plan.ts';
import { collectAll } from './query-context.ts';
import type { IdPieces, QueryContext } from './query-context.ts';

type Step<Op extends QueryStep['op']> = Extract<QueryStep, { op: Op }>;

/**
 * Orders a set by a field, ascending unless told otherwise; nodes without it come last either way,
 * and equal ones keep their order. A list counts by its first item. Where a field has different
 * types in different node types, the types stand apart.
 */
export function sortBy(
  context: QueryContext,
  source: IdPieces,
  step: Step<'sortBy'>,
  path: string,
): IdPieces {
  context.fieldTags(step.field, undefined, `${path}.field`);
  const sign = step.direction === 'desc' ? -1 : 1;
  return sorted(context, source, (ids) => {
    const rows = ids.map((id) => {
      const value = context.read(id, step.field);
      const scalar = scalarOf(context.tag);
      const first: unknown = isListTag(context.tag) && Array.isArray(value) ? value[0] : value;
      return { id, scalar, value: first };
    });
    rows.sort((a, b) => {
      if (a.value === undefined || b.value === undefined) {
        return Number(a.value === undefined) - Number(b.value === undefined);
      }
      return sign * compareTyped(a, b);
    });
    return rows.map(({ id }) => id);
  });
}

/** Newest first unless told otherwise. */
export function sortByTimestamp(
  context: QueryContext,
  source: IdPieces,
  step: Step<'sortByTimestamp'>,
): IdPieces {
  return sortByNumber(context, source, step.direction ?? 'desc', (id) => context.timestampMs(id));
}

/** By the number of edges in both directions, the most connected first unless told otherwise. */
export function sortByConnectivity(
  context: QueryContext,
  source: IdPieces,
  step: Step<'sortByConnectivity'>,
): IdPieces {
  return sortByNumber(
    context,
    source,
    step.direction ?? 'desc',
    (id) =>
      context.neighbors(id, 'out', ANY_EDGE).length + context.neighbors(id, 'in', ANY_EDGE).length,
  );
}

function sortByNumber(
  context: QueryContext,
  source: IdPieces,
  direction: 'asc' | 'desc',
  numberOf: (id: number) => number,
): IdPieces {
  const sign = direction === 'desc' ? -1 : 1;
  return sorted(context, source, (ids) => {
    const rows = ids.map((id) => ({ id, number: numberOf(id) }));
    rows.sort((a, b) => sign * (a.number - b.number));
    return rows.map(({ id }) => id);
  });
}

function* sorted(
  context: QueryContext,
  source: IdPieces,
  order: (ids: readonly number[]) => readonly number[],
): IdPieces & Generator<IdList> {
  const ids = order(collectAll(context, source).toArray());
  if (ids.length > 0) yield IdList.of(ids);
}
