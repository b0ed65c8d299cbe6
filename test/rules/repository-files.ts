import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** What is made, not written. Servers that are tried out on this machine are in `local`. */
const MADE = new Set(['node_modules', '.git', '.cache', 'data', 'local', 'coverage', 'dist']);
const BINARY = /\.(?:png|jpg|ico|woff2|wasm|zip)$/;

/** Every written file of the repository, by its path from the root with forward slashes. */
export const files: readonly string[] = filesIn('').toSorted();

function filesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (MADE.has(entry.name)) return [];
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() && !BINARY.test(path) ? [path] : [];
  });
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function readJson<T>(path: string): T {
  return JSON.parse(read(path));
}

/** What `trellis init` copies is the beginning of another repository, with rules of its own. */
const own = files.filter((path) => !path.startsWith('cli/templates/'));
export const codeFiles = own.filter((path) => /\.(?:ts|tsx|mjs)$/.test(path));
export const documents = own.filter((path) => path.endsWith('.md'));
export const manifests = own.filter((path) => basename(path) === 'package.json');

/** `path:line` of each place where the pattern is found. */
export function placesOf(pattern: RegExp, paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}`] : [])),
  );
}
