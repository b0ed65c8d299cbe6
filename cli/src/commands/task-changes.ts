import type { Task, TaskChange } from '@trellis/contract/shapes/task.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';
import { parseJson } from '../json-input.ts';
import { userUid } from '../named.ts';
import { readAll } from '../prompt.ts';
import { harmless } from '../terminal.ts';

interface SettingOptions {
  readonly cron?: string;
  readonly timeZone?: string;
  readonly endpoint?: string;
  readonly builtIn?: string;
  readonly body?: string;
  readonly as?: string;
  readonly whenMissed?: 'run' | 'skip';
}

interface CreateOptions extends SettingOptions {
  readonly cron: string;
  readonly disabled?: boolean;
}

/** `trellis task create`, `update`, `enable`, `disable`. */
export function addTaskChanges(task: Command, run: Run): void {
  const create = task
    .command('create')
    .description('Creates a task: an endpoint or built-in work, and when it runs.')
    .argument('<name>', 'letters, digits, " ", ".", "_" and "-"')
    .requiredOption('--cron <expression>', 'five fields, six with seconds first, or @daily')
    .option('--disabled', 'do not run it on its schedule yet');
  addSettings(create)
    .addHelpText(
      'after',
      `
Examples:
  $ trellis task create nightly --cron "30 2 * * *" --time-zone Europe/Berlin --endpoint books/tidy
  $ trellis task create report --cron "0 8 * * MON-FRI" --endpoint report --body '{"days":1}' --as ann
  $ trellis task create measure --cron @weekly --built-in search-evaluation`,
    )
    .action(
      run((context, options: CreateOptions, name: string) => createTask(context, options, name)),
    );
  const update = task
    .command('update')
    .description('Changes a task. Only what an option names is changed.')
    .argument('<name>', 'name of the task')
    .option('--cron <expression>', 'five fields, six with seconds first, or @daily');
  addSettings(update)
    .addHelpText(
      'after',
      `
Examples:
  $ trellis task update nightly --cron "0 4 * * *"
  $ trellis task update report --as system --when-missed skip`,
    )
    .action(
      run((context, options: SettingOptions, name: string) => updateTask(context, options, name)),
    );
  for (const verb of ['enable', 'disable'] as const) {
    task
      .command(verb)
      .description(
        verb === 'enable'
          ? 'Lets a task run on its schedule, from now on.'
          : 'Keeps a task from running on its schedule.',
      )
      .argument('<name>', 'name of the task')
      .addHelpText('after', `\nExamples:\n  $ trellis task ${verb} nightly`)
      .action(run((context, _options: unknown, name: string) => set(context, verb, name)));
  }
}

function addSettings(command: Command): Command {
  return command
    .option('--time-zone <name>', 'time zone of the schedule, such as Europe/Berlin (default: UTC)')
    .option('--endpoint <name>', 'the endpoint that it calls')
    .option('--built-in <name>', 'built-in work, instead of an endpoint')
    .option('--body <json>', 'JSON to call the endpoint with; "-" reads standard input')
    .option('--as <user>', 'user that it runs as, by name or UID; "system" for no user')
    .addOption(
      new Option('--when-missed <what>', 'what to do when the server was down at the time').choices(
        ['run', 'skip'],
      ),
    );
}

async function createTask(
  context: CommandContext,
  options: CreateOptions,
  name: string,
): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const { cron, disabled } = options;
  const settings = await settingsOf(context, options);
  const task = { name, ...settings, cron, enabled: disabled !== true };
  const made = await client.tasks.create(task, { signal });
  output.note(told(made));
  output.data(made, '');
}

async function updateTask(
  context: CommandContext,
  options: SettingOptions,
  name: string,
): Promise<void> {
  const { client, output, terminal } = context;
  const change = await settingsOf(context, options);
  if (Object.keys(change).length === 0) throw new WrongUsage('there is nothing to change');
  const task = await client.tasks.put(name, change, { signal: terminal.signal });
  output.note(told(task));
  output.data(task, '');
}

async function set(
  { client, output, terminal }: CommandContext,
  verb: 'enable' | 'disable',
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const task = await (verb === 'enable'
    ? client.tasks.enable(name, { signal })
    : client.tasks.disable(name, { signal }));
  output.note(told(task));
  output.data(task, '');
}

async function settingsOf(
  { client, terminal }: CommandContext,
  { cron, timeZone, endpoint, builtIn, body, as, whenMissed }: SettingOptions,
): Promise<TaskChange> {
  const text = body === '-' ? await readAll(terminal) : body;
  const user =
    as === undefined || as === 'system'
      ? null
      : await userUid(client, as, { signal: terminal.signal });
  return {
    ...(cron === undefined ? {} : { cron }),
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(builtIn === undefined ? {} : { builtIn }),
    ...(text === undefined ? {} : { body: parseJson(text, 'the body') }),
    ...(as === undefined ? {} : { actingUser: user }),
    ...(whenMissed === undefined ? {} : { whenMissed }),
  };
}

function told({ name, enabled, description, timeZone, nextRunAt }: Task): string {
  const when = enabled ? `next at ${nextRunAt ?? 'no time'}` : 'disabled';
  return harmless(`The task "${name}" runs: ${description} (${timeZone}); ${when}.`);
}
