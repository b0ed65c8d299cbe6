/** Vectors that the products of a list take at a time. */
export const SLOTS_PER_TURN = 8;
/** Vectors in locals, beside one sum for each of them. */
const OWN_LOCALS = 4;

/**
 * The inner products of the vector index as WebAssembly with 128-bit SIMD, assembled here from
 * named instructions into about 2,200 bytes. `Kernel` says what they compute; a test compares them
 * with the plain JavaScript there. Opcodes: WebAssembly core specification 3.0, section 5.4.
 *
 * Memory 0 is the shared one of a shard and is only read; memory 1 belongs to one thread.
 */
export function simdModuleBytes(): Uint8Array<ArrayBuffer> {
  const types = [
    [0x60, ...vector([[I32], [I32], [I32], [I32], [I32], [I32]]), 0],
    [0x60, ...vector([[I32], [I32], [I32]]), 1, I32],
  ];
  const imports = [
    code(name('memory'), name('vectors'), IS_MEMORY, SHARED, 0, unsigned(0x1_0000)),
    code(name('memory'), name('scratch'), IS_MEMORY, UNSHARED, 1),
  ];
  const exports = ['queryDots', 'sketchDots', 'pairDot'].map((exported, i) =>
    code(name(exported), IS_FUNCTION, i),
  );
  const bodies = [queryDots(), sketchDots(), pairDot()].map(sized);
  return Uint8Array.from([
    ...MAGIC,
    ...VERSION,
    ...section(1, types),
    ...section(2, imports),
    ...section(3, [[0], [0], [1]]),
    ...section(7, exports),
    ...section(10, bodies),
  ]);
}

/** One vector's locals: where it is read next, and the sum so far. */
interface VectorLocals {
  readonly at: number;
  readonly sum: number;
}

/**
 * (base, stride, list, listEnd, out, queryStart): for the slots in the list, a multiple of eight.
 * Eight vectors at a time share reading the query and waiting for memory. `step` adds the products
 * of 16 bytes of each vector and 32 of the query; it has its own locals, of which `before` may fill
 * the first.
 */
function dotsOfList(
  before: (own: readonly number[]) => number[],
  step: (vectors: readonly VectorLocals[], query: number, own: readonly number[]) => number[],
): number[] {
  const [base, stride, list, listEnd, out, queryStart, end, query] = [0, 1, 2, 3, 4, 5, 6, 7];
  const vectors = Array.from({ length: SLOTS_PER_TURN }, (_, i) => ({
    at: 8 + i,
    sum: 8 + SLOTS_PER_TURN + i,
  }));
  const own = Array.from({ length: OWN_LOCALS }, (_, i) => 8 + 2 * SLOTS_PER_TURN + i);
  const advance = (address: number, bytes: number): number[] =>
    code(get(address), constant(bytes), I32_ADD, set(address));
  return code(
    locals([2 + SLOTS_PER_TURN, I32], [SLOTS_PER_TURN + OWN_LOCALS, V128]),
    before(own),
    loop(
      // at = base + list[] * stride, and the end of the first
      vectors.flatMap(({ at }, i) =>
        code(get(base), get(list), loadSlot(i * 4), get(stride), I32_MUL, I32_ADD, set(at)),
      ),
      code(get(vectors[0]!.at), get(stride), I32_ADD, set(end), get(queryStart), set(query)),
      vectors.flatMap(({ sum }) => code(zeros(), set(sum))),
      loop(
        step(vectors, query, own),
        advance(query, 32),
        vectors.flatMap(({ at }) => advance(at, 16)),
        code(get(vectors[0]!.at), get(end), I32_NE, BRANCH_IF, 0),
      ),
      vectors.flatMap(({ sum }, i) => code(get(out), sumOfLanes(sum), storeDot(i * 4))),
      code(advance(out, SLOTS_PER_TURN * 4), advance(list, SLOTS_PER_TURN * 4)),
      code(get(list), get(listEnd), I32_NE, BRANCH_IF, 0),
    ),
    END,
  );
}

function queryDots(): number[] {
  return dotsOfList(
    () => [],
    (vectors, query, [part = 0]) =>
      // sum += at[offset..offset + 8] · query[offset..offset + 8]
      [0, 8].flatMap((offset) => [
        ...code(get(query), loadQuery(offset * 2), set(part)),
        ...vectors.flatMap(({ at, sum }) =>
          code(get(sum), get(at), loadBytes(offset), get(part), DOT, ADD_LANES, set(sum)),
        ),
      ]),
  );
}

