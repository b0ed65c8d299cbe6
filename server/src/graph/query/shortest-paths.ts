import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { must } from '#base/assert.ts';
import { QUERY_HOPS_MAX } from '#base/limits.ts';
import { ANY_EDGE } from '../adjacency.ts';
import type { Direction } from '../adjacency.ts';
import type { EdgeObject } from '../reader.ts';
import type { QueryEnd } from './plan.ts';
import type { QueryContext } from './query-context.ts';

export type PathEnd = Extract<QueryEnd, { end: 'shortestPath' | 'shortestPaths' }>;

export interface GraphPath {
  readonly nodes: readonly NodeObject[];
  /** One less than the nodes; each as it is stored, whichever way it was followed. */
  readonly edges: readonly EdgeObject[];
}

/** How a node was reached in one half of the search. */
interface Arrival {
  /** The node before it, nearer to where this half began; 0 at the beginning. */
  readonly before: number;
  readonly edge: number;
  /** Whether the edge leads from the node before to this one. */
  readonly isForward: boolean;
  /** So many edges away from the beginning. */
  readonly hops: number;
  /** From another node that is as near to the beginning. */
  readonly other: Arrival | undefined;
}

/** One half of the search: breadth first, from one end. */
interface Half {
  /** The latest arrival at each node; those before it hang on it. */
  readonly arrivals: Map<number, Arrival>;
  frontier: number[];
  /** How far the nodes of the frontier are. */
  hops: number;
  readonly directions: readonly Direction[];
}

/**
 * Paths with the fewest edges between two nodes, different in their nodes: one, or as many as
 * `take` says; none when there is none of at most `maxHops`. Searched from both ends at once,
 * always going on from the smaller frontier, so that the search grows with the square root of what
 * one end would meet.
 */
export function shortestPaths(
  context: QueryContext,
  start: number,
  end: PathEnd,
  edges: readonly number[],
): GraphPath[] {
  const goal = context.idOfUid(end.to);
  if (goal === undefined) return [];
  if (goal === start) return [toPath(context, [step(start)])];
  const direction = end.direction ?? 'both';
  const take = end.end === 'shortestPath' ? 1 : end.take;
  const forward = newHalf(start, direction === 'both' ? ['out', 'in'] : [direction]);
  const backward = newHalf(goal, direction === 'both' ? ['out', 'in'] : [opposite(direction)]);
  let hopsLeft = end.maxHops ?? QUERY_HOPS_MAX;
  while (hopsLeft-- > 0 && forward.frontier.length > 0 && backward.frontier.length > 0) {
    context.checkpoint();
    const [half, other] =
      forward.frontier.length <= backward.frontier.length
        ? [forward, backward]
        : [backward, forward];
    const meetings = advance(context, half, other, { edges, isOneEnough: take === 1 });
    if (meetings.length === 0) continue;
    return takeSome(waysThrough(meetings, forward, backward), take).map((steps) =>
      toPath(context, steps),
    );
  }
  return [];
}

function newHalf(start: number, directions: readonly Direction[]): Half {
  const arrival = { before: 0, edge: ANY_EDGE, isForward: true, hops: 0, other: undefined };
  return { arrivals: new Map([[start, arrival]]), frontier: [start], hops: 0, directions };
}

function opposite(direction: Direction): Direction {
  return direction === 'out' ? 'in' : 'out';
}

/**
 * Goes one hop further; answers the nodes that the other half has reached too. Every node nearer to
 * either end was met before, so all of them lie as many hops from each end, and every path that is
 * as short goes through exactly one of them.
 */
function advance(
  context: QueryContext,
  half: Half,
  other: Half,
  { edges, isOneEnough }: { readonly edges: readonly number[]; readonly isOneEnough: boolean },
): number[] {
  const { arrivals, frontier, directions } = half;
  const hops = ++half.hops;
  const next: number[] = [];
  const meetings: number[] = [];
  for (const before of frontier) {
    for (const direction of directions) {
      const isForward = direction === 'out';
      for (const edge of edges) {
        const neighbors = context.neighbors(before, direction, edge);
        for (let i = 0; i < neighbors.length; i++) {
          const id = neighbors.at(i);
          const arrival = arrivals.get(id);
          // A second edge from the same node makes no other path.
          if (arrival && (isOneEnough || arrival.hops < hops || arrival.before === before))
            continue;
          arrivals.set(id, { before, edge: neighbors.edgeAt(i), isForward, hops, other: arrival });
          if (arrival !== undefined) continue;
          next.push(id);
          if (!other.arrivals.has(id)) continue;
          meetings.push(id);
          if (isOneEnough) return meetings;
        }
      }
    }
  }
  half.frontier = next;
  return meetings;
}

/** A node of the path, and the edge that leads to it from the one before. */
interface PathStep {
  readonly id: number;
  readonly edge: number;
  readonly isForward: boolean;
}

function step(id: number, edge = ANY_EDGE, isForward = true): PathStep {
  return { id, edge, isForward };
}

function* waysThrough(
  meetings: readonly number[],
  forward: Half,
  backward: Half,
): Generator<PathStep[], void, undefined> {
  for (const meeting of meetings) {
    for (const steps of waysFrom(forward, meeting)) {
      for (const rest of waysTo(backward, meeting)) yield [...steps, ...rest];
    }
  }
}

/** From the start to a node, both included. */
function* waysFrom(forward: Half, id: number): Generator<PathStep[], void, undefined> {
  for (const { before, edge, isForward } of arrivalsAt(forward, id)) {
    if (before === 0) yield [step(id)];
    else for (const way of waysFrom(forward, before)) yield [...way, step(id, edge, isForward)];
  }
}

/** From a node, which is left out, to the goal. */
function* waysTo(backward: Half, id: number): Generator<PathStep[], void, undefined> {
  for (const { before, edge, isForward } of arrivalsAt(backward, id)) {
    if (before === 0) yield [];
    // Followed the other way round than the search went.
    else for (const way of waysTo(backward, before)) yield [step(before, edge, !isForward), ...way];
  }
}

function* arrivalsAt({ arrivals }: Half, id: number): Generator<Arrival, void, undefined> {
  let arrival: Arrival | undefined = must(arrivals.get(id), 'the way to a node of the path');
  for (; arrival !== undefined; arrival = arrival.other) yield arrival;
}

function takeSome<T>(all: Iterable<T>, count: number): T[] {
  const taken: T[] = [];
  for (const one of all) {
    taken.push(one);
    if (taken.length >= count) break;
  }
  return taken;
}

function toPath(context: QueryContext, steps: readonly PathStep[]): GraphPath {
  const nodes = steps.map(({ id }) => must(context.node(id), 'a node of the path'));
  const edges = steps.slice(1).map(({ id, edge, isForward }, i) => {
    const before = must(steps[i], 'the node before').id;
    const [from, to] = isForward ? [before, id] : [id, before];
    return must(context.reader.edge(from, edge, to), 'an edge of the path');
  });
  return { nodes, edges };
}
