import type { Manifest } from '#store/manifest.ts';
import { parseManifest } from '#store/manifest.ts';
import { backupCorrupt, noBackup, unknownFormat } from './backup-problem.ts';
import type { BackupPool } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';

/**
 * The part of a backup's file that is not encrypted: it says nothing about what the workspace
 * holds.
 */
export interface BackupHeader {
  readonly format: BackupFormat;
  readonly id: string;
  /** When the state was taken: no commit in it is newer. ISO 8601 UTC, as the next. */
  readonly createdAt: string;
  readonly completedAt: string;
  /** The newest that the state has, in the history of this epoch. */
  readonly sequence: number;
  readonly epoch: string;
  /**
   * The commit of the state that its pieces hold. What the commits from there up to `sequence`
   * changed is in the archive of the log.
   */
  readonly snapshotSequence: number;
  /** The product's version that wrote it. */
  readonly version: string;
  readonly isEncrypted: boolean;
  readonly nodes: number;
  readonly edges: number;
  /** The size of all that it consists of. */
  readonly bytes: number;
  /** Bytes that no earlier backup had. */
  readonly newBytes: number;
  /**
   * Whether every commit since the backup before it is in the archive, so that points between the
   * two can be restored.
   */
  readonly hasLog: boolean;
  /** Digest of its contents in the pool. */
  readonly contents: string;
}

/** What a backup consists of. */
export interface BackupContents {
  readonly snapshot: Manifest;
  readonly files: readonly BackupFile[];
}

/** A file of the storage folder that is no part of the state. */
export interface BackupFile {
  /** Below the storage folder, with `/` between folders. */
  readonly path: string;
  readonly digest: string;
  readonly bytes: number;
}

/**
 * A backup whose pieces are older than the backup has a format of its own: earlier versions would
 * restore only the pieces.
 */
type BackupFormat = typeof WHOLE_FORMAT | typeof OLDER_PIECES_FORMAT;
const WHOLE_FORMAT = 1;
const OLDER_PIECES_FORMAT = 2;
export const BACKUPS_FOLDER = 'backups';
const ID = /^\d{8}T\d{9}Z-[0-9a-f]{8}$/;

/**
 * Ids sort as their times do: `20261121T184000000Z-0f3a9c21`. `suffix` has 8 hexadecimal digits.
 */
export function backupId(now: number, suffix: string): string {
  return `${new Date(now).toISOString().replace(/[-:.]/g, '')}-${suffix}`;
}

export function isBackupId(text: string): boolean {
  return ID.test(text);
}

export function headerPath(id: string): string {
  return `${BACKUPS_FOLDER}/${id}.json`;
}

/**
 * Newest first. A file that is no backup is left out, one of a later format refused with
 * `backup_format_unknown`.
 */
export async function listHeaders(target: BackupTarget): Promise<readonly BackupHeader[]> {
  const files = await target.list(BACKUPS_FOLDER);
  const ids = files.map(({ path }) => path.slice(BACKUPS_FOLDER.length + 1, -'.json'.length));
  const headers: BackupHeader[] = [];
  for (const id of ids.filter(isBackupId).toSorted().toReversed()) {
    const header = await tryReadHeader(target, id);
    if (header !== undefined) headers.push(header);
  }
  return headers;
}

/** Throws `backup_not_found`. */
export async function readHeader(target: BackupTarget, id: string): Promise<BackupHeader> {
  const header = isBackupId(id) ? await tryReadHeader(target, id) : undefined;
  if (header === undefined) throw noBackup(id);
  return header;
}

/** Completes it by its format. */
export async function writeHeader(
  target: BackupTarget,
  parts: Omit<BackupHeader, 'format'>,
): Promise<BackupHeader> {
  const isOlder = parts.snapshotSequence < parts.sequence;
  const header = { format: isOlder ? OLDER_PIECES_FORMAT : WHOLE_FORMAT, ...parts } as const;
  const text = `${JSON.stringify(header, undefined, 2)}\n`;
  await target.write(headerPath(header.id), [Buffer.from(text)]);
  return header;
}

export function encodeContents(contents: BackupContents): Uint8Array {
  return Buffer.from(JSON.stringify(contents));
}

/** Throws `backup_corrupt`. */
export async function readContents(
  pool: BackupPool,
  { id, contents: digest, epoch, snapshotSequence }: BackupHeader,
): Promise<BackupContents> {
  const { snapshot, files } = parseContents(await pool.read(digest), id);
  if (snapshot.epoch !== epoch || snapshot.sequence !== snapshotSequence) {
    throw backupCorrupt(`the contents of the backup ${id} are of another one`);
  }
  return { snapshot, files };
}

function parseContents(bytes: Uint8Array, id: string): BackupContents {
  try {
    const { snapshot, files }: BackupContents = JSON.parse(Buffer.from(bytes).toString());
    return { snapshot: parseManifest(Buffer.from(JSON.stringify(snapshot))), files };
  } catch (cause) {
    throw backupCorrupt(`the contents of the backup ${id} cannot be read`, cause);
  }
}

async function tryReadHeader(target: BackupTarget, id: string): Promise<BackupHeader | undefined> {
  const bytes = await target.read(headerPath(id));
  if (bytes === undefined) return undefined;
  let header: Partial<BackupHeader>;
  try {
    header = Object(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw backupCorrupt(`${headerPath(id)} in ${target.name} is not JSON`, cause);
  }
  if (header.format !== WHOLE_FORMAT && header.format !== OLDER_PIECES_FORMAT) {
    throw unknownFormat(`the backup ${id} in ${target.name}`, header.format);
  }
  // The first versions did not write it.
  header = { snapshotSequence: Number(header.sequence), ...header };
  if (!isWhole(header, id)) throw backupCorrupt(`${headerPath(id)} in ${target.name} is damaged`);
  return header;
}

function isWhole(header: Partial<BackupHeader>, id: string): header is BackupHeader {
  const { createdAt, completedAt, sequence, snapshotSequence, epoch, contents } = header;
  return (
    header.id === id &&
    [createdAt, completedAt].every((time) => Number.isFinite(Date.parse(String(time)))) &&
    Number.isSafeInteger(sequence) &&
    Number.isSafeInteger(snapshotSequence) &&
    Number(snapshotSequence) <= Number(sequence) &&
    /^[0-9a-f]{32}$/.test(String(epoch)) &&
    /^[0-9a-f]{64}$/.test(String(contents))
  );
}
