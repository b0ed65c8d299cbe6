import {
  TRANSACTION_NAMES_MAX,
  TRANSACTION_POINTS_MAX,
  TRANSACTION_RANGES_MAX,
} from '#base/transaction-limits.ts';
import { DB, type DatabaseNumber } from '#store/databases.ts';
import type { KeyRange, KeyValueReader, ScanVisitor } from '#store/key-value.ts';
import { ID_BYTES } from '../keys.ts';
import { typeIdOf } from '../node-record.ts';
import type { SchemaWatch } from '../schema-registry.ts';

/**
 * What a transaction has read, as the writer compares it with what others have written since. It
 * crosses threads as JSON, so keys are texts of one character for each byte.
 *
 * A point is a letter and what it names:
 *
 *   n id           a node                      N type     any node of a type
 *   u UID          a UID, taken or not         U          any UID
 *   o, i id edge   edges of a node, by type    O, I edge  any edge of a type
 *   o, i id        all edges of a node         O, I       any edge at all
 *   q key          a value of a unique index   X index    any entry of an index
 *   m key          a record of `meta`          T type     any place in the list of a type
 *   s kind name    a type or field by its name, as the schema has it: kind n, e, f
 *   A              who may see what
 */
export interface ReadKeys {
  readonly points: readonly string[];
  /** Ranges of `types` (t) and `indexes` (x): the letter, the first key, and the end. */
  readonly ranges: readonly (readonly [letter: string, start: string, end: string])[];
}

const EDGE_BYTES = ID_BYTES + 2;
/** Bytes of the number of a type or an index. */
const NUMBER_BYTES = 2;

export function keyText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', start, end);
}

/** Where the id of a node in a key of `nodes`, `out` or `in` is read. */
export const POINT_LETTERS: Readonly<Partial<Record<DatabaseNumber, string>>> = {
  [DB.nodes]: 'n',
  [DB.uids]: 'u',
  [DB.out]: 'o',
  [DB.in]: 'i',
  [DB.uniques]: 'q',
  [DB.meta]: 'm',
};

export const RANGE_LETTERS: Readonly<Partial<Record<DatabaseNumber, string>>> = {
  [DB.types]: 't',
  [DB.indexes]: 'x',
};

/** The letter of what stands for a whole list, by the letter of its ranges. */
export const LIST_LETTERS: Readonly<Record<string, string>> = { t: 'T', x: 'X' };

const COUNT_PREFIX = 'count';
const SCHEMA_STAMP = 'schema-stamp';
const WHOLE_SCHEMA = `m${SCHEMA_STAMP}`;
const NAME_POINT_MAX = 200;

/** The points that stand for parts of the schema. */
export function schemaPoints(note: (point: string) => void): SchemaWatch {
  return {
    nodeType: (name) => note(`sn${name}`),
    edgeType: (name) => note(`se${name}`),
    field: (name) => note(`sf${name}`),
    everything: () => note(WHOLE_SCHEMA),
  };
}

/** How much is told exactly. */
export interface ReadSetLimits {
  readonly pointsMax: number;
  readonly rangesMax: number;
}

const OF_TRANSACTIONS: ReadSetLimits = {
  pointsMax: TRANSACTION_POINTS_MAX,
  rangesMax: TRANSACTION_RANGES_MAX,
};

