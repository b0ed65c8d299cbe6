import { DB } from '#store/databases.ts';
import type { GeoPoint } from '../field-types.ts';
import { cellOf, writeCell } from '../indexes/index-key.ts';
import { writeType } from '../keys.ts';
import type { KeySpan } from './key-ranges.ts';

/**
 * Ranges of the cells of an index that hold every point within so many degrees of a great circle;
 * and some beyond. A cell is a rectangle that halves again and again, of the longitude and the
 * latitude in turn (Morton order), so each rectangle of that division is one range of keys.
 */
export function cellsNear(index: number, center: GeoPoint, degrees: number): KeySpan[] {
  return boxesAround(center, degrees).flatMap((box) => spansOf(index, box));
}

interface Box {
  readonly latMin: number;
  readonly latMax: number;
  readonly lonMin: number;
  readonly lonMax: number;
}

/** Beyond so many ranges of one box, its parts are taken whole. */
const RANGES_MAX = 32;
/** Bits of a key that tell cells apart. */
const DEPTH_MAX = 64;
/** For what is lost to rounding. */
const MARGIN_DEGREES = 1e-6;

/** One box, or two where it crosses the 180th meridian. */
function boxesAround({ lat, lon }: GeoPoint, degrees: number): Box[] {
  const reach = degrees + MARGIN_DEGREES;
  const latMin = Math.max(-90, lat - reach);
  const latMax = Math.min(90, lat + reach);
  const radians = Math.PI / 180;
  // Around a pole, and beyond a quarter of the globe, every longitude is near.
  const ratio = Math.sin(Math.min(90, reach) * radians) / Math.cos(lat * radians);
  if (latMin === -90 || latMax === 90 || !(ratio < 1)) {
    return [{ latMin, latMax, lonMin: -180, lonMax: 180 }];
  }
  const width = Math.asin(ratio) / radians + MARGIN_DEGREES;
  const lonMin = lon - width;
  const lonMax = lon + width;
  if (lonMin < -180) {
    return [
      { latMin, latMax, lonMin: lonMin + 360, lonMax: 180 },
      { latMin, latMax, lonMin: -180, lonMax },
    ];
  }
  if (lonMax > 180) {
    return [
      { latMin, latMax, lonMin, lonMax: 180 },
      { latMin, latMax, lonMin: -180, lonMax: lonMax - 360 },
    ];
  }
  return [{ latMin, latMax, lonMin, lonMax }];
}

/** A rectangle of the division: both coordinates from here on, each this wide. */
interface Part {
  readonly lat: number;
  readonly lon: number;
  readonly latSize: number;
  readonly lonSize: number;
  readonly depth: number;
}

const WHOLE: Part = { lat: 0, lon: 0, latSize: 2 ** 32, lonSize: 2 ** 32, depth: 0 };

function spansOf(index: number, box: Box): KeySpan[] {
  const latMin = cellOf(box.latMin, 90);
  const latMax = cellOf(box.latMax, 90);
  const lonMin = cellOf(box.lonMin, 180);
  const lonMax = cellOf(box.lonMax, 180);
  const touches = ({ lat, lon, latSize, lonSize }: Part): boolean =>
    lat <= latMax && lat + latSize > latMin && lon <= lonMax && lon + lonSize > lonMin;
  const isInside = ({ lat, lon, latSize, lonSize }: Part): boolean =>
    lat >= latMin && lat + latSize - 1 <= latMax && lon >= lonMin && lon + lonSize - 1 <= lonMax;
  const whole: Part[] = [];
  let open: Part[] = [WHOLE];
  while (open.length > 0 && open.length + whole.length <= RANGES_MAX) {
    const next = open.flatMap(halves).filter(touches);
    whole.push(...next.filter((part) => isInside(part) || part.depth === DEPTH_MAX));
    open = next.filter((part) => !isInside(part) && part.depth < DEPTH_MAX);
  }
  return [...whole, ...open].map((part) => spanOf(index, part));
}

function halves({ lat, lon, latSize, lonSize, depth }: Part): Part[] {
  if (depth % 2 === 0) {
    const half = latSize / 2;
    const lower = { lat, lon, latSize: half, lonSize, depth: depth + 1 };
    return [lower, { ...lower, lat: lat + half }];
  }
  const half = lonSize / 2;
  const lower = { lat, lon, latSize, lonSize: half, depth: depth + 1 };
  return [lower, { ...lower, lon: lon + half }];
}

const INDEX_BYTES = 2;
const CELL_BYTES = 8;

function spanOf(index: number, { lat, lon, latSize, lonSize }: Part): KeySpan {
  const start = new Uint8Array(INDEX_BYTES + CELL_BYTES);
  // Longer than any key of the last cell that begins with it.
  const end = new Uint8Array(INDEX_BYTES + CELL_BYTES + 16).fill(0xff);
  writeType(start, 0, index);
  writeType(end, 0, index);
  writeCell(start, INDEX_BYTES, lat, lon);
  writeCell(end, INDEX_BYTES, lat + latSize - 1, lon + lonSize - 1);
  return { db: DB.indexes, start, end };
}
