import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programManifest, readManifest } from './manifests.ts';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

interface Bill {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: string;
  readonly metadata: { readonly tools?: unknown; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/**
 * Dependencies of the front end that `npm start` builds it with: the program is delivered without
 * them.
 */
const BUILDERS = ['@tailwindcss/vite', '@vitejs/plugin-react', 'vite'];

/**
 * What the program consists of beside its own code, with versions, licenses and digests: CycloneDX,
 * in JSON. npm makes it of the lock file. This function takes out what only builds or tests the
 * program: npm's own option for that also takes out packages that do both.
 */
export function billOfMaterials(root: string, version: string): string {
  const all = completeBill(root);
  const shipped = shippedPackages(root);
  const needed = neededPackages(root, all);
  const components = all.components.filter(
    ({ purl, 'bom-ref': ref }) => shipped.has(packageOf(purl)) && needed.has(ref),
  );
  const refs = new Set(components.map((component) => component['bom-ref']));
  const component = { ...all.metadata.component, name: 'trellis', version };
  const bill = {
    bomFormat: all.bomFormat,
    specVersion: all.specVersion,
    version: 1,
    metadata: { tools: all.metadata.tools, component },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => refs.has(on)) })),
  };
  return `${JSON.stringify(bill, undefined, 1)}\n`;
}

function completeBill(root: string): Bill {
  const { status, stdout, stderr } = spawnSync(
    'npm',
    ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (status !== 0) throw new Error(`npm sbom failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/**
 * As `name@version`: what is not only for the development, nor our own, nor the Node of a clone.
 */
function shippedPackages(root: string): Set<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const shipped = new Set<string>();
  for (const [path, entry] of Object.entries<LockEntry>(packages)) {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === undefined || entry.dev === true || entry.link === true) continue;
    if (!name.startsWith('node-linux-')) shipped.add(`${name}@${entry.version}`);
  }
  return shipped;
}

/**
 * As references of the bill: what the program and the front end depend on, and what that depends
 * on.
 */
function neededPackages(root: string, { dependencies }: Bill): Set<string> {
  const dependsOn = new Map(dependencies.map((entry) => [entry.ref, entry.dependsOn]));
  const program = programManifest(root, '').dependencies ?? {};
  const frontEnd = readManifest(join(root, 'web')).dependencies ?? {};
  const direct = Object.entries({ ...frontEnd, ...program }).filter(
    ([name]) => !BUILDERS.includes(name),
  );
  const needed = new Set(direct.map(([name, version]) => `${name}@${version}`));
  // A set also visits what is added while it is read.
  for (const ref of needed) {
    for (const on of dependsOn.get(ref) ?? []) needed.add(on);
  }
  return needed;
}

function packageOf(purl: string): string {
  return decodeURIComponent(purl.replace(/^pkg:npm\//, ''));
}
