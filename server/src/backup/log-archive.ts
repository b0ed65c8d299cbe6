import { BACKUP_LOG_FILE_BYTES_MAX } from '#base/backup-limits.ts';
import type { LogRecord } from '#log/commit-log.ts';
import { pieceDigest } from '#store/piece.ts';
import { backupCorrupt } from './backup-problem.ts';
import type { BackupPool } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';

/**
 * The commits between backups, by which a point between two of them can be restored. A file holds
 * commits that follow one another; its name says which, so that listing the names tells what there
 * is. Files may overlap: a run that was killed left some, and the next one wrote others. The
 * content is, for each commit, all numbers big-endian:
 *
 * u48 first sequence, u32 operations, u48 time (milliseconds since the Unix epoch), u32 length of
 * the payload, payload
 */
export interface ArchivedFile {
  readonly path: string;
  readonly epoch: string;
  readonly first: number;
  readonly last: number;
  readonly digest: string;
  /** The size of the file. */
  readonly bytes: number;
}

const LOG_FOLDER = 'log';
const NAME = /^log\/([0-9a-f]{32})\/(\d{16})-(\d{16})-([0-9a-f]{64})$/;
const HEADER_BYTES = 20;

/** By ascending first sequence, of all epochs or of one. */
export async function listArchive(
  target: BackupTarget,
  epoch?: string,
): Promise<readonly ArchivedFile[]> {
  const files = await target.list(epoch === undefined ? LOG_FOLDER : `${LOG_FOLDER}/${epoch}`);
  return files
    .flatMap(({ path, bytes }): ArchivedFile[] => {
      const [, of, first, last, digest] = NAME.exec(path) ?? [];
      if (of === undefined || digest === undefined) return [];
      return [{ path, epoch: of, first: Number(first), last: Number(last), digest, bytes }];
    })
    .toSorted((one, other) => one.first - other.first);
}

/**
 * The files of one epoch, by ascending first sequence, that lead from a sequence without a gap as
 * far as they reach, or to `to`.
 */
export function chainFrom(
  files: readonly ArchivedFile[],
  after: number,
  to = Infinity,
): { readonly chain: readonly ArchivedFile[]; readonly reached: number } {
  const chain: ArchivedFile[] = [];
  let reached = after;
  let best: ArchivedFile | undefined;
  const take = (): void => {
    if (best === undefined || best.last <= reached) return;
    chain.push(best);
    reached = best.last;
  };
  for (const file of files) {
    if (file.first > reached + 1) take();
    if (reached >= to || file.first > reached + 1) break;
    if (best === undefined || file.last > best.last) best = file;
  }
  if (reached < to) take();
  return { chain, reached };
}

/** The files that lead from a sequence of a history as far as they reach, or to `to`. */
export async function chainAfter(
  target: BackupTarget,
  { epoch, sequence }: { readonly epoch: string; readonly sequence: number },
  to?: number,
): Promise<{ readonly chain: readonly ArchivedFile[]; readonly reached: number }> {
  return chainFrom(await listArchive(target, epoch), sequence, to);
}

/** Writes commits of one epoch that follow one another into files. */
export class LogArchiver {
  readonly #pool: BackupPool;
  readonly #epoch: string;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #first = 0;
  #last = 0;
  #writtenBytes = 0;

  constructor(pool: BackupPool, epoch: string) {
    this.#pool = pool;
    this.#epoch = epoch;
  }

  get writtenBytes(): number {
    return this.#writtenBytes;
  }

  /** The payload is copied. */
  async add({ first, last, time, payload }: LogRecord): Promise<void> {
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUIntBE(first, 0, 6);
    header.writeUInt32BE(last - first + 1, 6);
    header.writeUIntBE(time, 10, 6);
    header.writeUInt32BE(payload.length, 16);
    if (this.#parts.length === 0) this.#first = first;
    this.#parts.push(header, payload.slice());
    this.#bytes += HEADER_BYTES + payload.length;
    this.#last = last;
    if (this.#bytes >= BACKUP_LOG_FILE_BYTES_MAX) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#parts.length === 0) return;
    const content = Buffer.concat(this.#parts);
    const digest = pieceDigest(content);
    const name = `${sequenceName(this.#first)}-${sequenceName(this.#last)}-${digest}`;
    await this.#pool.writeSealed(`${LOG_FOLDER}/${this.#epoch}/${name}`, digest, content);
    this.#writtenBytes += content.length;
    this.#parts = [];
    this.#bytes = 0;
  }
}

/** The commits of a file, verified. Throws `backup_corrupt`. */
export async function readArchived(
  pool: BackupPool,
  file: ArchivedFile,
): Promise<readonly LogRecord[]> {
  const content = Buffer.from(await pool.readSealed(file.path, file.digest));
  if (pieceDigest(content) !== file.digest) throw backupCorrupt(`${file.path} has other content`);
  const records: LogRecord[] = [];
  let next = file.first;
  for (let at = 0; at < content.length;) {
    const first = content.readUIntBE(at, 6);
    const last = first + content.readUInt32BE(at + 6) - 1;
    const time = content.readUIntBE(at + 10, 6);
    const end = at + HEADER_BYTES + content.readUInt32BE(at + 16);
    if (first !== next || end > content.length) {
      throw backupCorrupt(`${file.path} does not hold what its name says`);
    }
    records.push({ first, last, time, payload: content.subarray(at + HEADER_BYTES, end) });
    next = last + 1;
    at = end;
  }
  if (next !== file.last + 1) throw backupCorrupt(`${file.path} ends early`);
  return records;
}

function sequenceName(sequence: number): string {
  return String(sequence).padStart(16, '0');
}
