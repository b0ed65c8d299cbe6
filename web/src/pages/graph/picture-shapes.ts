import type { Picture } from './drawing-history.ts';
import { visiblePart } from './graph-file.ts';
import { countEdges } from './graph-model.ts';
import { sizeFor } from './graph-scene.ts';
import type { TypeColors } from './type-colors.ts';

/** Pixels of an exported picture; the shorter side follows. */
const LONGER_SIDE = 1_800;
const SHORTER_SIDE_MIN = 400;
const MARGIN = 80;
/** More labels than that cover each other; those of the nodes with the most edges stay. */
const LABELS_MAX = 300;

interface Line {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
  readonly color: string;
}

interface Disc {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly color: string;
  readonly label: string;
  readonly type: string;
  readonly isLabelled: boolean;
}

/** What an exported picture is made of, in pixels from the upper left corner. */
export interface PictureShapes {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly ink: string;
  readonly lines: readonly Line[];
  readonly discs: readonly Disc[];
}

/** The shapes of everything that is not hidden, also outside the screen. */
export function shapesOf(picture: Picture, colors: TypeColors): PictureShapes {
  const { drawing, positions } = visiblePart(picture);
  const frame = frameOf(positions);
  const degrees = countEdges(drawing);
  const labelled = new Set(
    [...drawing.nodes.keys()]
      .toSorted((a, b) => (degrees.get(b) ?? 0) - (degrees.get(a) ?? 0))
      .slice(0, LABELS_MAX),
  );
  const discs = [...drawing.nodes.values()].map(({ uid, type, label }, at) => ({
    ...frame.place(positions[2 * at] ?? 0, positions[2 * at + 1] ?? 0),
    radius: sizeFor(degrees.get(uid) ?? 0),
    color: colors.node(type),
    label,
    type,
    isLabelled: labelled.has(uid),
  }));
  const byUid = new Map([...drawing.nodes.keys()].map((uid, at) => [uid, discs[at]] as const));
  const lines = [...drawing.edges.values()].flatMap(({ from, to, type }) => {
    const [begin, end] = [byUid.get(from), byUid.get(to)];
    return begin === undefined || end === undefined || begin === end
      ? []
      : [lineBetween(begin, end, colors.edge(type))];
  });
  const { width, height } = frame;
  return {
    width,
    height,
    background: colors.canvas.surface,
    ink: colors.canvas.ink,
    lines,
    discs,
  };
}

/** It ends where the disc begins, so that its head is seen. */
function lineBetween(from: Disc, to: Disc, color: string): Line {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  const share = length > to.radius ? (length - to.radius) / length : 1;
  return {
    fromX: from.x,
    fromY: from.y,
    toX: from.x + dx * share,
    toY: from.y + dy * share,
    color,
  };
}

/** How places of the layout, whose y grows upwards, become pixels. */
function frameOf(positions: Float32Array) {
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < positions.length; at += 2) {
    const [x = 0, y = 0] = [positions[at], positions[at + 1]];
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.min(bottom, y);
    top = Math.max(top, y);
  }
  if (left > right) [left, right, bottom, top] = [0, 0, 0, 0];
  const inner = LONGER_SIDE - 2 * MARGIN;
  const scale = inner / Math.max(right - left, top - bottom, 1);
  const width = Math.max(SHORTER_SIDE_MIN, (right - left) * scale + 2 * MARGIN);
  const height = Math.max(SHORTER_SIDE_MIN, (top - bottom) * scale + 2 * MARGIN);
  const [middleX, middleY] = [(left + right) / 2, (bottom + top) / 2];
  return {
    width: Math.round(width),
    height: Math.round(height),
    place: (x: number, y: number) => ({
      x: width / 2 + (x - middleX) * scale,
      y: height / 2 - (y - middleY) * scale,
    }),
  };
}
