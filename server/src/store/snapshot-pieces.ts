import { BatchEncoder, putBytes } from './batch.ts';
import type { KeptPiece, KeptPieces } from './changed-pieces.ts';
import type { DatabaseNumber } from './databases.ts';
import type { HeldReader } from './held-reader.ts';
import type { ManifestPiece } from './manifest.ts';
import { beginsPiece, pieceDigest } from './piece.ts';

/**
 * Where pieces go. Pieces of the same content come under the same digest, so one that is there
 * already may be left.
 */
export interface SnapshotSink {
  /**
   * The bytes are the sink's own from now on. The next piece is read, and no more, until this one
   * is written.
   */
  write(digest: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Memory of a piece that it has done with, for another. */
  spare?(): ArrayBuffer | undefined;
}

/**
 * Most pieces fit without their buffer having to grow. V8 counts all of it, and collects garbage
 * the more often.
 */
const PIECE_CAPACITY_BYTES = 8 * 1024 * 1024;

/**
 * Writes only what has changed, where `kept` says so. Two pieces at a time are in memory, besides
 * those that the sink has.
 */
export async function writePieces(
  reader: Pick<HeldReader, 'visit'>,
  db: DatabaseNumber,
  sink: SnapshotSink,
  kept?: KeptPieces,
): Promise<ManifestPiece[]> {
  const pieces: ManifestPiece[] = [];
  let start: Uint8Array | undefined = new Uint8Array(0);
  // A piece is written while the next one is read.
  let writing: Promise<void> = Promise.resolve();
  while (start !== undefined) {
    const keeping: KeptPiece | undefined = kept?.beginningAt(start);
    if (keeping !== undefined) {
      pieces.push(keeping.piece);
      start = keeping.next;
      continue;
    }
    const into: ArrayBuffer = sink.spare?.() ?? new ArrayBuffer(PIECE_CAPACITY_BYTES);
    const { batch, firstKey, next }: ReadPiece = readPiece(reader, db, { start, into });
    await writing;
    if (batch.count > 0) {
      const { payload, count: entries } = batch;
      const digest = pieceDigest(payload);
      pieces.push({ digest, bytes: payload.length, entries, firstKey });
      writing = sink.write(digest, payload);
      // It is waited for after the next piece, whatever that one throws.
      writing.catch(() => undefined);
    }
    start = next;
  }
  await writing;
  return pieces;
}

interface ReadPiece {
  readonly batch: BatchEncoder;
  /** Hexadecimal. */
  readonly firstKey: string;
  /** With which the next piece begins. */
  readonly next: Uint8Array | undefined;
}

/** The piece that begins with the first key from `start` on. */
function readPiece(
  reader: Pick<HeldReader, 'visit'>,
  db: DatabaseNumber,
  { start, into }: { readonly start: Uint8Array; readonly into: ArrayBuffer },
): ReadPiece {
  const batch = new BatchEncoder(new Uint8Array(into));
  let firstKey = '';
  let next: Uint8Array | undefined;
  reader.visit(db, start, (keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd) => {
    const entryBytes = putBytes(keyEnd - keyStart, valueEnd - valueStart);
    if (batch.count === 0) {
      firstKey = Buffer.from(keyBytes.subarray(keyStart, keyEnd)).toString('hex');
    } else if (beginsPiece(batch.length, entryBytes, keyBytes, keyStart, keyEnd)) {
      // A copy, whatever kind of array it is: `slice` of a Buffer is none.
      next = Uint8Array.from(keyBytes.subarray(keyStart, keyEnd));
      return false;
    }
    batch.putPlaces(db, keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd);
    return true;
  });
  return { batch, firstKey, next };
}
