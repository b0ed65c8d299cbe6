import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { ModuleDefinition } from '@trellis/contract/shapes/module.ts';
import type { Command } from 'commander';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmless, table } from '../terminal.ts';
import { addCodeHistory } from './code-history.ts';

/** `trellis module`. */
export function addModule(program: Command, run: Run): void {
  const module = program
    .command('module')
    .summary('write code that endpoints and migrations import')
    .description(
      'Lists, reads and writes modules: TypeScript that endpoints, migrations and other modules ' +
        "import, as in import { price } from '#lib/prices.ts'.",
    );
  addListOptions(module.command('list').description('Lists the modules by name.'))
    .addHelpText('after', '\nExamples:\n  $ trellis module list\n  $ trellis module list --json')
    .action(run(list));
  module
    .command('get')
    .description('Prints the code of a module; with --json all there is to know of it.')
    .argument('<name>', 'name of the module')
    .addHelpText('after', '\nExamples:\n  $ trellis module get prices > lib/prices.ts')
    .action(
      run(async ({ client, output, terminal }, _options: unknown, name: string) => {
        const found = await client.modules.get(name, { signal: terminal.signal });
        output.data(found, found.code);
      }),
    );
  module
    .command('push')
    .description(
      'Creates or changes modules from files: one file, or every *.ts below a folder, named by ' +
        'its path below the folder. What imports them is checked again. The exit code is 1 when ' +
        'one of them, or code that imports them, does not compile.',
    )
    .argument('<path>', 'a file or a folder')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis module push lib\n  $ trellis module push lib/prices.ts',
    )
    .action(run((context, _options: unknown, path: string) => push(context, path)));
  addCodeHistory(module, run, 'module');
  module
    .command('delete')
    .description('Deletes a module that nothing imports.')
    .argument('<name>', 'name of the module')
    .addHelpText('after', '\nExamples:\n  $ trellis module delete prices')
    .action(
      run(async ({ client, output, terminal }, _options: unknown, name: string) => {
        await client.modules.delete(name, { signal: terminal.signal });
        output.note(`The module "${name}" is deleted.`);
        output.data({ name, deleted: true }, '');
      }),
    );
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const modules = await listItems(options, (page) => client.modules.list(page, { signal }));
  const rows = modules.map(({ name, version, compiles, usedBy }) => [
    name,
    String(version),
    compiles ? 'yes' : 'no',
    usedBy.map((user) => `${user.kind} ${user.name}`).join(', '),
  ]);
  output.data(modules, table(['name', 'version', 'compiles', 'imported by'], rows));
}

async function push({ client, output, terminal }: CommandContext, path: string): Promise<number> {
  const pushed = new Map<string, ModuleDefinition>();
  const texts = new Map<string, string>();
  for await (const { file, module } of pushModules(client, readModules(path), terminal.signal)) {
    pushed.set(module.name, module);
    texts.set(module.name, pushedModuleText(file, module));
  }
  for (const text of texts.values()) output.note(text);
  const modules = [...pushed.values()];
  output.data(modules, '');
  const isGood = modules.every(
    ({ compiles, usedBy }) => compiles && usedBy.every((user) => user.compiles),
  );
  return isGood ? EXIT_GOOD : EXIT_FAILED;
}

/** A module in a file. */
export interface ModuleFile {
  readonly path: string;
  readonly name: string;
  readonly code: string;
}

/** Those of a file, or of all files below a folder; without tests and declarations. */
export function readModules(path: string): ModuleFile[] {
  if (!existsSync(path)) throw new CommandFailure(`There is no file or folder ${path}`);
  if (!statSync(path).isDirectory()) return [moduleIn(path, basename(path))];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isModuleFile(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((file) => moduleIn(file, relative(path, file)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function isModuleFile(name: string): boolean {
  return /^[^.].*\.ts$/.test(name) && !/\.(?:d|test|spec)\.ts$/.test(name);
}

function moduleIn(path: string, place: string): ModuleFile {
  const name = place.replace(/\.ts$/, '').replaceAll(sep, '/');
  return { path, name, code: readFileSync(path, 'utf8') };
}

/**
 * Sends them, and yields what each has become; one that did not compile twice, as others may have
 * come after it that it imports.
 */
export async function* pushModules(
  client: TrellisClient,
  files: readonly ModuleFile[],
  signal: AbortSignal,
) {
  const drafts: ModuleFile[] = [];
  for (const file of files) {
    const module = await createOrChange(client, file, signal);
    if (!module.compiles) drafts.push(file);
    yield { file, module };
  }
  for (const file of drafts)
    yield { file, module: await client.modules.get(file.name, { signal }) };
}

async function createOrChange(
  client: TrellisClient,
  { name, code }: ModuleFile,
  signal: AbortSignal,
): Promise<ModuleDefinition> {
  try {
    return await client.modules.put(name, { code }, { signal });
  } catch (error) {
    if (!(error instanceof TrellisError) || error.code !== 'module_not_found') throw error;
    return client.modules.create({ name, code }, { signal });
  }
}

export function pushedModuleText({ path }: ModuleFile, module: ModuleDefinition): string {
  const { name, version, compiles, diagnostics, usedBy } = module;
  const broken = usedBy.filter((user) => !user.compiles);
  const state = compiles ? `at version ${version}` : 'kept as a draft: it does not compile';
  return [
    `The module "${name}" is ${state}.`,
    ...diagnostics.map(({ line, column, message }) => `${path}:${line}:${column}: ${message}`),
    ...broken.map((user) => `The ${user.kind} "${user.name}" does not compile with it.`),
  ]
    .map(harmless)
    .join('\n');
}
