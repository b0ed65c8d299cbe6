import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { must } from '#base/assert.ts';
import { IdList, IDS_WITHIN_HEAP } from '../id-list.ts';
import { TIMESTAMP_FIELD } from '../indexes/field-index.ts';
import type { NodeType } from '../schema-registry.ts';
import type { StateReader } from '../state-reader.ts';
import { spanOfValue } from './index-ranges.ts';
import { idOfKey, keepVisible, type KeySpan, newestFirst } from './key-ranges.ts';
import type { Query, QueryStep } from './plan.ts';
import { PIECE_IDS_MIN, type QueryContext } from './query-context.ts';
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
    pieces: { [Symbol.iterator]: () => nodesOfValue(context, span) },
    next,
    type,
    access: 'index',
    index,
    isWholeType: false,
    count: context.seesAllOf(type) ? () => countOf(context, span) : undefined,
    tested: NONE_TESTED,
  };
}

/**
 * The nodes themselves, where a query asks for nothing else: without a context, which such a query
 * does not need, it takes a sixth less. Undefined for any other query, and for many nodes.
 */
export function nodesLookedUp(
  reader: StateReader,
  { steps, end }: Query,
): NodeObject[] | undefined {
  const [start] = steps;
  if (steps.length > 1 || end.end !== 'nodes' || end.fields !== undefined) return undefined;
  if (start?.op !== 'startWhere' || start.compare !== '=') return undefined;
  const type = reader.registry.nodeType(start.type);
  const index = type && indexOf(type, start.field);
  const span = index && spanOfValue(index, start.value);
  if (span === undefined) return undefined;
  const ids = firstIds(reader, span);
  if (ids.length >= PIECE_IDS_MIN) return undefined;
  const nodes: NodeObject[] = [];
  // Newest first.
  for (let i = ids.length - 1; i >= 0; i--) nodes.push(must(reader.node(ids.at(i)), 'a node'));
  return nodes;
}

/** Up to `PIECE_IDS_MIN` ids, the oldest first. */
function firstIds(reader: StateReader, span: KeySpan): IdList {
  const ids = new IdList(IDS_WITHIN_HEAP);
  reader.visitKeys(span.db, span, (key) => {
    ids.push(idOfKey(key));
    return ids.length < PIECE_IDS_MIN;
  });
  return ids;
}

/** Mostly one node, or a few: those are read at once, and turned round. */
function nodesOfValue(context: QueryContext, span: KeySpan): Iterator<IdList> {
  context.checkpoint();
  const ids = firstIds(context.reader, span);
  if (ids.length >= PIECE_IDS_MIN) return newestFirst(context, span);
  context.rowsRead += ids.length;
  ids.reverse();
  keepVisible(context, ids);
  return (ids.length === 0 ? [] : [ids]).values();
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
