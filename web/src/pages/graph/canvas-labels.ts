import { drawStraightEdgeLabel, type EdgeLabelDrawingFunction } from 'sigma/rendering';
import type { Settings } from 'sigma/settings';
import type { NodeDisplayData } from 'sigma/types';
import type { EdgeAttributes, NodeAttributes } from './graph-scene.ts';
import type { CanvasColors } from './type-colors.ts';

const PADDING = 5;

type HoveredNode = Pick<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>;

/**
 * The label of a node that is pointed at or selected: on a plate, so that it can be read on what is
 * below.
 */
export function drawHoveredLabel(
  context: CanvasRenderingContext2D,
  { x, y, size, label, color }: HoveredNode,
  { labelSize, labelFont }: Settings<NodeAttributes, EdgeAttributes>,
  { raised, ink, accent }: CanvasColors,
): void {
  context.beginPath();
  context.arc(x, y, size + 3, 0, 2 * Math.PI);
  context.fillStyle = accent;
  context.fill();
  context.beginPath();
  context.arc(x, y, size, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  if (label === null || label === '') return;
  context.font = `600 ${labelSize}px ${labelFont}`;
  const { width } = context.measureText(label);
  const height = labelSize + 2 * PADDING;
  const left = x + size + 6;
  context.beginPath();
  context.roundRect(left, y - height / 2, width + 2 * PADDING, height, 4);
  context.fillStyle = raised;
  context.fill();
  context.strokeStyle = accent;
  context.stroke();
  context.fillStyle = ink;
  context.fillText(label, left + PADDING, y + labelSize / 3);
}

/**
 * The part of an edge on whose middle its type stands: two edges in opposite directions do not
 * write over each other.
 */
const WRITTEN_SHARE = 0.7;

/** The type of an edge, nearer to the node that it comes from. */
export const drawEdgeType: EdgeLabelDrawingFunction<NodeAttributes, EdgeAttributes> = (
  context,
  edge,
  from,
  to,
  settings,
) => {
  const end = {
    ...to,
    x: from.x + (to.x - from.x) * WRITTEN_SHARE,
    y: from.y + (to.y - from.y) * WRITTEN_SHARE,
  };
  drawStraightEdgeLabel(context, edge, from, end, settings);
};
