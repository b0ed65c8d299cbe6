import { readPlaces } from './batch.ts';
import { DATABASES } from './databases.ts';
import type { DatabaseNumber } from './databases.ts';
import type { Manifest, ManifestPiece } from './manifest.ts';

export interface KeptPiece {
  readonly piece: ManifestPiece;
  /** The first key of the next piece; undefined for the last piece. */
  readonly next: Uint8Array | undefined;
}

/** The pieces of one database of a manifest that have not changed since. */
export interface KeptPieces {
  /**
   * The unchanged piece that begins with this key; undefined when there is none. The first piece
   * begins at the empty key.
   */
  beginningAt(key: Uint8Array): KeptPiece | undefined;
}

/**
 * Which pieces of a snapshot were changed by the commits after it. A piece depends on its own
 * entries and on the first entry after it, which ended it. A change of any of these changes the
 * piece. Keys before the first key belong to the first piece.
 */
export class ChangedPieces {
  readonly #databases = new Map<DatabaseNumber, DatabasePieces>();

  constructor(manifest: Manifest) {
    for (const { number, pieces } of manifest.databases) {
      this.#databases.set(number, new DatabasePieces(pieces));
    }
    // A database that the manifest does not list is read as a whole.
    for (const { number } of DATABASES) {
      if (!this.#databases.has(number)) this.#databases.set(number, new DatabasePieces([]));
    }
  }

  /** Takes in the payload of a commit. */
  add(payload: Uint8Array): void {
    readPlaces(payload, (db, keyStart, keyEnd) => {
      this.#databases.get(db)?.touch(payload.subarray(keyStart, keyEnd));
    });
  }

  of(db: DatabaseNumber): KeptPieces | undefined {
    return this.#databases.get(db);
  }
}

class DatabasePieces implements KeptPieces {
  readonly #pieces: readonly ManifestPiece[];
  readonly #firstKeys: readonly Buffer[];
  readonly #byFirstKey: ReadonlyMap<string, number>;
  readonly #touched: Uint8Array;

  constructor(pieces: readonly ManifestPiece[]) {
    this.#pieces = pieces;
    this.#firstKeys = pieces.map(({ firstKey }) => Buffer.from(firstKey, 'hex'));
    this.#byFirstKey = new Map(pieces.map(({ firstKey }, i) => [firstKey, i]));
    this.#touched = new Uint8Array(pieces.length);
  }

  touch(key: Uint8Array): void {
    if (this.#pieces.length === 0) return;
    let low = 0;
    let high = this.#firstKeys.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Buffer.compare(this.#firstKeys[middle]!, key) <= 0) low = middle + 1;
      else high = middle;
    }
    const i = Math.max(0, low - 1);
    this.#touched[i] = 1;
    const isFirstKey = Buffer.compare(this.#firstKeys[i]!, key) === 0;
    if (isFirstKey && i > 0) this.#touched[i - 1] = 1;
  }

  beginningAt(key: Uint8Array): KeptPiece | undefined {
    const i = key.length === 0 ? 0 : this.#byFirstKey.get(Buffer.from(key).toString('hex'));
    const piece = i === undefined ? undefined : this.#pieces[i];
    if (i === undefined || piece === undefined || this.#touched[i] === 1) return undefined;
    return { piece, next: this.#firstKeys[i + 1] };
  }
}
