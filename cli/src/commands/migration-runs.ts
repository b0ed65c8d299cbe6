import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { harmless } from '../terminal.ts';

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
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis migration run\n  $ trellis migration run 001-books --no-wait',
    )
    .action(
      run((context, options: { readonly wait: boolean }, name?: string) =>
        runMigrations(context, options.wait, name),
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
