import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CleanRoot, essentialPackages } from '../support/clean-root.ts';

const execute = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const NODE_IMAGE = 'localhost/node';
const IMAGE = 'localhost/trellis';
const PATH = '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** The npm of the package, which may have been renewed since. */
const NPM = '/usr/lib/node_modules/npm';
/** As in the images of Node. */
const PASSWORDS = 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n';

/** What an engine for containers reads of an image before it starts one. */
interface ImageSettings {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/**
 * The image of docker/Dockerfile, built by buildah. No registry is asked: the image of Node is made
 * of the packages of Debian that this machine has. Only root may build it.
 */
export class BuiltImage implements AsyncDisposable {
  readonly settings: ImageSettings;
  readonly #buildah: Buildah;
  readonly #files: string;

  private constructor(buildah: Buildah, settings: ImageSettings, files: string) {
    this.#buildah = buildah;
    this.settings = settings;
    this.#files = files;
  }

  static async build(folder: string): Promise<BuiltImage> {
    const buildah = new Buildah(join(folder, 'store'));
    await makeNodeImage(buildah, join(folder, 'node'));
    const context = join(folder, 'context');
    await mkdir(context);
    const copy = 'git ls-files -z | tar --null -T - -cf - | tar -C "$0" -xf -';
    await execute('sh', ['-c', copy, context], { cwd: ROOT, maxBuffer: 2 ** 26 });
    const volumes = (await ofTheMachine(folder)).flatMap((pair) => ['--volume', pair]);
    const how = ['--isolation', 'chroot', '--network', 'host', '--pull-never', '--format=docker'];
    const what = ['--build-arg', `NODE_IMAGE=${NODE_IMAGE}`, '--tag', IMAGE];
    const file = ['--file', join(context, 'docker/Dockerfile'), context];
    await buildah.run(['bud', ...how, ...volumes, ...what, ...file]);
    const inspected = await buildah.run(['inspect', '--type', 'image', IMAGE]);
    const container = await buildah.run(['from', '--pull-never', IMAGE]);
    const files = await buildah.run(['mount', container]);
    return new BuiltImage(buildah, JSON.parse(inspected).Docker.config, files);
  }

  /**
   * The beginning of a command line that runs a program as an engine would: as the user of the
   * image and with its variables, in its files, which are read-only but for volumes and /tmp.
   */
  enter(volumes: Readonly<Record<string, string>>): [string, ...string[]] {
    const { User, WorkingDir, Env } = this.settings;
    const mounts = Object.entries(volumes).map(
      ([place, folder]) => `mount --bind '${folder}' "$0${place}"`,
    );
    const script = [
      'mount --bind "$0" "$0"',
      'mount -o remount,bind,ro "$0"',
      'mount -t tmpfs tmpfs "$0/tmp"',
      'mount --rbind /proc "$0/proc"',
      'mount --rbind /dev "$0/dev"',
      ...mounts,
      'user=$1 place=$2',
      'shift 2',
      'exec chroot --userspec="$user:$user" "$0" env -C "$place" "$@"',
    ];
    return [
      'unshare',
      '--mount',
      'sh',
      '-e',
      '-c',
      script.join('\n'),
      this.#files,
      User,
      WorkingDir,
      ...Env,
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#buildah.run(['rm', '--all']);
    await this.#buildah.run(['rmi', '--all', '--force']);
  }
}

/** With images and containers in a folder of its own. */
class Buildah {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What it prints. */
  async run(args: readonly string[]): Promise<string> {
    const places = ['--root', join(this.#folder, 'root'), '--runroot', join(this.#folder, 'run')];
    const { stdout } = await execute('buildah', [...places, ...args], { maxBuffer: 2 ** 26 });
    return stdout.trim();
  }
}

/** What the Dockerfile asks of the image of Node: Node as in the repository, npm, and `node`. */
async function makeNodeImage(buildah: Buildah, path: string): Promise<void> {
  const root = await CleanRoot.make(path, [...(await essentialPackages()), 'nodejs']);
  await mkdir(join(root.path, 'usr/local/bin'), { recursive: true });
  await copyFile(process.execPath, join(root.path, 'usr/local/bin/node'));
  await mkdir(join(root.path, 'etc'), { recursive: true });
  await writeFile(join(root.path, 'etc/passwd'), PASSWORDS);
  await writeFile(join(root.path, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  const container = await buildah.run(['from', 'scratch']);
  await buildah.run(['copy', '--quiet', container, root.path, '/']);
  await buildah.run(['config', '--env', `PATH=${PATH}`, container]);
  await buildah.run(['commit', '--quiet', '--rm', container, NODE_IMAGE]);
}

/**
 * How this machine reaches the registry, and what it has from there already. The root of the image
 * has the same home as that of the machine, who builds it.
 */
async function ofTheMachine(folder: string): Promise<string[]> {
  const settings = join(folder, 'npmrc');
  const own = join(homedir(), '.npmrc');
  const npmCache = join(homedir(), '.npm');
  const text = existsSync(own) ? await readFile(own, 'utf8') : '';
  await writeFile(settings, `${text}\nprefer-offline=true\ncafile=${CERTIFICATES}\n`);
  const shared = [CERTIFICATES, NPM, '/etc/npmrc', '/usr/etc/npmrc', '/usr/local/etc/npmrc'];
  return [
    ...shared.filter((path) => existsSync(path)).map((path) => `${path}:${path}:ro`),
    `${settings}:${own}:ro`,
    `${npmCache}:${npmCache}`,
  ];
}
