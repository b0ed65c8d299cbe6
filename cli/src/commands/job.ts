import {
  JOB_KINDS,
  JOB_STATES,
  type Job,
  type JobKind,
  type JobState,
  type JobWithLog,
} from '@trellis/contract/shapes/job.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { factLines, harmless, table } from '../terminal.ts';

interface JobListOptions extends ListOptions {
  readonly state?: JobState;
  readonly kind?: JobKind;
}

const TAKE_DEFAULT = '50';

export function addJob(program: Command, run: Run): void {
  const job = program
    .command('job')
    .summary('long-running work: progress and results')
    .description('Shows the long-running work of the primary.');
  addListOptions(
    job
      .command('list')
      .description(`Lists jobs, newest first; ${TAKE_DEFAULT} by default.`)
      .addOption(new Option('--state <state>', 'only jobs in this state').choices(JOB_STATES))
      .addOption(new Option('--kind <kind>', 'only jobs of this kind').choices(JOB_KINDS)),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis job list\n  $ trellis job list --state running --json',
    )
    .action(run(listJobs));
  job
    .command('show')
    .description('Shows one job with the last lines of its log.')
    .argument('<id>', 'id of the job')
    .addHelpText('after', '\nExamples:\n  $ trellis job show 4tLgKqkzyVJUoPhSLUQTtu')
    .action(run(showJob));
  job
    .command('cancel')
    .description('Asks a job to stop early. Not every kind of job can.')
    .argument('<id>', 'id of the job')
    .addHelpText('after', '\nExamples:\n  $ trellis job cancel 4tLgKqkzyVJUoPhSLUQTtu')
    .action(run(cancelJob));
  job
    .command('watch')
    .description('Follows a job to its end. The exit code is 0 when it succeeds, else 1.')
    .argument('<id>', 'id of the job')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis job watch 4tLgKqkzyVJUoPhSLUQTtu\n  $ trellis job watch 4tLgKqkzyVJUoPhSLUQTtu --json',
    )
    .action(run(watchJob));
}

async function listJobs(
  { client, output, terminal }: CommandContext,
  { state, kind, skip, take = TAKE_DEFAULT }: JobListOptions,
): Promise<void> {
  const filter = { ...(state && { state }), ...(kind && { kind }) };
  const jobs = await listItems({ ...(skip === undefined ? {} : { skip }), take }, (page) =>
    client.jobs.list({ ...filter, ...page }, { signal: terminal.signal }),
  );
  output.data(jobs, table(['ID', 'KIND', 'STATE', 'DONE', 'STARTED', 'STEP'], jobs.map(row)));
}

function row(job: Job): string[] {
  return [job.id, job.kind, job.state, percent(job), job.startedAt, job.step];
}

async function showJob(
  { client, output, terminal }: CommandContext,
  _options: object,
  id: string,
): Promise<void> {
  const job = await client.jobs.get(id, { signal: terminal.signal });
  output.data(job, describe(job));
}

function describe(job: JobWithLog): string {
  const lines = factLines(
    [
      ['id', job.id],
      ['kind', job.kind],
      ['state', job.state],
      ['done', percent(job)],
      ['step', job.step],
      ['waiting for', job.waitingFor],
      ['started', job.startedAt],
      ['ended', job.endedAt],
      ['error', job.error && `${job.error.code}: ${job.error.message}`],
    ],
    12,
  );
  return [...lines, ...job.log.map(({ at, text }) => `${at} ${text}`)].map(harmless).join('\n');
}

async function cancelJob(
  { client, output, terminal }: CommandContext,
  _options: object,
  id: string,
): Promise<void> {
  const job = await client.jobs.cancel(id, { signal: terminal.signal });
  if (output.isJson) output.data(job, '');
  output.note(`The job ${id} was asked to end.`);
}

async function watchJob(
  { client, output, terminal }: CommandContext,
  _options: object,
  id: string,
): Promise<number> {
  let state: JobState = 'running';
  for await (const event of client.jobs.watch(id, { signal: terminal.signal })) {
    if (event.kind === 'log') {
      output.data(event.line, harmless(`${event.line.at} ${event.line.text}`));
      continue;
    }
    const { job } = event;
    state = job.state;
    const waits = job.waitingFor === undefined ? '' : `, waiting for ${job.waitingFor}`;
    const why = job.error === undefined ? '' : `: ${job.error.message}`;
    output.data(job, harmless(`${percent(job)} ${job.state}${why} - ${job.step}${waits}`));
  }
  return state === 'succeeded' ? EXIT_GOOD : EXIT_FAILED;
}

function percent({ progress }: Job): string {
  return `${Math.floor(progress * 100)} %`;
}
