/** A node as it is drawn: what its label and its color need, and no fields. */
export interface DrawnNode {
  readonly uid: string;
  readonly type: string;
  readonly label: string;
  /** The node whose expansion brought it; collapsing that one takes it away. */
  readonly origin?: string;
}

export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly type: string;
}

/**
 * What is drawn, as a value: every change makes a new one. Both ends of each edge are among the
 * nodes.
 */
export interface Drawing {
  /** By UID. */
  readonly nodes: ReadonlyMap<string, DrawnNode>;
  /** By `edgeId`. */
  readonly edges: ReadonlyMap<string, DrawnEdge>;
  /** Nodes that the layout leaves where they are. */
  readonly pinned: ReadonlySet<string>;
  readonly hiddenNodeTypes: ReadonlySet<string>;
  readonly hiddenEdgeTypes: ReadonlySet<string>;
}

export interface Addition {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

/** What a browser still draws and moves at a bearable pace. */
export const NODES_MAX = 20_000;
export const EDGES_MAX = 60_000;

export const EMPTY_DRAWING: Drawing = {
  nodes: new Map(),
  edges: new Map(),
  pinned: new Set(),
  hiddenNodeTypes: new Set(),
  hiddenEdgeTypes: new Set(),
};

/** One edge of a type leads from a node to another; UIDs hold no spaces. */
export function edgeId({ from, to, type }: DrawnEdge): string {
  return `${from} ${to} ${type}`;
}

/**
 * What is there already stays as it is. Edges without both ends are left out, and so is what is
 * beyond the limits.
 */
export function add(drawing: Drawing, addition: Addition): Drawing {
  const nodes = new Map(drawing.nodes);
  for (const node of addition.nodes) {
    if (nodes.size >= NODES_MAX) break;
    if (!nodes.has(node.uid)) nodes.set(node.uid, node);
  }
  const edges = new Map(drawing.edges);
  for (const edge of addition.edges) {
    if (edges.size >= EDGES_MAX) break;
    const id = edgeId(edge);
    if (!edges.has(id) && nodes.has(edge.from) && nodes.has(edge.to)) edges.set(id, edge);
  }
  return { ...drawing, nodes, edges };
}

/** Without these nodes and their edges. */
export function removeNodes(drawing: Drawing, uids: ReadonlySet<string>): Drawing {
  return {
    ...drawing,
    nodes: filterMap(drawing.nodes, ({ uid }) => !uids.has(uid)),
    edges: filterMap(drawing.edges, ({ from, to }) => !uids.has(from) && !uids.has(to)),
    pinned: new Set([...drawing.pinned].filter((uid) => !uids.has(uid))),
  };
}

export function removeEdge(drawing: Drawing, id: string): Drawing {
  const edges = new Map(drawing.edges);
  edges.delete(id);
  return { ...drawing, edges };
}

/** What expanding a node brought, and what expanding that brought; the node itself stays. */
export function broughtBy(drawing: Drawing, uid: string): ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const node of drawing.nodes.values()) {
    if (node.origin === undefined) continue;
    const siblings = children.get(node.origin);
    if (siblings === undefined) children.set(node.origin, [node.uid]);
    else siblings.push(node.uid);
  }
  const found = new Set<string>();
  const open = [uid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of children.get(next) ?? []) {
      if (child === uid || found.has(child)) continue;
      found.add(child);
      open.push(child);
    }
  }
  return found;
}

export function collapse(drawing: Drawing, uid: string): Drawing {
  return removeNodes(drawing, broughtBy(drawing, uid));
}

export function setPinned(drawing: Drawing, uid: string, isPinned: boolean): Drawing {
  if (!drawing.nodes.has(uid)) return drawing;
  return { ...drawing, pinned: withMember(drawing.pinned, uid, isPinned) };
}

export type TypeKind = 'node' | 'edge';

/** Shows or hides all nodes, or all edges, of a type. They stay in the drawing. */
export function setHidden(
  drawing: Drawing,
  kind: TypeKind,
  type: string,
  isHidden: boolean,
): Drawing {
  return kind === 'node'
    ? { ...drawing, hiddenNodeTypes: withMember(drawing.hiddenNodeTypes, type, isHidden) }
    : { ...drawing, hiddenEdgeTypes: withMember(drawing.hiddenEdgeTypes, type, isHidden) };
}

export function isNodeVisible(drawing: Drawing, uid: string): boolean {
  const node = drawing.nodes.get(uid);
  return node !== undefined && !drawing.hiddenNodeTypes.has(node.type);
}

/** An edge is seen when its type is, and both its ends are. */
export function isEdgeVisible(drawing: Drawing, { from, to, type }: DrawnEdge): boolean {
  if (drawing.hiddenEdgeTypes.has(type)) return false;
  return isNodeVisible(drawing, from) && isNodeVisible(drawing, to);
}

export interface TypeCount {
  readonly type: string;
  readonly count: number;
}

/** How many there are of each type, most first. */
export function countTypes(items: Iterable<{ readonly type: string }>): TypeCount[] {
  const counts = new Map<string, number>();
  for (const { type } of items) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Array.from(counts, ([type, count]) => ({ type, count })).toSorted(
    (a, b) => b.count - a.count || a.type.localeCompare(b.type),
  );
}

/** How many edges are drawn at each node that has any. */
export function countEdges(drawing: Drawing): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { from, to } of drawing.edges.values()) {
    counts.set(from, (counts.get(from) ?? 0) + 1);
    if (to !== from) counts.set(to, (counts.get(to) ?? 0) + 1);
  }
  return counts;
}

function withMember(set: ReadonlySet<string>, member: string, isIn: boolean): ReadonlySet<string> {
  const changed = new Set(set);
  if (isIn) changed.add(member);
  else changed.delete(member);
  return changed;
}

function filterMap<V>(
  map: ReadonlyMap<string, V>,
  keeps: (value: V) => boolean,
): ReadonlyMap<string, V> {
  return new Map([...map].filter(([, value]) => keeps(value)));
}
