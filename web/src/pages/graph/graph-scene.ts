import { MultiDirectedGraph } from 'graphology';
import { startPoint } from './arrangements.ts';
import type { Picture } from './drawing-history.ts';
import { type Drawing, EMPTY_DRAWING, isEdgeVisible, isNodeVisible } from './graph-model.ts';
import type { LayoutStart } from './layout-messages.ts';
import type { TypeColors } from './type-colors.ts';

/** What sigma reads of a node; `type` would name a program of its own. */
export interface NodeAttributes {
  x: number;
  y: number;
  label: string;
  nodeType: string;
  size: number;
  color: string;
  hidden: boolean;
  forceLabel: boolean;
}

export interface EdgeAttributes {
  /** The program that draws it: the one that the settings name, the same for all. */
  type?: undefined;
  /** The type, which is what is written on it. */
  label: string;
  color: string;
  hidden: boolean;
}

export type SceneGraph = MultiDirectedGraph<NodeAttributes, EdgeAttributes>;

const NODE_SIZE_MIN = 4;
const NODE_SIZE_MAX = 16;
/** From so many nodes on they are drawn smaller: there is less room for each. */
const MANY_NODES = 1_000;
const NODE_SCALE_MIN = 0.35;

/** Where the nodes are, and how they look: the graph that sigma draws. Follows the drawing. */
export class GraphScene {
  readonly graph: SceneGraph = new MultiDirectedGraph();
  #drawing: Drawing = EMPTY_DRAWING;
  #colors: TypeColors | undefined;

  /** Nodes that were not there begin near the one that brought them, or where the positions say. */
  show(drawing: Drawing, positions?: Float32Array): void {
    const before = this.#drawing;
    this.#drawing = drawing;
    for (const id of before.edges.keys()) if (!drawing.edges.has(id)) this.graph.dropEdge(id);
    for (const uid of before.nodes.keys()) if (!drawing.nodes.has(uid)) this.graph.dropNode(uid);
    this.#addNodes(drawing);
    for (const [id, { from, to, type }] of drawing.edges) {
      if (this.graph.hasEdge(id)) continue;
      this.graph.addDirectedEdgeWithKey(id, from, to, { label: type, color: '', hidden: false });
    }
    if (positions !== undefined) this.move(positions);
    this.#paint();
  }

  color(colors: TypeColors): void {
    this.#colors = colors;
    this.#paint();
  }

  /** Moves all nodes; the positions are in the order of the drawing. */
  move(positions: Float32Array): void {
    const places = new Map([...this.#drawing.nodes.keys()].map((uid, at) => [uid, at] as const));
    this.graph.updateEachNodeAttributes((uid, attributes) => {
      const at = 2 * (places.get(uid) ?? 0);
      return { ...attributes, x: positions[at] ?? 0, y: positions[at + 1] ?? 0 };
    });
  }

  moveNode(uid: string, x: number, y: number): void {
    this.graph.mergeNodeAttributes(uid, { x, y });
  }

  picture(): Picture {
    const positions = new Float32Array(this.#drawing.nodes.size * 2);
    let at = 0;
    for (const uid of this.#drawing.nodes.keys()) {
      const { x, y } = this.graph.getNodeAttributes(uid);
      positions[at++] = x;
      positions[at++] = y;
    }
    return { drawing: this.#drawing, positions };
  }

  /** For the layout; what is hidden still holds the others in their places. */
  layoutStart(): LayoutStart {
    const { drawing, positions } = this.picture();
    const uids = [...drawing.nodes.keys()];
    const places = new Map(uids.map((uid, at) => [uid, at] as const));
    const ends = [...drawing.edges.values()].flatMap(({ from, to }) => [
      places.get(from) ?? 0,
      places.get(to) ?? 0,
    ]);
    return {
      positions,
      fixed: Uint8Array.from(uids, (uid) => (drawing.pinned.has(uid) ? 1 : 0)),
      edges: Uint32Array.from(ends),
    };
  }

  #addNodes({ nodes }: Drawing): void {
    let index = 0;
    for (const [uid, node] of nodes) {
      index++;
      if (this.graph.hasNode(uid)) continue;
      const { origin } = node;
      const hasOrigin = origin !== undefined && this.graph.hasNode(origin);
      const point = startPoint(index, hasOrigin ? this.graph.getNodeAttributes(origin) : undefined);
      const look = { label: node.label, nodeType: node.type, size: NODE_SIZE_MIN, color: '' };
      this.graph.addNode(uid, { ...point, ...look, hidden: false, forceLabel: false });
    }
  }

  #paint(): void {
    const drawing = this.#drawing;
    const colors = this.#colors;
    const share = Math.sqrt(MANY_NODES / Math.max(1, this.graph.order));
    const scale = Math.min(1, Math.max(NODE_SCALE_MIN, share));
    this.graph.updateEachNodeAttributes((uid, attributes) => ({
      ...attributes,
      size: scale * sizeFor(this.graph.degree(uid)),
      color: colors?.node(attributes.nodeType) ?? '',
      hidden: !isNodeVisible(drawing, uid),
      forceLabel: drawing.pinned.has(uid),
    }));
    this.graph.updateEachEdgeAttributes(
      (id, attributes) => {
        const edge = drawing.edges.get(id);
        return {
          ...attributes,
          color: colors?.edge(attributes.label) ?? '',
          hidden: edge === undefined || !isEdgeVisible(drawing, edge),
        };
      },
      // Without "type" sigma takes it that there are no new edges.
      { attributes: ['type'] },
    );
  }
}

/** The area follows the number of edges that are drawn. */
export function sizeFor(degree: number): number {
  return Math.min(NODE_SIZE_MAX, NODE_SIZE_MIN + 1.2 * Math.sqrt(degree));
}
