import { must } from '#base/assert.ts';
import { QUERY_HOPS_MAX } from '#base/limits.ts';
import { ANY_EDGE } from '../adjacency.ts';
import type { Direction } from '../adjacency.ts';
import type { EdgeObject, NodeObject } from '../reader.ts';
import type { QueryEnd } from './plan.ts';
import type { QueryContext } from './query-context.ts';

type PathEnd = Extract<QueryEnd, { end: 'shortestPath' }>;

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
}

/** One half of the search: breadth first, from one end. */
interface Half {
  readonly arrivals: Map<number, Arrival>;
  frontier: number[];
  readonly directions: readonly Direction[];
}

/**
 * A path with the fewest edges between two nodes, or null when there is none of at most `maxHops`.
 * Searched from both ends at once, always going on from the smaller frontier, so that the search
 * grows with the square root of what one end would meet.
 */
export function shortestPath(
  context: QueryContext,
  start: number,
  end: PathEnd,
  edges: readonly number[],
): GraphPath | null {
  const goal = context.idOfUid(end.to);
  if (goal === undefined) return null;
  if (goal === start) return toPath(context, [step(start)]);
  const direction = end.direction ?? 'both';
  const forward = newHalf(start, direction === 'both' ? ['out', 'in'] : [direction]);
  const backward = newHalf(goal, direction === 'both' ? ['out', 'in'] : [opposite(direction)]);
  let hopsLeft = end.maxHops ?? QUERY_HOPS_MAX;
  while (hopsLeft-- > 0 && forward.frontier.length > 0 && backward.frontier.length > 0) {
    context.checkpoint();
    const [half, other] =
      forward.frontier.length <= backward.frontier.length
        ? [forward, backward]
        : [backward, forward];
    const meeting = advance(context, half, other, edges);
    if (meeting !== undefined) return toPath(context, join(meeting, forward, backward));
  }
  return null;
}

function newHalf(start: number, directions: readonly Direction[]): Half {
  const arrival = { before: 0, edge: ANY_EDGE, isForward: true };
  return { arrivals: new Map([[start, arrival]]), frontier: [start], directions };
}

function opposite(direction: Direction): Direction {
  return direction === 'out' ? 'in' : 'out';
}

/** Goes one hop further; answers a node that the other half has reached too. */
function advance(
  context: QueryContext,
  half: Half,
  other: Half,
  edges: readonly number[],
): number | undefined {
  const next: number[] = [];
  for (const before of half.frontier) {
    for (const direction of half.directions) {
      for (const edge of edges) {
        const neighbors = context.neighbors(before, direction, edge);
        for (let i = 0; i < neighbors.length; i++) {
          const id = neighbors.at(i);
          if (half.arrivals.has(id)) continue;
          const isForward = direction === 'out';
          half.arrivals.set(id, { before, edge: neighbors.edgeAt(i), isForward });
          // The halves meet at the first node in both: every node nearer to either end was met
          // before.
          if (other.arrivals.has(id)) return id;
          next.push(id);
        }
      }
    }
  }
  half.frontier = next;
  return undefined;
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

function join(meeting: number, forward: Half, backward: Half): PathStep[] {
  const steps: PathStep[] = [];
  for (let id = meeting; id !== 0;) {
    const { before, edge, isForward } = must(forward.arrivals.get(id), 'the way from the start');
    steps.unshift(step(id, edge, isForward));
    id = before;
  }
  for (let id = meeting; ;) {
    const { before, edge, isForward } = must(backward.arrivals.get(id), 'the way to the goal');
    if (before === 0) return steps;
    // Followed the other way round than the search went.
    steps.push(step(before, edge, !isForward));
    id = before;
  }
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
