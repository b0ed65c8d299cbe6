import * as lmdb from 'lmdb';
import { assert, must } from '#base/assert.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { KEY_BYTES_MAX } from './batch.ts';
import { copyBytes } from './bytes.ts';

/**
 * An operation as lmdb-js (`writer.cpp`) reads it, from a place that 8 divides:
 *
 *   u32 kind, u32 database, u32 length of the key, the key
 *   to the next place that 8 divides, at least 8 bytes:  nothing, and last u32 length of the value
 *   f64 address of the value                             both only of a put
 *
 * A jump goes on at another address: u32 kind, u32 nothing, f64 address. A kind of 0 is the end;
 * the thread writes the number of the transaction into the 4 bytes before it.
 */
const END = 0;
const JUMP = 3;
const DELETE = 13;
const PUT = 15;
const KEY_AT = 12;
const JUMP_BYTES = 16;
/** LMDB itself refuses some of these. */
const TAKEN_KEY_BYTES_MAX = KEY_BYTES_MAX + 8;
const OPERATION_BYTES_MAX = KEY_AT + TAKEN_KEY_BYTES_MAX + 16 + 8;
/** The bytes before the first end are the thread's. */
const CHUNK_START = 8;
const CHUNK_BYTES = 256 * 1024;
/** A longer value has a chunk of its own, so that it leaves no other one half empty. */
const SHARED_VALUE_BYTES_MAX = CHUNK_BYTES / 4;
/** What is kept for the next transaction; a large one takes more. */
const KEPT_CHUNKS_MAX = 192;

/** What lmdb-js has, but its types do not declare. */
interface NativeFunctions {
  getBufferAddress(bytes: Uint8Array): number;
  /** Carries out one operation in the transaction that is open. */
  write(environment: number, operation: number): void;
  /** Throws the error of a code of LMDB. */
  lmdbError(code: number): void;
}

interface NativeEnvironment {
  readonly address: number;
  /** Carries out operations in a transaction of their own, in a thread. */
  startWriting(operations: number, done: (code: number) => void): void;
}

/** Memory for operations or values, as the thread and as this sees it. */
class Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly words: Uint32Array<ArrayBuffer>;
  readonly doubles: Float64Array<ArrayBuffer>;
  readonly address: number;

  constructor(bytes: number, { getBufferAddress }: NativeFunctions) {
    const buffer = new ArrayBuffer(Math.ceil(bytes / 8) * 8);
    this.bytes = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.address = getBufferAddress(this.bytes);
  }
}

/**
 * Puts and deletes entries of one environment. lmdb-js does it with five objects for each entry,
 * which live until the entry is written: collecting them took a fifth of the time of a load.
 */
export class TransactionWrites {
  readonly #native: NativeFunctions;
  readonly #environment: NativeEnvironment;
  /** Full ones of the present transaction. */
  #full: Chunk[] = [];
  readonly #spare: Chunk[] = [];
  #operations: Chunk;
  #operationAt = CHUNK_START;
  #values: Chunk;
  #valuesUsed = 0;
  /** Where the next value is to be written: in `room`, at `roomAt`. */
  #room: Chunk;
  roomAt = 0;
  /** Where the first operation of the present transaction is. */
  #start = 0;
  /** `each`: an operation is carried out when it is written. */
  #mode: 'closed' | 'each' | 'all' = 'closed';

  constructor(root: lmdb.RootDatabase<Uint8Array, Uint8Array>) {
    this.#native = nativeFunctions();
    this.#environment = nativeEnvironment(root);
    this.#operations = new Chunk(CHUNK_BYTES, this.#native);
    this.#values = new Chunk(CHUNK_BYTES, this.#native);
    this.#room = this.#values;
  }

  /** What `put` writes is carried out at once. Call this within a `transactionSync`. */
  each(put: () => void): void {
    this.#open('each');
    try {
      put();
    } finally {
      this.#close();
    }
  }

