import type {
  EdgeDirection,
  Neighbor,
  NeighborsPage,
  SystemEndpoints,
} from '@trellis/client/system-endpoints.ts';
import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { labelOf } from '../../api/node-label.ts';
import type { Addition, Drawing, DrawnEdge, DrawnNode } from './graph-model.ts';
import { edgeId } from './graph-model.ts';

/** How many neighbors one step brings. */
export const STEP_SIZES = [10, 25, 50, 100, 250] as const;
export const STEP_SIZE_DEFAULT = 25;

/** Neighbors in one request (`system/neighbors`). */
const PAGE_MAX = 1_000;

/** The edges of one type in one direction at a node. */
export interface EdgeGroup {
  readonly direction: EdgeDirection;
  readonly edge: string;
  /** In the graph, as far as the viewer may see it. */
  readonly count: number;
  /** In the drawing. */
  readonly drawn: number;
}

/** The groups of a node, with how much of each is drawn. */
export function groupsOf(
  drawing: Drawing,
  uid: string,
  counts: NeighborsPage['counts'],
): EdgeGroup[] {
  const drawn = new Map<string, number>();
  const count = (key: string) => drawn.set(key, (drawn.get(key) ?? 0) + 1);
  for (const { from, to, type } of drawing.edges.values()) {
    if (from === uid) count(`out ${type}`);
    if (to === uid) count(`in ${type}`);
  }
  return counts.map((group) => ({
    ...group,
    drawn: drawn.get(`${group.direction} ${group.edge}`) ?? 0,
  }));
}

/**
 * Shares `take` among groups that have so much left each: evenly, and what one does not need goes
 * to the others.
 */
export function sharesOf(left: readonly number[], take: number): number[] {
  const shares = left.map(() => 0);
  let rest = take;
  for (let open = left.length; rest > 0 && open > 0;) {
    const wanting = [...left.keys()].filter((at) => (left[at] ?? 0) > (shares[at] ?? 0));
    open = wanting.length;
    const each = Math.max(1, Math.floor(rest / Math.max(1, open)));
    for (const at of wanting) {
      const given = Math.min(each, rest, (left[at] ?? 0) - (shares[at] ?? 0));
      shares[at] = (shares[at] ?? 0) + given;
      rest -= given;
    }
  }
  return shares;
}

export interface ExpansionRequest {
  readonly uid: string;
  /** So many edges at most that are not drawn yet. */
  readonly take: number;
  /** One group only; all of them when left out. */
  readonly group?: Pick<EdgeGroup, 'direction' | 'edge'>;
}

/** The neighbors of a node that are to be drawn next. */
export async function readExpansion(
  system: Pick<SystemEndpoints, 'neighbors'>,
  drawing: Drawing,
  { uid, take, group: only }: ExpansionRequest,
): Promise<Addition> {
  const { counts } = await system.neighbors({ node: { uid }, take: 1 });
  const groups = groupsOf(drawing, uid, counts).filter(
    ({ direction, edge }) =>
      only === undefined || (only.direction === direction && only.edge === edge),
  );
  const shares = sharesOf(
    groups.map(({ count, drawn }) => Math.max(0, count - drawn)),
    take,
  );
  const wanted = groups.map((group, at) => ({ group, share: shares[at] ?? 0 }));
  const additions = await Promise.all(
    wanted
      .filter(({ share }) => share > 0)
      .map(({ group, share }) => readGroup(system, drawing, { uid, group, share })),
  );
  return {
    nodes: additions.flatMap(({ nodes }) => nodes),
    edges: additions.flatMap(({ edges }) => edges),
  };
}

/** What is drawn may stand anywhere in the order of the server, so it is read past. */
async function readGroup(
  system: Pick<SystemEndpoints, 'neighbors'>,
  drawing: Drawing,
  wanted: { readonly uid: string; readonly group: EdgeGroup; readonly share: number },
): Promise<Addition> {
  const { uid, group, share } = wanted;
  const { edge, direction } = group;
  const take = Math.min(PAGE_MAX, share + group.drawn);
  const found: Neighbor[] = [];
  for (let skip = 0, total = Infinity; found.length < share && skip < total; skip += take) {
    const page = await system.neighbors({ node: { uid }, edges: [edge], direction, skip, take });
    total = page.total;
    found.push(...page.items.filter((item) => !drawing.edges.has(edgeId(drawnEdge(item.edge)))));
  }
  const taken = found.slice(0, share);
  return {
    nodes: taken.map(({ node }) => drawnNode(node, uid)),
    edges: taken.map((item) => drawnEdge(item.edge)),
  };
}

export function drawnNode(node: NodeObject, origin?: string): DrawnNode {
  const { UID: uid, Type: type } = node;
  return { uid, type, label: labelOf(node), ...(origin !== undefined && { origin }) };
}

export function drawnEdge({ from, to, type }: DrawnEdge): DrawnEdge {
  return { from, to, type };
}
