import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** Where Debian's own programs expect it. */
const AWK = { link: 'usr/bin/awk', to: 'mawk' };

/**
 * Begins a command line with a user namespace, which has formats of programs of its own. So what
 * runs in it knows an emulator, and the machine does not. Linux 6.7 and newer can do it.
 */
const OWN_FORMATS = ['unshare', '--user', '--map-root-user', '--mount'] as const;
const FORMATS = '/proc/sys/fs/binfmt_misc';
const MOUNT_FORMATS = `mount -t binfmt_misc none ${FORMATS}`;
/** The head of a program for arm64, and which bits of it count, as Linux reads them. */
const ARM64_HEAD = String.raw`\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`;
const ARM64_MASK = String.raw`\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`;

/** Whether `enter()` of a root for arm64 works on this machine. */
export function hasOwnFormats(): boolean {
  const [program, ...args] = OWN_FORMATS;
  return spawnSync(program, [...args, 'sh', '-c', MOUNT_FORMATS]).status === 0;
}

/** Linux opens the emulator at once (F), so it need not be in the root directory. */
function emulateArm64(emulator: string): string {
  const format = `:arm64:M::${ARM64_HEAD}:${ARM64_MASK}:${emulator}:F`;
  return `${MOUNT_FORMATS}\nprintf %s '${format}' > ${FORMATS}/register`;
}

/**
 * A root directory with packages of Debian as this machine has them, and nothing else: what a
 * program finds on a machine that was just installed. Only root may use one.
 */
export class CleanRoot {
  readonly path: string;
  readonly #shared: string[] = [];
  /** Begins its command line: what may change what is mounted, for itself alone. */
  readonly #namespace: readonly [string, ...string[]];
  /** Commands before the first program. */
  readonly #preparation: readonly string[];

  private constructor(path: string, emulator?: string) {
    this.path = path;
    this.#namespace = emulator === undefined ? ['unshare', '--mount'] : OWN_FORMATS;
    this.#preparation = emulator === undefined ? [] : [emulateArm64(emulator)];
  }

  /** With the packages, and all that these say they need. */
  static async make(path: string, packages: readonly string[]): Promise<CleanRoot> {
    const names = await withDependencies(packages);
    const listed = await Promise.all(names.map((name) => execute('dpkg', ['-L', name])));
    const files = listed
      .flatMap(({ stdout }) => stdout.split('\n'))
      .filter((file) => existsSync(file));
    await makeFolders(path);
    const list = `${path}.files`;
    await writeFile(list, files.join('\n'));
    const copy = `tar -C / --no-recursion -cf - -T "$1" | tar -C "$2" --keep-directory-symlink -xf -`;
    await execute('sh', ['-e', '-c', copy, 'sh', list, path], { maxBuffer: 2 ** 26 });
    if (names.includes('mawk')) await symlink(AWK.to, join(path, AWK.link));
    const records = names.map(async (name) => execute('dpkg-query', ['--status', name]));
    await writeRecords(path, records);
    return new CleanRoot(path);
  }

  /** With packages for arm64, as files. The emulator runs what is in it. */
  static async makeArm64(
    path: string,
    packages: readonly string[],
    emulator: string,
  ): Promise<CleanRoot> {
    await makeFolders(path);
    const copy = 'dpkg-deb --fsys-tarfile "$0" | tar -C "$1" --keep-directory-symlink -xf -';
    for (const file of packages) await execute('sh', ['-e', '-c', copy, file, path]);
    const records = packages.map(async (file) => {
      const { stdout } = await execute('dpkg-deb', ['--field', file]);
      return { stdout: stdout.replace(/^Package: .*\n/, `$&Status: install ok installed\n`) };
    });
    await writeRecords(path, records);
    return new CleanRoot(path, emulator);
  }

  /** Installs a package as `dpkg --install` does: it fails when the package lacks another one. */
  async install(file: string): Promise<void> {
    await execute('dpkg', [`--root=${this.path}`, '--install', file]);
  }

