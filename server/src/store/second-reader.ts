import { must } from '#base/assert.ts';
import type { DatabaseNumber } from './databases.ts';
import type { HeldReader } from './held-reader.ts';
import type { CheckedPlace } from './lmdb-file/checked-visit.ts';
import type { ManifestPiece } from './manifest.ts';
import { writePieces, type SnapshotSink } from './snapshot-pieces.ts';

/** Another thread that reads databases from their file, at the same time as the calling thread. */
export interface SecondReader {
  /** As `writePieces`. The caller holds the commit until it resolves or rejects. */
  writePieces(
    db: DatabaseNumber,
    place: CheckedPlace,
    sink: SnapshotSink,
  ): Promise<ManifestPiece[]>;
}

export type PiecesByDatabase = ReadonlyMap<DatabaseNumber, readonly ManifestPiece[]>;

interface Sharing {
  readonly sink: SnapshotSink;
  readonly second: SecondReader;
}

/**
 * Reads databases with two threads. Each takes the largest one that is left, so that both end at
 * about the same time. When one fails, the other stops at its next piece. The first error is thrown
 * when both have stopped.
 */
export async function writeByTwo(
  held: HeldReader,
  numbers: readonly DatabaseNumber[],
  { sink, second }: Sharing,
): Promise<PiecesByDatabase> {
  // Counted only once, since for the vault LMDB counts entry by entry.
  const entries = new Map(numbers.map((db) => [db, held.count(db)]));
  const entriesOf = (db: DatabaseNumber): number => entries.get(db) ?? 0;
  const waiting = numbers.toSorted((one, other) => entriesOf(other) - entriesOf(one));
  const written = new Map<DatabaseNumber, ManifestPiece[]>();
  let failure: { readonly error: unknown } | undefined;
  const shared: SnapshotSink = {
    spare: () => sink.spare?.(),
    write: async (digest, bytes) => {
      if (failure !== undefined) throw failure.error;
      await sink.write(digest, bytes);
    },
  };
  const inTurn = async (
    canRead: (db: DatabaseNumber) => boolean,
    write: (db: DatabaseNumber) => Promise<ManifestPiece[]>,
  ): Promise<void> => {
    try {
      for (;;) {
        const at = waiting.findIndex(canRead);
        const [db] = at < 0 ? [] : waiting.splice(at, 1);
        if (db === undefined || failure !== undefined) return;
        written.set(db, await write(db));
      }
    } catch (error) {
      failure ??= { error };
    }
  };
  await Promise.all([
    inTurn(
      () => true,
      (db) => writePieces(held, db, shared),
    ),
    inTurn(
      (db) => held.placeOf(db) !== undefined,
      (db) => second.writePieces(db, must(held.placeOf(db), 'a place'), shared),
    ),
  ]);
  if (failure !== undefined) throw failure.error;
  return written;
}
