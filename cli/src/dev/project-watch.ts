import { existsSync, type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Editors write a file in several steps, and format others with it. */
const QUIET_MS = 50;

/**
 * Yields once at the beginning, and again whenever something may have changed in the folder's
 * schema, modules or endpoints; changes that come while the last ones are worked on are one. Ends
 * when the signal aborts.
 *
 * Each folder is watched before it is read, also one that is new: so no file is missed.
 */
export async function* projectChanges(
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<void, void, undefined> {
  using watched = new WatchedFolders(folder);
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => aborted.resolve(), { once: true });
  while (!signal.aborted) {
    const changed = watched.nextChange();
    yield;
    await Promise.race([changed, aborted.promise]);
    if (!signal.aborted) await pause(QUIET_MS);
  }
}

const CODE_FOLDERS = ['endpoints', 'lib'];

class WatchedFolders implements Disposable {
  readonly #folder: string;
  readonly #code: readonly string[];
  readonly #watchers = new Map<string, FSWatcher>();
  #changed = Promise.withResolvers<void>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#code = CODE_FOLDERS.map((name) => join(folder, name));
  }

  /** Resolves with the first change after this call. */
  nextChange(): Promise<void> {
    this.#changed = Promise.withResolvers();
    this.#watch(this.#folder, (name) => name === 'schema.json' || CODE_FOLDERS.includes(name));
    for (const path of this.#code.flatMap(foldersBelow)) this.#watch(path, mayBeCode);
    return this.#changed.promise;
  }

  #watch(path: string, isOurs: (name: string) => boolean): void {
    if (this.#watchers.has(path)) return;
    const watcher = watch(path, (_event, name) => {
      // A folder that is gone is told of as itself; another one may come in its place.
      if (!existsSync(path)) this.#forget(path);
      if (name === null || isOurs(name)) this.#changed.resolve();
    });
    watcher.on('error', () => this.#forget(path));
    this.#watchers.set(path, watcher);
  }

  #forget(path: string): void {
    this.#watchers.get(path)?.close();
    this.#watchers.delete(path);
    this.#changed.resolve();
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }
}

/** The folder itself and all folders in it; none when it is not there. */
function foldersBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
  return [folder, ...below];
}

/** Or a folder of code. */
function mayBeCode(name: string): boolean {
  return !name.endsWith('.d.ts') && !name.endsWith('.test.ts');
}
