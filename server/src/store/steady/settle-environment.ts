import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
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
import { STEADY_FILE, SteadyFile, type SteadyRecord } from './steady-file.ts';

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
 * The same for a stopped store that is opened only for reading. Nothing is written where everything
 * counts.
 */
export function settleStopped(folder: string): void {
  const path = join(folder, LMDB_FILE);
  if (!existsSync(join(folder, STEADY_FILE)) || !existsSync(path)) return;
  {
    using steady = SteadyFile.open(folder);
    const { record } = steady;
    const { dev: device, ino: inode } = statSync(path, { bigint: true });
    const found = { device, inode, bootId: readBootId() };
    if (record === undefined || record.mark === 'clean' || isSameBoot(record, found)) return;
  }
  settleEnvironment(folder)?.steady[Symbol.dispose]();
}

type Found = Pick<SteadyRecord, 'device' | 'inode' | 'bootId'>;

/** Whether the system still has all that was written, since only the process has ended. */
function isSameBoot(record: SteadyRecord, { bootId, device, inode }: Found): boolean {
  if (record.bootId === '' || record.bootId !== bootId) return false;
  // The numbers of a new file were not known yet.
  return record.mark === 'new' || (record.device === device && record.inode === inode);
}

/**
 * Whether only what the record says counts. Otherwise the meta pages count, as LMDB reads them:
 * they are whole, or a version without steady points has written them.
 */
function isAfterRecord(
  record: SteadyRecord,
  metas: ReturnType<typeof readMetaPages>,
  found: Found,
): boolean {
  if (record.mark === 'clean') return false;
  const newest = newestOf(metas);
  if (isSameBoot(record, found)) return record.mark === 'new' && newest === undefined;
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
