import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The format of LMDB's files: see `page-format.ts`. */
const PAGE_BYTES = 4_096;
const HEADER_BYTES = 24;
const FLAGS_AT = 18;
const PAGES_AT = 20;
const IS_LONG_VALUE = 4;

/**
 * Flips one bit in each value of the graph that takes so many pages of its own. Answers how many
 * there were.
 */
export async function flipLongValues(
  storage: string,
  pages: number,
  random: () => number,
): Promise<number> {
  const path = join(storage, 'graph', 'data.mdb');
  const bytes = await readFile(path);
  const places: number[] = [];
  for (let at = 2 * PAGE_BYTES; at + PAGE_BYTES <= bytes.length; at += PAGE_BYTES) {
    const isFirst =
      bytes.readUInt16LE(at + FLAGS_AT) === IS_LONG_VALUE &&
      bytes.readUInt32LE(at + PAGES_AT) === pages &&
      bytes.readBigUInt64LE(at) === BigInt(at / PAGE_BYTES);
    // The last page may be filled in part.
    if (isFirst) places.push(at + HEADER_BYTES + Math.floor(random() * (pages - 1) * PAGE_BYTES));
  }
  await flip(path, bytes, places);
  return places.length;
}

/** Flips one bit wherever these bytes stand in the graph. Answers how often that is. */
export async function flipText(
  storage: string,
  text: Uint8Array,
  random: () => number,
): Promise<number> {
  const path = join(storage, 'graph', 'data.mdb');
  const bytes = await readFile(path);
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    places.push(at + Math.floor(random() * text.length));
  }
  await flip(path, bytes, places);
  return places.length;
}

async function flip(path: string, bytes: Buffer, places: readonly number[]): Promise<void> {
  await using file = await open(path, 'r+');
  for (const at of places) await file.write(Uint8Array.of(bytes[at]! ^ 0x08), 0, 1, at);
}
