import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** What Vite says of one file of a build. */
interface ManifestEntry {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** Bytes after gzip, as they cross the network at most. */
export interface FrontEndSizes {
  /** What is loaded before any page is shown. */
  readonly shellBytes: number;
  /**
   * What each page, or part that is loaded by itself, needs beyond the shell; the largest first.
   */
  readonly routes: readonly { readonly name: string; readonly bytes: number }[];
}

/** How much a page may cost (kilobytes of 1,000 bytes, after gzip). */
export const SHELL_BYTES_MAX = 150_000;
export const ROUTE_BYTES_MAX = 220_000;

/** Counts the files of a build; throws when there is none. */
export function frontEndSizes(folder: string): FrontEndSizes {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite/manifest.json'), 'utf8')) as Record<
    string,
    ManifestEntry
  >;
  const entries = Object.entries(manifest);
  const shellName = entries.find(([, entry]) => entry.isEntry === true)?.[0];
  if (shellName === undefined) throw new Error(`${folder} has no entry`);
  const shell = filesOf(manifest, shellName);
  const routes = entries
    .filter(([, entry]) => entry.isDynamicEntry === true)
    .map(([name]) => ({ name, files: filesOf(manifest, name).difference(shell) }))
    .map(({ name, files }) => ({ name, bytes: bytesOf(folder, files) }))
    .toSorted((left, right) => right.bytes - left.bytes);
  return { shellBytes: bytesOf(folder, shell), routes };
}

/** A file with all that it imports; not what it loads later. */
function filesOf(manifest: Record<string, ManifestEntry>, name: string): Set<string> {
  const files = new Set<string>();
  const waiting = [name];
  const seen = new Set<string>();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entry = manifest[next];
    if (entry === undefined || seen.has(next)) continue;
    seen.add(next);
    files.add(entry.file);
    for (const css of entry.css ?? []) files.add(css);
    waiting.push(...(entry.imports ?? []));
  }
  return files;
}

function bytesOf(folder: string, files: ReadonlySet<string>): number {
  const sizes = [...files].map((file) => gzipSync(readFileSync(join(folder, file))).length);
  return sizes.reduce((sum, size) => sum + size, 0);
}
