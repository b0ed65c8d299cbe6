import type { EntryVisitor } from './lmdb-file/tree-pages.ts';

interface CopiedEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Visits entries in order: all, or those after a key. */
type EntriesAfter = (after: Uint8Array | undefined, visitor: EntryVisitor) => void;

const PORTION_ENTRIES = 1_024;

/** Entries that are read in portions and copied, so that others can be read between them. */
export class CopiedEntries {
  readonly #read: EntriesAfter;
  #portion: CopiedEntry[] = [];
  #at = 0;
  #isEnded = false;

  constructor(read: EntriesAfter) {
    this.#read = read;
  }

  /** The entry that comes next; undefined at the end. */
  next(): CopiedEntry | undefined {
    if (this.#at === this.#portion.length && !this.#isEnded) this.#fill();
    return this.#portion[this.#at];
  }

  skip(): void {
    this.#at++;
  }

  #fill(): void {
    const portion: CopiedEntry[] = [];
    this.#read(this.#portion.at(-1)?.key, (keys, keyStart, keyEnd, values, start, end) => {
      // Copies for any kind of array: `slice` of a Buffer would not copy.
      const key = Uint8Array.from(keys.subarray(keyStart, keyEnd));
      portion.push({ key, value: Uint8Array.from(values.subarray(start, end)) });
      return portion.length < PORTION_ENTRIES;
    });
    this.#portion = portion;
    this.#at = 0;
    this.#isEnded = portion.length < PORTION_ENTRIES;
  }
}

/**
 * Visits the entries of two trees as those of one. `visitFirst` visits those of the first, whose
 * bytes must stay as they are while entries of the second are read. Both come in the order of keys,
 * or both from the end.
 */
export function mergeEntries(
  visitFirst: (visitor: EntryVisitor) => void,
  second: CopiedEntries,
  isReverse: boolean,
  visitor: EntryVisitor,
): void {
  const isBefore = (key: Uint8Array, keys: Uint8Array, start: number, end: number): boolean => {
    const order = compareWith(key, keys, start, end);
    return isReverse ? order > 0 : order < 0;
  };
  const show = ({ key, value }: CopiedEntry): boolean => {
    second.skip();
    return visitor(key, 0, key.length, value, 0, value.length);
  };
  let hasEnded = false;
  visitFirst((keys, keyStart, keyEnd, values, start, end) => {
    for (;;) {
      const entry = second.next();
      if (entry === undefined || !isBefore(entry.key, keys, keyStart, keyEnd)) break;
      hasEnded = !show(entry);
      if (hasEnded) return false;
    }
    hasEnded = !visitor(keys, keyStart, keyEnd, values, start, end);
    return !hasEnded;
  });
  if (hasEnded) return;
  for (let entry = second.next(); entry !== undefined; entry = second.next()) {
    if (!show(entry)) return;
  }
}

/** The first key after this one. */
export function keyAfter(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}

/** Compares a key with the one at these places. */
function compareWith(key: Uint8Array, keys: Uint8Array, start: number, end: number): number {
  const length = Math.min(key.length, end - start);
  for (let i = 0; i < length; i++) {
    const difference = key[i]! - keys[start + i]!;
    if (difference !== 0) return difference;
  }
  return key.length - (end - start);
}
