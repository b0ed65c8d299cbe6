import { mkdir, rm } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { AppliedState } from '#store/applied-state.ts';
import { DATABASES, DB } from '#store/databases.ts';
import type { HeldReader } from '#store/held-reader.ts';
import { isSameState, type Manifest } from '#store/manifest.ts';
import { restoreSnapshot } from '#store/restore.ts';
import { digestState } from '#store/snapshot.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { backupCorrupt } from './backup-problem.ts';
import {
  readContents,
  readHeader,
  type BackupContents,
  type BackupHeader,
} from './backup-header.ts';
import { BackupPool } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';
import { listArchive, readArchived, type ArchivedFile } from './log-archive.ts';
import { readPoolSecret } from './pool-description.ts';
import { planBackup } from './restore-point.ts';
import type { WorkProgress } from './work-progress.ts';

/** What in a state does not follow from its nodes; in words. */
export interface DerivedFindings {
  readonly entries: number;
  readonly differenceCount: number;
  readonly differences: readonly string[];
  readonly skipped: readonly string[];
}

/** Compares indexes, counts and the like of a state with its nodes. */
export type DerivedCheck = (
  state: HeldReader,
  work: {
    readonly signal: AbortSignal;
    readonly onProgress: (done: number, total: number) => void;
  },
) => Promise<DerivedFindings>;

export interface VerifyBackupOptions extends WorkProgress {
  readonly target: BackupTarget;
  readonly id: string;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  readonly checkDerived: DerivedCheck;
  /** A folder for the restored state, that is emptied before and removed afterwards. */
  readonly scratch: string;
}

/**
 * Restores a backup beside the workspace and compares what came out of it, entry by entry, with
 * what went in; reads its files, and the commits that are archived between it and the backup
 * before. Damaged pieces are removed, so that the next run writes them again. Then compares the
 * indexes of the restored state with its nodes. Throws `backup_corrupt`, `storage_damaged` when
 * these differ, `backup_not_found`, the problems of the target, and `job_cancelled` by the signal.
 */
