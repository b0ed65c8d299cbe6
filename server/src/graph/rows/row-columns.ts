/**
 * The node types and the numbers of edges (both directions together) of 512 nodes whose ids follow
 * one another, as one value of `rows`. It fits one page of LMDB. Little-endian:
 *
 *   count u32, the numbers of edges
 *   count u16, the node types; 0 where there is no node
 *
 * The last chunk may have fewer nodes.
 */
export const CHUNK_IDS = 512;
const ENTRY_BYTES = 6;

export function chunkOf(id: number): number {
  return Math.floor(id / CHUNK_IDS);
}

/** A chunk of columns. */
export class ColumnChunk {
  readonly count: number;
  readonly degrees: Uint32Array;
  readonly types: Uint16Array;

  /** The value lies where numbers of 4 bytes may lie, and does not change later. */
  constructor({ buffer, byteOffset, length }: Uint8Array) {
    this.count = Math.floor(length / ENTRY_BYTES);
    this.degrees = new Uint32Array(buffer, byteOffset, this.count);
    this.types = new Uint16Array(buffer, byteOffset + this.count * 4, this.count);
  }

  /** The value with more entries at its end, or as many. */
  static grown(chunk: ColumnChunk | undefined, count: number): ColumnChunk {
    const grown = new ColumnChunk(new Uint8Array(count * ENTRY_BYTES));
    if (chunk === undefined) return grown;
    grown.degrees.set(chunk.degrees.subarray(0, count));
    grown.types.set(chunk.types.subarray(0, count));
    return grown;
  }

  get value(): Uint8Array {
    return new Uint8Array(this.degrees.buffer);
  }
}
