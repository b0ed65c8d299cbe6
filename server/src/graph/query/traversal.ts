import { ANY_EDGE } from '../adjacency.ts';
import type { Direction } from '../adjacency.ts';
import { IdList } from '../id-list.ts';
import type { QueryStep } from './plan.ts';
import { PIECE_IDS_MAX, collectAll } from './query-context.ts';
import type { IdPieces, QueryContext } from './query-context.ts';

type Step<Op extends QueryStep['op']> = Extract<QueryStep, { op: Op }>;

/** The neighbours of a set in one direction, each once, in the order in which they are met. */
export function follow(
  context: QueryContext,
  source: IdPieces,
  step: Step<'out' | 'in'>,
  path: string,
): IdPieces {
  const edge = step.edge === undefined ? ANY_EDGE : context.edgeType(step.edge, `${path}.edge`).id;
  const type = step.type === undefined ? 0 : context.nodeType(step.type, `${path}.type`).id;
  return followPieces(context, source, step.op, edge, type);
}

function* followPieces(
  context: QueryContext,
  source: IdPieces,
  direction: Direction,
  edge: number,
  type: number,
): IdPieces & Generator<IdList> {
  const { marks } = context.reader;
  const seen = marks.take();
  const reached = new IdList();
  for (const piece of source) {
    context.checkpoint();
    for (let i = 0; i < piece.length; i++) {
      const neighbors = context.neighbors(piece.at(i), direction, edge);
      for (let n = 0; n < neighbors.length; n++) {
        const id = neighbors.at(n);
        if (!seen.add(id)) continue;
        if (type === 0 || context.typeId(id) === type) reached.push(id);
      }
      if (reached.length >= PIECE_IDS_MAX) {
        yield reached;
        reached.length = 0;
      }
    }
    if (reached.length > 0) yield reached;
    reached.length = 0;
  }
  marks.giveBack(seen);
}

/**
 * What is reached by following one edge, two edges, and so on up to `hops`: the union of that many
 * times `out`. With `types`, only nodes of those types are reached and gone on from; with `edges`,
 * only edges of those types are followed.
 */
export function outMany(
  context: QueryContext,
  source: IdPieces,
  step: Step<'outMany'>,
  path: string,
): IdPieces {
  const edges = step.edges?.map((edge, i) => context.edgeType(edge, `${path}.edges[${i}]`).id);
  const types = step.types?.map((type, i) => context.nodeType(type, `${path}.types[${i}]`).id);
  return outManyPieces(
    context,
    source,
    step.hops,
    edges ?? [ANY_EDGE],
    types === undefined ? undefined : new Set(types),
  );
}

function* outManyPieces(
  context: QueryContext,
  source: IdPieces,
  hops: number,
  edges: readonly number[],
  types: ReadonlySet<number> | undefined,
): IdPieces & Generator<IdList> {
  let frontier = collectAll(context, source);
  // What was gone on from once, with at least as many hops left, need not be again; it may still be
  // reached.
  const { marks } = context.reader;
  const expanded = marks.take();
  const met = marks.take();
  for (let hop = 0; hop < hops && frontier.length > 0; hop++) {
    const reached = new IdList(frontier.length);
    for (let i = 0; i < frontier.length; i++) {
      if (i % PIECE_IDS_MAX === 0) context.checkpoint();
      const from = frontier.at(i);
      if (!expanded.add(from)) continue;
      for (const edge of edges) {
        const neighbors = context.neighbors(from, 'out', edge);
        for (let n = 0; n < neighbors.length; n++) {
          const id = neighbors.at(n);
          if (!met.add(id)) continue;
          if (types === undefined || types.has(context.typeId(id))) reached.push(id);
        }
      }
    }
    if (reached.length > 0) yield reached;
    frontier = reached;
  }
  marks.giveBack(expanded);
  marks.giveBack(met);
}
