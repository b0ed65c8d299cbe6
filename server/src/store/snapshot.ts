import { setImmediate as nextTurn } from 'node:timers/promises';
import { BatchEncoder, putBytes } from './batch.ts';
import type { ChangedPieces, KeptPiece, KeptPieces } from './changed-pieces.ts';
import { DATABASES } from './databases.ts';
import type { DatabaseNumber } from './databases.ts';
import type { HeldReader } from './held-reader.ts';
import { sealManifest } from './manifest.ts';
import type { Manifest, ManifestDatabase, ManifestPiece } from './manifest.ts';
import { beginsPiece, pieceDigestAside } from './piece.ts';
import type { StateReader } from './snapshot-reader.ts';

/** Where pieces go. Pieces of the same content come under the same digest, so one that is there already may be left. */
export interface SnapshotSink {
  /** The bytes are the sink's own from now on. Of the next piece no more is done than to read it until this one is written. */
  write(digest: string, bytes: Uint8Array): Promise<void>;
}

/** Nearly all pieces fit without their buffer having to grow; of what they do not fill, the system gives no memory. */
const PIECE_CAPACITY_BYTES = 16 * 1024 * 1024;

/**
 * Writes the state of the newest commit, piece by piece, all of one read transaction, and answers its manifest. It takes what
 * the reader reads: the graph, or the graph and the vault. Two pieces at a time are in memory.
 *
 * While it runs the state's files grow by what is written to them: give it a worker of its own and a sink that is quick.
 */
export async function takeSnapshot(reader: StateReader, sink: SnapshotSink): Promise<Manifest> {
  using held = reader.hold();
  return await writeSnapshot(held, sink);
}

/** The same of a commit that is held already. */
export async function writeSnapshot(held: HeldReader, sink: SnapshotSink): Promise<Manifest> {
  const databases: ManifestDatabase[] = [];
  for (const { number, environment } of DATABASES) {
    if (!held.environments.includes(environment)) continue;
    databases.push({ number, pieces: await writePieces(held, number, sink) });
  }
  return sealManifest(held.epoch, held.sequence, databases);
}

/**
 * The same, where most of it is known: of the commits since a manifest of the same history, whose keys `changed` has taken in, only
 * what they touched is read. A piece is kept when neither its entries nor the one behind it, which ended it, have changed. Answers
 * what `writeSnapshot` would. The sink is not given the pieces that are kept.
 */
export async function updateSnapshot(
  held: HeldReader,
  changed: ChangedPieces,
  sink: SnapshotSink,
): Promise<Manifest> {
  const databases: ManifestDatabase[] = [];
  for (const { number, environment } of DATABASES) {
    if (!held.environments.includes(environment)) continue;
    const keeper = changed.of(number);
    databases.push({ number, pieces: await writePieces(held, number, sink, keeper) });
  }
  return sealManifest(held.epoch, held.sequence, databases);
}

/** The manifest that a snapshot would have, to compare two states by. */
export async function digestState(reader: StateReader): Promise<Manifest> {
  using held = reader.hold();
  return await digestHeld(held);
}

/** The same of a commit that is held already. */
export function digestHeld(held: HeldReader): Promise<Manifest> {
  // Without a turn between the pieces the thread would do nothing else meanwhile.
  return writeSnapshot(held, { write: () => nextTurn() });
}

async function writePieces(
  reader: HeldReader,
  db: DatabaseNumber,
  sink: SnapshotSink,
  kept?: KeptPieces,
): Promise<ManifestPiece[]> {
  const pieces: ManifestPiece[] = [];
  let start: Uint8Array | undefined = new Uint8Array(0);
  // The digest of a piece is made, and the piece written, while the next one is read.
  let handing: Promise<void> = Promise.resolve();
  while (start !== undefined) {
    const keeping: KeptPiece | undefined = kept?.beginningAt(start);
    if (keeping !== undefined) {
      await handing;
      pieces.push(keeping.piece);
      start = keeping.next;
      continue;
    }
    const { batch, firstKey, next }: ReadPiece = readPiece(reader, db, start);
    await handing;
    if (batch.count > 0) {
      handing = handOver(batch, firstKey, sink).then((piece) => void pieces.push(piece));
      // It is waited for behind the next piece, whatever that one throws.
      handing.catch(() => undefined);
    }
    start = next;
  }
  await handing;
  return pieces;
}

async function handOver(
  { payload, count: entries }: BatchEncoder,
  firstKey: string,
  sink: SnapshotSink,
): Promise<ManifestPiece> {
  const digest = await pieceDigestAside(payload);
  const { length: bytes } = payload;
  await sink.write(digest, payload);
  return { digest, bytes, entries, firstKey };
}

interface ReadPiece {
  readonly batch: BatchEncoder;
  /** Hexadecimal. */
  readonly firstKey: string;
  /** With which the next piece begins. */
  readonly next: Uint8Array | undefined;
}

/** The piece that begins with the first key from `start` on. */
function readPiece(reader: HeldReader, db: DatabaseNumber, start: Uint8Array): ReadPiece {
  const batch = new BatchEncoder(PIECE_CAPACITY_BYTES);
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
