import { RowBlock } from './row-block.ts';
import { ColumnChunk } from './row-columns.ts';
import { ROW_KIND, type RowKind } from './row-keys.ts';

export type BlockKind = typeof ROW_KIND.out | typeof ROW_KIND.in;

const SLAB_BYTES = 1024 * 1024;
const SLAB_BYTES_MIN = 64 * 1024;
/** A small memory has no fewer slabs than this, so that not all of it is given up at once. */
const SLABS_MIN = 4;

/**
 * What was read of `rows`, up to a limit of memory. It is copied into slabs, one after the other;
 * when there is no more room, the oldest slab is given up with all that is in it. What is used
 * often comes back at once.
 *
 * Slabs are shared memory because V8 does not count that as part of the heap, by which a worker is
 * measured that runs code of endpoints: this is not the code's.
 */
export class RowCache {
  readonly #slabBytes: number;
  readonly #slabsMax: number;
  #slabs: Slab[] = [];
  readonly #kept = {
    [ROW_KIND.out]: new ByNumber<RowBlock>(),
    [ROW_KIND.in]: new ByNumber<RowBlock>(),
    [ROW_KIND.columns]: new ByNumber<ColumnChunk>(),
  };

  constructor(bytesMax: number) {
    const most = Math.floor(bytesMax / SLABS_MIN);
    this.#slabBytes = Math.max(SLAB_BYTES_MIN, Math.min(SLAB_BYTES, most));
    this.#slabsMax = Math.max(1, Math.floor(bytesMax / this.#slabBytes));
  }

  block(kind: BlockKind, number: number): RowBlock | undefined {
    return this.#kept[kind].get(number);
  }

  keepBlock(kind: BlockKind, number: number, value: Uint8Array | undefined): RowBlock {
    const block = RowBlock.of(value === undefined ? undefined : this.#copy(kind, number, value));
    this.#kept[kind].set(number, block);
    return block;
  }

  chunk(number: number): ColumnChunk | undefined {
    return this.#kept[ROW_KIND.columns].get(number);
  }

  keepChunk(number: number, value: Uint8Array): ColumnChunk {
    const chunk = new ColumnChunk(this.#copy(ROW_KIND.columns, number, value));
    this.#kept[ROW_KIND.columns].set(number, chunk);
    return chunk;
  }

  /** Gives up one block or chunk. */
  forget(kind: RowKind, number: number): void {
    this.#kept[kind].set(number, undefined);
  }

  clear(): void {
    this.#slabs = [];
    for (const kept of Object.values(this.#kept)) kept.clear();
  }

  #copy(kind: RowKind, number: number, value: Uint8Array): Uint8Array {
    let slab = this.#slabs.at(-1);
    if (slab === undefined || slab.used + value.length > slab.bytes.length) {
      if (this.#slabs.length >= this.#slabsMax) this.#dropOldest();
      slab = new Slab(Math.max(this.#slabBytes, value.length));
      this.#slabs.push(slab);
    }
    return slab.add(kind, number, value);
  }

  #dropOldest(): void {
    for (const { kind, number } of this.#slabs.shift()?.contents ?? []) this.forget(kind, number);
  }
}

class Slab {
  readonly bytes: Uint8Array;
  readonly contents: { readonly kind: RowKind; readonly number: number }[] = [];
  used = 0;

  constructor(bytes: number) {
    this.bytes = new Uint8Array(new SharedArrayBuffer(bytes));
  }

  add(kind: RowKind, number: number, value: Uint8Array): Uint8Array {
    const start = this.used;
    this.bytes.set(value, start);
    // The next one begins where numbers of 4 bytes may lie.
    this.used = Math.ceil((start + value.length) / 4) * 4;
    this.contents.push({ kind, number });
    return this.bytes.subarray(start, start + value.length);
  }
}

/** Things by small numbers. */
class ByNumber<T> {
  #places = new Uint32Array(64);
  #things: (T | undefined)[] = [undefined];
  readonly #free: number[] = [];

  get(number: number): T | undefined {
    return number < this.#places.length ? this.#things[this.#places[number]!] : undefined;
  }

  set(number: number, thing: T | undefined): void {
    if (number >= this.#places.length) {
      if (thing === undefined) return;
      const grown = new Uint32Array(Math.max(number + 1, this.#places.length * 2));
      grown.set(this.#places);
      this.#places = grown;
    }
    const place = this.#places[number]!;
    if (thing === undefined) {
      if (place === 0) return;
      this.#things[place] = undefined;
      this.#places[number] = 0;
      this.#free.push(place);
      return;
    }
    const own = place || (this.#free.pop() ?? this.#things.length);
    this.#things[own] = thing;
    this.#places[number] = own;
  }

  clear(): void {
    this.#places.fill(0);
    this.#things = [undefined];
    this.#free.length = 0;
  }
}
