/**
 * Where backups are kept: files by path, in a folder or in a store of objects. What lies there:
 *
 *     pool.json                            format, encrypted or not: `pool-description.ts`
 *     pieces/<2 digits>/<name>             what there is much of, by digest: `backup-pool.ts`
 *     log/<epoch>/<first>-<last>-<digest>  commits between the backups: `log-archive.ts`
 *     backups/<id>.json                    one a backup, written last: `backup-header.ts`
 *     lock/                                who writes: `folder-target.ts`, `s3-lease.ts`
 *
 * A path has segments of `[A-Za-z0-9._-]` with `/` between them. Every method throws
 * `backup_target_failed` when the target does not do what it should, and `storage_full` when there
 * is no room.
 */
export interface BackupTarget {
  /** For people; without secrets. */
  readonly name: string;
  /**
   * All files whose path begins with the folder, in any order; a folder that is not there has none.
   */
  list(folder: string): Promise<readonly TargetFile[]>;
  /** Undefined when there is no such file. The bytes are the caller's own. */
  read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** The file is there as a whole or not at all, and replaces one of its name. */
  write(path: string, content: readonly Uint8Array[]): Promise<void>;
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>;
  /** What was written is durable when this resolves. */
  sync(): Promise<void>;
  /**
   * For one that writes, until disposed. `note` is told where a claim does not keep everybody else
   * out. Throws `backup_target_in_use`.
   */
  claim(note: (text: string) => void): Promise<Disposable | AsyncDisposable>;
}

export interface TargetFile {
  readonly path: string;
  readonly bytes: number;
}
