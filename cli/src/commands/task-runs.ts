import type { TaskRun } from '@trellis/contract/shapes/task.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmless } from '../terminal.ts';

const TAKE_DEFAULT = '20';

/** `trellis task run`, `log`. */
export function addTaskRuns(task: Command, run: Run): void {
  task
    .command('run')
    .description('Runs a task now, enabled or not.')
    .argument('<name>', 'name of the task')
    .option('--wait', 'follow it to its end: the exit code is 0 when it succeeds, else 1')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis task run nightly\n  $ trellis task run nightly --wait',
    )
    .action(
      run((context, options: { readonly wait?: boolean }, name: string) =>
        runTask(context, options.wait === true, name),
      ),
    );
  addListOptions(
    task
      .command('log')
      .description(`Lists the last runs of a task, newest first; ${TAKE_DEFAULT} by default.`)
      .argument('<name>', 'name of the task'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis task log nightly\n  $ trellis task log nightly --take 1 --json',
    )
    .action(run((context, options: ListOptions, name: string) => log(context, options, name)));
}

async function runTask(
  { client, output, terminal }: CommandContext,
  waits: boolean,
  name: string,
): Promise<number> {
  const { signal } = terminal;
  const job = await client.tasks.run(name, { signal });
  if (!waits) {
    output.note(`The task "${name}" runs as the job ${job.id}.`);
    output.data(job, '');
    return EXIT_GOOD;
  }
  let { state } = job as { readonly state: string };
  for await (const event of client.jobs.watch(job.id, { signal })) {
    if (event.kind === 'log') output.note(harmless(event.line.text));
    else ({ state } = event.job);
  }
  const ended = await client.jobs.get(job.id, { signal });
  const why = ended.error === undefined ? '' : ` ${ended.error.message}`;
  output.note(harmless(`The run of "${name}" ended: ${ended.state}.${why}`));
  output.data(ended, '');
  return state === 'succeeded' ? EXIT_GOOD : EXIT_FAILED;
}

async function log(
  { client, output, terminal }: CommandContext,
  { skip, take = TAKE_DEFAULT }: ListOptions,
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const page = { ...(skip === undefined ? {} : { skip }), take };
  const runs = await listItems(page, (each) => client.tasks.listRuns(name, each, { signal }));
  output.data(runs, runs.flatMap(lines).map(harmless).join('\n'));
}

function lines(run: TaskRun): string[] {
  const times = run.times === 1 ? '' : `, ${run.times} times`;
  const head = `${run.startedAt} ${run.state}${times} (${run.trigger})`;
  const said = run.error?.message ?? run.result ?? '';
  return [said === '' ? head : `${head}: ${said}`, ...run.log.map(({ text }) => `  ${text}`)];
}
