import { releaseMemory } from '#base/release-memory.ts';
import { WRITTEN_BYTES_MAX, WRITTEN_KEYS_MAX } from '#base/transaction-limits.ts';
import { readPlaces } from '#store/batch.ts';
import { DB } from '#store/databases.ts';
import { ID_BYTES, META } from '../keys.ts';
import { typeIdOf } from '../node-record.ts';
import { SchemaRegistry } from '../schema-registry.ts';
import { tellChanges } from '../schema-told.ts';
import {
  keyText,
  LIST_LETTERS,
  POINT_LETTERS,
  RANGE_LETTERS,
  type ReadKeys,
  schemaPoints,
} from './read-set.ts';

const EDGE_BYTES = ID_BYTES + 2;
const NUMBER_BYTES = 2;
const NEXT_ID = keyText(META.nextId);
const SCHEMA = keyText(META.schema);

interface Limits {
  readonly keysMax: number;
  readonly bytesMax: number;
}

const LIMITS: Limits = { keysMax: WRITTEN_KEYS_MAX, bytesMax: WRITTEN_BYTES_MAX };

/**
 * What the newest commits have written, by the points and lists of `ReadKeys`, each with the
 * sequence of the last commit that did. It decides whether what a transaction has read is still as
 * it was. It is bounded: a transaction that began before all that is kept is refused like one whose
 * reads have changed.
 *
 * Commits are only kept as they are until there is something to be compared with them: a load
 * without transactions costs nothing.
 */
export class RecentWrites {
  readonly #limits: Limits;
  /** As the newest commit that was looked at has left it. */
  #schema: SchemaRegistry;
  /** Everything after this sequence is known. */
  #since: number;
  #young = new WrittenKeys();
  #old = new WrittenKeys();
  /** The payloads of the newest commits, one after the other, and unused room. */
  #payloads = new Uint8Array(0);
  readonly #newest: { readonly end: number; readonly sequence: number }[] = [];

  /** `since` is the sequence of the state that the first commit is built on, with this schema. */
  constructor(since: number, schema: SchemaRegistry, limits: Limits = LIMITS) {
    this.#since = since;
    this.#schema = schema;
    this.#limits = limits;
  }

  /** Notes a commit; `sequence` is that of its last operation. The payload is copied. */
  add(payload: Uint8Array, sequence: number): void {
    if (payload.length === 0) return;
    const start = this.#newestBytes;
    const end = start + payload.length;
    if (end > this.#limits.bytesMax) return this.#forget(sequence);
    if (end > this.#payloads.length) this.#grow(end);
    this.#payloads.set(payload, start);
    this.#newest.push({ end, sequence });
  }

  get #newestBytes(): number {
    return this.#newest.at(-1)?.end ?? 0;
  }

  #grow(bytesMin: number): void {
    const payloads = this.#payloads;
    const bytes = Math.min(Math.max(bytesMin, payloads.length * 2), this.#limits.bytesMax);
    this.#payloads = new Uint8Array(bytes);
    this.#payloads.set(payloads.subarray(0, this.#newestBytes));
    releaseMemory(payloads);
  }

  /** Gives back the memory that nothing is in. */
  release(): void {
    const payloads = this.#payloads;
    if (payloads.length === this.#newestBytes) return;
    this.#payloads = payloads.slice(0, this.#newestBytes);
    releaseMemory(payloads);
  }

  /**
   * What of these reads a commit after `sequence` has changed; undefined when nothing. It names the
   * place for whoever wants to wait until others are done with it.
   */
  conflict(reads: ReadKeys, sequence: number): string | undefined {
    this.#take();
    if (sequence < this.#since) return 'too long ago';
    for (const point of reads.points) {
      if (this.#lastWrite(point) > sequence) return point;
    }
    for (const [letter, start, end] of reads.ranges) {
      const list = letter + start.slice(0, NUMBER_BYTES);
      const key =
        this.#young.written(list, start, end, sequence) ??
        this.#old.written(list, start, end, sequence);
      if (key !== undefined) return letter + key;
    }
    return undefined;
  }

  #lastWrite(point: string): number {
    return this.#young.points.get(point) ?? this.#old.points.get(point) ?? -1;
  }

  #take(): void {
    let start = 0;
    for (const { end, sequence } of this.#newest) {
      const schema = this.#young.take(this.#payloads.subarray(start, end), sequence);
      start = end;
      if (schema !== undefined) this.#noteSchema(SchemaRegistry.decode(schema), sequence);
      if (this.#young.size <= this.#limits.keysMax) continue;
      // The older half goes as a whole.
      this.#since = Math.max(this.#since, this.#old.last);
      this.#old = this.#young;
      this.#young = new WrittenKeys();
    }
    this.#newest.length = 0;
  }

  #noteSchema(schema: SchemaRegistry, sequence: number): void {
    const { points } = this.#young;
    tellChanges(
      this.#schema,
      schema,
      schemaPoints((point) => points.set(point, sequence)),
    );
    this.#schema = schema;
  }

  #forget(sequence: number): void {
    this.#since = sequence;
    this.#newest.length = 0;
    this.#young = new WrittenKeys();
    this.#old = new WrittenKeys();
  }
}

/** The keys of some commits in a row. */
class WrittenKeys {
  /** By point: the sequence of the last commit that wrote it. */
  readonly points = new Map<string, number>();
  /** By list: its keys as they were written, in the order of their commits. */
  readonly #lists = new Map<string, { readonly keys: string[]; readonly sequences: number[] }>();
  #listed = 0;
  /** The sequence of the last commit. */
  last = -1;

