import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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
 * What the program consists of beside its own code, with versions, licences and digests: CycloneDX, in JSON. npm makes it of
 * the lock file; what only serves the making is taken out here, as npm also takes out what serves both.
 */
export function billOfMaterials(root: string, version: string): string {
  const all = completeBill(root);
  const shipped = shippedPackages(root);
  const components = all.components.filter(({ purl }) => shipped.has(packageOf(purl)));
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

/** As `name@version`: what is not only for the development, nor our own, nor the Node of a clone. */
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

function packageOf(purl: string): string {
  return decodeURIComponent(purl.replace(/^pkg:npm\//, ''));
}