/** The halves of a byte are 0 to 15, for which the relaxed instruction has but one result. */
function sketchDots(): number[] {
  return dotsOfList(
    ([mask = 0]) => code(constant(15), SPLAT_BYTES, set(mask)),
    (vectors, query, [mask = 0, low = 0, high = 0, bytes = 0]) => [
      ...code(get(query), loadQuery(0), set(low), get(query), loadQuery(16), set(high)),
      ...vectors.flatMap(({ at, sum }) =>
        code(
          code(get(low), get(at), loadSketch(), tee(bytes), get(mask), AND_BITS),
          code(get(sum), DOT_BYTES_ADD, set(sum)),
          code(get(high), get(bytes), constant(4), SHIFT_LANES_RIGHT, get(mask), AND_BITS),
          code(get(sum), DOT_BYTES_ADD, set(sum)),
        ),
      ),
    ],
  );
}

/** (first, second, length): of two stored vectors. */
function pairDot(): number[] {
  const [first, second, length, low, high] = [0, 1, 2, 3, 4];
  const addProducts = (offset: number, sum: number): number[] => [
    ...code(get(sum), get(first), loadBytes(offset), get(second), loadBytes(offset)),
    ...code(DOT, ADD_LANES, set(sum)),
  ];
  return code(
    locals([2, V128]),
    // length becomes the end of the first
    code(get(first), get(length), I32_ADD, set(length)),
    loop(
      code(addProducts(0, low), addProducts(8, high)),
      code(get(second), constant(16), I32_ADD, set(second)),
      code(get(first), constant(16), I32_ADD, tee(first)),
      code(get(length), I32_NE, BRANCH_IF, 0),
    ),
    code(get(low), get(high), ADD_LANES, set(low), sumOfLanes(low)),
    END,
  );
}

const MAGIC = [0x00, 0x61, 0x73, 0x6d];
const VERSION = [1, 0, 0, 0];
const I32 = 0x7f;
const V128 = 0x7b;
const IS_FUNCTION = 0x00;
const IS_MEMORY = 0x02;
const UNSHARED = 0x00;
const SHARED = 0x03;
const BRANCH_IF = 0x0d;
const END = 0x0b;
const I32_NE = 0x47;
const I32_ADD = 0x6a;
const I32_MUL = 0x6c;
const ADD_LANES = simd(0xae);
/** i32x4.dot_i16x8_s: products of eight pairs, neighbors added. */
const DOT = simd(0xba);
/**
 * i32x4.relaxed_dot_i8x16_i7x16_add_s: products of four pairs of bytes, the second from 0 to 127,
 * added.
 */
const DOT_BYTES_ADD = simd(0x113);
const AND_BITS = simd(0x4e);
/** i8x16.splat, and i16x8.shr_u, of whose result only the lower bits of each byte are used. */
const SPLAT_BYTES = simd(0x0f);
const SHIFT_LANES_RIGHT = simd(0x8d);

function get(local: number): number[] {
  return [0x20, local];
}

function set(local: number): number[] {
  return [0x21, local];
}

function tee(local: number): number[] {
  return [0x22, local];
}

/** For -64 to 63: one byte of signed LEB128. */
function constant(value: number): number[] {
  return [0x41, value & 0x7f];
}

function zeros(): number[] {
  return [...simd(0x0c), ...Array.from({ length: 16 }, () => 0)];
}

/** v128.load8x8_s of memory 0: eight signed bytes as 16-bit lanes. */
function loadBytes(offset: number): number[] {
  return [...simd(0x01), 0, offset];
}

/** v128.load of memory 0. */
function loadSketch(): number[] {
  return [...simd(0x00), 0, 0];
}

/** v128.load of memory 1. */
function loadQuery(offset: number): number[] {
  return [...simd(0x00), ...inScratch(offset)];
}

function loadSlot(offset: number): number[] {
  return [0x28, ...inScratch(offset)];
}

function storeDot(offset: number): number[] {
  return [0x36, ...inScratch(offset)];
}

/** No assumption of alignment; bit 6 says that the index of a memory follows. */
function inScratch(offset: number): number[] {
  return [0x40, 1, offset];
}

function sumOfLanes(local: number): number[] {
  const lane = (index: number): number[] => [...get(local), ...simd(0x1b), index];
  return code(lane(0), lane(1), I32_ADD, lane(2), I32_ADD, lane(3), I32_ADD);
}

function loop(...body: readonly number[][]): number[] {
  return code([0x03, 0x40], ...body, END);
}

function code(...parts: readonly (number | number[])[]): number[] {
  return parts.flat();
}

function locals(...groups: readonly [count: number, type: number][]): number[] {
  return vector(groups.map((group) => [...group]));
}

function simd(opcode: number): number[] {
  return [0xfd, ...unsigned(opcode)];
}

function section(id: number, entries: readonly number[][]): number[] {
  return [id, ...sized(vector(entries))];
}

function vector(entries: readonly number[][]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

function sized(bytes: number[]): number[] {
  return [...unsigned(bytes.length), ...bytes];
}

function name(text: string): number[] {
  return sized([...Buffer.from(text)]);
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}
