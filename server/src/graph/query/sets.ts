import { IdList } from '../id-list.ts';
import { filter } from './filters.ts';
import { collectAll } from './query-context.ts';
import type { IdPieces, QueryContext } from './query-context.ts';

/** The first set, then what only the second has. */
export function* union(
  context: QueryContext,
  first: IdPieces,
  second: IdPieces,
): IdPieces & Generator<IdList> {
  const seen = new Set<number>();
  for (const piece of first) {
    for (let i = 0; i < piece.length; i++) seen.add(piece.at(i));
    yield piece;
  }
  yield* filter(context, second, (id) => !seen.has(id));
}

/** What is in the first set and not in the second. */
export function except(context: QueryContext, first: IdPieces, second: IdPieces): IdPieces {
  const isInSecond = membership(context, second);
  return filter(context, first, (id) => !isInSecond(id));
}

/** What is in both, in the order of the first. */
export function intersect(context: QueryContext, first: IdPieces, second: IdPieces): IdPieces {
  return filter(context, first, membership(context, second));
}

/** Reads the set when the first question is asked. */
function membership(context: QueryContext, pieces: IdPieces): (id: number) => boolean {
  let ids: Set<number> | undefined;
  return (id) => {
    ids ??= new Set(collectAll(context, pieces).toArray());
    return ids.has(id);
  };
}

export function* skip(source: IdPieces, count: number): IdPieces & Generator<IdList> {
  const rest = new IdList();
  let toSkip = count;
  for (const piece of source) {
    if (toSkip === 0) {
      yield piece;
      continue;
    }
    const skipped = Math.min(toSkip, piece.length);
    toSkip -= skipped;
    rest.length = 0;
    for (let i = skipped; i < piece.length; i++) rest.push(piece.at(i));
    if (rest.length > 0) yield rest;
  }
}

/** Asks its source for no more than it needs. */
export function* take(source: IdPieces, count: number): IdPieces & Generator<IdList> {
  let left = count;
  if (left === 0) return;
  for (const piece of source) {
    // The piece is its maker's; it is not used again once it is cut.
    piece.length = Math.min(piece.length, left);
    left -= piece.length;
    yield piece;
    if (left === 0) return;
  }
}
