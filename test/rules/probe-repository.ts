import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { staleProjects } from '../../tools/compiler-projects.ts';
import type { ImportTable } from '../../tools/import-table.ts';

/** One import of a probe that was refused: `name` is `who -> what`. */
export interface Finding {
  readonly probe: string;
  readonly name: string;
}

/** What the copy takes from the repository: the rules themselves, none of the code they are for. */
const RULES = [
  'oxlint.config.ts',
  'tsconfig.base.json',
  'tools/compiler-projects.ts',
  'tools/import-table.ts',
  'tools/lint-plugin.ts',
  'server/import-table.json',
  'server/package.json',
  'contract/package.json',
  'endpoint/package.json',
  'client/package.json',
  'connector/package.json',
  'cli/package.json',
];
const PACKAGES = ['contract', 'endpoint', 'client', 'connector', 'cli'];
const TARGET = `export const target = 1;\n`;

/**
 * `file(line,column): error` of the compiler, `file:line:column: message [Error/rule]` of the
 * linter.
 */
const LOCATION = /^(?<file>[^\s:(]+)[:(](?<line>\d+)[:,]\d+\)?: (?<message>.*)$/gm;

/**
 * A repository in a temporary folder with the rules of this one, every part of the table, and in
 * each part probes: files in which each line imports something else. So one run of the compiler and
 * one of the linter judge all pairs.
 */
export class ProbeRepository implements AsyncDisposable {
  readonly #folder: string;
  /** Path of a probe, and what its lines import. */
  readonly #probes = new Map<string, { who: string; probe: string; lines: readonly string[] }>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(root: string, table: ImportTable): Promise<ProbeRepository> {
    const repository = new ProbeRepository(
      await realpath(await mkdtemp(join(tmpdir(), 'trellis-rules-'))),
    );
    const to = repository.#folder;
    await Promise.all(RULES.map((path) => cp(join(root, path), join(to, path))));
    await repository.#linkModules(join(root, 'node_modules'));
    await repository.#writeParts(table);
    await repository.#writePackages();
    for (const [path, text] of staleProjects(to, table)) await repository.#write(path, text);
    return repository;
  }

  /** Every error inside a probe, as the compiler sees it. */
  async compile(): Promise<Finding[]> {
    const output = await this.#run('typescript/bin/tsc', ['-b', 'tsconfig.parts.json']);
    return this.#findings(output, /./);
  }

  /** Every complaint about an import inside a probe, as the linter sees it. */
  async lint(): Promise<Finding[]> {
    const output = await this.#run('oxlint/bin/oxlint', ['--format=unix']);
    return this.#findings(output, /trellis\(import-table\)/);
  }

  /** What the linter says to two files that import each other. */
  async lintCycle(): Promise<string> {
    await this.#write(
      'server/src/base/egg.ts',
      `import { hen } from './hen.ts';\nexport const egg = () => hen;\n`,
    );
    await this.#write(
      'server/src/base/hen.ts',
      `import { egg } from './egg.ts';\nexport const hen = () => egg;\n`,
    );
    return this.#run('oxlint/bin/oxlint', ['--format=unix', 'server/src/base']);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  async #writeParts(table: ImportTable): Promise<void> {
    const parts = Object.keys(table.parts);
    for (const part of parts) {
      const others = parts.filter((other) => other !== part);
      const folder = `server/src/${part}`;
      await this.#write(`${folder}/target.ts`, TARGET);
      await this.#probe(folder, part, 'parts', others, (other) => `#${other}/target.ts`);
      await this.#probe(folder, part, 'paths', others, (other) => `../${other}/target.ts`);
      await this.#probe(folder, part, 'modules', [...Object.keys(table.modules), 'left-pad']);
      const allTogether = part === 'app' ? [] : ['app/testing'];
      const tested = [...others, ...allTogether];
      await this.#probe(folder, part, 'tests', tested, (other) => `#${other}/target.ts`);
    }
  }

  async #writePackages(): Promise<void> {
    for (const name of PACKAGES) await this.#write(`${name}/src/target.ts`, TARGET);
    const probes: Record<string, readonly string[]> = {
      contract: ['zod', '@trellis/server/target.ts'],
      endpoint: ['zod'],
      client: ['zod', '@trellis/contract/target.ts', '@trellis/server/target.ts'],
      cli: ['@trellis/client/target.ts', 'lmdb', '../../server/src/base/target.ts'],
    };
    for (const [name, specifiers] of Object.entries(probes)) {
      await this.#probe(`${name}/src`, name, 'packages', specifiers);
    }
  }

  /**
   * Writes a file whose line n imports target n; what is imported is exported, so nothing is
   * unused.
   */
  async #probe(
    folder: string,
    who: string,
    probe: string,
    lines: readonly string[],
    specifier: (line: string) => string = (line) => line,
  ): Promise<void> {
    const path = `${folder}/${probe}${probe === 'tests' ? '.test' : ''}.ts`;
    const source = lines.map(
      (line, i) => `export { target as t${i} } from '${specifier(line)}';\n`,
    );
    this.#probes.set(path, { who, probe, lines });
    await this.#write(path, source.join(''));
  }

  /** The real modules, but the packages of this repository are those of the copy. */
  async #linkModules(from: string): Promise<void> {
    const to = join(this.#folder, 'node_modules');
    await mkdir(join(to, '@trellis'), { recursive: true });
    const names = await readdir(from);
    const foreign = names.filter((name) => !name.startsWith('.') && name !== '@trellis');
    await Promise.all(foreign.map((name) => symlink(join(from, name), join(to, name))));
    for (const name of [...PACKAGES, 'server']) {
      await symlink(join(this.#folder, name), join(to, '@trellis', name));
    }
  }

  async #write(path: string, text: string): Promise<void> {
    const file = join(this.#folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  #findings(output: string, message: RegExp): Finding[] {
    return [...output.matchAll(LOCATION)].flatMap(({ groups }) => {
      const probe = this.#probes.get(groups?.['file'] ?? '');
      const line = probe?.lines[Number(groups?.['line']) - 1];
      if (probe === undefined || line === undefined || !message.test(groups?.['message'] ?? ''))
        return [];
      return { probe: probe.probe, name: `${probe.who} -> ${line}` };
    });
  }

  /** Resolves with the standard output, whatever the exit code: findings are expected. */
  #run(command: string, args: readonly string[]): Promise<string> {
    const file = join(this.#folder, 'node_modules', command);
    return new Promise((resolve) => {
      execFile(process.execPath, [file, ...args], { cwd: this.#folder }, (_, output) =>
        resolve(output),
      );
    });
  }
}