  get size(): number {
    return this.points.size + this.#listed;
  }

  /** Gives the bytes of the schema, where the commit has written it. */
  take(payload: Uint8Array, sequence: number): Uint8Array | undefined {
    this.last = sequence;
    let schema: Uint8Array | undefined;
    visitWritten(payload, {
      point: (point) => void this.points.set(point, sequence),
      key: (list, key) => this.#list(list, key, sequence),
      schema: (bytes) => (schema = bytes),
    });
    return schema;
  }

  /** A key of a list from `start` up to `end` that was written after `since`. */
  written(list: string, start: string, end: string, since: number): string | undefined {
    const written = this.#lists.get(list);
    if (written === undefined) return undefined;
    const { keys, sequences } = written;
    for (let i = keys.length - 1; i >= 0 && sequences[i]! > since; i--) {
      if (keys[i]! >= start && keys[i]! < end) return keys[i];
    }
    return undefined;
  }

  #list(list: string, key: string, sequence: number): void {
    let written = this.#lists.get(list);
    if (written === undefined) {
      written = { keys: [], sequences: [] };
      this.#lists.set(list, written);
    }
    written.keys.push(key);
    written.sequences.push(sequence);
    this.#listed++;
  }
}

/** Told what a commit has written, in the words of `ReadKeys`. */
interface WrittenVisitor {
  /** A point; one commit may name it several times. */
  point(point: string): void;
  /** A key of a list, which is the letter of its ranges and the number of its type or index. */
  key(list: string, key: string): void;
  /** The bytes of the schema, where it has written that. */
  schema?(bytes: Uint8Array): void;
}

/** Says what a commit has written, as it is compared with `ReadKeys`. */
export function visitWritten(payload: Uint8Array, visitor: WrittenVisitor): void {
  const listed = (letter: string, key: string): void => {
    const number = key.slice(0, NUMBER_BYTES);
    visitor.point(`${LIST_LETTERS[letter]}${number}`);
    visitor.key(letter + number, key);
  };
  readPlaces(payload, (db, keyStart, keyEnd, valueStart, valueEnd) => {
    const text = (length = keyEnd - keyStart): string =>
      keyText(payload, keyStart, keyStart + length);
    switch (db) {
      case DB.nodes:
        visitor.point(`n${text()}`);
        if (valueStart >= 0) {
          const type = typeIdOf(payload.subarray(valueStart));
          visitor.point(`N${String.fromCharCode(type >>> 8, type & 0xff)}`);
        }
        return;
      case DB.uids:
        visitor.point(`u${text()}`);
        visitor.point('U');
        return;
      case DB.out:
      case DB.in: {
        const letter = POINT_LETTERS[db]!;
        const every = letter.toUpperCase();
        const place = text(EDGE_BYTES);
        visitor.point(letter + place);
        visitor.point(letter + place.slice(0, ID_BYTES));
        visitor.point(every + place.slice(ID_BYTES));
        visitor.point(every);
        return;
      }
      case DB.types:
        // A node that is deleted is not put again, which would tell its type.
        visitor.point(`N${text(NUMBER_BYTES)}`);
        return listed(RANGE_LETTERS[db]!, text());
      case DB.indexes:
        return listed(RANGE_LETTERS[db]!, text());
      case DB.uniques:
        visitor.point(`q${text()}`);
        visitor.point(`${LIST_LETTERS['x']}${text(NUMBER_BYTES)}`);
        return;
      case DB.meta: {
        const name = text();
        if (name !== NEXT_ID) visitor.point(`m${name}`);
        if (name === SCHEMA && valueStart >= 0) {
          visitor.schema?.(payload.subarray(valueStart, valueEnd));
        }
        return;
      }
      case DB.access:
        visitor.point('A');
    }
  });
}
