import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * What tests need to run programs for arm64 on another processor. It is downloaded from Debian and
 * kept in a folder of its own, so the machine is not changed.
 */
const FOLDER = resolve(import.meta.dirname, '../node_modules/.cache/arm64');
const DOWNLOADED = join(FOLDER, 'archives');

/** The emulator that the package has, which needs no libraries. */
export const EMULATOR = join(FOLDER, 'qemu/usr/bin/qemu-aarch64');

/** What dpkg needs to install a package, and what Node is linked with. */
const ARM64_PACKAGES = ['coreutils', 'dash', 'diffutils', 'dpkg', 'libc-bin', 'libstdc++6', 'tar'];

/** Debian 12 itself has QEMU 7.2, which cannot map as much memory as Node reserves. */
const SOURCES = `Types: deb
URIs: http://deb.debian.org/debian
Suites: bookworm bookworm-backports
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
`;

/** The packages of Debian for arm64, as files. */
export function arm64Packages(): string[] {
  return globSync(join(DOWNLOADED, '*_{arm64,all}.deb')).toSorted();
}

/** Downloads both, once. When it fails, the tests say what they lack. */
export function installEmulation(): void {
  if (existsSync(EMULATOR) || !existsSync('/usr/bin/apt-get')) return;
  process.stdout.write('Downloading QEMU and packages for arm64 (apt-get), once ...\n');
  rmSync(FOLDER, { recursive: true, force: true });
  for (const name of ['state/lists/partial', 'archives/partial', 'sources', 'unpacked']) {
    mkdirSync(join(FOLDER, name), { recursive: true });
  }
  writeFileSync(join(FOLDER, 'sources/debian.sources'), SOURCES);
  writeFileSync(join(FOLDER, 'status'), '');
  const isThere =
    apt('amd64', ['update']) &&
    download('arm64', ARM64_PACKAGES) &&
    download('amd64', ['qemu-user/bookworm-backports']);
  const [emulator] = globSync(join(DOWNLOADED, 'qemu-user_*.deb'));
  if (!isThere || emulator === undefined) return;
  const unpacked = join(FOLDER, 'unpacked');
  if (spawnSync('dpkg-deb', ['-x', emulator, unpacked]).status !== 0) return;
  rmSync(emulator);
  // Last, because it says that all is there.
  renameSync(unpacked, join(FOLDER, 'qemu'));
}

function download(cpu: string, names: readonly string[]): boolean {
  return apt(cpu, ['install', '-y', '--download-only', '--no-install-recommends', ...names]);
}

/** With records and sources of its own: nothing is installed there, and the machine has others. */
function apt(cpu: string, args: readonly string[]): boolean {
  const settings = [
    `Dir::State=${join(FOLDER, 'state')}`,
    `Dir::State::status=${join(FOLDER, 'status')}`,
    `Dir::Cache=${FOLDER}`,
    'Dir::Etc::SourceList=/dev/null',
    `Dir::Etc::SourceParts=${join(FOLDER, 'sources')}`,
    `APT::Architecture=${cpu}`,
    `APT::Architectures=amd64,arm64`,
    // The user that downloads may not write below a home.
    'APT::Sandbox::User=root',
  ];
  const options = settings.flatMap((setting) => ['-o', setting]);
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  return spawnSync('apt-get', ['-q', ...options, ...args], { stdio: [...stdio] }).status === 0;
}
