import { ChangedPieces } from '#store/changed-pieces.ts';
import type { HeldReader } from '#store/held-reader.ts';
import type { Manifest } from '#store/manifest.ts';
import type { BackupPool } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';
import { chainBehind, LogArchiver, readArchived, type ArchivedFile } from './log-archive.ts';
import type { Former, TakeBackupOptions } from './backup-source.ts';

export interface Archived {
  /**
   * What they have touched of the pieces of the backup before; undefined when not every commit
   * since could be read.
   */
  readonly changed: ChangedPieces | undefined;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Adds the commits since the backup before to the archive. */
export async function archiveCommits(
  { target, source, signal, log: note }: TakeBackupOptions,
  parts: {
    readonly pool: BackupPool;
    readonly held: HeldReader;
    readonly former: Former | undefined;
  },
): Promise<Archived> {
  const { pool, held, former } = parts;
  if (former === undefined) return { changed: undefined, bytes: 0, isWhole: false };
  const { sequence: after } = former.header;
  const changed = new ChangedPieces(former.contents.snapshot);
  if (after === held.sequence) return { changed, bytes: 0, isWhole: true };
  const { log } = source;
  await source.reach(held.sequence);
  const from = Math.max(after + 1, log.firstSequence);
  if (from > after + 1) {
    note(`The log begins at ${from}: commits after ${after} are missing in the archive.`);
  }
  // What a run that was killed has archived.
  const { reached } = await chainBehind(target, former.header);
  const archiver = new LogArchiver(pool, held.epoch);
  let last = from - 1;
  for await (const record of log.read(from)) {
    if (record.last > held.sequence) break;
    signal.throwIfAborted();
    changed.add(record.payload);
    if (record.last > reached) await archiver.add(record);
    ({ last } = record);
  }
  await archiver.flush();
  const isWhole = from === after + 1 && last === held.sequence;
  return { changed: isWhole ? changed : undefined, bytes: archiver.writtenBytes, isWhole };
}

/** The archived commits from one sequence on up to another. */
export interface ArchivedCommits {
  readonly files: readonly ArchivedFile[];
  /** The size of the files. */
  readonly bytes: number;
}

/** Those after a state; undefined when some are missing. */
export async function commitsBehind(
  target: BackupTarget,
  snapshot: Manifest,
  to: number,
): Promise<ArchivedCommits | undefined> {
  const { chain, reached } = await chainBehind(target, snapshot, to);
  if (reached < to) return undefined;
  return { files: chain, bytes: chain.reduce((sum, file) => sum + file.bytes, 0) };
}

/** Takes in what archived commits have touched. Throws `backup_corrupt`. */
export async function addArchived(
  changed: ChangedPieces,
  pool: BackupPool,
  { files }: ArchivedCommits,
): Promise<void> {
  for (const file of files) {
    for (const { payload } of await readArchived(pool, file)) changed.add(payload);
  }
}
