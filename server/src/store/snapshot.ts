import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangedPieces } from './changed-pieces.ts';
import { DATABASES, DB } from './databases.ts';
import type { DatabaseNumber } from './databases.ts';
import type { HeldReader } from './held-reader.ts';
import { sealManifest } from './manifest.ts';
import type { Manifest, ManifestPiece } from './manifest.ts';
import { writeByTwo, type PiecesByDatabase, type SecondReader } from './second-reader.ts';
import { writePieces, type SnapshotSink } from './snapshot-pieces.ts';
import type { HoldingReader } from './snapshot-reader.ts';
import { SpareMemory } from './spare-memory.ts';

/**
 * Writes the state of the newest commit, piece by piece, from one read transaction. Returns the
 * manifest. It writes what the reader reads: the graph, or the graph and the vault. At most two
 * pieces are in memory at a time.
 *
 * While it runs, the files of the state grow by what is written to them: run it in a separate
 * worker, with a fast sink.
 */
export async function takeSnapshot(reader: HoldingReader, sink: SnapshotSink): Promise<Manifest> {
  using held = reader.hold();
  return await writeSnapshot(held, sink);
}

/**
 * The same for a commit that is held already. With a second reader, both threads read databases,
 * one after the other.
 */
export async function writeSnapshot(
  held: HeldReader,
  sink: SnapshotSink,
  second?: SecondReader,
): Promise<Manifest> {
  // The sizes of the databases are known quickly only when their file can be read, which the second
  // reader needs as well.
  if (second !== undefined && held.placeOf(DB.nodes) !== undefined) {
    return seal(held, await writeByTwo(held, numbersOf(held), { sink, second }));
  }
  return seal(held, await writeEach(held, (number) => writePieces(held, number, sink)));
}

/**
 * The same when most pieces are known from an earlier manifest of the same history. `changed` must
 * have all keys of the commits since that manifest; only pieces that these changed are read. A
 * piece is kept when neither its entries nor the first entry after it have changed. Returns the
 * same as `writeSnapshot`. The sink does not get the kept pieces.
 */
export async function updateSnapshot(
  held: HeldReader,
  changed: ChangedPieces,
  sink: SnapshotSink,
): Promise<Manifest> {
  const written = await writeEach(held, (number) =>
    writePieces(held, number, sink, changed.of(number)),
  );
  return seal(held, written);
}

/** The manifest that a snapshot would have, to compare two states. */
export async function digestState(reader: HoldingReader): Promise<Manifest> {
  using held = reader.hold();
  return await digestHeld(held);
}

/** The same for a commit that is held already. */
export async function digestHeld(held: HeldReader): Promise<Manifest> {
  using memory = new SpareMemory();
  const sink: SnapshotSink = {
    spare: () => memory.take(),
    write: async (_digest, { buffer }) => {
      // Ends the turn between pieces, so that the thread can do other work.
      await nextTurn();
      memory.give(buffer);
    },
  };
  return await writeSnapshot(held, sink);
}

async function writeEach(
  held: HeldReader,
  write: (number: DatabaseNumber) => Promise<ManifestPiece[]>,
): Promise<PiecesByDatabase> {
  const written = new Map<DatabaseNumber, ManifestPiece[]>();
  for (const number of numbersOf(held)) written.set(number, await write(number));
  return written;
}

function numbersOf({ environments }: HeldReader): DatabaseNumber[] {
  return DATABASES.filter(({ environment }) => environments.includes(environment)).map(
    ({ number }) => number,
  );
}

function seal({ epoch, sequence }: HeldReader, written: PiecesByDatabase): Manifest {
  const databases = DATABASES.flatMap(({ number }) => {
    const pieces = written.get(number);
    return pieces === undefined ? [] : [{ number, pieces }];
  });
  return sealManifest(epoch, sequence, databases);
}
