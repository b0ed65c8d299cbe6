import type { GetOptions } from 'lmdb';
import { KEY_END } from './batch.ts';
import type { KeyRange, ScanVisitor } from './key-value.ts';
import { CopiedEntries, keyAfter, mergeEntries } from './merged-entries.ts';
import type { TransactionWrites } from './transaction-writes.ts';
import type { ValueSeal } from './value-seal.ts';
import { type Store, type StoreSize, ValueStore } from './value-store.ts';

/** When large groups of commits put new entries into the second tree, and when they leave it. */
export interface TierRule {
  /** With fewer entries in the first tree, new ones are put there, too. */
  readonly firstMin: number;
  /** The second tree keeps so many, or the fraction of those in the first. */
  readonly recentMin: number;
  readonly recentDivisor: number;
}

/**
 * With n entries in the first tree, r in the second and g new ones in a group, a group changes
 * about r/80 pages of the second, and g/r of the n/80 pages of the first. For g = 50,000 and up to
 * ten million entries the sum is smallest near this r.
 */
export const TIER_RULE: TierRule = { firstMin: 1_000_000, recentMin: 250_000, recentDivisor: 16 };

const NO_KEY = new Uint8Array(0);

/**
 * A database whose keys come in no order, in two trees of LMDB, which writes each page anew that a
 * transaction changes. In a large tree nearly each new entry of a load would change a page of its
 * own. So large groups of commits put new entries into a second, small tree. Each of them also
 * moves entries from there to the first tree, in the order of keys, so that many change the same
 * page; the next one goes on after them.
 *
 * A key is put only when it is not there, and then it is in one of the trees. Whoever reads sees
 * one database: snapshots and manifests do not show in which tree an entry is.
 */
export class TieredStore extends ValueStore {
  readonly #recent: ValueStore;
  /** For the writer: whether the second tree may have entries. */
  #mayHaveRecent: boolean;
  /** For the writer: whether new entries of the present group go there. */
  #takesRecent = false;
  #moveFrom: Uint8Array = NO_KEY;

  constructor(
    first: Store,
    recent: Store,
    db: number,
    seal: ValueSeal,
    writes?: TransactionWrites,
  ) {
    super(first, db, seal, writes);
    this.#recent = new ValueStore(recent, db, seal, writes);
    this.#mayHaveRecent = this.#recent.size().entries > 0;
  }

  override get(key: Uint8Array, options?: GetOptions): Uint8Array | undefined {
    return super.get(key, options) ?? this.#recent.get(key, options);
  }

  override has(key: Uint8Array, options?: GetOptions): boolean {
    return super.has(key, options) || this.#recent.has(key, options);
  }

  override countRange(range: KeyRange, options?: GetOptions): number {
    return super.countRange(range, options) + this.#recent.countRange(range, options);
  }

  override keyAt(range: KeyRange, place: number, options?: GetOptions): Uint8Array | undefined {
    let found: Uint8Array | undefined;
    let left = place;
    this.eachKey(
      range,
      (key) => {
        if (left-- === 0) found = Uint8Array.from(key);
        return found === undefined;
      },
      options,
    );
    return found;
  }

  override count(options?: GetOptions): number {
    return super.count(options) + this.#recent.count(options);
  }

  override size(): StoreSize {
    const [first, recent] = [super.size(), this.#recent.size()];
    return { entries: first.entries + recent.entries, bytes: first.bytes + recent.bytes };
  }

  override put(key: Uint8Array, value: Uint8Array): void {
    super.put(key, value);
    if (this.#mayHaveRecent) this.#recent.remove(key);
  }

  override putPlaced(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void {
    super.putPlaced(bytes, keyStart, keyEnd, valueEnd);
    if (this.#mayHaveRecent) this.#recent.removePlaced(bytes, keyStart, keyEnd);
  }

  override putNew(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void {
    if (this.#takesRecent) this.#recent.putPlaced(bytes, keyStart, keyEnd, valueEnd);
    else this.putPlaced(bytes, keyStart, keyEnd, valueEnd);
  }

  override removePlaced(bytes: Uint8Array, keyStart: number, keyEnd: number): void {
    super.removePlaced(bytes, keyStart, keyEnd);
    if (this.#mayHaveRecent) this.#recent.removePlaced(bytes, keyStart, keyEnd);
  }

  /** Whether large groups put new entries into the second tree. Reads the newest commit. */
  isTiered({ firstMin }: TierRule): boolean {
    return super.size().entries >= firstMin;
  }

  /**
   * Call this within `writeTransaction`, before the operations of a large group are put: it reads
   * the commit before the group. At most `movedMax` entries are moved.
   */
  beginGroup(rule: TierRule, movedMax: number): void {
    this.#takesRecent = this.isTiered(rule);
    this.#mayHaveRecent ||= this.#takesRecent;
    const { entries } = this.#recent.size();
    const kept = Math.max(rule.recentMin, super.size().entries / rule.recentDivisor);
    const moved = Math.min(Math.floor(entries - kept), movedMax);
    if (moved > 0) this.#move(moved);
  }

  /** What is stored moves as it is: its seal names the database, not the tree. */
  #move(count: number): void {
    let left = count;
    const take = (key: Uint8Array, stored: Uint8Array): boolean => {
      this.putStored(key, stored);
      this.#recent.remove(key);
      left--;
      if (left === 0) this.#moveFrom = keyAfter(key);
      return left > 0;
    };
    const from = this.#moveFrom;
    this.#recent.each({ start: from, end: KEY_END }, take);
    if (left === 0) return;
    // Goes on with the lowest keys.
    this.#moveFrom = NO_KEY;
    this.#recent.each({ start: NO_KEY, end: from }, take);
  }

  override each(range: KeyRange, visit: ScanVisitor, options?: GetOptions): void {
    const isReverse = range.reverse === true;
    const recent = new CopiedEntries((after, visitor) => {
      const end = isReverse && after !== undefined ? after : range.end;
      const start = !isReverse && after !== undefined ? keyAfter(after) : range.start;
      this.#recent.each(
        { ...range, start, end },
        (key, stored) => visitor(key, 0, key.length, stored, 0, stored.length),
        options,
      );
    });
    if (recent.next() === undefined) return super.each(range, visit, options);
    mergeEntries(
      (visitor) =>
        // Copied, as LMDB's next read overwrites the bytes of this one.
        super.each(
          range,
          (key, stored) =>
            visitor(Uint8Array.from(key), 0, key.length, Uint8Array.from(stored), 0, stored.length),
          options,
        ),
      recent,
      isReverse,
      (key, _keyStart, _keyEnd, stored) => visit(key, stored) !== false,
    );
  }

  override eachKey(range: KeyRange, visit: ScanVisitor, options?: GetOptions): void {
    this.each(range, (key) => visit(key, NO_KEY), options);
  }
}
