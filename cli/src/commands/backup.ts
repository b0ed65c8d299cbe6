import type { Backup } from '@trellis/contract/shapes/backup.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { ProgressLine } from '../progress-bar.ts';
import { bytesText, table } from '../terminal.ts';
import { addRestore } from './restore.ts';

interface WatchOptions {
  readonly watch?: true;
}

const TAKE_DEFAULT = '50';
const WATCH = [
  '--watch',
  'wait until it has ended; the exit code is 0 when it succeeds, else 1',
] as const;

/** The commands for backups. To restore is a separate command: see `restore.ts`. */
export function addBackups(program: Command, run: Run): void {
  addBackup(program, run);
  addRestore(program, run);
}

function addBackup(program: Command, run: Run): void {
  const backup = program
    .command('backup')
    .summary('make, list, verify and delete backups')
    .description(
      'Makes, lists, verifies and deletes backups while the workspace is in use. The server ' +
        'keeps them in its MSK_GRAPH_BACKUP_FOLDER. To restore one, use "trellis restore".',
    );
  backup
    .command('run')
    .description('Starts a backup and prints its job.')
    .option(...WATCH)
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis backup run --watch\n  $ trellis backup run --json',
    )
    .action(run(runBackup));
  addListOptions(
    backup.command('list').description(`Lists backups, newest first; ${TAKE_DEFAULT} by default.`),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis backup list\n  $ trellis backup list --json')
    .action(run(listBackups));
  backup
    .command('verify')
    .description(
      'Restores a backup beside the workspace, and compares it with the state that it was made from.',
    )
    .argument('<id>', 'id of the backup')
    .option(...WATCH)
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis backup verify 20261121T184000000Z-0f3a9c21 --watch',
    )
    .action(run(verifyBackup));
  backup
    .command('delete')
    .description('Deletes a backup for good, with the data that only it needed.')
    .argument('<id>', 'id of the backup')
    .addHelpText('after', '\nExamples:\n  $ trellis backup delete 20261121T184000000Z-0f3a9c21')
    .action(run(deleteBackup));
}

async function runBackup(context: CommandContext, options: WatchOptions): Promise<void> {
  const { client, terminal } = context;
  await follow(context, await client.backups.run({ signal: terminal.signal }), options);
}

async function listBackups(
  { client, output, terminal }: CommandContext,
  { skip, take = TAKE_DEFAULT }: ListOptions,
): Promise<void> {
  const backups = await listItems({ ...(skip === undefined ? {} : { skip }), take }, (page) =>
    client.backups.list(page, { signal: terminal.signal }),
  );
  const headings = ['ID', 'CREATED', 'SEQUENCE', 'NODES', 'EDGES', 'SIZE', 'NEW'];
  output.data(backups, table(headings, backups.map(row)));
}

function row({ id, createdAt, sequence, nodes, edges, bytes, newBytes }: Backup): string[] {
  return [
    id,
    createdAt,
    ...[sequence, nodes, edges].map(String),
    bytesText(bytes),
    bytesText(newBytes),
  ];
}

async function verifyBackup(
  context: CommandContext,
  options: WatchOptions,
  id: string,
): Promise<void> {
  const { client, terminal } = context;
  await follow(context, await client.backups.verify(id, { signal: terminal.signal }), options);
}

async function deleteBackup(
  { client, output, terminal }: CommandContext,
  _options: object,
  id: string,
): Promise<void> {
  await client.backups.delete(id, { signal: terminal.signal });
  if (output.isJson) output.data({ id }, '');
  output.note(`The backup ${id} is deleted.`);
}

/** Prints the job: with `--watch` after it has ended, else as it has begun. */
async function follow(
  { client, output, terminal }: CommandContext,
  begun: JobWithLog,
  { watch }: WatchOptions,
): Promise<void> {
  if (watch !== true) {
    output.data(begun, begun.id);
    output.note(`trellis job watch ${begun.id} tells how far it is.`);
    return;
  }
  const { signal } = terminal;
  const line = new ProgressLine(terminal.stderr);
  for await (const event of client.jobs.watch(begun.id, { signal })) {
    if (event.kind === 'job') line.update(event.job.progress, event.job.step);
  }
  line.clear();
  const job = await client.jobs.get(begun.id, { signal });
  if (job.state !== 'succeeded') {
    const { code = job.state, message = `The job ${job.id} is ${job.state}.` } = job.error ?? {};
    throw new CommandFailure(message, { code });
  }
  output.data(job, job.log.map(({ text }) => text).join('\n'));
}
