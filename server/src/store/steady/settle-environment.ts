import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  flushedOf,
  hasOverlappingAfter,
  type MetaPage,
  newestOf,
  readMetaPages,
  writeMetaPages,
} from '../lmdb-file/meta-pages.ts';
import { LMDB_FILE } from '../lmdb-file/page-format.ts';
import { bootNumber, readBootId } from './boot-id.ts';
import { SteadyFile, type SteadyRecord } from './steady-file.ts';

/** LMDB's table of readers and writers. */
const LMDB_LOCK_FILE = 'lock.mdb';

/** An environment that LMDB may open for writing, without syncing what it writes. */
export interface SettledEnvironment {
  readonly steady: SteadyFile;
  /**
   * The transaction that LMDB will show. Its pages must not be reused: hold it with a reader before
   * anything is written. Undefined when the environment is new.
   */
  readonly meta: MetaPage | undefined;
}

/**
 * Decides what of an environment counts after it was not closed, and makes that durable, before
 * LMDB opens it for writing:
 *
 * - Everything, if it was closed, or if only the process went down, since the system then still has
 *   all that was written. (It must be the same file, too: another one may be a copy of the device.)
 * - The last steady point after a power failure. Of what was written later, any page may be on the
 *   device or not. Both meta pages are overwritten, so that LMDB takes this one.
 * - What LMDB has flushed itself, in a folder that a version without steady points wrote last.
 *
 * Undefined when the file has a layout that only LMDB knows: then nothing was changed.
 */
export function settleEnvironment(folder: string): SettledEnvironment | undefined {
  using opened = new DisposableStack();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, LMDB_FILE);
  if (!existsSync(path)) return beginNew(folder);
  const file = opened.adopt(openSync(path, 'r+'), closeSync);
  const { dev: device, ino: inode, size } = fstatSync(file, { bigint: true });
  if (size === 0n) return beginNew(folder);
  const steady = opened.use(SteadyFile.open(folder));
  const bootId = readBootId();
  const found = { device, inode, bootId };
  const { record } = steady;
  const metas = readMetaPages(file, record?.meta?.pageBytes);
  const isOurs = record !== undefined && isAfterRecord(record, metas, found);
  if (isOurs && record.meta === undefined) {
    opened.dispose();
    return beginNew(folder);
  }
  const meta = isOurs ? record.meta : flushedOf(metas, bootNumber(bootId));
  if (meta === undefined) return undefined;
  if (newestOf(metas)?.bytes.equals(meta.bytes) !== true) writeMetaPages(file, meta);
  fdatasyncSync(file);
  steady.writeSync({ mark: 'open', meta, ...found });
  closeSync(file);
  opened.move();
  return { steady, meta };
}

/**
 * Whether only what the record says counts. Otherwise the meta pages count, as LMDB reads them:
 * they are whole, or a version without steady points has written them.
 */
function isAfterRecord(
  record: SteadyRecord,
  metas: ReturnType<typeof readMetaPages>,
  found: Pick<SteadyRecord, 'device' | 'inode' | 'bootId'>,
): boolean {
  if (record.mark === 'clean') return false;
  const newest = newestOf(metas);
  const isSameBoot = record.bootId !== '' && record.bootId === found.bootId;
  if (isSameBoot) {
    if (record.mark === 'new') return newest === undefined;
    if (record.device === found.device && record.inode === found.inode) return false;
  }
  const transaction = record.meta?.transaction ?? 0;
  if (hasOverlappingAfter(metas, transaction)) return false;
  // LMDB never goes back, so this would be another file, put here by somebody.
  return newest === undefined || newest.transaction >= transaction;
}

/** Nothing in the environment counts until its first steady point. The log has all of it. */
function beginNew(folder: string): SettledEnvironment {
  for (const name of [LMDB_FILE, LMDB_LOCK_FILE]) rmSync(join(folder, name), { force: true });
  const steady = SteadyFile.open(folder);
  try {
    // The file does not exist yet, so its numbers are not known; only another boot matters.
    steady.writeSync({ mark: 'new', meta: undefined, bootId: readBootId(), device: 0n, inode: 0n });
    return { steady, meta: undefined };
  } catch (error) {
    steady[Symbol.dispose]();
    throw error;
  }
}
