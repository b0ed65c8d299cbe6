import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { LogTail } from '#log/log-tail.ts';
import { ChangedPieces } from '#store/changed-pieces.ts';
import { DB } from '#store/databases.ts';
import type { Manifest } from '#store/manifest.ts';
import { pieceDigest } from '#store/piece.ts';
import { updateSnapshot, writeSnapshot } from '#store/snapshot.ts';
import type { HeldReader } from '#store/held-reader.ts';
import type { StateReader } from '#store/snapshot-reader.ts';
import {
  BACKUP_FORMAT,
  backupId,
  encodeContents,
  listHeaders,
  readContents,
  writeHeader,
  type BackupContents,
  type BackupFile,
  type BackupHeader,
} from './backup-header.ts';
import { BackupPool, PoolWriter } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';
import { chainFrom, listArchive, LogArchiver } from './log-archive.ts';
import { openPoolSecret } from './pool-description.ts';
import type { WorkProgress } from './work-progress.ts';

/** A file beside the state, of which the next backup need not read what the one before has under the same path and digest. */
export interface SourceFile {
  readonly path: string;
  /** Undefined where it is known only from the content. */
  readonly digest: string | undefined;
  /** Undefined when it went meanwhile. */
  read(): Promise<Uint8Array | undefined>;
}

/** What a backup is made of. */
export interface BackupSource {
  readonly reader: StateReader;
  readonly log: LogTail;
  /** About how large the state is. */
  readonly stateBytes: number;
  /** Resolves once the log can be read up to there. */
  reach(sequence: number): Promise<void>;
  files(): Promise<readonly SourceFile[]>;
}

export interface TakeBackupOptions extends WorkProgress {
  readonly target: BackupTarget;
  readonly source: BackupSource;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  /** 8 hexadecimal digits that no other backup of the moment has. */
  readonly suffix: string;
  /** Of the product. */
  readonly version: string;
}

/** What there is of the backup before, in the same history. */
interface Former {
  readonly header: BackupHeader;
  readonly contents: BackupContents;
}

/**
 * Makes a backup of the newest commit while others are written. Of a history that has one already, only what the commits since have
 * touched is read. The file that says that there is a backup comes last: before, there are only pieces, which the next run uses.
 * The target is claimed by the caller. Throws what the target throws, and `job_cancelled` by the signal.
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
  const archived = await archiveLog(options, { pool, held, former });
  const snapshot = await writeState(options, { held, writer, former, changed: archived.changed });
  const files = await writeFiles(source, writer, former);
  const contents = encodeContents({ snapshot, files });
  const digest = pieceDigest(contents);
  await writer.write(digest, contents);
  await writer.drain();
  await target.sync();
  const header: BackupHeader = {
    format: BACKUP_FORMAT,
    id: backupId(createdAt, options.suffix),
    createdAt: new Date(createdAt).toISOString(),
    completedAt: new Date(clock.now()).toISOString(),
    sequence: held.sequence,
    epoch: held.epoch,
    version: options.version,
    isEncrypted: secret !== undefined,
    nodes: entriesOf(snapshot, DB.nodes),
    edges: entriesOf(snapshot, DB.out),
    bytes: bytesOf(snapshot) + files.reduce((sum, { bytes }) => sum + bytes, 0),
    newBytes: writer.writtenBytes + archived.bytes,
    hasLog: archived.isWhole,
    contents: digest,
  };
  options.signal.throwIfAborted();
  await writeHeader(target, header);
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

/** The commits behind it would be mixed with those that were made instead. */
function wentBack({ name }: BackupTarget, ahead: BackupHeader, sequence: number): Problem {
  return new Problem(
    'backup_target_mismatch',
    `the workspace is at sequence ${sequence}, and the backup ${ahead.id} in ${name} at ${ahead.sequence} of the same history`,
    {
      hint: 'The storage folder was put back without `trellis restore`: use another target, or delete the backups that are ahead.',
    },
  );
}

interface Archived {
  /** Undefined when not every commit since the backup before could be read. */
  readonly changed: ChangedPieces | undefined;
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Adds the commits since the backup before to the archive, and takes in what they touched. */
async function archiveLog(
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
    note(`The log begins at ${from}: commits behind ${after} are missing in the archive.`);
  }
  // What a run that was killed has archived.
  const { reached } = chainFrom(await listArchive(target, held.epoch), after);
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

async function writeState(
  { signal, report, source, log }: TakeBackupOptions,
  parts: {
    readonly held: HeldReader;
    readonly writer: PoolWriter;
    readonly former: Former | undefined;
    readonly changed: ChangedPieces | undefined;
  },
): Promise<Manifest> {
  const { held, writer, former, changed } = parts;
  const expectedBytes = former?.header.bytes ?? source.stateBytes;
  let bytes = 0;
  const sink = {
    write: async (digest: string, piece: Uint8Array) => {
      signal.throwIfAborted();
      bytes += piece.length;
      report(
        Math.min(0.99, bytes / Math.max(1, expectedBytes)),
        `Reading the state: ${mega(bytes)}`,
      );
      await writer.write(digest, piece);
    },
  };
  if (changed !== undefined && former !== undefined) {
    const snapshot = await updateSnapshot(held, changed, sink);
    if (isThere(former.contents.snapshot, snapshot, writer)) return snapshot;
    log('Pieces that an earlier backup has written are missing or damaged: all are looked at.');
    bytes = 0;
  }
  return await writeSnapshot(held, sink);
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

function entriesOf({ databases }: Manifest, db: number): number {
  const pieces = databases.find(({ number }) => number === db)?.pieces ?? [];
  return pieces.reduce((sum, { entries }) => sum + entries, 0);
}

function bytesOf(manifest: Manifest): number {
  return piecesOf(manifest).reduce((sum, { bytes }) => sum + bytes, 0);
}

function mega(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