  /**
   * Once `put` has written everything, a thread carries it out in one transaction. Resolves when
   * readers see it. Nothing is carried out when `put` throws.
   */
  async all(put: () => void): Promise<void> {
    this.#open('all');
    this.#start = this.#operations.address + CHUNK_START;
    try {
      put();
      if (this.#start === this.#operations.address + this.#operationAt) return;
      this.#operations.words[this.#operationAt / 4] = END;
      await this.#carryOut();
    } finally {
      this.#close();
    }
  }

  /** Gives back the memory that large transactions have filled. */
  release(): void {
    for (const chunk of this.#spare.splice(0)) releaseMemory(chunk.bytes);
  }

  /** Memory for a value of at most so many bytes, from `roomAt` on; `put` takes it. */
  room(bytes: number): Uint8Array {
    if (bytes > SHARED_VALUE_BYTES_MAX) {
      this.#room = new Chunk(bytes, this.#native);
      this.#full.push(this.#room);
      this.roomAt = 0;
      return this.#room.bytes;
    }
    if (this.#valuesUsed + bytes > CHUNK_BYTES) {
      this.#full.push(this.#values);
      this.#values = this.#take();
      this.#valuesUsed = 0;
    }
    this.#room = this.#values;
    this.roomAt = this.#valuesUsed;
    return this.#room.bytes;
  }

  /** Puts an entry with the value that was written into `room`. */
  put(
    database: number,
    keyBytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueBytes: number,
  ): void {
    const at = this.#begin(PUT, database, keyBytes, keyStart, keyEnd);
    const chunk = this.#operations;
    chunk.words[at / 4 - 1] = valueBytes;
    chunk.doubles[at / 8] = this.#room.address + this.roomAt;
    // In `each`, LMDB has copied the value when this returns.
    if (this.#room === this.#values && this.#mode === 'all') this.#valuesUsed += valueBytes;
    this.#end(at + 8);
  }

  delete(database: number, keyBytes: Uint8Array, keyStart: number, keyEnd: number): void {
    this.#end(this.#begin(DELETE, database, keyBytes, keyStart, keyEnd));
  }

  /** Returns where the value's address belongs. */
  #begin(
    kind: number,
    database: number,
    keyBytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
  ): number {
    if (this.#mode === 'closed') assert(false, 'a write outside of a transaction');
    if (this.#operationAt + OPERATION_BYTES_MAX + JUMP_BYTES > CHUNK_BYTES) this.#jump();
    const { bytes, words } = this.#operations;
    const at = this.#operationAt;
    const length = keyEnd - keyStart;
    if (length > TAKEN_KEY_BYTES_MAX) assert(false, 'a key that does not fit');
    words[at / 4] = kind;
    words[at / 4 + 1] = database;
    words[at / 4 + 2] = length;
    copyBytes(keyBytes, keyStart, keyEnd, bytes, at + KEY_AT);
    return (at + KEY_AT + length + 16) & ~7;
  }

  #end(at: number): void {
    if (this.#mode === 'each') {
      this.#native.write(this.#environment.address, this.#operations.address + this.#operationAt);
    } else {
      this.#operationAt = at;
    }
  }

  /** Goes on in another chunk. */
  #jump(): void {
    const next = this.#take();
    const { words, doubles } = this.#operations;
    words[this.#operationAt / 4] = JUMP;
    doubles[this.#operationAt / 8 + 1] = next.address + CHUNK_START;
    this.#full.push(this.#operations);
    this.#operations = next;
    this.#operationAt = CHUNK_START;
  }

  #take(): Chunk {
    return this.#spare.pop() ?? new Chunk(CHUNK_BYTES, this.#native);
  }

  #carryOut(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#environment.startWriting(this.#start, (code) => {
        try {
          if (code !== 0) this.#native.lmdbError(code);
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #open(mode: 'each' | 'all'): void {
    assert(this.#mode === 'closed', 'a transaction within another');
    this.#mode = mode;
  }

  #close(): void {
    this.#mode = 'closed';
    this.#operationAt = CHUNK_START;
    this.#valuesUsed = 0;
    for (const chunk of this.#full) {
      const isKept = chunk.bytes.length === CHUNK_BYTES && this.#spare.length < KEPT_CHUNKS_MAX;
      if (isKept) this.#spare.push(chunk);
      else releaseMemory(chunk.bytes);
    }
    this.#full = [];
  }
}

/** The number that LMDB has for a database. */
export function numberOf(database: lmdb.Database<Uint8Array, Uint8Array>): number {
  const number = property(property(database, 'db'), 'dbi');
  assert(typeof number === 'number', 'lmdb-js numbers its databases');
  return number;
}

function nativeEnvironment(root: lmdb.RootDatabase<Uint8Array, Uint8Array>): NativeEnvironment {
  const environment = property(root, 'env');
  assert(isNativeEnvironment(environment), 'lmdb-js has an environment that writes');
  return environment;
}

function nativeFunctions(): NativeFunctions {
  const functions = property(lmdb, 'nativeAddon');
  assert(areNativeFunctions(functions), 'lmdb-js has its native functions');
  return functions;
}

function isNativeEnvironment(value: unknown): value is NativeEnvironment {
  return (
    typeof property(value, 'address') === 'number' &&
    typeof property(value, 'startWriting') === 'function'
  );
}

function areNativeFunctions(value: unknown): value is NativeFunctions {
  const names = ['getBufferAddress', 'write', 'lmdbError'];
  return names.every((name) => typeof property(value, name) === 'function');
}

function property(of: unknown, name: string): unknown {
  const value: unknown = Reflect.get(Object(of), name);
  return must(value, `${name} of lmdb-js`);
}
