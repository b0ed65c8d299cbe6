import { existsSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

/**
 * Who may import what, as data: `server/import-table.json`. `parts` gives each part of server/src
 * the parts and packages below it, beside the contract, which every part may import; `modules`
 * gives each foreign module and each guarded module of Node the parts that may use it. The compiler
 * (through the projects of tools/compiler-projects.ts) and the linter (tools/lint-plugin.ts) both
 * follow this one table.
 */
export interface ImportTable {
  readonly parts: Readonly<Record<string, readonly string[]>>;
  readonly modules: Readonly<Record<string, readonly string[]>>;
}

export interface PackageManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export const PACKAGE_SCOPE = '@trellis/';
/** Below every part: operations, shapes, errors and limits are declared there once. */
const CONTRACT = `${PACKAGE_SCOPE}contract`;
const PARTS_FOLDER = join('server', 'src');
const PACKAGES = ['contract', 'endpoint', 'client', 'connector', 'cli'];
/**
 * Packages that take sample graphs, by their path: samples are data with a little code, no package.
 */
export const SAMPLE_READERS = ['cli'];

export function readImportTable(root: string): ImportTable {
  const table: ImportTable = JSON.parse(
    readFileSync(join(root, 'server/import-table.json'), 'utf8'),
  );
  const rows = Object.entries(table.parts);
  return {
    ...table,
    parts: Object.fromEntries(rows.map(([part, row]) => [part, [...row, CONTRACT]])),
  };
}

export function readManifest(root: string, packageName: string): PackageManifest {
  return JSON.parse(readFileSync(join(root, packageName, 'package.json'), 'utf8'));
}

/** Parts of the table that have a folder: some come later. */
export function existingParts(root: string, table: ImportTable): string[] {
  return Object.keys(table.parts).filter((part) => existsSync(join(root, PARTS_FOLDER, part)));
}

/** All that a part reaches, itself included. Throws when the table has a cycle. */
export function partsBelow(
  table: ImportTable,
  part: string,
  above: readonly string[] = [],
): Set<string> {
  if (above.includes(part)) throw new Error(`cycle: ${[...above, part].join(' -> ')}`);
  const below = new Set([part]);
  for (const next of table.parts[part] ?? []) {
    for (const name of partsBelow(table, next, [...above, part])) below.add(name);
  }
  return below;
}

/** Tests of any part may run against all parts, put together there. */
const TEST_WORKSPACE = '#app/testing/';

/**
 * Code that never runs in the product: tests, what they share, in a folder `testing`, and examples.
 */
export function isTestCode(path: string): boolean {
  return /\.test\.ts$|[\\/](?:testing|examples)[\\/]/.test(path);
}

/** One import: by whom, of what, and whether it vanishes when types are stripped. */
export interface Import {
  /** Absolute. */
  readonly file: string;
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

/**
 * Judges imports by the table of one repository; answers with what is wrong and why, or undefined.
 */
export class ImportRules {
  readonly #root: string;
  readonly #table: ImportTable;
  readonly #manifests = new Map<string, PackageManifest>();

  constructor(root: string, table: ImportTable) {
    this.#root = root;
    this.#table = table;
  }

  complaint(found: Import): string | undefined {
    const path = relative(this.#root, found.file);
    const [first = '', second, part = '', ...inside] = path.split(sep);
    if (first === 'server' && second === 'src' && inside.length > 0) {
      return this.#complaintInPart(part, found);
    }
    return PACKAGES.includes(first) ? this.#complaintInPackage(first, found) : undefined;
  }

  #complaintInPart(part: string, found: Import): string | undefined {
    const { specifier } = found;
    if (specifier.startsWith('.')) return this.#complaintOfRelative(part, found);
    if (specifier.startsWith('#')) return this.#complaintOfPart(part, found);
    if (isTestCode(found.file)) return undefined;
    if (specifier.startsWith(PACKAGE_SCOPE)) {
      return this.#complaintOfName(part, specifier.split('/', 2).join('/'));
    }
    return this.#complaintOfModule(part, moduleOf(specifier));
  }

  #complaintOfRelative(part: string, { file, specifier }: Import): string | undefined {
    const target = relative(this.#root, resolve(file, '..', specifier)).split(sep);
    const isBetweenParts = target[0] === 'server' && target[1] === 'src';
    if (!isBetweenParts) {
      return isTestCode(file) ? undefined : this.#complaintOfName(part, target[0] ?? '');
    }
    if (target[2] === part) return undefined;
    return `Between parts import "#${target.slice(2).join('/')}": a path hides that a border is crossed.`;
  }

  #complaintOfPart(part: string, { file, specifier }: Import): string | undefined {
    const target = specifier.slice(1).split('/')[0] ?? '';
    if (target === part) return 'Inside a part import by a relative path: "#" is for other parts.';
    if (!isTestCode(file)) return this.#complaintOfName(part, target);
    if (specifier.startsWith(TEST_WORKSPACE)) return undefined;
    if (partsBelow(this.#table, part).has(target)) return undefined;
    return `Tests of "${part}" may import what lies below it, and "${target}" does not (server/import-table.json).`;
  }

  #complaintOfName(part: string, target: string): string | undefined {
    const allowed = this.#table.parts[part];
    if (allowed === undefined) return `The part "${part}" has no row in server/import-table.json.`;
    if (allowed.includes(target)) return undefined;
    return `"${part}" may not import "${target}": its row in server/import-table.json is [${allowed.join(', ')}].`;
  }

  #complaintOfModule(part: string, module: string): string | undefined {
    const owners = this.#table.modules[module];
    if (owners === undefined) {
      if (module.startsWith('node:')) return undefined;
      return `"${module}" has no owner: name the parts that may use it in server/import-table.json.`;
    }
    if (owners.includes(part)) return undefined;
    return `"${module}" is for [${owners.join(', ')}] only (server/import-table.json): ask there for what "${part}" needs.`;
  }

  #complaintInPackage(name: string, { file, specifier, isTypeOnly }: Import): string | undefined {
    if (isTestCode(file) || specifier.startsWith('node:')) return undefined;
    if (specifier.startsWith('.')) {
      const [target] = relative(this.#root, resolve(file, '..', specifier)).split(sep);
      const isOwn = target === name || (target === 'samples' && SAMPLE_READERS.includes(name));
      return isOwn ? undefined : 'A package imports another one by its name, not by a path.';
    }
    const { dependencies: own, devDependencies = {}, peerDependencies } = this.#manifest(name);
    const dependencies = { ...own, ...peerDependencies };
    const module = moduleOf(specifier);
    if (module in dependencies || (isTypeOnly && module in devDependencies)) return undefined;
    return `"${name}" does not depend on "${module}" (${name}/package.json); of a devDependency it may import types only.`;
  }

  #manifest(name: string): PackageManifest {
    const known = this.#manifests.get(name) ?? readManifest(this.#root, name);
    this.#manifests.set(name, known);
    return known;
  }
}

/**
 * `fastify/plugin.js` is of the module `fastify`, `@scope/name/x` of `@scope/name`,
 * `node:fs/promises` of `node:fs`.
 */
function moduleOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
