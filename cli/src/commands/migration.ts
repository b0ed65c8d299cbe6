import type { Migration } from '@trellis/contract/shapes/migration.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { factLines, harmless, table } from '../terminal.ts';
import { addCodeHistory } from './code-history.ts';
import { addMigrationPush } from './migration-push.ts';
import { addMigrationRuns } from './migration-runs.ts';

/** `trellis migration`. */
export function addMigration(program: Command, run: Run): void {
  const migration = program
    .command('migration')
    .summary('write and run migrations: code that runs once')
    .description(
      'Lists, writes, runs and cancels migrations: TypeScript that runs in the server, once.',
    );
  addListOptions(
    migration
      .command('list')
      .description('Lists the migrations by name, in the order in which they run.'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis migration list\n  $ trellis migration list --json',
    )
    .action(run(list));
  migration
    .command('show')
    .description('Shows a migration, how it ran, and the last lines of its log.')
    .argument('<name>', 'name of the migration')
    .option('--code', 'print only its code')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis migration show 001-books\n  $ trellis migration show 001-books --code > 001-books.ts',
    )
    .action(
      run((context, options: { readonly code?: boolean }, name: string) =>
        show(context, options.code === true, name),
      ),
    );
  addMigrationPush(migration, run);
  addMigrationRuns(migration, run);
  addCodeHistory(migration, run, 'migration');
  migration
    .command('delete')
    .description('Deletes a migration; what it has done stays.')
    .argument('<name>', 'name of the migration')
    .addHelpText('after', '\nExamples:\n  $ trellis migration delete 001-books')
    .action(run((context, _options: unknown, name: string) => remove(context, name)));
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const migrations = await listItems(options, (page) => client.migrations.list(page, { signal }));
  const rows = migrations.map((one) => [
    one.name,
    one.compiles ? one.status : `${one.status}, does not compile`,
    one.runOnStartup ? 'yes' : 'no',
    one.endedAt ?? '',
    one.error?.message ?? '',
  ]);
  output.data(migrations, table(['name', 'status', 'at start', 'ended', 'error'], rows));
}

async function show(
  { client, output, terminal }: CommandContext,
  codeAlone: boolean,
  name: string,
): Promise<void> {
  const migration = await client.migrations.get(name, { signal: terminal.signal });
  output.data(migration, codeAlone ? migration.code : describe(migration));
}

function describe(migration: Migration): string {
  const { version, ranVersion, error } = migration;
  const lines = factLines(
    [
      ['name', migration.name],
      ['status', migration.status],
      ['at start', migration.runOnStartup ? 'yes' : 'no'],
      ['version', ranVersion === null ? `${version}` : `${version}, ran ${ranVersion}`],
      ['compiles', migration.compiles ? 'yes' : 'no'],
      ['job', migration.jobId],
      ['started', migration.startedAt],
      ['ended', migration.endedAt],
      ['error', error && `${error.code}: ${error.message}`],
    ],
    10,
  );
  const faults = migration.diagnostics.map(
    ({ line, column, message }) => `${line}:${column}: ${message}`,
  );
  const logged = migration.log.map(({ at, text }) => `${at} ${text}`);
  return [...lines, ...faults, ...logged].map(harmless).join('\n');
}

async function remove({ client, output, terminal }: CommandContext, name: string): Promise<void> {
  await client.migrations.delete(name, { signal: terminal.signal });
  output.note(`The migration "${name}" is deleted.`);
  output.data({ name, deleted: true }, '');
}
