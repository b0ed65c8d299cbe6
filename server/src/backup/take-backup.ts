import {
  BACKUP_COMMITS_BYTES_MIN,
  BACKUP_COMMITS_FILES_MAX,
  BACKUP_COMMITS_SHARE_MAX,
} from '#base/backup-limits.ts';
import { Problem } from '#base/problem.ts';
import { ChangedPieces } from '#store/changed-pieces.ts';
import { DB } from '#store/databases.ts';
import type { HeldReader } from '#store/held-reader.ts';
import type { Manifest } from '#store/manifest.ts';
import { pieceDigest } from '#store/piece.ts';
import type { SnapshotSink } from '#store/snapshot-pieces.ts';
import { updateSnapshot, writeSnapshot } from '#store/snapshot.ts';
import { SpareMemory } from '#store/spare-memory.ts';
import {
  type BackupContents,
  type BackupFile,
  type BackupHeader,
  backupId,
  encodeContents,
  listHeaders,
  readContents,
  writeHeader,
} from './backup-header.ts';
import { BackupPool, PoolWriter } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';
import { type ArchivedFile, chainAfter, LogArchiver, readArchived } from './log-archive.ts';
import { openPoolSecret } from './pool-description.ts';
import type { Clock } from '#base/clock.ts';
import type { LogTail } from '#log/log-tail.ts';
import type { SecondReader } from '#store/second-reader.ts';
import type { HoldingReader } from '#store/snapshot-reader.ts';
import type { WorkProgress } from './work-progress.ts';

/**
 * Makes a backup of the newest commit while others are written. Where the history has one already,
 * the commits since are kept, and with few of them nothing else; with more, what they have touched
 * is read. The file that says that there is a backup comes last: before, there are only pieces,
 * which the next run uses. The target is claimed by the caller. Throws what the target throws, and
 * `job_cancelled` by the signal.
 */
export async function takeBackup(options: TakeBackupOptions): Promise<BackupHeader> {
  const { target, source, clock } = options;
  const secret = await openPoolSecret(target, options.masterKey);
  const pool = new BackupPool(target, secret);
  using held = source.reader.hold();
  // Behind the hold: no commit that it shows is newer.
  const createdAt = clock.now();
  const former = await findFormer(target, pool, held, options.log);
  const writer = await PoolWriter.open(pool, target);
  const archived = await archiveCommits(options, { pool, held, former });
  const snapshot = await takeState(options, { pool, held, writer, former, archived });
  const files = await writeFiles(source, writer, former);
  const contents = encodeContents({ snapshot: snapshot.manifest, files });
  const digest = pieceDigest(contents);
  await writer.write(digest, contents);
  await writer.drain();
  await target.sync();
  options.signal.throwIfAborted();
  const header = await writeHeader(target, {
    id: backupId(createdAt, options.suffix),
    createdAt: new Date(createdAt).toISOString(),
    completedAt: new Date(clock.now()).toISOString(),
    sequence: held.sequence,
    epoch: held.epoch,
    snapshotSequence: snapshot.manifest.sequence,
    version: options.version,
    isEncrypted: secret !== undefined,
    nodes: held.count(DB.nodes),
    edges: held.count(DB.out),
    bytes:
      bytesOf(snapshot.manifest) +
      snapshot.commitBytes +
      files.reduce((sum, { bytes }) => sum + bytes, 0),
    newBytes: writer.writtenBytes + archived.bytes,
    hasLog: archived.isWhole,
    contents: digest,
  });
  await target.sync();
  return header;
}

/** The newest of this history whose contents can be read. */
async function findFormer(
  target: BackupTarget,
  pool: BackupPool,
  { epoch, sequence }: HeldReader,
  log: (text: string) => void,
): Promise<Former | undefined> {
  const headers = await listHeaders(target);
  const ofHistory = headers.filter((one) => one.epoch === epoch);
  const ahead = ofHistory.find((one) => one.sequence > sequence);
  if (ahead !== undefined) throw wentBack(target, ahead, sequence);
  const [header] = ofHistory;
  if (header === undefined) return undefined;
  try {
    return { header, contents: await readContents(pool, header) };
  } catch (error) {
    log(`The contents of the backup ${header.id} cannot be used: ${String(error)}`);
    return undefined;
  }
}

