import { must } from '#base/assert.ts';
import { DERIVED_COMPARED_MAX, DERIVED_DIFFERENCES_NAMED_MAX } from '#base/limits.ts';
import { formatUid, UID_BYTES } from '#base/uid.ts';
import { readId } from '#store/bytes.ts';
import { DATABASES, DB, type DatabaseNumber } from '#store/databases.ts';
import type { HeldReader } from '#store/held-reader.ts';
import {
  countKey,
  edgeCountKey,
  edgeOfKey,
  ID_BYTES,
  indexCountKey,
  KeyEncoder,
  neighborOfKey,
  readType,
} from '../keys.ts';
import { NodeRecord } from '../node-record.ts';
import type { NodeType, SchemaRegistry } from '../schema-registry.ts';
import { readCount } from '../writer-memory.ts';
import { comparedOf, DerivedEntries } from './derived-entries.ts';
import { type DifferingBucket, EntryHash, EntrySketch } from './entry-sketch.ts';
import type { FieldIndex } from './field-index.ts';

export interface DerivedReport {
  /** Entries that were compared: of the types, UIDs, edges, indexes and unique values. */
  readonly entries: number;
  readonly differenceCount: number;
  /** Whether there may be more: only so many are looked at one by one. */
  readonly mayBeMore: boolean;
  /** The first ones in words: type, fields and UID, never a value. */
  readonly differences: readonly string[];
  /** What was not compared, and why. */
  readonly skipped: readonly string[];
}

export interface DerivedComparison {
  readonly state: HeldReader;
  /** Called between two portions. When it rejects, the comparison ends. */
  readonly rest: () => Promise<void>;
  readonly onProgress: (done: number, total: number) => void;
  /** Entries that are kept in memory to find those that differ. */
  readonly comparedMax?: number;
}

/**
 * Compares all that follows from the nodes and edges of a held state with what is there: the
 * entries of `types`, `uids` and the indexes, unique values, `in`, and the counts. It reads both
 * sides once, into a sketch of a fixed size; where these differ, once more, to name the entries.
 */
export async function compareDerived({
  state,
  rest,
  onProgress,
  comparedMax = DERIVED_COMPARED_MAX,
}: DerivedComparison): Promise<DerivedReport> {
  const derived = new DerivedEntries(state, rest);
  const { registry, total } = derived;
  const sketch = new EntrySketch();
  const tally = new Tally();
  let done = 0;
  const onRead = (count: number): void => {
    done += count;
    onProgress(Math.min(done, total), total);
  };
  const strange = await derived.wanted((db, bytes, start, end, id) => {
    tally.add(db, bytes, start);
    sketch.want(db, bytes, start, end, id);
  }, onRead);
  await derived.found(
    (db, bytes, start, end, id) => sketch.find(db, bytes, start, end, id),
    onRead,
  );

  const exact = await compareExactly(derived, sketch.differing(), comparedMax);
  const words = new DifferenceWords(state, registry);
  const counts: string[] = [];
  const skipped = skippedOf(registry);
  for (const { db, number, key, of } of countsOf(registry)) {
    const [counted, is] = [readCount(state.get(DB.meta, key)), tally.of(db, number)];
    // The store may hold edges from a version that did not count them.
    if (db === DB.in && counted < is) skipped.push(`the count of ${of}: ${counted} of ${is}`);
    else if (counted !== is) counts.push(`meta counts ${counted} ${of}, and there are ${is}`);
  }
  if (strange > 0) counts.unshift(`nodes has ${strange} nodes of no type`);
  const differences = counts.slice(0, DERIVED_DIFFERENCES_NAMED_MAX);
  for (const difference of exact.differences) {
    if (differences.length >= DERIVED_DIFFERENCES_NAMED_MAX) break;
    differences.push(words.of(difference));
  }
  return {
    entries: tally.entries,
    differenceCount: counts.length + exact.differences.length + exact.othersMin,
    mayBeMore: exact.othersMin > 0,
    differences,
    skipped,
  };
}

/** How many entries are wanted of each type, index and edge type. */
class Tally {
  entries = 0;
  readonly #counts = new Map<number, number>();

  add(db: DatabaseNumber, bytes: Uint8Array, start: number): void {
    this.entries++;
    if (db === DB.uids || db === DB.uniques) return;
    const at = db === DB.in ? start + ID_BYTES : start;
    const place = placeOf(db, readType(bytes, at));
    this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1);
  }

  of(db: DatabaseNumber, number: number): number {
    return this.#counts.get(placeOf(db, number)) ?? 0;
  }
}

function placeOf(db: DatabaseNumber, number: number): number {
  return db * 0x1_0000 + number;
}

interface StoredCount {
  readonly db: DatabaseNumber;
  readonly number: number;
  readonly key: Uint8Array;
  readonly of: string;
}

function countsOf({ nodeTypes, edgeTypes }: SchemaRegistry): StoredCount[] {
  return [
    ...nodeTypes.flatMap((type) => [
      { db: DB.types, number: type.id, key: countKey(type.id), of: `nodes of ${type.name}` },
      ...comparedOf(type).map((index) => ({
        db: DB.indexes,
        number: index.number,
        key: indexCountKey(index.number),
        of: `entries of the index ${nameOf(type, index)}`,
      })),
    ]),
    ...edgeTypes.map(({ id, name }) => ({
      db: DB.in,
      number: id,
      key: edgeCountKey(id),
      of: `edges of ${name}`,
    })),
  ];
}

