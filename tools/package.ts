/**
 * Makes the packages that are given away (docs/install.md): `trellis`, the whole program in
 * JavaScript, and those that others write programs with.
 * `npm run package [-- --build N] [--out FOLDER] [--standalone x64]`; the version is `YY.M.N`. With
 * `--standalone`, which can be given for each processor, also the program with Node in it: an
 * archive, and a package for Debian.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { billOfMaterials } from './package/bill-of-materials.ts';
import { programManifest, PARTS, readManifest } from './package/manifests.ts';
import {
  compileDeclarations,
  TYPED,
  writeBundle,
  writeBuilt,
  writePart,
  writeSamples,
} from './package/part-files.ts';
import { type Cpu, CPUS, makeStandalone } from './package/standalone.ts';
import RUN_PACKAGES from './run-packages.json' with { type: 'json' };

/**
 * Old ones read it too, and say what they lack. The packages that the program is made of are always
 * below it.
 */
const PROGRAM = `#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(\`Trellis runs on Node 24 or newer; this is \${process.version}.\\n\`);
  process.exit(1);
}
await import('../node_modules/@trellis/server/dist/trellis.js');
`;

const ROOT = join(import.meta.dirname, '..');
/** The server is what endpoints are tested in. */
const GIVEN_AWAY = [...TYPED, 'server'] as const;
const { values } = parseArgs({
  options: {
    build: { type: 'string' },
    out: { type: 'string', default: join(ROOT, 'dist') },
    standalone: { type: 'string', multiple: true, default: [] },
  },
});

const version = versionOf(readManifest(ROOT).version, values.build);
const out = resolve(values.out);
const cpus = values.standalone.map(parseCpu);
rmSync(out, { recursive: true, force: true });
compileDeclarations(ROOT);
writeProgram(join(out, 'trellis'));
for (const part of GIVEN_AWAY) writePart(ROOT, part, join(out, part), version);
for (const name of ['trellis', ...GIVEN_AWAY]) console.log(pack(join(out, name)));
for (const cpu of cpus) {
  const parts = { root: ROOT, program: join(out, 'trellis'), version, out };
  for (const file of makeStandalone(parts, cpu)) console.log(file);
}

function parseCpu(text: string): Cpu {
  const cpu = Object.keys(CPUS).find((one): one is Cpu => one === text);
  if (cpu === undefined) throw new Error(`--standalone: ${Object.keys(CPUS).join(' or ')}`);
  return cpu;
}

/** A build takes the year and the month of the repository's version, and its own number. */
function versionOf(current: string, build: string | undefined): string {
  if (build === undefined) return current;
  if (!/^(?:0|[1-9]\d*)$/.test(build)) throw new Error(`--build: "${build}" is no number.`);
  return current.replace(/\d+$/, build);
}

/**
 * The packages lie beside each other as in the repository, which is how they find each other's
 * files.
 */
function writeProgram(folder: string): void {
  const scope = join(folder, 'node_modules/@trellis');
  for (const part of PARTS) {
    writePart(ROOT, part, join(scope, part), version);
    removeModules(join(scope, part));
  }
  writeBundle(ROOT, join(scope, 'server'));
  writeSamples(ROOT, join(scope, 'samples'), version);
  writeBuilt(ROOT, 'web', scope, version);
  writeBuilt(ROOT, 'docs', scope, version);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin/trellis.js'), PROGRAM, { mode: 0o755 });
  const manifest = programManifest(ROOT, version);
  const dependencies = Object.fromEntries(
    Object.entries(manifest.dependencies ?? {}).filter(
      ([name]) => name.startsWith('@trellis/') || RUN_PACKAGES.includes(name),
    ),
  );
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`,
  );
  writeFileSync(join(folder, 'sbom.cdx.json'), billOfMaterials(ROOT, version));
  for (const file of ['LICENSE', 'README.md']) cpSync(join(ROOT, file), join(folder, file));
}

/** They are in the bundle; what it reads beside it stays. */
function removeModules(folder: string): void {
  for (const path of globSync('src/**/*.{js,js.map,d.ts}', { cwd: folder })) {
    rmSync(join(folder, path));
  }
}

/** Gives the path of the archive. */
function pack(folder: string): string {
  const { status, stdout, stderr } = spawnSync('npm', ['pack', '--json', '--loglevel=error'], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  return join(folder, JSON.parse(stdout)[0].filename);
}
