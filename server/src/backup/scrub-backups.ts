import { Problem } from '#base/problem.ts';
import { listHeaders, readContents, type BackupHeader } from './backup-header.ts';
import { BackupPool } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';
import { listArchive, readArchived } from './log-archive.ts';
import { readPoolSecret } from './pool-description.ts';

export interface BackupScrub {
  readonly target: BackupTarget;
  readonly masterKey: string | undefined;
  /** Called between two files. Rejects to end. */
  readonly rest: () => Promise<void>;
  readonly onDamage: (place: string) => void;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Reads every file that the backups of a target consist of, once, and compares it with its digest.
 * Nothing is removed or restored: `verifyBackup` does both. Resolves with the number of backups.
 */
export async function scrubBackups(options: BackupScrub): Promise<number> {
  const { target, masterKey, rest, onDamage, onProgress } = options;
  const headers = await listHeaders(target);
  if (headers.length === 0) return 0;
  const pool = new BackupPool(target, (await readPoolSecret(target, masterKey))?.secret);
  const seen = new Set<string>();
  const look = async (
    read: () => Promise<unknown>,
    of: string,
    isThere: () => Promise<boolean>,
  ) => {
    const damage = await damageIn(read);
    // A file that was removed in the meantime is no damage.
    if (damage !== undefined && (await isThere())) onDamage(`${of}: ${damage}`);
    await rest();
  };
  for (const [i, header] of headers.entries()) {
    onProgress(i, headers.length + 1);
    const digests = await digestsOf(pool, header);
    const isThere = (): Promise<boolean> => has(target, header.id);
    if (typeof digests === 'string') {
      if (await isThere()) onDamage(`${header.id}: ${digests}`);
      continue;
    }
    for (const digest of digests) {
      if (seen.has(digest)) continue;
      seen.add(digest);
      await look(() => pool.read(digest), header.id, isThere);
    }
  }
  onProgress(headers.length, headers.length + 1);
  for (const file of await listArchive(target)) {
    const isThere = async (): Promise<boolean> =>
      (await listArchive(target, file.epoch)).some(({ path }) => path === file.path);
    await look(() => readArchived(pool, file), file.path, isThere);
  }
  return headers.length;
}

/** The digests of its contents; or what is wrong with them. */
async function digestsOf(
  pool: BackupPool,
  header: BackupHeader,
): Promise<readonly string[] | string> {
  let digests: readonly string[] = [];
  const damage = await damageIn(async () => {
    const { snapshot, files } = await readContents(pool, header);
    const pieces = snapshot.databases.flatMap((database) => database.pieces);
    digests = [...pieces, ...files].map(({ digest }) => digest);
  });
  return damage ?? digests;
}

async function has(target: BackupTarget, id: string): Promise<boolean> {
  return (await listHeaders(target)).some((header) => header.id === id);
}

async function damageIn(read: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof Problem && error.code === 'backup_corrupt') return error.message;
    throw error;
  }
}
