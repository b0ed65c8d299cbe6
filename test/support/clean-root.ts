import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
/** Where Debian's own programs expect it. */
const AWK = { link: 'usr/bin/awk', to: 'mawk' };

/**
 * A root directory with packages of Debian as this machine has them, and nothing else: what a
 * program finds on a machine that was just installed. Only root may use one.
 */
export class CleanRoot {
  readonly path: string;
  readonly #shared: string[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  /** With the packages, and all that these say they need. */
  static async make(path: string, packages: readonly string[]): Promise<CleanRoot> {
    const names = await withDependencies(packages);
    const listed = await Promise.all(names.map((name) => execute('dpkg', ['-L', name])));
    const files = listed
      .flatMap(({ stdout }) => stdout.split('\n'))
      .filter((file) => existsSync(file));
    await mkdir(path, { recursive: true });
    const list = `${path}.files`;
    await writeFile(list, files.join('\n'));
    const links = ['bin', 'sbin', 'lib', 'lib64'].map(async (name) => {
      await mkdir(join(path, 'usr', name), { recursive: true });
      await symlink(`usr/${name}`, join(path, name));
    });
    await Promise.all(links);
    for (const name of ['dev', 'proc']) await mkdir(join(path, name));
    await mkdir(join(path, 'tmp'), { mode: 0o1777 });
    const copy = `tar -C / --no-recursion -cf - -T "$1" | tar -C "$2" --keep-directory-symlink -xf -
cp -a /dev/null /dev/urandom "$2/dev/"`;
    await execute('sh', ['-e', '-c', copy, 'sh', list, path], { maxBuffer: 2 ** 26 });
    if (names.includes('mawk')) await symlink(AWK.to, join(path, AWK.link));
    await writeRecords(path, names);
    return new CleanRoot(path);
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
    const script = ['mount -t proc proc "$0/proc"', ...shared, 'exec chroot "$0" "$@"'];
    return ['unshare', '--mount', 'sh', '-e', '-c', script.join('\n'), this.path];
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

/** What dpkg takes for installed. */
async function writeRecords(path: string, names: readonly string[]): Promise<void> {
  const records = await Promise.all(
    names.map(async (name) => (await execute('dpkg-query', ['--status', name])).stdout),
  );
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
