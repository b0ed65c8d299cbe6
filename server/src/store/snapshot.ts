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
 * Writes the state of the newest commit, piece by piece, all of one read transaction, and answers
 * its manifest. It takes what the reader reads: the graph, or the graph and the vault. Two pieces
 * at a time are in memory.
 *
 * While it runs the state's files grow by what is written to them: give it a worker of its own and
 * a sink that is quick.
 */
export async function takeSnapshot(reader: HoldingReader, sink: SnapshotSink): Promise<Manifest> {
  using held = reader.hold();
  return await writeSnapshot(held, sink);
}

/**
 * The same of a commit that is held already. With a second reader each reads one database after the
 * other.
 */
export async function writeSnapshot(
  held: HeldReader,
  sink: SnapshotSink,
  second?: SecondReader,
): Promise<Manifest> {
  // Which database is large is known at once only where its file can be read, as by the second
  // reader.
  if (second !== undefined && held.placeOf(DB.nodes) !== undefined) {
    return seal(held, await writeByTwo(held, numbersOf(held), { sink, second }));
  }
  return seal(held, await writeEach(held, (number) => writePieces(held, number, sink)));
}

/**
 * The same, where most of it is known: of the commits since a manifest of the same history, whose
 * keys `changed` has taken in, only what they touched is read. A piece is kept when neither its
 * entries nor the one after it, which ended it, have changed. Answers what `writeSnapshot` would.
 * The sink is not given the pieces that are kept.
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

/** The manifest that a snapshot would have, to compare two states by. */
export async function digestState(reader: HoldingReader): Promise<Manifest> {
  using held = reader.hold();
  return await digestHeld(held);
}

/** The same of a commit that is held already. */
export async function digestHeld(held: HeldReader): Promise<Manifest> {
  using memory = new SpareMemory();
  const sink: SnapshotSink = {
    spare: () => memory.take(),
    write: async (_digest, { buffer }) => {
      // Without a turn between the pieces the thread would do nothing else meanwhile.
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