export async function verifyBackup(options: VerifyBackupOptions): Promise<void> {
  const { target, id, masterKey, scratch, clock, log } = options;
  const header = await readHeader(target, id);
  const pool = new BackupPool(target, (await readPoolSecret(target, masterKey))?.secret);
  const { snapshot, files } = await readContents(pool, header);
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  let commits = 0;
  try {
    await restoreState(options, pool, snapshot);
    const { epoch } = header;
    await using state = new AppliedState({ storage: scratch, masterKey, clock, epoch });
    await compareState(options, snapshot);
    for (const { digest } of files) await pool.read(digest);
    commits = await readLog(target, pool, header);
    await addCommits(options, { state, pool, header });
    await compareDerived(options);
  } catch (error) {
    if (isDamage(error)) await removeDamaged(options, pool, { header, snapshot, files });
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  log(
    `${header.nodes} nodes and ${header.edges} edges are as they were at sequence ${header.sequence}.`,
  );
  log(`${files.length} files and ${commits} archived commits can be read.`);
}

async function restoreState(
  { masterKey, scratch: storage, clock, signal, report }: VerifyBackupOptions,
  pool: BackupPool,
  snapshot: Manifest,
): Promise<void> {
  const pieces = snapshot.databases.reduce((sum, database) => sum + database.pieces.length, 0);
  let read = 0;
  const source = {
    read: (digest: string) => {
      signal.throwIfAborted();
      report((0.6 * read++) / Math.max(1, pieces), `Restoring: ${read} of ${pieces} pieces`);
      return pool.read(digest);
    },
  };
  await restoreSnapshot(snapshot, source, { storage, masterKey, clock });
}

async function compareState(
  { scratch: storage, masterKey, signal, report }: VerifyBackupOptions,
  snapshot: Manifest,
): Promise<void> {
  report(0.6, 'Comparing');
  const environments = ['graph', 'vault'] as const;
  using reader = openSnapshotReader({ storage, masterKey, environments });
  const restored = await digestState(reader);
  signal.throwIfAborted();
  if (!isSameState(restored, snapshot)) throw differs(snapshot, restored);
}

/** The pieces may be what was written, and what was written not what the nodes say. */
async function compareDerived(options: VerifyBackupOptions): Promise<void> {
  const { scratch: storage, masterKey, signal, report, log } = options;
  using reader = openSnapshotReader({ storage, masterKey, environments: ['graph'] });
  using state = reader.hold();
  const onProgress = (done: number, total: number): void =>
    report(0.9 + (0.1 * done) / Math.max(1, total), 'Comparing indexes with the nodes');
  const found = await options.checkDerived(state, { signal, onProgress });
  for (const text of found.skipped) log(`Not compared: ${text}.`);
  for (const text of found.differences) log(`${text}.`);
  const { entries, differenceCount, differences } = found;
  if (differenceCount > 0) {
    throw new Problem(
      'storage_damaged',
      `${differenceCount} entries do not follow from the nodes, such as: ${differences[0]}`,
      {
        hint: 'The workspace was so when the backup was made. After a restore, remove the indexes that are named and add them again.',
        details: { differenceCount, differences },
      },
    );
  }
  log(`${entries} entries of indexes and the like follow from the nodes.`);
}

/** Adds the commits that a backup has after its pieces to what was restored. */
async function addCommits(
  { target, signal, report, log }: VerifyBackupOptions,
  parts: {
    readonly state: AppliedState;
    readonly pool: BackupPool;
    readonly header: BackupHeader;
  },
): Promise<void> {
  const { state, pool, header } = parts;
  const { sequence, snapshotSequence, nodes, edges } = header;
  const { chain } = await planBackup(target, header);
  for (const [i, file] of chain.entries()) {
    signal.throwIfAborted();
    report(0.8 + (0.1 * i) / chain.length, `Adding commits: ${i} of ${chain.length} files`);
    const commits = await readArchived(pool, file);
    await state.apply(commits.filter(({ last }) => last > state.sequence && last <= sequence));
  }
  const found = { nodes: state.count(DB.nodes), edges: state.count(DB.out) };
  if (state.sequence !== sequence || found.nodes !== nodes || found.edges !== edges) {
    throw backupCorrupt(
      `it leads to ${found.nodes} nodes and ${found.edges} edges at sequence ${state.sequence}, and was made of ${nodes} and ${edges} at ${sequence}`,
    );
  }
  if (chain.length === 0) return;
  log(`Its pieces are of sequence ${snapshotSequence}; the commits after it lead to ${sequence}.`);
}

/** Removes damaged pieces, which every later run would take for good. Throws when there are any. */
async function removeDamaged(
  { target, signal, report }: VerifyBackupOptions,
  pool: BackupPool,
  { header, snapshot, files }: BackupContents & { readonly header: BackupHeader },
): Promise<void> {
  let damaged = 0;
  const look = async (read: () => Promise<unknown>, remove: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted();
    report(0.9, 'Looking for what is damaged');
    try {
      await read();
    } catch (error) {
      if (!isDamage(error)) throw error;
      await remove();
      damaged++;
    }
  };
  const pieces = [...snapshot.databases.flatMap((database) => database.pieces), ...files];
  for (const { digest } of pieces) {
    await look(
      () => pool.read(digest),
      () => pool.remove(digest),
    );
  }
  const archived = await archivedUntil(target, header);
  for (const file of archived) {
    await look(
      () => readArchived(pool, file),
      () => target.remove(file.path),
    );
  }
  if (damaged === 0) return;
  const all = pieces.length + archived.length;
  throw backupCorrupt(`${damaged} of ${all} pieces and files of commits are damaged or missing`);
}

function isDamage(error: unknown): boolean {
  return error instanceof Problem && error.code === 'backup_corrupt';
}

async function archivedUntil(
  target: BackupTarget,
  { epoch, sequence }: BackupHeader,
): Promise<readonly ArchivedFile[]> {
  return (await listArchive(target, epoch)).filter(({ last }) => last <= sequence);
}

async function readLog(
  target: BackupTarget,
  pool: BackupPool,
  header: BackupHeader,
): Promise<number> {
  let commits = 0;
  for (const file of await archivedUntil(target, header))
    commits += (await readArchived(pool, file)).length;
  return commits;
}

function differs(expected: Manifest, restored: Manifest): Problem {
  const names = DATABASES.filter(({ number }) => {
    const [one, other] = [expected, restored].map(({ databases }) =>
      JSON.stringify(databases.find((database) => database.number === number)?.pieces ?? []),
    );
    return one !== other;
  }).map(({ name }) => name);
  return backupCorrupt(`the restored state differs in ${names.join(', ') || 'its history'}`);
}
