import { must } from '#base/assert.ts';
import { readPlaces } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import type { KeyRange, KeyValueReader, ScanVisitor } from './key-value.ts';
import {
  hashOf,
  OverlayLayer,
  type OverlaySource,
  OverlayTable,
  scanPrefix,
} from './overlay-table.ts';

/**
 * When a table has this many operations, the next layer begins a new table, so that the older table
 * can be dropped as a whole.
 */
const TABLE_OPERATIONS_MAX = 8_192;
/** As many as a load has commits in flight. */
const SPARE_TABLES_MAX = 16;

/**
 * Operations by key, over a state that does not have them yet. In a database with
 * `scanPrefixBytes`, a scanned range must lie within one prefix. So a scan looks only at the
 * operations on one node, not at all that are in flight.
 *
 * Layers are removed in order: dropped oldest first, undone newest first. The state below has the
 * operations of a dropped layer. So they may stay visible until their table is dropped, as long as
 * all newer layers stay visible too.
 */
export class Overlay {
  /** Oldest first; the last one takes new layers. */
  #tables: OverlayTable[] = [new OverlayTable()];
  /** Empty ones that a load has made large. To make them anew has V8 collect garbage more often. */
  readonly #spare: OverlayTable[] = [];

  /** Begins a layer over all others. Its operations must be put before those of any later layer. */
  open(source: OverlaySource): OverlayLayer {
    let table = must(this.#tables.at(-1), 'the newest table');
    if (table.operations >= TABLE_OPERATIONS_MAX) {
      table = this.#spare.pop() ?? new OverlayTable();
      this.#tables.push(table);
    }
    const layer = new OverlayLayer(source, table);
    table.addLayer(layer);
    return layer;
  }

  /** Adds all operations of a payload as a layer. */
  add(payload: Uint8Array): OverlayLayer {
    const layer = this.open({ bytes: payload, length: payload.length });
    readPlaces(payload, (db, keyStart, keyEnd, valueStart, valueEnd) => {
      const keyLength = keyEnd - keyStart;
      if (valueStart < 0) this.delete(layer, db, keyStart, keyLength);
      else this.put(layer, db, keyStart, keyLength, valueEnd - valueStart);
    });
    return layer;
  }

  /** Adds an operation. The key is in the bytes of the layer, and the value directly after it. */
  put(
    layer: OverlayLayer,
    db: DatabaseNumber,
    keyStart: number,
    keyLength: number,
    valueLength: number,
  ): void {
    layer.table.add(db, keyStart, keyLength, valueLength);
  }

  delete(layer: OverlayLayer, db: DatabaseNumber, keyStart: number, keyLength: number): void {
    layer.table.add(db, keyStart, keyLength, -1);
  }

  /**
   * The value of a key; null when it is deleted, undefined when this overlay says nothing about it.
   */
  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | null | undefined {
    const hash = hashOf(db, key, 0, key.length);
    for (let i = this.#tables.length - 1; i >= 0; i--) {
      const table = this.#tables[i]!;
      const entry = table.find(db, key, hash);
      if (entry >= 0) return table.value(entry);
    }
    return undefined;
  }

  /**
   * The entries of the overlay in a range, in the order of the scan. The value is null for a
   * delete.
   */
  range(db: DatabaseNumber, { start, end, reverse }: KeyRange): readonly OverlayEntry[] {
    const prefix = start.subarray(0, scanPrefix(db));
    const found = new Map<string, OverlayEntry>();
    for (const table of this.#tables.toReversed()) {
      table.visitPrefix(db, prefix, (entry) => {
        const key = table.key(entry);
        if (Buffer.compare(key, start) < 0 || Buffer.compare(key, end) >= 0) return;
        const name = Buffer.from(key).toString('latin1');
        if (!found.has(name)) found.set(name, { key, value: table.value(entry) });
      });
    }
    const direction = reverse === true ? -1 : 1;
    return [...found.values()].toSorted((a, b) => Buffer.compare(a.key, b.key) * direction);
  }

  /** Drops a layer after its operations are in the state below. Layers are dropped oldest first. */
  drop(layer: OverlayLayer): void {
    this.#remove(layer);
  }

  /** Removes a layer as if it had never existed. Newer layers must be removed before. */
  undo(layer: OverlayLayer): void {
    layer.isUndone = true;
    this.#remove(layer);
  }

  #remove(layer: OverlayLayer): void {
    layer.table.removeLayer();
    while (this.#tables.length > 1 && this.#tables[0]!.live === 0) {
      const empty = must(this.#tables.shift(), 'the oldest table');
      if (this.#spare.length < SPARE_TABLES_MAX) this.#spare.push(empty);
    }
  }

  /** Gives back the memory that a load has filled. */
  release(): void {
    this.#spare.length = 0;
    if (this.#tables.every(({ live }) => live === 0)) this.#tables = [new OverlayTable()];
  }
}

export interface OverlayEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** A reader under an overlay. */
export class OverlayReader implements KeyValueReader {
  readonly #base: KeyValueReader;
  readonly #overlay: Overlay;

  constructor(base: KeyValueReader, overlay: Overlay) {
    this.#base = base;
    this.#overlay = overlay;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    const value = this.#overlay.get(db, key);
    return value === undefined ? this.#base.get(db, key) : (value ?? undefined);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    const value = this.#overlay.get(db, key);
    return value === undefined ? this.#base.has(db, key) : value !== null;
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    const entries = this.#overlay.range(db, range);
    if (entries.length === 0) this.#base.scan(db, range, visit);
    else this.#merge(db, range, entries, visit);
  }

  countRange(db: DatabaseNumber, range: KeyRange): number {
    let count = this.#base.countRange(db, range);
    for (const { key, value } of this.#overlay.range(db, range)) {
      count += Number(value !== null) - Number(this.#base.has(db, key));
    }
    return count;
  }

  #merge(
    db: DatabaseNumber,
    range: KeyRange,
    entries: readonly OverlayEntry[],
    visit: ScanVisitor,
  ): void {
    const direction = range.reverse === true ? -1 : 1;
    let next = 0;
    let going = true;
    const show = ({ key, value }: OverlayEntry): boolean =>
      value === null || visit(key, value) !== false;
    this.#base.scan(db, range, (key, value) => {
      for (; next < entries.length;) {
        const entry = entries[next]!;
        const order = Buffer.compare(entry.key, key) * direction;
        if (order > 0) break;
        next++;
        going = show(entry);
        if (!going || order === 0) return going;
      }
      going = visit(key, value) !== false;
      return going;
    });
    while (going && next < entries.length) going = show(entries[next++]!);
  }
}