/** Collects what is read. What is too much is told less exactly: a type in place of its nodes. */
export class ReadSet {
  readonly #limits: ReadSetLimits;
  readonly #points = new Set<string>();
  readonly #ranges = new Map<string, readonly [string, string, string]>();
  readonly #nodeTypes = new Set<string>();
  readonly #schema = new Set<string>();
  #isCoarse = false;
  #hasWideRanges = false;
  /** Ids from here on are of nodes that the transaction itself adds. */
  firstNewId: string | undefined;
  /** Whether counts of nodes and edges are part of what is asked for, or only help to find it. */
  countsMatter = false;
  /** Whether `schema` is told what is asked of the schema: else all of it counts. */
  isSchemaWatched = false;
  readonly schema: SchemaWatch = schemaPoints((point) => this.#noteSchema(point));

  constructor(limits: ReadSetLimits = OF_TRANSACTIONS) {
    this.#limits = limits;
  }

  /** Notes one key, and the value that was there. */
  key(db: DatabaseNumber, key: Uint8Array, value: Uint8Array | undefined): void {
    switch (db) {
      case DB.nodes: {
        const id = keyText(key);
        if (this.firstNewId !== undefined && id >= this.firstNewId) return;
        if (value !== undefined) this.#nodeTypes.add(typeText(value));
        if (!this.#isCoarse) this.point(`n${id}`);
        else if (value !== undefined) this.point(`N${typeText(value)}`);
        return;
      }
      case DB.uids:
        return this.point(this.#isCoarse ? 'U' : `u${keyText(key)}`);
      case DB.out:
      case DB.in:
        return this.#edges(db, keyText(key, 0, EDGE_BYTES));
      case DB.uniques:
        return this.#isCoarse ? this.#list('x', keyText(key)) : this.point(`q${keyText(key)}`);
      case DB.meta: {
        const name = keyText(key);
        const isCount = name.startsWith(COUNT_PREFIX);
        const isSchema = name === SCHEMA_STAMP && !this.isSchemaWatched;
        if (isSchema || (isCount && this.countsMatter)) this.point(`m${name}`);
        return;
      }
      default:
        return;
    }
  }

  /** Notes the keys from `start` up to `end`, as texts. */
  range(db: DatabaseNumber, start: string, end: string): void {
    if (db === DB.out || db === DB.in) {
      this.#edges(db, start.slice(0, EDGE_BYTES));
      return;
    }
    const letter = RANGE_LETTERS[db];
    if (letter === undefined) return;
    if (this.#ranges.size >= this.#limits.rangesMax) this.#widenRanges();
    if (this.#hasWideRanges) this.#list(letter, start);
    else this.#ranges.set(`${letter}${start}${end}`, [letter, start, end]);
  }

  point(point: string): void {
    this.#points.add(point);
    if (this.#points.size > this.#limits.pointsMax && !this.#isCoarse) this.#coarsen();
  }

  toKeys(): ReadKeys {
    const points = [...this.#points, ...this.#schema];
    return { points, ranges: [...this.#ranges.values()] };
  }

  #noteSchema(point: string): void {
    // Names that code asks for need not be names of the schema.
    const isMuch = this.#schema.size >= TRANSACTION_NAMES_MAX || point.length > NAME_POINT_MAX;
    this.#schema.add(isMuch ? WHOLE_SCHEMA : point);
  }

  /** `place`: a node, and the type of its edges unless it is about all of them. */
  #edges(db: typeof DB.out | typeof DB.in, place: string): void {
    const id = place.slice(0, ID_BYTES);
    if (this.firstNewId !== undefined && id >= this.firstNewId) return;
    const letter = db === DB.out ? 'o' : 'i';
    this.point(this.#isCoarse ? coarseEdges(letter, place) : `${letter}${place}`);
  }

  #list(letter: string, start: string): void {
    this.point(`${LIST_LETTERS[letter]}${start.slice(0, NUMBER_BYTES)}`);
  }

  #widenRanges(): void {
    this.#hasWideRanges = true;
    for (const [letter, start] of this.#ranges.values()) this.#list(letter, start);
    this.#ranges.clear();
  }

  #coarsen(): void {
    this.#isCoarse = true;
    const points = [...this.#points];
    this.#points.clear();
    for (const type of this.#nodeTypes) this.#points.add(`N${type}`);
    for (const point of points) {
      const letter = point[0];
      if (letter === 'n') continue;
      if (letter === 'u') this.#points.add('U');
      else if (letter === 'o' || letter === 'i') {
        this.#points.add(coarseEdges(letter, point.slice(1)));
      } else if (letter === 'q') this.#list('x', point.slice(1));
      else this.#points.add(point);
    }
  }
}

function coarseEdges(letter: 'o' | 'i', place: string): string {
  return `${letter === 'o' ? 'O' : 'I'}${place.slice(ID_BYTES)}`;
}

/** The type of a node record, as in keys. */
function typeText(record: Uint8Array): string {
  const type = typeIdOf(record);
  return String.fromCharCode(type >>> 8, type & 0xff);
}

/** Reads another state, and notes in a set what was read. */
export class RecordingReader implements KeyValueReader {
  readonly #state: KeyValueReader;
  readonly #reads: ReadSet;

  constructor(state: KeyValueReader, reads: ReadSet) {
    this.#state = state;
    this.#reads = reads;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    const value = this.#state.get(db, key);
    this.#reads.key(db, key, value);
    return value;
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.get(db, key) !== undefined;
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    // The reader of the range may use its buffers again.
    const start = keyText(range.start);
    const end = keyText(range.end);
    let last: string | undefined;
    this.#state.scan(db, range, (key, value) => {
      if (visit(key, value) !== false) return true;
      last = keyText(key);
      return false;
    });
    if (last === undefined) this.#reads.range(db, start, end);
    else if (range.reverse === true) this.#reads.range(db, last, end);
    else this.#reads.range(db, start, `${last}\0`);
  }

  countRange(db: DatabaseNumber, range: KeyRange): number {
    this.#reads.range(db, keyText(range.start), keyText(range.end));
    return this.#state.countRange(db, range);
  }
}
