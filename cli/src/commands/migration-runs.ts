import type { MigrationDryRun } from '@trellis/contract/shapes/migration.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { harmless, table } from '../terminal.ts';

interface RunOptions {
  readonly wait: boolean;
  readonly dryRun?: boolean;
}

/** `trellis migration run`, `cancel`, `reset`. */
export function addMigrationRuns(migration: Command, run: Run): void {
  migration
    .command('run')
    .description(
      'Runs a migration. Without a name, runs all that have not succeeded, in the order of ' +
        'their names. Follows them to their end; Ctrl-C leaves them running.',
    )
    .argument('[name]', 'name of the migration')
    .option('--no-wait', 'do not follow it')
    .option('--dry-run', 'say what the migration of that name would change, and write nothing')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis migration run
  $ trellis migration run 001-books --dry-run
  $ trellis migration run 001-books --no-wait`,
    )
    .action(
      run((context, { wait, dryRun = false }: RunOptions, name?: string) =>
        dryRun ? tryMigration(context, name) : runMigrations(context, wait, name),
      ),
    );
  migration
    .command('cancel')
    .description('Cancels the migration that runs, and waits up to 30 seconds for it to stop.')
    .argument('[name]', 'name of the migration')
    .addHelpText('after', '\nExamples:\n  $ trellis migration cancel')
    .action(run((context, _options: unknown, name?: string) => cancel(context, name)));
  migration
    .command('reset')
    .description('Lets a migration run again. Without a name, all that did not succeed.')
    .argument('[name]', 'name of the migration')
    .addHelpText('after', '\nExamples:\n  $ trellis migration reset 001-books')
    .action(run((context, _options: unknown, name?: string) => reset(context, name)));
}

async function runMigrations(
  { client, output, terminal }: CommandContext,
  waits: boolean,
  name: string | undefined,
): Promise<number> {
  const { signal } = terminal;
  const job = await client.migrations.runAll({ name }, { signal });
  if (!waits) {
    output.note(`It runs as the job ${job.id}.`);
    output.data(job, '');
    return EXIT_GOOD;
  }
  let step = '';
  for await (const event of client.jobs.watch(job.id, { signal })) {
    if (event.kind === 'log') output.note(harmless(event.line.text));
    else if (event.job.step !== step) {
      ({ step } = event.job);
      output.note(harmless(`${Math.floor(event.job.progress * 100)} % ${step}`));
    }
  }
  const { state, error, ...rest } = await client.jobs.get(job.id, { signal });
  const why = error === undefined ? '' : `: ${error.message}`;
  output.note(harmless(`It ended: ${state}${why}`));
  output.data({ state, error, ...rest }, '');
  return state === 'succeeded' ? EXIT_GOOD : EXIT_FAILED;
}

const OUTCOMES: Readonly<Record<MigrationDryRun['outcome'], string>> = {
  completed: 'It would succeed',
  failed: 'It would fail',
  timed_out: 'It was ended, as it took too long for a dry run; by then it had written this',
  too_large: 'It was ended, as it writes too much for a dry run; by then it had written this',
};

async function tryMigration(
  { client, output, terminal }: CommandContext,
  name: string | undefined,
): Promise<number> {
  if (name === undefined) throw new WrongUsage('--dry-run needs the name of a migration.');
  const done = await client.migrations.dryRun(name, { signal: terminal.signal });
  for (const { text } of done.log) output.note(harmless(text));
  const why = done.error === null ? '' : `: ${done.error.message}`;
  output.note(harmless(`${OUTCOMES[done.outcome]}${why}. Nothing is written.`));
  const rows = [
    ...done.nodes.map((one) => ['nodes', one] as const),
    ...done.edges.map((one) => ['edges', one] as const),
  ].map(([what, { type, created, changed, deleted }]) =>
    [what, type, created, changed, deleted].map(String),
  );
  const counts =
    rows.length === 0
      ? 'no changes'
      : table(['what', 'type', 'created', 'changed', 'deleted'], rows);
  output.data(done, counts);
  return done.outcome === 'completed' ? EXIT_GOOD : EXIT_FAILED;
}

async function cancel(
  { client, output, terminal }: CommandContext,
  name: string | undefined,
): Promise<void> {
  const migration = await client.migrations.cancel({ name }, { signal: terminal.signal });
  output.note(`The migration "${migration.name}" has stopped: ${migration.status}.`);
  output.data(migration, '');
}

async function reset(
  { client, output, terminal }: CommandContext,
  name: string | undefined,
): Promise<void> {
  const outcome = await client.migrations.resetStatus({ name }, { signal: terminal.signal });
  const names = outcome.reset.map((one) => `"${one}"`).join(', ');
  output.note(names === '' ? 'There is none to reset.' : `Pending now: ${names}.`);
  output.data(outcome, '');
}
