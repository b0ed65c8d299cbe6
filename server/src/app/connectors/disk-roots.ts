import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Problem } from '#base/problem.ts';
import type { ReadableDisk } from '#connectors/connector.ts';
import type { WorkspaceOptions } from '../workspace.ts';

/** Folders of the operating system in which there are secrets of processes. */
const OF_THE_SYSTEM = ['/proc', '/sys', '/dev'];

/** Absolute paths. */
export interface DiskRootsParts {
  /** What the operator lets connectors read. */
  readonly roots: readonly string[];
  /** What belongs to the server, and is read by no connector. */
  readonly own: readonly string[];
}

/** Where connectors may read the disk: below the roots, wherever links lead. */
export class DiskRoots implements ReadableDisk {
  readonly #roots: readonly string[];
  readonly #own: readonly string[];

  constructor({ roots, own }: DiskRootsParts) {
    this.#roots = roots;
    this.#own = [...own, ...OF_THE_SYSTEM];
  }

  async placeOf(address: string): Promise<string> {
    if (this.#roots.length === 0) {
      throw refused('Connectors may not read the disk of this server', NAME_A_FOLDER);
    }
    const path = pathOf(address);
    const real = await realPathOf(path);
    const roots = await Promise.all(this.#roots.map(realPathOf));
    if (!roots.some((root) => isWithin(real, root))) {
      throw refused(`A connector may not read ${path}`, NAME_A_FOLDER);
    }
    for (const own of await Promise.all(this.#own.map(realPathOf))) {
      if (!isWithin(real, own) && !isWithin(own, real)) continue;
      throw refused(`${path} has what belongs to the server itself`, NAME_ANOTHER);
    }
    return real;
  }
}

/** In a copy of a workspace nothing outside is read. */
export function diskRootsOf({ storage, startFolder, config }: WorkspaceOptions): DiskRoots {
  const { backup, connectorRoots, log, preview } = config;
  const folders = [log.folder, backup.target?.kind === 'folder' ? backup.target.folder : null];
  return new DiskRoots({
    roots: preview === null ? connectorRoots : [],
    own: [storage, ...folders.flatMap((path) => (path === null ? [] : resolve(startFolder, path)))],
  });
}

const NAME_A_FOLDER =
  'Whoever runs the server names the folders that connectors may read in MSK_CONNECTOR_ROOTS.';
const NAME_ANOTHER =
  'Storage, backups and logs of the server are read by no connector: name another folder.';

function pathOf(address: string): string {
  let path: string;
  try {
    path = fileURLToPath(address);
  } catch (cause) {
    throw refused(`${address} is no path on this server`, NAME_A_FOLDER, cause);
  }
  // The process that reads it is given its path, in which a star would stand for anything.
  if (!/[*\0]/.test(path)) return resolve(path);
  throw refused(`${address} has a character that no path of a connector may have`, NAME_ANOTHER);
}

/** Of what is not there: of as much as there is, with the rest. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(await realPathOf(above), basename(path));
  }
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

function refused(message: string, hint: string, cause?: unknown): Problem {
  const details = { origin: null };
  return new Problem('connector_address_not_allowed', message, { hint, details, cause });
}