function skippedOf({ nodeTypes, indexNumbers: { removing } }: SchemaRegistry): string[] {
  const building = nodeTypes.flatMap((type) =>
    type.indexes
      .filter(({ isReady }) => !isReady)
      .map((index) => `the index ${nameOf(type, index)}, which is being built`),
  );
  return removing.length === 0
    ? building
    : [...building, `${removing.length} indexes that are being removed`];
}

function nameOf({ name }: NodeType, { fields }: FieldIndex): string {
  return `${name} (${fields.map((field) => field.name).join(', ')})`;
}

/** An entry that only one side has. */
interface Difference {
  readonly db: DatabaseNumber;
  readonly key: Uint8Array;
  readonly id: number;
  readonly isMissing: boolean;
}

interface ExactDifferences {
  readonly differences: readonly Difference[];
  /** Of the buckets that were left out for want of memory. */
  readonly othersMin: number;
}

/** Reads both sides again, and keeps the entries of the buckets that differ. */
async function compareExactly(
  derived: DerivedEntries,
  differing: readonly DifferingBucket[],
  comparedMax: number,
): Promise<ExactDifferences> {
  if (differing.length === 0) return { differences: [], othersMin: 0 };
  const chosen = new Set<number>();
  let kept = 0;
  for (const { bucket, wanted } of differing) {
    // One bucket at least.
    if (kept > 0 && kept + wanted > comparedMax) break;
    kept += wanted;
    chosen.add(bucket);
  }
  const hash = new EntryHash();
  /** By name: whether it is missing. */
  const odd = new Map<string, boolean>();
  let more = 0;
  const onRead = (): void => {};
  await derived.wanted((db, bytes, start, end, id) => {
    if (!chosen.has(hash.of(db, bytes, start, end, id))) return;
    odd.set(textOf(db, bytes, start, end, id), true);
  }, onRead);
  await derived.found((db, bytes, start, end, id) => {
    if (!chosen.has(hash.of(db, bytes, start, end, id))) return;
    const text = textOf(db, bytes, start, end, id);
    if (odd.delete(text)) return;
    if (odd.size < 2 * comparedMax) odd.set(text, false);
    else more++;
  }, onRead);
  const differences = [...odd.keys()]
    .toSorted()
    .map((text) => differenceOf(text, odd.get(text) === true));
  const others = differing.filter(({ bucket }) => !chosen.has(bucket));
  return {
    differences,
    othersMin: more + others.reduce((sum, { differencesMin }) => sum + differencesMin, 0),
  };
}

/** An entry as a text: its database, its key as Latin-1 characters, its id. */
function textOf(
  db: DatabaseNumber,
  bytes: Uint8Array,
  start: number,
  end: number,
  id: number,
): string {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
  return `${String.fromCharCode(db)}${key} ${id}`;
}

function differenceOf(text: string, isMissing: boolean): Difference {
  const end = text.lastIndexOf(' ');
  return {
    // The reverse of `textOf`.
    db: text.charCodeAt(0) as DatabaseNumber,
    key: Buffer.from(text.slice(1, end), 'latin1'),
    id: Number(text.slice(end + 1)),
    isMissing,
  };
}

/** Says of an entry what it is of, and of which node. */
class DifferenceWords {
  readonly #state: HeldReader;
  readonly #registry: SchemaRegistry;
  readonly #keys = new KeyEncoder();
  readonly #node = new NodeRecord();

  constructor(state: HeldReader, registry: SchemaRegistry) {
    this.#state = state;
    this.#registry = registry;
  }

  of({ db, key, id, isMissing }: Difference): string {
    const { name } = must(
      DATABASES.find(({ number }) => number === db),
      'a database',
    );
    const begin = isMissing ? `${name} lacks an entry` : `${name} has a wrong entry`;
    switch (db) {
      case DB.in: {
        const edge = this.#registry.edgeTypes[edgeOfKey(key) - 1]?.name ?? 'no edge type';
        const [from, to] = [neighborOfKey(key), readId(key, 0)].map((end) => this.#nodeOf(end));
        return `${begin} of ${edge}: from ${from} to ${to}`;
      }
      case DB.types: {
        const type = this.#registry.nodeTypes[readType(key, 0) - 1]?.name ?? 'no type';
        return `${begin} of ${type}: ${this.#nodeOf(lastIdOf(key))}`;
      }
      case DB.uids:
        return `${begin}: ${key.length === UID_BYTES ? formatUid(key) : 'no UID'}`;
      default: {
        const node = db === DB.uniques ? id : lastIdOf(key);
        return `${begin} of the index ${this.#indexOf(readType(key, 0))}: ${this.#nodeOf(node)}`;
      }
    }
  }

  #indexOf(number: number): string {
    for (const type of this.#registry.nodeTypes) {
      const index = type.indexes.find((one) => one.number === number);
      if (index !== undefined) return nameOf(type, index);
    }
    return `${number}, which no type has`;
  }

  #nodeOf(id: number): string {
    const bytes = this.#state.get(DB.nodes, this.#keys.node(id));
    if (bytes === undefined) return 'a node that is not there';
    this.#node.open(bytes);
    return this.#node.uid;
  }
}

/** Keys of `types` and `indexes` end with it. */
function lastIdOf(key: Uint8Array): number {
  return readId(key, key.length - ID_BYTES);
}
