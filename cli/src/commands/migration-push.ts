import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { Migration } from '@trellis/contract/shapes/migration.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { harmless } from '../terminal.ts';

interface PushOptions {
  readonly name?: string;
  readonly runOnStartup?: boolean;
}

/** `trellis migration push`. */
export function addMigrationPush(migration: Command, run: Run): void {
  migration
    .command('push')
    .description(
      'Creates or changes a migration from a file, by default with the name of the file. The ' +
        'exit code is 1 when it does not compile.',
    )
    .argument('<file>', 'TypeScript with a default export, such as 001-books.ts')
    .option('--name <name>', 'name of the migration (default: that of the file)')
    .option('--run-on-startup', 'run it at a start of the primary, if it has not run')
    .option('--no-run-on-startup', 'run it only when somebody asks for it')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis migration push migrations/001-books.ts
  $ trellis migration push fix.ts --name 002-authors --run-on-startup`,
    )
    .action(run((context, options: PushOptions, file: string) => push(context, options, file)));
}

async function push(
  context: CommandContext,
  { name = undefined, runOnStartup }: PushOptions,
  file: string,
): Promise<number> {
  const { output } = context;
  const code = readFileSync(file, 'utf8');
  const settings = { code, ...(runOnStartup === undefined ? {} : { runOnStartup }) };
  const saved = await save(context, name ?? basename(file, '.ts'), settings);
  for (const { line, column, message } of saved.diagnostics) {
    output.note(harmless(`${file}:${line}:${column}: ${message}`));
  }
  output.note(
    saved.compiles
      ? `The migration "${saved.name}" is at version ${saved.version}: ${saved.status}.`
      : `The migration "${saved.name}" is kept, and does not run: it does not compile.`,
  );
  output.data(saved, '');
  return saved.compiles ? EXIT_GOOD : EXIT_FAILED;
}

async function save(
  { client, terminal }: CommandContext,
  name: string,
  settings: { readonly code: string; readonly runOnStartup?: boolean },
): Promise<Migration> {
  const { signal } = terminal;
  try {
    return await client.migrations.put(name, settings, { signal });
  } catch (error) {
    if (!(error instanceof TrellisError) || error.code !== 'migration_not_found') throw error;
    return client.migrations.create({ name, ...settings }, { signal });
  }
}