/** The commits after it would be mixed with those that were made instead. */
function wentBack({ name }: BackupTarget, ahead: BackupHeader, sequence: number): Problem {
  return new Problem(
    'backup_target_mismatch',
    `the workspace is at sequence ${sequence}, and the backup ${ahead.id} in ${name} at ${ahead.sequence} of the same history`,
    {
      hint: 'The storage folder was put back without `trellis restore`: use another target, or delete the backups that are ahead.',
    },
  );
}

interface StateParts {
  readonly held: HeldReader;
  readonly writer: PoolWriter;
  readonly former: Former | undefined;
}

/** What is known of the state at the sequence of a backup. */
interface TakenState {
  /** The manifest of the state, or of an earlier one. */
  readonly manifest: Manifest;
  /** The size of the archived commits from there on. */
  readonly commitBytes: number;
}

async function takeState(
  options: TakeBackupOptions,
  parts: StateParts & { readonly pool: BackupPool; readonly archived: Archived },
): Promise<TakenState> {
  const { pool, held, writer, former, archived } = parts;
  if (former === undefined || !archived.isWhole) {
    return { manifest: await writeState(options, parts, undefined), commitBytes: 0 };
  }
  const { snapshot } = former.contents;
  const behind = await commitsAfter(options.target, snapshot, held.sequence);
  const isNear = behind !== undefined && areFew(behind, snapshot);
  if (isNear && piecesOf(snapshot).every(({ digest, bytes }) => writer.has(digest, bytes))) {
    return { manifest: snapshot, commitBytes: behind.bytes };
  }
  const changed = await changedSince(options, pool, former, archived.changed);
  return { manifest: await writeState(options, parts, changed), commitBytes: 0 };
}

/** Undefined when what an earlier backup has archived cannot be read. */
async function changedSince(
  { target, log }: TakeBackupOptions,
  pool: BackupPool,
  { header, contents }: Former,
  changed: ChangedPieces | undefined,
): Promise<ChangedPieces | undefined> {
  if (changed === undefined || header.snapshotSequence === header.sequence) return changed;
  const earlier = await commitsAfter(target, contents.snapshot, header.sequence);
  if (earlier === undefined) return undefined;
  try {
    await addArchived(changed, pool, earlier);
    return changed;
  } catch (error) {
    log(`Archived commits cannot be used: ${String(error)}`);
    return undefined;
  }
}

/** A restore reads all of them. */
function areFew({ files, bytes }: ArchivedCommits, snapshot: Manifest): boolean {
  const bytesMax = Math.max(BACKUP_COMMITS_BYTES_MIN, BACKUP_COMMITS_SHARE_MAX * bytesOf(snapshot));
  return files.length <= BACKUP_COMMITS_FILES_MAX && bytes <= bytesMax;
}

async function writeState(
  { signal, report, source, log }: TakeBackupOptions,
  { held, writer, former }: StateParts,
  changed: ChangedPieces | undefined,
): Promise<Manifest> {
  const expectedBytes = former?.header.bytes ?? source.stateBytes;
  let bytes = 0;
  using memory = new SpareMemory();
  const sink: SnapshotSink = {
    spare: () => memory.take(),
    write: async (digest, piece) => {
      signal.throwIfAborted();
      bytes += piece.length;
      report(
        Math.min(0.99, bytes / Math.max(1, expectedBytes)),
        `Reading the state: ${mebibytes(bytes)}`,
      );
      await writer.write(digest, piece, () => memory.give(piece.buffer));
    },
  };
  if (changed !== undefined && former !== undefined) {
    const snapshot = await updateSnapshot(held, changed, sink);
    if (isThere(former.contents.snapshot, snapshot, writer)) return snapshot;
    log('Pieces that an earlier backup has written are missing or damaged: all are looked at.');
    bytes = 0;
  }
  return await writeSnapshot(held, sink, source.second);
}