  /** Takes it away again, but for its settings and what it has written. */
  async remove(name: string): Promise<void> {
    await execute('dpkg', [`--root=${this.path}`, '--remove', name]);
  }

  /** Gives what runs in it files and folders of this machine, at the same paths. */
  async share(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const place = join(this.path, path);
      const isFolder = (await stat(path)).isDirectory();
      await mkdir(isFolder ? place : dirname(place), { recursive: true });
      if (!isFolder) await writeFile(place, '', { flag: 'a' });
      this.#shared.push(path);
    }
  }

  /**
   * The beginning of a command line that runs a program in it, with a view of the processes and
   * with what is shared. Both are gone when the program ends.
   */
  enter(): [string, ...string[]] {
    const shared = this.#shared.map((path) => `mount --rbind '${path}' "$0${path}"`);
    const script = [
      ...this.#preparation,
      'mount --rbind /proc "$0/proc"',
      ...shared,
      'exec chroot "$0" "$@"',
    ];
    return [...this.#namespace, 'sh', '-e', '-c', script.join('\n'), this.path];
  }
}

/** Those that Debian never goes without, and an awk, which it has for them. */
export async function essentialPackages(): Promise<string[]> {
  const format = '${Essential}\t${Package}\n';
  const { stdout } = await execute('dpkg-query', ['--show', '--showformat', format]);
  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => row.split('\t'));
  return [...rows.flatMap(([flag, name = '']) => (flag === 'yes' ? [name] : [])), 'mawk'];
}

async function withDependencies(packages: readonly string[]): Promise<string[]> {
  const installed = await installedPackages();
  const names = new Set<string>();
  const wanted = new Set(packages);
  // A set also visits what is added while it is read.
  for (const wish of wanted) {
    const found = wish.split('|').flatMap((name) => installed.get(name) ?? [])[0];
    if (found === undefined) throw new Error(`This machine has no Debian package "${wish}".`);
    names.add(found.name);
    for (const needed of found.needs) wanted.add(needed);
  }
  return [...names];
}

interface InstalledPackage {
  readonly name: string;
  readonly needs: readonly string[];
}

/** By their names, and by what they stand in for. */
async function installedPackages(): Promise<ReadonlyMap<string, InstalledPackage>> {
  const format = '${Package}\t${Provides}\t${Pre-Depends},${Depends}\n';
  const { stdout } = await execute('dpkg-query', ['--show', '--showformat', format], {
    maxBuffer: 2 ** 26,
  });
  const found = new Map<string, InstalledPackage>();
  const rows = stdout.trim().split('\n');
  for (const [name = '', provides = '', needs = ''] of rows.map((row) => row.split('\t'))) {
    const one = { name, needs: packageNames(needs) };
    for (const other of packageNames(provides)) if (!found.has(other)) found.set(other, one);
    found.set(name, one);
  }
  return found;
}

/** Those that packages expect, and the devices that programs read. */
async function makeFolders(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  const links = ['bin', 'sbin', 'lib', 'lib64'].map(async (name) => {
    await mkdir(join(path, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(path, name));
  });
  await Promise.all(links);
  for (const name of ['dev', 'proc']) await mkdir(join(path, name));
  await mkdir(join(path, 'tmp'), { mode: 0o1777 });
  await execute('cp', ['-a', '/dev/null', '/dev/urandom', join(path, 'dev')]);
}

/** What dpkg takes for installed. */
async function writeRecords(
  path: string,
  packages: readonly Promise<{ readonly stdout: string }>[],
): Promise<void> {
  const records = (await Promise.all(packages)).map(({ stdout }) => stdout);
  const folder = join(path, 'var/lib/dpkg');
  for (const name of ['info', 'updates', 'triggers'])
    await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'status'), records.join('\n'));
}

/** Of a field of Debian, without versions; alternatives are one: `usrmerge|usr-is-merged`. */
export function packageNames(field: string): string[] {
  const bare = field.replaceAll(/\([^)]*\)|:\w+|\s/g, '');
  return bare.split(',').filter((name) => name !== '');
}
