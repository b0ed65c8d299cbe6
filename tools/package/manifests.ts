import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly [more: string]: unknown;
}

/** The packages that the program is made of, as they lie beside each other in the repository. */
export const PARTS = ['contract', 'endpoint', 'client', 'connector', 'server', 'cli'] as const;
export type Part = (typeof PARTS)[number];

const SCOPE = '@trellis/';
/** Where a name without the folder of the sources leads. */
const EXPORTED_FOLDER: Partial<Record<Part, string>> = { server: './src/app' };
/** Modules that have a name of their own. */
const ENTRIES: Partial<Record<Part, Readonly<Record<string, string>>>> = {
  client: { '.': './src/trellis', './react': './src/react' },
  endpoint: { './testing': './src/testing' },
};
/** The SDK runs in programs of others; everything else beside the server. */
const NODE: Partial<Record<Part, string>> = { client: '>=20' };

export function readManifest(folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/**
 * The manifest of a package of the repository once it is JavaScript. Its modules keep the names by
 * which they are imported.
 */
export function partManifest(
  part: Part,
  manifest: PackageManifest,
  version: string,
): PackageManifest {
  const folder = EXPORTED_FOLDER[part] ?? './src';
  const exported = (file: string) => ({ types: `${file}.d.ts`, default: `${file}.js` });
  const { name, description, license, peerDependenciesMeta, peerDependencies } = manifest;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    exports: {
      ...Object.fromEntries(
        Object.entries(ENTRIES[part] ?? {}).map(([entry, file]) => [entry, exported(file)]),
      ),
      './*.ts': exported(`${folder}/*`),
      './package.json': './package.json',
    },
    ...(part === 'server' && { imports: { '#*.ts': './src/*.js' } }),
    dependencies: versioned(manifest.dependencies ?? {}, version),
    ...(peerDependencies !== undefined && {
      peerDependencies: versioned(peerDependencies, version),
      peerDependenciesMeta,
    }),
    engines: { node: NODE[part] ?? '>=24' },
  };
}

/** The manifest of the whole program, which contains the packages that it is made of. */
export function programManifest(root: string, version: string): PackageManifest {
  const { description, license, dependencies: samples } = readManifest(root);
  const parts = PARTS.map((part) => readManifest(join(root, part)));
  const foreign: Record<string, string> = Object.assign(
    {},
    samples,
    ...parts.map(({ dependencies }) => dependencies),
  );
  for (const { name } of parts) delete foreign[name];
  const beside = ['samples', 'web', 'docs'].map((name) => SCOPE + name);
  const bundled = [...parts.map(({ name }) => name), ...beside];
  return {
    name: 'trellis',
    version,
    description,
    license,
    type: 'module',
    bin: { trellis: 'bin/trellis.js' },
    dependencies: {
      ...Object.fromEntries(Object.entries(foreign).toSorted()),
      ...Object.fromEntries(bundled.map((name) => [name, version])),
    },
    bundleDependencies: bundled,
    engines: { node: '>=24' },
  };
}

function versioned(
  dependencies: Readonly<Record<string, string>>,
  version: string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, wanted]) => [
      name,
      name.startsWith(SCOPE) ? version : wanted,
    ]),
  );
}
