import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from '#base/problem.ts';
import { lockFolder } from '#log/folder-lock.ts';

const PREFIX = 'trellis-preview-';
const KEPT_MARK = 'kept';
const ATTEMPTS_MAX = 5;

/**
 * A folder for one preview, which only this user can read. It is locked as long as the preview
 * runs, so that the next preview knows, and removes, what one has left that was killed.
 */
export class ScratchFolder implements Disposable {
  readonly path: string;
  readonly #lock: Disposable;

  private constructor(path: string, lock: Disposable) {
    this.path = path;
    this.#lock = lock;
  }

  static make(): ScratchFolder {
    removeLeft();
    for (let attempt = 1; ; attempt++) {
      const path = mkdtempSync(join(tmpdir(), PREFIX));
      try {
        return new ScratchFolder(path, lockFolder(path));
      } catch (error) {
        // Another preview has taken it for one that was left, before it was locked.
        rmSync(path, { recursive: true, force: true });
        if (attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  /** The storage folder. */
  get data(): string {
    return join(this.path, 'data');
  }

  /** It stays after the end, and later previews leave it alone. */
  keep(): void {
    writeFileSync(join(this.path, KEPT_MARK), '');
  }

  [Symbol.dispose](): void {
    this.#lock[Symbol.dispose]();
    if (!isKept(this.path)) rmSync(this.path, { recursive: true, force: true });
  }
}

/** Those of others, and those that are in use, stay. */
function removeLeft(): void {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  for (const path of names.map((name) => join(tmpdir(), name))) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isOurs = found?.isDirectory() === true && found.uid === process.getuid?.();
    if (!isOurs || isKept(path)) continue;
    try {
      using claims = new DisposableStack();
      claims.use(lockFolder(path));
      // Its server may be stopping still.
      const log = join(path, 'data/log');
      if (existsSync(log)) claims.use(lockFolder(log));
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (!isInTheWay(error)) throw error;
    }
  }
}

function isKept(path: string): boolean {
  return existsSync(join(path, KEPT_MARK));
}

/** In use, or removed by another preview at this moment. */
function isInTheWay(error: unknown): boolean {
  if (error instanceof Problem) return error.code === 'storage_in_use';
  return error instanceof Error && 'code' in error;
}
