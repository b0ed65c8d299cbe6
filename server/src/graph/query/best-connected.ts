import { IdList } from '../id-list.ts';
import { keyTime } from '../keys.ts';
import type { PackedRows } from '../rows/packed-rows.ts';
import type { NodeType } from '../schema-registry.ts';
import { newestFirst } from './key-ranges.ts';
import { spanOfType } from './index-ranges.ts';
import { ALWAYS } from './time-span.ts';
import type { IdPieces, QueryContext } from './query-context.ts';

/** So many nodes without a packed row are looked at one by one. */
const LOOSE_IDS_MAX = 20_000;
/** More are sorted by reading all. */
const WANTED_MAX = 10_000;
/** So many nodes with equally many edges are put in order by their timestamps. */
const TIES_MAX = 5_000;
/** Numbers of edges from here on are counted one by one. */
const SMALL_DEGREES = 4_096;

/**
 * Visits all nodes of a type, in no order that matters, without a look at their keys. Undefined
 * where too few are packed, or where the reader may not see all nodes and edges.
 */
export function packedType(
  context: QueryContext,
  type: NodeType,
): ((visit: (id: number, degree: number) => void) => void) | undefined {
  const rows = context.seesAllEdges ? context.packedRows : undefined;
  if (rows === undefined) return undefined;
  const { reader } = context;
  const loose = rows.changedIds.size + reader.nextId - rows.packedIds;
  if (loose > LOOSE_IDS_MAX || !rows.loadColumns()) return undefined;
  return (visit) => {
    context.checkpoint();
    const visitOne = (id: number, degree: number): void => {
      context.rowsRead++;
      visit(id, degree);
    };
    rows.visitType(type.id, visitOne);
    for (const id of looseIds(rows, reader.nextId)) {
      if (reader.record(id)?.typeId === type.id) visitOne(id, reader.degree(id));
    }
  };
}

function* looseIds(rows: PackedRows, nextId: number): Generator<number> {
  yield* rows.changedIds;
  for (let id = Math.max(1, rows.packedIds); id < nextId; id++) yield id;
}

/**
 * The first nodes of a type by their numbers of edges; those with equally many in the order of the
 * type. Undefined where all of them have to be read for that.
 */
export function bestConnected(
  context: QueryContext,
  type: NodeType,
  direction: 'asc' | 'desc',
  wanted: number,
): IdPieces | undefined {
  if (wanted > WANTED_MAX) return undefined;
  const visit = packedType(context, type);
  if (visit === undefined) return undefined;
  return piecesOf(() => {
    const sign = direction === 'desc' ? -1 : 1;
    const last = lastDegree(visit, sign, wanted);
    const found: Row[] = [];
    const ties: number[] = [];
    visit((id, degree) => {
      if (sign * degree < sign * last) found.push({ id, degree });
      else if (degree === last && ties.length <= TIES_MAX) ties.push(id);
    });
    const inOrder = sorted(context, found, sign);
    const rest = wanted - inOrder.length;
    if (ties.length <= TIES_MAX) {
      const tied = ties.map((id) => ({ id, degree: last }));
      return [...inOrder, ...sorted(context, tied, sign).slice(0, rest)];
    }
    return [...inOrder, ...walk(context, type, last, rest)];
  });
}

interface Row {
  readonly id: number;
  readonly degree: number;
}

function* piecesOf(read: () => readonly number[]): IdPieces & Generator<IdList> {
  const ids = read();
  if (ids.length > 0) yield IdList.of(ids);
}

/** The number of edges of the last node that is wanted. */
function lastDegree(
  visit: (one: (id: number, degree: number) => void) => void,
  sign: number,
  wanted: number,
): number {
  const small = new Uint32Array(SMALL_DEGREES);
  const large = new Map<number, number>();
  visit((_, degree) => {
    if (degree < SMALL_DEGREES) small[degree]!++;
    else large.set(degree, (large.get(degree) ?? 0) + 1);
  });
  const counts = [...small.entries(), ...large].filter(([, count]) => count > 0);
  let left = wanted;
  let last = 0;
  for (const [degree, count] of counts.toSorted(([a], [b]) => sign * (a - b))) {
    last = degree;
    left -= count;
    if (left <= 0) break;
  }
  return last;
}

/** By the number of edges, then in the order of the type. */
function sorted(context: QueryContext, rows: readonly Row[], sign: number): number[] {
  return rows
    .map(({ id, degree }) => ({ id, degree, time: keyTime(context.timestampMs(id)) }))
    .toSorted((a, b) => sign * (a.degree - b.degree) || b.time - a.time || b.id - a.id)
    .map(({ id }) => id);
}

/** The first nodes of a type that have so many edges, which many have. */
function walk(context: QueryContext, type: NodeType, degree: number, count: number): number[] {
  const ids: number[] = [];
  for (const piece of newestFirst(context, spanOfType(type, ALWAYS))) {
    for (let i = 0; i < piece.length && ids.length < count; i++) {
      const id = piece.at(i);
      if (context.degree(id) === degree) ids.push(id);
    }
    if (ids.length >= count) break;
  }
  return ids;
}
