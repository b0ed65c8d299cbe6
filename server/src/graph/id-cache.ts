import { releaseMemory } from '#base/release-memory.ts';

/**
 * The ids of nodes that were recently written or referred to, by type and key. It saves the digest
 * of a key and a read of the state. It holds only nodes that exist: code that deletes a node
 * removes it here.
 *
 * A load asks here two million times in a few seconds. So keys are bytes in typed arrays, not
 * strings: nothing is allocated for one, and the collector of garbage sees none of them.
 */
export class IdCache {
  /** The two that were found last: in most loads the edges of a node come one after the other. */
  #last = new FoundId();
  #other = new FoundId();
  readonly #short: KeyTable;
  readonly #long: KeyTable;
  /** The bytes of the present key, with zeros up to a whole word. */
  readonly #bytes = Buffer.alloc(LONG_KEY_BYTES + WORD_BYTES);
  readonly #words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset);
  #present: string | undefined;
  #length = 0;
  #hash = 0;

  constructor(entriesMax: number) {
    this.#short = new KeyTable(SHORT_KEY_BYTES, entriesMax);
    this.#long = new KeyTable(LONG_KEY_BYTES, entriesMax / LONG_KEYS_SHARE);
  }

  /** The id; 0 when it is not known. */
  get(type: number, key: string): number {
    if (this.#last.is(type, key)) return this.#last.id;
    if (this.#other.is(type, key)) {
      [this.#last, this.#other] = [this.#other, this.#last];
      return this.#last.id;
    }
    const id = this.#read(key) ? this.#table().get(type, this.#words, this.#length, this.#hash) : 0;
    if (id === 0) return 0;
    [this.#last, this.#other] = [this.#other, this.#last];
    this.#last.set(type, key, id);
    return id;
  }

  set(type: number, key: string, id: number): void {
    this.#forgetFound();
    if (this.#read(key)) this.#table().set(type, this.#words, this.#length, this.#hash, id);
  }

  delete(type: number, key: string): void {
    this.#forgetFound();
    if (this.#read(key)) this.#table().delete(type, this.#words, this.#length, this.#hash);
  }

  clear(): void {
    this.#forgetFound();
    this.#short.clear();
    this.#long.clear();
  }

  #forgetFound(): void {
    this.#last.set(0, '', 0);
    this.#other.set(0, '', 0);
  }

  #table(): KeyTable {
    return this.#length <= SHORT_KEY_BYTES ? this.#short : this.#long;
  }

  /** Makes a key the present one; returns false when it is too long, or has lone surrogates. */
  #read(key: string): boolean {
    if (key === this.#present) return true;
    this.#present = undefined;
    if (key.length > LONG_KEY_BYTES) return false;
    const bytes = this.#bytes;
    let hash = key.length;
    let isAscii = 0;
    for (let i = 0; i < key.length; i++) {
      const code = key.charCodeAt(i);
      isAscii |= code;
      hash = Math.imul(hash ^ code, HASH_FACTOR);
      bytes[i] = code;
    }
    let { length } = key;
    if (isAscii > 0x7f) {
      // Keys with lone surrogates would be equal as UTF-8; no node has such a key.
      if (Buffer.byteLength(key) > LONG_KEY_BYTES || !key.isWellFormed()) return false;
      length = bytes.write(key);
    }
    for (let i = 0; i < WORD_BYTES; i++) bytes[length + i] = 0;
    this.#present = key;
    this.#length = length;
    // Never 0, which is the hash of an empty slot.
    this.#hash = (hash ^ (hash >>> 15)) | 1;
    return true;
  }
}

/** An id that was found; none of the empty key, which no node has. */
class FoundId {
  #type = 0;
  #key = '';
  id = 0;

  set(type: number, key: string, id: number): void {
    this.#type = type;
    this.#key = key;
    this.id = id;
  }

  is(type: number, key: string): boolean {
    return this.#type === type && this.#key === key;
  }
}

const HASH_FACTOR = 0x01000193;
const WORD_BYTES = 4;
/** With these a slot takes 64 bytes: one line of a processor's cache. */
const SHORT_KEY_BYTES = 52;
const LONG_KEY_BYTES = 244;
const LONG_KEYS_SHARE = 8;

const TYPE_AND_LENGTH = 0;
const ID_LOW = 1;
const ID_HIGH = 2;
const KEY_AT = 3;

const SLOTS_FIRST = 1_024;
const GROWTH = 4;
/** The slots that a hash may be in. A key that finds them all taken replaces another one. */
const SLOTS_OF_HASH = 4;

/** Ids by keys of at most `keyBytes` bytes. It grows as it fills, up to `slotsMax` slots. */
class KeyTable {
  readonly #slotWords: number;
  readonly #slotsMax: number;
  #hashes = new Int32Array(0);
  #slots = new Int32Array(0);
  #replaced = 0;

  constructor(keyBytes: number, slotsMax: number) {
    this.#slotWords = KEY_AT + keyBytes / WORD_BYTES;
    this.#slotsMax = slotsMax;
  }

  get(type: number, key: Int32Array, length: number, hash: number): number {
    const slot = this.#find(type, key, length, hash);
    if (slot < 0) return 0;
    const at = slot * this.#slotWords;
    return this.#slots[at + ID_HIGH]! * 0x1_0000_0000 + (this.#slots[at + ID_LOW]! >>> 0);
  }

  set(type: number, key: Int32Array, length: number, hash: number, id: number): void {
    let slot = this.#find(type, key, length, hash);
    if (slot < 0) slot = this.#free(hash);
    const at = slot * this.#slotWords;
    const slots = this.#slots;
    this.#hashes[slot] = hash;
    slots[at + TYPE_AND_LENGTH] = (type << 16) | length;
    slots[at + ID_LOW] = id;
    slots[at + ID_HIGH] = Math.floor(id / 0x1_0000_0000);
    const words = Math.ceil(length / WORD_BYTES);
    for (let i = 0; i < words; i++) slots[at + KEY_AT + i] = key[i]!;
  }

  delete(type: number, key: Int32Array, length: number, hash: number): void {
    const slot = this.#find(type, key, length, hash);
    if (slot >= 0) this.#hashes[slot] = 0;
  }

  clear(): void {
    releaseMemory(new Uint8Array(this.#slots.buffer));
    this.#hashes = new Int32Array(0);
    this.#slots = new Int32Array(0);
  }

  #find(type: number, key: Int32Array, length: number, hash: number): number {
    const first = this.#firstOf(hash);
    for (let slot = first; slot < first + SLOTS_OF_HASH; slot++) {
      if (this.#hashes[slot] === hash && this.#isKey(slot, type, key, length)) return slot;
    }
    return -1;
  }

  #isKey(slot: number, type: number, key: Int32Array, length: number): boolean {
    const at = slot * this.#slotWords;
    const slots = this.#slots;
    if (slots[at + TYPE_AND_LENGTH] !== ((type << 16) | length)) return false;
    const words = Math.ceil(length / WORD_BYTES);
    for (let i = 0; i < words; i++) if (slots[at + KEY_AT + i] !== key[i]) return false;
    return true;
  }

  #firstOf(hash: number): number {
    return (hash >>> 1) & (this.#hashes.length - 1) & -SLOTS_OF_HASH;
  }

  /** A slot for a new key with this hash. */
  #free(hash: number): number {
    for (;;) {
      const first = this.#firstOf(hash);
      for (let slot = first; slot < first + SLOTS_OF_HASH; slot++) {
        if (this.#hashes[slot] === 0) return slot;
      }
      if (this.#hashes.length >= this.#slotsMax) {
        return first + (this.#replaced++ % SLOTS_OF_HASH);
      }
      this.#grow();
    }
  }

  #grow(): void {
    const hashes = this.#hashes;
    const slots = this.#slots;
    const count = Math.min(this.#slotsMax, Math.max(SLOTS_FIRST, hashes.length * GROWTH));
    this.#hashes = new Int32Array(count);
    this.#slots = new Int32Array(count * this.#slotWords);
    for (let from = 0; from < hashes.length; from++) {
      const hash = hashes[from]!;
      if (hash === 0) continue;
      // The slots of one hash become those of several, so there is always a free one.
      let slot = this.#firstOf(hash);
      while (this.#hashes[slot] !== 0) slot++;
      this.#hashes[slot] = hash;
      this.#copySlot(slots, from * this.#slotWords, slot * this.#slotWords);
    }
    releaseMemory(new Uint8Array(slots.buffer));
  }

  #copySlot(from: Int32Array, start: number, to: number): void {
    const length = from[start + TYPE_AND_LENGTH]! & 0xffff;
    const words = KEY_AT + Math.ceil(length / WORD_BYTES);
    for (let i = 0; i < words; i++) this.#slots[to + i] = from[start + i]!;
  }
}
