import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

/** Without what the npm that runs the tests tells its children: it would speak for them. */
const OWN_SHELL = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_')),
);

export interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

/** The packages as somebody has them who got the archives and no repository. */
export class InstalledPackage {
  readonly folder: string;
  readonly archives: readonly string[];

  private constructor(folder: string, archives: readonly string[]) {
    this.folder = folder;
    this.archives = archives;
  }

  /** Makes them with the number of a build, and installs them below the folder. */
  static async install(
    folder: string,
    build: number,
    options: readonly string[] = [],
  ): Promise<InstalledPackage> {
    const out = join(folder, 'made');
    const tool = join(ROOT, 'tools/package.ts');
    const { stdout } = await run(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        tool,
        '--build',
        String(build),
        '--out',
        out,
        ...options,
      ],
      { cwd: ROOT },
    );
    const archives = stdout.trim().split('\n');
    const packages = archives.filter((path) => path.endsWith('.tgz'));
    const installed = new InstalledPackage(join(folder, 'elsewhere'), archives);
    await mkdir(installed.folder);
    await writeFile(
      join(installed.folder, 'package.json'),
      '{ "private": true, "type": "module" }',
    );
    await installed.run('npm', ['install', '--prefer-offline', '--no-audit', ...packages]);
    return installed;
  }

  /** The file that the command `trellis` runs. */
  get program(): string {
    return join(this.folder, 'node_modules/trellis/bin/trellis.js');
  }

  /** Rejects when the command fails. */
  run(command: string, args: readonly string[]): Promise<Said> {
    return run(command, args, { cwd: this.folder, env: OWN_SHELL });
  }

  /** The files of Trellis's own packages, with paths from the root of the file system. */
  async ownFiles(): Promise<string[]> {
    const modules = join(this.folder, 'node_modules');
    const own = ['trellis', '@trellis'].map(async (name) => {
      const entries = await readdir(join(modules, name), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
    });
    return (await Promise.all(own)).flat();
  }
}
