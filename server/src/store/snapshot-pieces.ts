import { BatchEncoder, putBytes } from './batch.ts';
import type { KeptPiece, KeptPieces } from './changed-pieces.ts';
import type { DatabaseNumber } from './databases.ts';
import type { HeldReader } from './held-reader.ts';
import type { ManifestPiece } from './manifest.ts';
import { beginsPiece, pieceDigest } from './piece.ts';

/**
 * Where pieces are written. Equal pieces have the same digest, so a piece that is there already
 * need not be written.
 */
export interface SnapshotSink {
  /**
   * Writes a piece. The bytes belong to the sink from now on. Until this resolves, at most one more
   * piece is read.
   */
  write(digest: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Memory of a written piece, to be used for another piece; undefined when there is none. */
  spare?(): ArrayBuffer | undefined;
}

/**
 * Most pieces fit into this without growing the buffer. It is not larger, since V8 counts all of it
 * and would collect garbage more often.
 */
const PIECE_CAPACITY_BYTES = 8 * 1024 * 1024;

/**
 * Writes the pieces of databases, except those that are unchanged according to `kept`. At most two
 * pieces are in memory at a time, besides those of the sink.
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
      // It is awaited after the next piece is read. Until then a rejection must not count as
      // unhandled.
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
  /** The first key of the next piece; undefined for the last piece. */
  readonly next: Uint8Array | undefined;
}

/** Reads the piece that begins with the first key from `start` on. */
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
      // A copy for any kind of array: `slice` of a Buffer would not copy.
      next = Uint8Array.from(keyBytes.subarray(keyStart, keyEnd));
      return false;
    }
    batch.putPlaces(db, keyBytes, keyStart, keyEnd, valueBytes, valueStart, valueEnd);
    return true;
  });
  return { batch, firstKey, next };
}
