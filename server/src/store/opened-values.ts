import { ViewCache } from './codecs.ts';

/** The size of each of the two halves, which are made when the first value comes to them. */
export const OPENED_HALF_BYTES = 4 * 1024 * 1024;
/** To open a longer one takes little more than to copy it, and a few would push all others out. */
export const OPENED_VALUE_BYTES_MAX = 16 * 1024;
/** Entries in a half at most, so that half of its slots stay free. */
export const OPENED_ENTRIES_MAX = 32_768;
const SLOTS = 2 * OPENED_ENTRIES_MAX;
/** Leaves the bits of a slot. */
const SLOT_SHIFT = 16;
/**
 * 2^32 over the golden ratio: multiplied with it, counters that follow one another lie far apart.
 */
const SPREAD = 0x9e3779b1;

/** A sealed value as it lies in the state. */
export interface SealedPlace {
  readonly db: number;
  readonly key: Uint8Array;
  readonly stored: Uint8Array;
  /** No two values of one salt have the same. */
  readonly counter: number;
  /** Where what is sealed begins in `stored`, after the numbers of salt and counter. */
  readonly start: number;
  /** Where its tag begins. */
  readonly tagAt: number;
}

/**
 * Values that were opened, each with its place, its numbers and its tag: what lies in the place of
 * another is not found. The half that is not added to is emptied when the other one is full, so
 * that what was not asked for meanwhile is forgotten.
 */
export class OpenedValues {
  #young: Half | undefined;
  #old: Half | undefined;

  /** A copy, valid until the next call. */
  find(place: SealedPlace): Uint8Array | undefined {
    const value = this.#young?.find(place);
    if (value !== undefined || this.#old === undefined) return value;
    const former = this.#old.find(place);
    if (former !== undefined) this.keep(place, former);
    return former;
  }

  keep(place: SealedPlace, value: Uint8Array): void {
    if (value.length > OPENED_VALUE_BYTES_MAX) return;
    this.#young ??= new Half();
    if (this.#young.add(place, value)) return;
    const emptied = this.#old ?? new Half();
    emptied.clear();
    emptied.add(place, value);
    this.#old = this.#young;
    this.#young = emptied;
  }
}

/**
 * Database number, and the lengths of key (two bytes), numbers and value (two bytes); key, numbers,
 * tag and value follow.
 */
const HEADER_BYTES = 6;

/** Its bytes begin with room for the copy; the entries follow. */
class Half {
  readonly #bytes = new Uint8Array(OPENED_VALUE_BYTES_MAX + OPENED_HALF_BYTES);
  /** Where the entries begin; 0 in a slot that is free. */
  readonly #slots = new Int32Array(SLOTS);
  readonly #views = new ViewCache();
  #end = OPENED_VALUE_BYTES_MAX;
  #entries = 0;

  find(place: SealedPlace): Uint8Array | undefined {
    for (let slot = slotOf(place); ; slot = (slot + 1) % SLOTS) {
      const at = this.#slots[slot]!;
      if (at === 0) return undefined;
      const valueAt = this.#valueOf(at, place);
      if (valueAt === 0) continue;
      const length = place.tagAt - place.start;
      this.#bytes.copyWithin(0, valueAt, valueAt + length);
      return this.#views.view(this.#bytes, 0, length);
    }
  }

  /** False when it is full. */
  add(place: SealedPlace, value: Uint8Array): boolean {
    const { db, key, stored, start, tagAt } = place;
    const bytes = this.#bytes;
    let at = this.#end;
    const end = at + HEADER_BYTES + key.length + start + stored.length - tagAt + value.length;
    if (this.#entries === OPENED_ENTRIES_MAX || end > bytes.length) return false;
    let slot = slotOf(place);
    while (this.#slots[slot] !== 0) slot = (slot + 1) % SLOTS;
    this.#slots[slot] = at;
    this.#end = end;
    this.#entries++;
    bytes[at++] = db;
    bytes[at++] = key.length;
    bytes[at++] = key.length >>> 8;
    bytes[at++] = start;
    bytes[at++] = value.length;
    bytes[at++] = value.length >>> 8;
    // They are short: to copy them so takes less than to make views of them.
    for (let i = 0; i < key.length; i++) bytes[at++] = key[i]!;
    for (let i = 0; i < start; i++) bytes[at++] = stored[i]!;
    for (let i = tagAt; i < stored.length; i++) bytes[at++] = stored[i]!;
    bytes.set(value, at);
    return true;
  }

  clear(): void {
    this.#slots.fill(0);
    this.#end = OPENED_VALUE_BYTES_MAX;
    this.#entries = 0;
  }

  /** Where the value of the entry begins; 0 when it is of another place. */
  #valueOf(entry: number, { db, key, stored, start, tagAt }: SealedPlace): number {
    const bytes = this.#bytes;
    const length = tagAt - start;
    const isAlike =
      bytes[entry] === db &&
      bytes[entry + 1]! + bytes[entry + 2]! * 256 === key.length &&
      bytes[entry + 3] === start &&
      bytes[entry + 4]! + bytes[entry + 5]! * 256 === length;
    if (!isAlike) return 0;
    let at = entry + HEADER_BYTES;
    // Key and numbers differ most often at their ends.
    for (let i = start - 1; i >= 0; i--) if (bytes[at + key.length + i] !== stored[i]) return 0;
    for (let i = key.length - 1; i >= 0; i--) if (bytes[at + i] !== key[i]) return 0;
    at += key.length + start;
    for (let i = tagAt; i < stored.length; i++) if (bytes[at++] !== stored[i]) return 0;
    return at;
  }
}

function slotOf({ counter }: SealedPlace): number {
  return Math.imul(counter, SPREAD) >>> SLOT_SHIFT;
}
