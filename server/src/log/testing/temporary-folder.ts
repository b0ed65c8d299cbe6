import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test, gone when disposed. */
export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(tmpdir(), 'trellis-log-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** A folder that is a separate file system of this size. Only root may mount one. */
export async function smallVolume(bytes: number): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder.path]);
  return {
    path: folder.path,
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', [folder.path]);
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Why `smallVolume` cannot be used here; undefined when it can. */
export function whyNoSmallVolume(): string | undefined {
  if (process.platform !== 'linux') return 'needs tmpfs';
  return process.getuid?.() === 0 ? undefined : 'needs root to mount a tmpfs';
}

export async function copyOf(folder: TemporaryFolder): Promise<TemporaryFolder> {
  const copy = await temporaryFolder();
  await cp(folder.path, copy.path, { recursive: true });
  return copy;
}

/**
 * The content of every file, to compare whether anything was changed. The lock file is left out,
 * since it holds no data of the log.
 */
export async function contentOf(folder: TemporaryFolder): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder.path)).filter((name) => name !== 'lock').toSorted();
  const contents = await Promise.all(names.map((name) => readFile(join(folder.path, name))));
  return new Map(names.map((name, i) => [name, contents[i]!]));
}
