import type { Drawing } from './graph-model.ts';

/** How far apart neighboring nodes are, in the units of the layouts. */
const SPACING = 12;
/**
 * Turning by it, points fill a disc evenly (H. Vogel, "A better way to construct the sunflower
 * head", 1979).
 */
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The n-th point of a disc that is filled from its middle. */
export function discPoint(n: number, middle: Point = { x: 0, y: 0 }): Point {
  const radius = SPACING * Math.sqrt(n);
  const angle = n * GOLDEN_ANGLE;
  return { x: middle.x + radius * Math.cos(angle), y: middle.y + radius * Math.sin(angle) };
}

/** All nodes on one circle, those of a type beside each other. */
export function circle(drawing: Drawing): Float32Array<ArrayBuffer> {
  const sorted = [...drawing.nodes.values()].toSorted(
    (a, b) => compare(a.type, b.type) || compare(a.label, b.label) || compare(a.uid, b.uid),
  );
  const radius = (SPACING * sorted.length) / (2 * Math.PI);
  const points = new Map(
    sorted.map((node, n) => [node.uid, onCircle(n / sorted.length, radius)] as const),
  );
  return positionsOf(drawing, points);
}

/** The nodes of each type in a disc, and the discs on a circle, the largest first. */
export function byType(drawing: Drawing): Float32Array<ArrayBuffer> {
  const groups = [...Map.groupBy(drawing.nodes.values(), ({ type }) => type).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const radii = groups.map((nodes) => SPACING * (Math.sqrt(nodes.length) + 1));
  const around = radii.reduce((sum, radius) => sum + 2 * radius, 0);
  // A circle whose length is that of all discs together; two discs of one size need half as much
  // again.
  const radius = groups.length < 2 ? 0 : Math.max(around / (2 * Math.PI), (radii[0] ?? 0) * 1.5);
  const points = new Map<string, Point>();
  let before = 0;
  for (const [index, nodes] of groups.entries()) {
    const own = radii[index] ?? 0;
    const middle = onCircle((before + own) / around, radius);
    before += 2 * own;
    for (const [n, node] of nodes.entries()) points.set(node.uid, discPoint(n, middle));
  }
  return positionsOf(drawing, points);
}

/**
 * Where a node that was not drawn before begins: near the one that brought it, each at its own
 * place.
 */
export function startPoint(index: number, origin: Point | undefined): Point {
  if (origin === undefined) return discPoint(index);
  const angle = index * GOLDEN_ANGLE;
  const radius = SPACING * (1 + (index % 3));
  return { x: origin.x + radius * Math.cos(angle), y: origin.y + radius * Math.sin(angle) };
}

function onCircle(share: number, radius: number): Point {
  const angle = 2 * Math.PI * share - Math.PI / 2;
  return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
}

function positionsOf(
  { nodes }: Drawing,
  points: ReadonlyMap<string, Point>,
): Float32Array<ArrayBuffer> {
  const positions = new Float32Array(nodes.size * 2);
  let at = 0;
  for (const uid of nodes.keys()) {
    const { x, y } = points.get(uid) ?? { x: 0, y: 0 };
    positions[at++] = x;
    positions[at++] = y;
  }
  return positions;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
