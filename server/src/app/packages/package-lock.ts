import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** Why a package cannot be bundled, for whoever has asked for it. */
export class PackageFault extends Error {
  override readonly name = 'PackageFault';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

const LOCK_FILES = ['npm-shrinkwrap.json', 'package-lock.json'];
const MODULES = 'node_modules/';

interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
}

/** What a package says of itself; what it has of these may be anything. */
export interface PackageManifest {
  readonly name?: unknown;
  readonly version?: unknown;
  readonly license?: unknown;
  readonly licenses?: unknown;
  readonly type?: unknown;
  readonly main?: unknown;
  readonly types?: unknown;
  readonly typings?: unknown;
  readonly typesVersions?: unknown;
  readonly exports?: unknown;
}

/** The lock file of npm that a folder's packages are installed from. */
export class PackageLock {
  readonly #folder: string;
  readonly #packages: Readonly<Record<string, LockedPackage>>;
  readonly #manifests = new Map<string, PackageManifest>();

  private constructor(folder: string, packages: Readonly<Record<string, LockedPackage>>) {
    this.#folder = folder;
    this.#packages = packages;
  }

  /**
   * That of a folder with a package.json, or of one above it; undefined where there is none.
   * Throws a `PackageFault`.
   */
  static of(folder: string): PackageLock | undefined {
    const start = resolve(folder);
    if (!existsSync(join(start, 'package.json'))) return undefined;
    for (let path = start; ; path = dirname(path)) {
      const file = LOCK_FILES.map((name) => join(path, name)).find((one) => existsSync(one));
      if (file !== undefined) return new PackageLock(path, packagesIn(file));
      if (path === dirname(path)) return undefined;
    }
  }

  /** Whether it has a package, wherever that is installed. */
  has(name: string): boolean {
    const path = MODULES + name;
    return Object.keys(this.#packages).some((one) => one === path || one.endsWith(`/${path}`));
  }

  /**
   * The package that a file is of, which must be installed as the lock file says. Throws a
   * `PackageFault`.
   */
  packageOf(file: string): InstalledPackage {
    const at = file.lastIndexOf(`/${MODULES}`);
    const [, name] = NAME.exec(file.slice(at + MODULES.length + 1)) ?? [];
    if (at < 0 || name === undefined) {
      throw new PackageFault(
        `${file} is in no folder node_modules`,
        'Only what is installed from a lock file has a version.',
      );
    }
    const folder = `${file.slice(0, at)}/${MODULES}${name}`;
    const manifest = this.#manifestIn(folder);
    const locked = this.#packages[relative(this.#folder, folder).replaceAll(sep, '/')];
    const version = String(manifest.version);
    if (locked?.link === true) {
      throw new PackageFault(
        `"${name}" is a link to a folder, and has no version that the lock file knows`,
        'Copy what is needed of it into lib/, or install a release of it.',
      );
    }
    if (locked === undefined) {
      throw new PackageFault(
        `"${name}" is installed, and not in the lock file`,
        `Run "npm install ${name}@${version}", and commit package-lock.json.`,
      );
    }
    if (locked.version !== version) {
      throw new PackageFault(
        `"${name}" is installed as ${version}, and the lock file has ${String(locked.version)}`,
        'Run "npm ci".',
      );
    }
    return { name, folder, version, manifest };
  }

  #manifestIn(folder: string): PackageManifest {
    const known = this.#manifests.get(folder);
    if (known !== undefined) return known;
    const manifest = manifestIn(folder);
    this.#manifests.set(folder, manifest);
    return manifest;
  }
}

export interface InstalledPackage {
  readonly name: string;
  readonly folder: string;
  readonly version: string;
  readonly manifest: PackageManifest;
}

const NAME = /^((?:@[^/]+\/)?[^/]+)\//;

/** The name of the package that a specifier is of. */
export function packageNameIn(specifier: string): string {
  return NAME.exec(`${specifier}/`)?.[1] ?? specifier;
}

/** Its package.json. */
export function manifestIn(folder: string): PackageManifest {
  try {
    return Object(
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    ) as PackageManifest;
  } catch (cause) {
    throw new PackageFault(`${folder} has no package.json: ${String(cause)}`);
  }
}

/** As SPDX has it, as far as the package does. */
export function licenseOf({ license, licenses }: PackageManifest): string {
  const named = [license, ...(Array.isArray(licenses) ? (licenses as unknown[]) : [])];
  const words = named.map((one) => {
    return typeof one === 'string' ? one : (Object(one) as { readonly type?: unknown }).type;
  });
  return words.filter((one) => typeof one === 'string').join(' OR ') || 'unknown license';
}

function packagesIn(file: string): Readonly<Record<string, LockedPackage>> {
  try {
    const { packages } = Object(JSON.parse(readFileSync(file, 'utf8'))) as {
      readonly packages?: Readonly<Record<string, LockedPackage>>;
    };
    if (packages !== undefined) return packages;
  } catch (cause) {
    throw new PackageFault(`${file} cannot be read: ${String(cause)}`);
  }
  throw new PackageFault(`${file} is of an npm before 7`, 'Run "npm install" with a newer npm.');
}
