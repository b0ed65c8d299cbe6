import type { Task } from '@trellis/contract/shapes/task.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { factLines, harmless, table } from '../terminal.ts';
import { addTaskChanges } from './task-changes.ts';
import { addTaskRuns } from './task-runs.ts';

/** `trellis task`. */
export function addTask(program: Command, run: Run): void {
  const task = program
    .command('task')
    .summary('work that the server does on a schedule')
    .description(
      'Lists, creates, runs and deletes tasks: endpoints or built-in work that the server runs ' +
        'on a schedule.',
    );
  addListOptions(task.command('list').description('Lists the tasks, by name.'))
    .addHelpText('after', '\nExamples:\n  $ trellis task list\n  $ trellis task list --json')
    .action(run(list));
  task
    .command('show')
    .description('Shows a task: what it runs, when, and how its last run ended.')
    .argument('<name>', 'name of the task')
    .addHelpText('after', '\nExamples:\n  $ trellis task show nightly')
    .action(run((context, _options: unknown, name: string) => show(context, name)));
  addTaskChanges(task, run);
  addTaskRuns(task, run);
  task
    .command('delete')
    .description('Deletes a task with its log; its endpoint stays.')
    .argument('<name>', 'name of the task')
    .addHelpText('after', '\nExamples:\n  $ trellis task delete nightly')
    .action(run((context, _options: unknown, name: string) => remove(context, name)));
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const tasks = await listItems(options, (page) => client.tasks.list(page, { signal }));
  const rows = tasks.map((task) => [
    task.name,
    task.endpoint ?? `built-in: ${task.builtIn ?? ''}`,
    task.description,
    task.enabled ? (task.nextRunAt ?? 'never') : 'disabled',
    task.jobId === null ? (task.lastRun?.state ?? 'never ran') : 'running',
  ]);
  output.data(tasks, table(['name', 'runs', 'when', 'next', 'last'], rows));
}

async function show({ client, output, terminal }: CommandContext, name: string): Promise<void> {
  const task = await client.tasks.get(name, { signal: terminal.signal });
  output.data(task, describe(task));
}

function describe(task: Task): string {
  const { lastRun } = task;
  const lines = factLines(
    [
      ['name', task.name],
      ['endpoint', task.endpoint],
      ['built-in', task.builtIn],
      ['body', task.body === null ? null : JSON.stringify(task.body)],
      ['as', task.actingUser],
      ['cron', `${task.cron} (${task.timeZone})`],
      ['when', task.description],
      ['enabled', task.enabled ? 'yes' : 'no'],
      ['when missed', task.whenMissed],
      ['belongs to', task.isInCode ? 'the code of its endpoint' : null],
      ['next', task.nextRunAts.join('\n            ')],
      ['running', task.jobId],
      ['last', lastRun && `${lastRun.state}, ${lastRun.startedAt}`],
      ['error', lastRun?.error && `${lastRun.error.code}: ${lastRun.error.message}`],
      ['result', lastRun?.result],
    ],
    12,
  );
  return lines.join('\n').split('\n').map(harmless).join('\n');
}

async function remove({ client, output, terminal }: CommandContext, name: string): Promise<void> {
  await client.tasks.delete(name, { signal: terminal.signal });
  output.note(`The task "${name}" is deleted.`);
  output.data({ name, deleted: true }, '');
}