/** Whether every piece that was kept is in the pool still; those that are new are being written. */
function isThere(former: Manifest, snapshot: Manifest, writer: PoolWriter): boolean {
  const before = new Set(piecesOf(former).map(({ digest }) => digest));
  return piecesOf(snapshot)
    .filter(({ digest }) => before.has(digest))
    .every(({ digest, bytes }) => writer.has(digest, bytes));
}

async function writeFiles(
  source: BackupSource,
  writer: PoolWriter,
  former: Former | undefined,
): Promise<readonly BackupFile[]> {
  const known = new Map(former?.contents.files.map((file) => [file.path, file]));
  const written: BackupFile[] = [];
  for (const { path, digest: named, read } of await source.files()) {
    const before = known.get(path);
    if (before !== undefined && before.digest === named && writer.has(named, before.bytes)) {
      written.push(before);
      continue;
    }
    const content = await read();
    if (content === undefined) continue;
    const digest = pieceDigest(content);
    const { length: bytes } = content;
    await writer.write(digest, content);
    written.push({ path, digest, bytes });
  }
  return written;
}

function piecesOf({ databases }: Manifest) {
  return databases.flatMap(({ pieces }) => pieces);
}

function bytesOf(manifest: Manifest): number {
  return piecesOf(manifest).reduce((sum, { bytes }) => sum + bytes, 0);
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

interface Archived {
  /**
   * The pieces of the earlier backup that these commits have touched; undefined when not every
   * commit since then could be read.
   */
  readonly changed: ChangedPieces | undefined;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Adds the commits since the backup before to the archive. */
async function archiveCommits(
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
  const { reached } = await chainAfter(target, former.header);
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
interface ArchivedCommits {
  readonly files: readonly ArchivedFile[];
  /** The size of the files. */
  readonly bytes: number;
}

/** The commits after a state; undefined when some are missing. */
async function commitsAfter(
  target: BackupTarget,
  snapshot: Manifest,
  to: number,
): Promise<ArchivedCommits | undefined> {
  const { chain, reached } = await chainAfter(target, snapshot, to);
  if (reached < to) return undefined;
  return { files: chain, bytes: chain.reduce((sum, file) => sum + file.bytes, 0) };
}

/** Takes in what archived commits have touched. Throws `backup_corrupt`. */
async function addArchived(
  changed: ChangedPieces,
  pool: BackupPool,
  { files }: ArchivedCommits,
): Promise<void> {
  for (const file of files) {
    for (const { payload } of await readArchived(pool, file)) changed.add(payload);
  }
}

/**
 * A file beside the state. A backup does not read it when the earlier backup has the same path and
 * digest.
 */
export interface SourceFile {
  readonly path: string;
  /** Undefined where it is known only from the content. */
  readonly digest: string | undefined;
  /** Undefined when the file was removed in the meantime. */
  read(): Promise<Uint8Array | undefined>;
}

/** What a backup is made of. */
export interface BackupSource {
  readonly reader: HoldingReader;
  readonly log: LogTail;
  /** Undefined when the state is too small for a second reader. */
  readonly second: SecondReader | undefined;
  /** About how large the state is. */
  readonly stateBytes: number;
  /** Resolves once the log can be read up to there. */
  reach(sequence: number): Promise<void>;
  files(): Promise<readonly SourceFile[]>;
}

interface TakeBackupOptions extends WorkProgress {
  readonly target: BackupTarget;
  readonly source: BackupSource;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  /** 8 hexadecimal digits that no other backup of the moment has. */
  readonly suffix: string;
  /** The product's. */
  readonly version: string;
}

/** The earlier backup of the same history. */
interface Former {
  readonly header: BackupHeader;
  readonly contents: BackupContents;
}
