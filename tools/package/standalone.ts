import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import RUN_PACKAGES from '../run-packages.json' with { type: 'json' };

/** By the name that Node gives a processor, what Debian calls it. */
export const CPUS = { x64: 'amd64', arm64: 'arm64' } as const;
export type Cpu = keyof typeof CPUS;

/** Where the service of systemd, and the package of Debian, have the program. */
const PLACE = 'opt/trellis';
/** What Node itself is linked with, and what the launcher calls. */
const DEBIAN_DEPENDENCIES = 'coreutils, libc6 (>= 2.28), libgcc-s1, libstdc++6';

/** Much of it is Node and numbers: more effort takes three times as long for a twentieth less. */
const LEVEL = 3;
const COMPRESS = `gzip -${LEVEL}`;

const LAUNCHER = `#!/bin/sh
# The program with the Node that came with it, wherever this folder is.
here=$(dirname "$(dirname "$(readlink -f "$0")")")
# Has the C library give memory back after a load: see docs/install.md.
export MALLOC_MMAP_THRESHOLD_="\${MALLOC_MMAP_THRESHOLD_:-131072}"
exec "$here/lib/node" --disable-warning=ExperimentalWarning "$here/lib/trellis/bin/trellis.js" "$@"
`;

const SETTINGS = `# Settings of the service, one NAME=value on each line: "trellis serve --help" lists them.
# MSK_PUBLIC_ADDRESS=https://graph.example.com
`;

export interface StandaloneParts {
  readonly root: string;
  /** The folder of the package `trellis`, which has been written. */
  readonly program: string;
  readonly version: string;
  /** Where the files go. */
  readonly out: string;
}

/**
 * The program with Node and its dependencies, as the lock file has them: an archive that is
 * unpacked anywhere, and a package for Debian. Gives their paths.
 */
export function makeStandalone(parts: StandaloneParts, cpu: Cpu): string[] {
  const scratch = mkdtempSync(join(tmpdir(), 'trellis-standalone-'));
  try {
    const name = `trellis-${parts.version}-linux-${cpu}`;
    writeFolder(parts, cpu, join(scratch, name));
    const archive = join(parts.out, `${name}.tar.gz`);
    const own = ['--owner=0', '--group=0', '--sort=name', `--use-compress-program=${COMPRESS}`];
    run('tar', [...own, '-cf', archive, '-C', scratch, name]);
    return [archive, makeDebianPackage(parts, cpu, join(scratch, name), join(scratch, 'debian'))];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function writeFolder({ root, program }: StandaloneParts, cpu: Cpu, folder: string): void {
  const trellis = join(folder, 'lib/trellis');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  installDependencies(root, cpu, trellis);
  cpSync(program, trellis, { recursive: true, filter: (path) => !path.endsWith('.tgz') });
  const node = join(trellis, 'node_modules', `node-linux-${cpu}`);
  renameSync(join(node, 'bin/node'), join(folder, 'lib/node'));
  renameSync(join(node, 'LICENSE'), join(folder, 'lib/node.LICENSE'));
  rmSync(node, { recursive: true });
  rmSync(join(trellis, 'node_modules/.bin'), { recursive: true, force: true });
  writeFileSync(join(folder, 'bin/trellis'), LAUNCHER);
  chmodSync(join(folder, 'bin/trellis'), 0o755);
  for (const file of ['LICENSE', 'README.md']) cpSync(join(root, file), join(folder, file));
}

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** In the versions of the lock file, and for that processor, whatever this machine has. */
function installDependencies(root: string, cpu: Cpu, folder: string): void {
  const lock: LockFile = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const isNode = (name: string): boolean => name.startsWith('node-linux-');
  const versions = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, lock.packages[`node_modules/${name}`]?.version]));
  // npm takes of the lock file what these need.
  const packages = Object.fromEntries(
    Object.entries(lock.packages).filter(
      ([path]) => path.startsWith('node_modules/') && !path.includes('@trellis/'),
    ),
  );
  const manifest = {
    name: 'trellis',
    private: true,
    dependencies: versions(RUN_PACKAGES.filter((name) => !isNode(name))),
    // npm takes those of another processor only as optional ones.
    optionalDependencies: versions([`node-linux-${cpu}`]),
  };
  const made = { ...lock, packages: { '': manifest, ...packages } };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(made));
  const platform = ['--os=linux', `--cpu=${cpu}`, '--libc=glibc'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  run('npm', ['install', '--ignore-scripts', '--omit=dev', ...platform, ...quiet], folder);
  rmSync(join(folder, 'package-lock.json'));
  rmSync(join(folder, 'node_modules/.package-lock.json'), { force: true });
}

/** With the service, which is not enabled, and a file for its settings. */
function makeDebianPackage(
  { root, version, out }: StandaloneParts,
  cpu: Cpu,
  program: string,
  folder: string,
): string {
  const place = join(folder, PLACE);
  mkdirSync(dirname(place), { recursive: true });
  renameSync(program, place);
  const write = (path: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { mode });
  };
  mkdirSync(join(folder, 'usr/bin'), { recursive: true });
  symlinkSync(`/${PLACE}/bin/trellis`, join(folder, 'usr/bin/trellis'));
  const unit = readFileSync(join(root, 'docker/systemd/trellis.service'), 'utf8');
  write('usr/lib/systemd/system/trellis.service', unit);
  write('etc/trellis/primary.env', SETTINGS, 0o600);
  write('usr/share/doc/trellis/copyright', readFileSync(join(root, 'LICENSE'), 'utf8'));
  write('DEBIAN/conffiles', '/etc/trellis/primary.env\n');
  const kilobytes = Number(run('du', ['-sk', place]).split('\t')[0]);
  write(
    'DEBIAN/control',
    `Package: trellis
Version: ${version}
Architecture: ${CPUS[cpu]}
Maintainer: Trellis
Depends: ${DEBIAN_DEPENDENCIES}
Installed-Size: ${kilobytes}
Section: database
Priority: optional
Description: open knowledge-graph workspace server
 Typed nodes and edges, access rules, and custom endpoints that run beside the
 data. One program with one folder of data.
`,
  );
  const file = join(out, `trellis_${version}_${CPUS[cpu]}.deb`);
  run('dpkg-deb', ['--root-owner-group', '-Zgzip', `-z${LEVEL}`, '--build', folder, file]);
  return file;
}

/** What it prints. */
function run(program: string, args: readonly string[], cwd?: string): string {
  const options = cwd === undefined ? {} : { cwd };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    ...options,
  });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}${error?.message ?? ''}`);
  return stdout;
}
