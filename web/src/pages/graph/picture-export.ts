import type { PictureShapes } from './picture-shapes.ts';

const FONT_SIZE = 12;
const FONT = 'system-ui, sans-serif';
const ARROW_LENGTH = 7;
const ARROW_WIDTH = 5;
/** More arrow heads than that are a blur. */
const ARROWS_MAX = 3_000;

/** The picture as SVG: lines, discs and labels that another program can change. */
export function svgOf({ width, height, background, ink, lines, discs }: PictureShapes): string {
  const hasArrows = lines.length <= ARROWS_MAX;
  const colors = [...new Set(lines.map(({ color }) => color))];
  const markers = hasArrows ? colors.map((color, at) => markerOf(at, color)) : [];
  const drawnLines = lines.map((line) => {
    const head = hasArrows ? ` marker-end="url(#head-${colors.indexOf(line.color)})"` : '';
    const ends = `x1="${px(line.fromX)}" y1="${px(line.fromY)}" x2="${px(line.toX)}" y2="${px(line.toY)}"`;
    return `<line ${ends} stroke="${line.color}"${head}/>`;
  });
  const drawnDiscs = discs.map(
    ({ x, y, radius, color, label, type }) =>
      `<circle cx="${px(x)}" cy="${px(y)}" r="${px(radius)}" fill="${color}">` +
      `<title>${escapeXml(`${label} (${type})`)}</title></circle>`,
  );
  const labels = discs
    .filter(({ isLabelled }) => isLabelled)
    .map(
      ({ x, y, radius, label }) =>
        `<text x="${px(x + radius + 3)}" y="${px(y + FONT_SIZE / 3)}">${escapeXml(label)}</text>`,
    );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" fill="${background}"/>`,
    `<defs>${markers.join('')}</defs>`,
    `<g stroke-width="1">`,
    ...drawnLines,
    '</g>',
    '<g>',
    ...drawnDiscs,
    '</g>',
    `<g font-family="${FONT}" font-size="${FONT_SIZE}" fill="${ink}">`,
    ...labels,
    '</g>',
    '</svg>',
  ].join('\n');
}

/** The picture as PNG, drawn again on a canvas of twice the size, for fine screens. */
export async function pngOf(shapes: PictureShapes): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = shapes.width * 2;
  canvas.height = shapes.height * 2;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser has no canvas.');
  context.scale(2, 2);
  paint(context, shapes);
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  if (blob === null) throw new Error('The browser could not make the picture.');
  return blob;
}

function paint(context: CanvasRenderingContext2D, shapes: PictureShapes): void {
  const { width, height, background, ink, lines, discs } = shapes;
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  for (const { fromX, fromY, toX, toY, color } of lines) {
    context.strokeStyle = color;
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.lineTo(toX, toY);
    context.stroke();
    if (lines.length > ARROWS_MAX) continue;
    const angle = Math.atan2(toY - fromY, toX - fromX);
    context.save();
    context.translate(toX, toY);
    context.rotate(angle);
    context.fillStyle = color;
    context.beginPath();
    context.moveTo(0, 0);
    context.lineTo(-ARROW_LENGTH, -ARROW_WIDTH / 2);
    context.lineTo(-ARROW_LENGTH, ARROW_WIDTH / 2);
    context.fill();
    context.restore();
  }
  for (const { x, y, radius, color } of discs) {
    context.fillStyle = color;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  }
  context.font = `${FONT_SIZE}px ${FONT}`;
  context.fillStyle = ink;
  for (const { x, y, radius, label, isLabelled } of discs) {
    if (isLabelled) context.fillText(label, x + radius + 3, y + FONT_SIZE / 3);
  }
}

/** Its point is where the line ends. */
const ARROW_HEAD = `M0 0L${-ARROW_LENGTH} ${-ARROW_WIDTH / 2}L${-ARROW_LENGTH} ${ARROW_WIDTH / 2}Z`;

function markerOf(at: number, color: string): string {
  return (
    `<marker id="head-${at}" orient="auto" markerUnits="userSpaceOnUse" overflow="visible" ` +
    `markerWidth="${ARROW_LENGTH}" markerHeight="${ARROW_WIDTH}">` +
    `<path d="${ARROW_HEAD}" fill="${color}"/></marker>`
  );
}

function px(value: number): string {
  return value.toFixed(1);
}

// oxlint-disable-next-line no-control-regex -- what XML 1.0 (section 2.2) has no way of writing
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(NOT_IN_XML, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
