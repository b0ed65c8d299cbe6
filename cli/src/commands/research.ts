import type {
  ResearchLimits,
  ResearchRun,
  ResearchSettings,
} from '@trellis/contract/shapes/deep-research.ts';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { harmless, table } from '../terminal.ts';

interface SettingsOptions {
  readonly limit?: Readonly<Record<string, number>>;
}

/** `trellis research`. */
export function addResearch(program: Command, run: Run): void {
  const research = program
    .command('research')
    .summary('limit, list and stop deep research')
    .description('Shows and sets the limits of deep research, shows what runs, and stops it.');
  research
    .command('settings')
    .description('Shows the limits, and the research that is running or waiting.')
    .option(
      '--limit <name=number...>',
      'change limits, then show them; 0 restores the default',
      limitsIn,
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis research settings\n  $ trellis research settings --limit steps=80 minutes=0',
    )
    .action(run(settings));
  research
    .command('cancel')
    .description('Stops the running or waiting research of a chat.')
    .argument('<chat>', 'UID of the chat')
    .addHelpText('after', '\nExamples:\n  $ trellis research cancel 4tLgKqkzyVJUoPhSLUQTtu')
    .action(run(cancel));
}

/** The server checks the names of the limits. */
function limitsIn(
  text: string,
  before: Readonly<Record<string, number>> = {},
): Record<string, number> {
  const [, name = '', digits = ''] = /^(\w+)=(\d+)$/.exec(text) ?? [];
  if (name === '') throw new InvalidArgumentError('It is a name, "=" and a whole number.');
  return { ...before, [name]: Number(digits) };
}

async function settings(
  { client, output, terminal }: CommandContext,
  { limit }: SettingsOptions,
): Promise<void> {
  const options = { signal: terminal.signal };
  const found =
    limit === undefined
      ? await client.deepResearch.getSettings(options)
      : await client.deepResearch.putSettings({ limits: limit }, options);
  output.data(found, describe(found));
}

function describe({ limits, defaults, researchers, running, queued }: ResearchSettings): string {
  const names = Object.keys(limits) as (keyof ResearchLimits)[];
  const rows = names.map((name) => [name, String(limits[name]), String(defaults[name])]);
  const runs = [
    ...running.map((one) => row(one, 'running')),
    ...queued.map((one) => row(one, 'queued')),
  ];
  return [
    table(['LIMIT', 'NOW', 'DEFAULT'], rows),
    harmless(`Researchers: ${researchers.map(({ name }) => name).join(', ')}`),
    runs.length === 0
      ? 'No research is under way.'
      : table(['CHAT', 'JOB', 'USER', 'STATE', 'STARTED', 'STEP'], runs),
  ].join('\n\n');
}

function row({ chatUID, jobId, user, startedAt, step }: ResearchRun, state: string): string[] {
  return [chatUID, jobId, user.name, state, startedAt, step];
}

async function cancel(
  { client, output, terminal }: CommandContext,
  _options: object,
  chatUID: string,
): Promise<void> {
  const job = await client.deepResearch.cancel({ chatUID }, { signal: terminal.signal });
  if (output.isJson) output.data(job, '');
  output.note(`The research in ${chatUID} was asked to end.`);
}
