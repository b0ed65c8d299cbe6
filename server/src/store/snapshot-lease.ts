import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '#base/problem.ts';
import type { DatabaseNumber } from './databases.ts';
import type { Manifest } from './manifest.ts';
import { readPiece, writeSnapshot } from './snapshot.ts';
import type { HeldReader, StateReader } from './snapshot-reader.ts';

/** A snapshot that is written nowhere: its pieces are read from the state when they are asked for. */
export interface SnapshotLease extends Disposable {
  readonly manifest: Manifest;
  /** The bytes are the caller's own. Throws the problem `piece_not_found`. */
  read(digest: string): Promise<Uint8Array>;
}

/**
 * Holds the newest commit and tells its pieces, which takes one walk through the state. While it is held the state's files grow
 * by what is written to them, so dispose of it when the copy is made.
 */
export async function openSnapshotLease(reader: StateReader): Promise<SnapshotLease> {
  const held = reader.hold();
  try {
    // Without a turn between the pieces the thread would do nothing else meanwhile.
    const manifest = await writeSnapshot(held, { write: () => nextTurn() });
    return new HeldSnapshot(held, manifest);
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}

interface PiecePlace {
  readonly db: DatabaseNumber;
  /** Hexadecimal. */
  readonly firstKey: string;
}

class HeldSnapshot implements SnapshotLease {
  readonly manifest: Manifest;
  readonly #held: HeldReader;
  readonly #places: ReadonlyMap<string, PiecePlace>;

  constructor(held: HeldReader, manifest: Manifest) {
    this.#held = held;
    this.manifest = manifest;
    this.#places = new Map(
      manifest.databases.flatMap(({ number: db, pieces }) =>
        pieces.map(({ digest, firstKey }) => [digest, { db, firstKey }] as const),
      ),
    );
  }

  async read(digest: string): Promise<Uint8Array> {
    const place = this.#places.get(digest);
    if (place === undefined) {
      throw new Problem('piece_not_found', `the snapshot has no piece ${digest}`);
    }
    // Where a piece ends follows from its entries, so it is the same one again.
    const { batch } = readPiece(this.#held, place.db, Buffer.from(place.firstKey, 'hex'));
    return batch.payload;
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }
}
