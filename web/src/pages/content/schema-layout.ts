import dagre from '@dagrejs/dagre';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { isOwnType } from './schema.ts';
import type { SchemaRelation } from './schema-relations.ts';

type NodeType = SchemaDocument['nodes'][number];

export const FIELDS_SHOWN = 8;
/** Of the types of edges between the same two types of nodes. */
export const LABELS_SHOWN = 4;
const WIDTH_PX = 220;
const HEAD_PX = 36;
const ROW_PX = 20;
const GAP_PX = 40;
/** Of the text of a label, about. */
const CHARACTER_PX = 7;
/** Types that are not connected stand in rows of so many under the others. */
const UNCONNECTED_IN_ROW = 5;

/** Of one type of nodes; the upper left corner is at x and y. */
export interface TypeBox extends Record<string, unknown> {
  readonly nodeType: NodeType;
  /** A line from a box to itself would lie under it: these are named in the box. */
  readonly toItself: readonly SchemaRelation[];
}

export interface RelationLine {
  readonly from: string;
  readonly to: string;
  /** Edges between the same two types share one line. */
  readonly relations: readonly SchemaRelation[];
}

export function linesOf(relations: readonly SchemaRelation[]): readonly RelationLine[] {
  const others = relations.filter(({ from, to }) => from !== to);
  const lines = Map.groupBy(others, ({ from, to }) => JSON.stringify([from, to]));
  return [...lines.values()].flatMap((on) =>
    on[0] === undefined ? [] : [{ from: on[0].from, to: on[0].to, relations: on }],
  );
}

/** Layered from left to right, with room for the labels of lines. */
export function boxesOf(
  schema: SchemaDocument,
  relations: readonly SchemaRelation[],
): readonly (TypeBox & { readonly x: number; readonly y: number })[] {
  const lines = linesOf(relations);
  const connected = new Set(lines.flatMap(({ from, to }) => [from, to]));
  const boxes = schema.nodes
    .filter(({ type }) => !isOwnType(type))
    .map((nodeType) => ({ nodeType, toItself: loopsOf(relations, nodeType.type) }));
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP_PX, ranksep: GAP_PX, edgesep: GAP_PX / 2 });
  for (const box of boxes) {
    if (!connected.has(box.nodeType.type)) continue;
    graph.setNode(box.nodeType.type, { width: WIDTH_PX, height: heightOf(box) });
  }
  for (const { from, to, relations: on } of lines) graph.setEdge(from, to, labelSize(on));
  dagre.layout(graph);
  let bottom = 0;
  const placed = boxes.flatMap((box) => {
    if (!connected.has(box.nodeType.type)) return [];
    const { x, y, width, height } = graph.node(box.nodeType.type);
    bottom = Math.max(bottom, y + height / 2);
    return [{ ...box, x: x - width / 2, y: y - height / 2 }];
  });
  const others = boxes.filter(({ nodeType }) => !connected.has(nodeType.type));
  return [...placed, ...inRows(others, bottom === 0 ? 0 : bottom + 2 * GAP_PX)];
}

function inRows(boxes: readonly TypeBox[], top: number) {
  let y = top;
  return Array.from({ length: Math.ceil(boxes.length / UNCONNECTED_IN_ROW) }, (_, row) => {
    const inRow = boxes.slice(row * UNCONNECTED_IN_ROW, (row + 1) * UNCONNECTED_IN_ROW);
    const placed = inRow.map((box, at) => ({ ...box, x: at * (WIDTH_PX + GAP_PX), y }));
    y += Math.max(...inRow.map(heightOf)) + GAP_PX;
    return placed;
  }).flat();
}

function heightOf({ nodeType, toItself }: TypeBox): number {
  const fields = Math.min(Object.keys(nodeType.fields).length, FIELDS_SHOWN + 1);
  const loops = Math.min(toItself.length, LABELS_SHOWN + 1);
  return HEAD_PX + ROW_PX * (fields + loops) + 2 * ROW_PX;
}

function labelSize(relations: readonly SchemaRelation[]) {
  const shown = relations.slice(0, LABELS_SHOWN);
  const characters = Math.max(...shown.map(({ edge, edges }) => `${edge} ${edges} `.length));
  const rows = Math.min(relations.length, LABELS_SHOWN + 1);
  return { width: characters * CHARACTER_PX + GAP_PX, height: rows * ROW_PX, labelpos: 'c' };
}

function loopsOf(relations: readonly SchemaRelation[], type: string): readonly SchemaRelation[] {
  return relations.filter(({ from, to }) => from === type && to === type);
}
