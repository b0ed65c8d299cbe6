import { TIMESTAMP_FIELD } from '../indexes/field-index.ts';
import type { NodeType } from '../schema-registry.ts';
import { spanOfValue } from './index-ranges.ts';
import { type KeySpan, newestFirst } from './key-ranges.ts';
import type { QueryStep } from './plan.ts';
import type { QueryContext } from './query-context.ts';
import type { StartPlan } from './start-plan.ts';

/** Steps that the planner takes in when they follow a start. */
const PLANNED: ReadonlySet<QueryStep['op']> = new Set([
  'where',
  'whereTime',
  'after',
  'sortBy',
  'sortByTimestamp',
  'sortByConnectivity',
]);

const NONE_TESTED: ReadonlySet<number> = new Set();

/**
 * The plan of a query that begins with one value of one field which has an index of its own. There
 * is nothing to weigh, and it is what callers ask the most. Undefined for any other query, and for
 * one that the planner has to refuse.
 */
export function planLookUp(
  context: QueryContext,
  steps: readonly QueryStep[],
): StartPlan | undefined {
  const [start] = steps;
  if (start?.op !== 'startWhere' || start.compare !== '=') return undefined;
  let next = 1;
  while (steps[next]?.op === 'asUser' || steps[next]?.op === 'distinct') next++;
  const following = steps[next];
  if (following !== undefined && PLANNED.has(following.op)) return undefined;
  const type = context.registry.nodeType(start.type);
  if (type === undefined || !context.readsOfType(type, start.field)) return undefined;
  const index = indexOf(type, start.field);
  const span = index && spanOfValue(index, start.value);
  if (span === undefined) return undefined;
  return {
    pieces: newestFirst(context, span),
    next,
    type,
    access: 'index',
    index,
    isWholeType: false,
    count: context.seesAllOf(type) ? () => countOf(context, span) : undefined,
    tested: NONE_TESTED,
  };
}

/** The key is found without an index. */
function indexOf({ key, indexes }: NodeType, name: string): StartPlan['index'] {
  if (name === 'Id' || name === key) return undefined;
  return indexes.find(
    ({ isReady, isHashed, fields }) =>
      isReady &&
      !isHashed &&
      fields.length === 1 &&
      fields[0]?.name === name &&
      fields[0].number !== TIMESTAMP_FIELD,
  );
}

function countOf({ reader }: QueryContext, span: KeySpan): number {
  return reader.countKeys(span.db, span);
}
