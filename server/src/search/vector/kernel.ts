import { must } from '#base/assert.ts';
import { VECTOR_DIMENSIONS_MAX } from '#base/search-limits.ts';
import { simdModuleBytes, SLOTS_PER_TURN } from './simd-module.ts';
import { sketchStrideOf } from './quantize.ts';

/** How many slots one call of `queryDots` may take. */
export const BATCH_SLOTS_MAX = 1_024;

const QUERY_AT = 0;
const SLOTS_AT = VECTOR_DIMENSIONS_MAX * 2;
const DOTS_AT = SLOTS_AT + BATCH_SLOTS_MAX * 4;
const SKETCH_QUERY_AT = DOTS_AT + BATCH_SLOTS_MAX * 4;
const PAGE_BYTES = 65_536;

/**
 * The inner products of one shard for one thread. Sums are exact: `quantize.ts` says why 32 bits
 * do.
 */
export interface Kernel {
  /**
   * dots[i] = query · the vector of slot slots[i] among those that begin at byte `base`; `count`
   * from 1 to `BATCH_SLOTS_MAX`.
   */
  queryDots(base: number, count: number): void;
  /** The same for the sketches at `base` and `sketchQuery`. */
  sketchDots(base: number, count: number): void;
  /** Dot product of the vectors at two byte addresses. */
  pairDot(first: number, second: number): number;
}

/** Working memory of one thread, for all shards of an index. */
export interface Scratch {
  readonly memory: WasmMemory | null;
  /** Padded with zeros to the stride of the vectors. */
  readonly query: Int16Array;
  /** The query in eight bits, padded in the same way. */
  readonly sketchQuery: Int8Array;
  readonly slots: Int32Array;
  readonly dots: Int32Array;
}

/** Memory that all threads see: of WebAssembly where there is one. */
export type SharedMemory = WasmMemory | SharedArrayBuffer;

/** Part of WebAssembly's JavaScript interface; the types of Node do not have it. */
export interface WasmMemory {
  readonly buffer: ArrayBufferLike;
}

/** A compiled module; it can be posted to a thread. */
export type WasmModule = object;

interface Wasm {
  readonly Memory: new (options: {
    initial: number;
    maximum?: number;
    shared?: boolean;
  }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
  readonly Instance: new (
    module: WasmModule,
    imports: { memory: { vectors: WasmMemory; scratch: WasmMemory } },
  ) => { readonly exports: unknown };
}

type DotsOfList = (
  base: number,
  stride: number,
  list: number,
  listEnd: number,
  out: number,
  query: number,
) => void;

interface KernelExports {
  readonly queryDots: DotsOfList;
  readonly sketchDots: DotsOfList;
  pairDot(first: number, second: number, length: number): number;
}

declare const WebAssembly: Wasm | undefined;

/**
 * Read when this module loads, as an endpoint worker removes the global before guests run. Without
 * it (`--jitless`) JavaScript computes everything.
 */
const wasm = typeof WebAssembly === 'undefined' ? undefined : WebAssembly;

/** Compiled once, in the thread that writes; null where there is no WebAssembly. */
export function compileKernel(): WasmModule | null {
  return wasm === undefined ? null : new wasm.Module(simdModuleBytes());
}

/** Zeros; pages that nobody touched take no memory. */
export function allocateShared(bytes: number): SharedMemory {
  if (wasm === undefined) return new SharedArrayBuffer(bytes);
  const pages = Math.ceil(bytes / PAGE_BYTES);
  return new wasm.Memory({ initial: pages, maximum: pages, shared: true });
}

export function bufferOf(memory: SharedMemory): ArrayBufferLike {
  return memory instanceof SharedArrayBuffer ? memory : memory.buffer;
}

export function createScratch(stride: number): Scratch {
  const memory = wasm === undefined ? null : new wasm.Memory({ initial: 1 });
  const buffer = memory?.buffer ?? new ArrayBuffer(PAGE_BYTES);
  return {
    memory,
    query: new Int16Array(buffer, QUERY_AT, stride),
    sketchQuery: new Int8Array(buffer, SKETCH_QUERY_AT, stride),
    slots: new Int32Array(buffer, SLOTS_AT, BATCH_SLOTS_MAX),
    dots: new Int32Array(buffer, DOTS_AT, BATCH_SLOTS_MAX),
  };
}

/** The fastest kernel that this thread can run. `stride`: bytes of a vector, a multiple of 16. */
export function openKernel(
  shared: SharedMemory,
  module: WasmModule | null,
  scratch: Scratch,
  stride: number,
): Kernel {
  if (wasm === undefined || module === null || shared instanceof SharedArrayBuffer) {
    return new PlainKernel(new Int8Array(bufferOf(shared)), scratch, stride);
  }
  const memory = { vectors: shared, scratch: must(scratch.memory, 'the scratch memory') };
  const exports = new wasm.Instance(module, { memory }).exports as KernelExports;
  return new SimdKernel(exports, scratch, stride);
}

class SimdKernel implements Kernel {
  readonly #exports: KernelExports;
  readonly #slots: Int32Array;
  readonly #stride: number;

  constructor(exports: KernelExports, { slots }: Scratch, stride: number) {
    this.#exports = exports;
    this.#slots = slots;
    this.#stride = stride;
  }

  queryDots(base: number, count: number): void {
    const end = this.#fillTurn(count);
    this.#exports.queryDots(base, this.#stride, SLOTS_AT, end, DOTS_AT, QUERY_AT);
  }

  sketchDots(base: number, count: number): void {
    const end = this.#fillTurn(count);
    const stride = sketchStrideOf(this.#stride);
    this.#exports.sketchDots(base, stride, SLOTS_AT, end, DOTS_AT, SKETCH_QUERY_AT);
  }

  /** The address after the last slot. */
  #fillTurn(count: number): number {
    const slots = this.#slots;
    let end = count;
    while (end % SLOTS_PER_TURN > 0) slots[end++] = slots[0]!;
    return SLOTS_AT + end * 4;
  }

  pairDot(first: number, second: number): number {
    return this.#exports.pairDot(first, second, this.#stride);
  }
}

/** The reference, which also runs where WebAssembly may not. */
export class PlainKernel implements Kernel {
  readonly #bytes: Int8Array;
  readonly #scratch: Scratch;
  readonly #stride: number;

  constructor(bytes: Int8Array, scratch: Scratch, stride: number) {
    this.#bytes = bytes;
    this.#scratch = scratch;
    this.#stride = stride;
  }

  queryDots(base: number, count: number): void {
    const { query, slots, dots } = this.#scratch;
    for (let i = 0; i < count; i++) {
      const at = base + slots[i]! * this.#stride;
      let sum = 0;
      for (let d = 0; d < this.#stride; d++) sum += query[d]! * this.#bytes[at + d]!;
      dots[i] = sum;
    }
  }

  sketchDots(base: number, count: number): void {
    const { sketchQuery, slots, dots } = this.#scratch;
    const stride = sketchStrideOf(this.#stride);
    for (let i = 0; i < count; i++) {
      const at = base + slots[i]! * stride;
      let sum = 0;
      for (let d = 0; d < this.#stride; d++) {
        const byte = this.#bytes[at + ((d >> 5) << 4) + (d & 15)]!;
        sum += sketchQuery[d]! * ((byte >> (d & 16 ? 4 : 0)) & 15);
      }
      dots[i] = sum;
    }
  }

  pairDot(first: number, second: number): number {
    let sum = 0;
    for (let d = 0; d < this.#stride; d++) {
      sum += this.#bytes[first + d]! * this.#bytes[second + d]!;
    }
    return sum;
  }
}
