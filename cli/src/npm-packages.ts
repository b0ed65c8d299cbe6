import type { DefinitionsImport } from '@trellis/contract/shapes/definitions.ts';
import { type PackageSummary, typesBytesOf } from '@trellis/contract/shapes/package.ts';
import type { BundledPackage } from '@trellis/server/packages/bundle-packages.ts';
import type { FilesByPath } from './definitions-folder.ts';
import { CommandFailure } from './failure.ts';
import { harmless } from './terminal.ts';

/** A package as a push tells of it. */
export type SentPackage = Omit<PackageSummary, 'revision' | 'usedBy'>;

/** What `push --json` prints. */
export interface PushedDefinitions extends DefinitionsImport {
  readonly packages: readonly SentPackage[];
}

const CODE = /^(?:endpoints|lib|migrations)\/.*\.ts$/;
/** Something else than a module of the workspace or a file; it need not be a real import. */
const MAY_IMPORT = /\b(?:from|import)\s*["'](?![#./])/;
const PACKAGE_FILE = /^npm\/(.+)\.json$/;

/**
 * The files of a folder with the packages of npm that they import, bundled as the lock file of the
 * folder has them. A package that the lock file does not have is sent as it was pulled.
 */
export async function withPackages(
  folder: string,
  files: FilesByPath,
): Promise<{ readonly files: FilesByPath; readonly packages: readonly BundledPackage[] }> {
  const code = [...files]
    .filter(([path]) => CODE.test(path))
    .map(([path, content]) => ({ path, code: String(content) }));
  const kept = await withoutLocked(folder, files);
  if (!code.some((one) => MAY_IMPORT.test(one.code))) return { files: kept, packages: [] };
  const { bundlePackages } = await import('@trellis/server/packages/bundle-packages.ts');
  const isThere = (specifier: string): boolean => kept.has(packageFile(specifier));
  const packages = await faultsTold(() => bundlePackages(folder, code, isThere));
  const bundles = packages.map(
    ({ specifier, bundle }) =>
      [packageFile(specifier), Buffer.from(`${JSON.stringify(bundle, null, 2)}\n`)] as const,
  );
  return { files: new Map([...kept, ...bundles]), packages };
}

/** Without packages that the lock file of the folder has: they are bundled from what it says. */
export async function withoutLocked(folder: string, files: FilesByPath): Promise<FilesByPath> {
  if (![...files.keys()].some((path) => PACKAGE_FILE.test(path))) return files;
  const { PackageLock, packageNameIn } = await import('@trellis/server/packages/package-lock.ts');
  const lock = await faultsTold(() => PackageLock.of(folder));
  const isLocked = (path: string): boolean => {
    const [, specifier] = PACKAGE_FILE.exec(path) ?? [];
    return specifier !== undefined && lock?.has(packageNameIn(specifier)) === true;
  };
  return new Map([...files].filter(([path]) => !isLocked(path)));
}

function packageFile(specifier: string): string {
  return `npm/${specifier}.json`;
}

async function faultsTold<T>(work: () => T | Promise<T>): Promise<T> {
  const { PackageFault } = await import('@trellis/server/packages/package-lock.ts');
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof PackageFault)) throw cause;
    const { message, hint } = cause;
    throw new CommandFailure(message, hint === undefined ? { cause } : { hint, cause });
  }
}

export function summaryOf({ specifier, bundle }: BundledPackage): SentPackage {
  const { package: name, version, license, code, types } = bundle;
  const [codeBytes, typesBytes] = [Buffer.byteLength(code), typesBytesOf(types)];
  return { specifier, package: name, version, license, codeBytes, typesBytes };
}

export function packageInWords(sent: SentPackage): string {
  const { specifier, package: name, version, license, codeBytes, typesBytes } = sent;
  const of = specifier === name ? '' : ` of ${name}`;
  const sizes = `${inKilobytes(codeBytes)} of code, ${inKilobytes(typesBytes)} of types`;
  return harmless(`Package ${specifier}${of} ${version}, ${license}: ${sizes}.`);
}

function inKilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000)} kB`;
}
