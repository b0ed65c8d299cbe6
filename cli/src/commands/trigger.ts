import type { SetAside, Trigger } from '@trellis/contract/shapes/trigger.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmless, table } from '../terminal.ts';

interface SetAsideOptions extends ListOptions {
  readonly endpoint?: string;
}

const TAKE_DEFAULT = '50';

/** `trellis trigger`. */
export function addTrigger(program: Command, run: Run): void {
  const trigger = program
    .command('trigger')
    .summary('endpoints that changes of nodes run')
    .description(
      'Lists, pauses and resumes endpoints that changes of nodes run, as the lines ' +
        '"// trellis: on created Ticket" at the top of their code say.',
    );
  trigger
    .command('list')
    .description('Lists the endpoints that changes run, by name, and how far each is.')
    .addHelpText('after', '\nExamples:\n  $ trellis trigger list\n  $ trellis trigger list --json')
    .action(run(list));
  trigger
    .command('pause')
    .description('Keeps changes from running an endpoint; they wait.')
    .argument('<endpoint>', 'name of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ trellis trigger pause tickets/assign')
    .action(run((context, _options: object, endpoint: string) => pause(context, endpoint)));
  trigger
    .command('resume')
    .description('Lets changes run an endpoint again, from where it was paused.')
    .argument('<endpoint>', 'name of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ trellis trigger resume tickets/assign')
    .action(run((context, _options: object, endpoint: string) => resume(context, endpoint)));
  addListOptions(
    trigger
      .command('failed')
      .description(
        `Lists the changes for which an endpoint failed, newest first; ${TAKE_DEFAULT} by default.`,
      )
      .option('--endpoint <name>', 'only those of this endpoint'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis trigger failed\n  $ trellis trigger failed --endpoint tickets/assign',
    )
    .action(run(failed));
  trigger
    .command('retry')
    .description('Runs the endpoint once more for a change. The exit code is 0 when it succeeds.')
    .argument('<id>', 'id of the change, as "trellis trigger failed" shows it')
    .addHelpText('after', '\nExamples:\n  $ trellis trigger retry 4tLgKqkzyVJUoPhSLUQTtu')
    .action(run((context, _options: object, id: string) => retry(context, id)));
  trigger
    .command('forget')
    .description('Removes a change from those that failed; nothing runs for it.')
    .argument('<id>', 'id of the change, as "trellis trigger failed" shows it')
    .addHelpText('after', '\nExamples:\n  $ trellis trigger forget 4tLgKqkzyVJUoPhSLUQTtu')
    .action(run((context, _options: object, id: string) => forget(context, id)));
}

async function list({ client, output, terminal }: CommandContext): Promise<void> {
  const { items } = await client.triggers.list({ signal: terminal.signal });
  const headings = ['endpoint', 'after', 'state', 'waiting', 'failed', 'last error'];
  output.data(items, table(headings, items.map(row)));
}

function row(trigger: Trigger): string[] {
  const { endpoint, lines, isPaused, reason, waiting, setAside, lastError } = trigger;
  return [
    endpoint,
    lines.map(({ event, type }) => `${event} ${type}`).join(', '),
    isPaused ? harmless(`paused${reason === null ? '' : `: ${reason}`}`) : 'active',
    String(waiting),
    String(setAside),
    lastError === null ? '' : harmless(lastError.message),
  ];
}

async function pause({ client, output, terminal }: CommandContext, endpoint: string) {
  const trigger = await client.triggers.pause({ endpoint }, { signal: terminal.signal });
  output.note(`The trigger of "${endpoint}" is paused; changes wait.`);
  output.data(trigger, '');
}

async function resume({ client, output, terminal }: CommandContext, endpoint: string) {
  const trigger = await client.triggers.resume({ endpoint }, { signal: terminal.signal });
  output.note(`The trigger of "${endpoint}" goes on.`);
  output.data(trigger, '');
}

async function failed(
  { client, output, terminal }: CommandContext,
  { endpoint, skip, take = TAKE_DEFAULT }: SetAsideOptions,
): Promise<void> {
  const filter = endpoint === undefined ? {} : { endpoint };
  const events = await listItems({ ...(skip === undefined ? {} : { skip }), take }, (page) =>
    client.triggers.listSetAside({ ...filter, ...page }, { signal: terminal.signal }),
  );
  output.data(
    events,
    table(['id', 'endpoint', 'change', 'at', 'tried', 'error'], events.map(eventRow)),
  );
}

function eventRow({ id, endpoint, event, type, key, uid, at, attempts, error }: SetAside) {
  const change = harmless(`${event} ${type} ${key ?? uid}`);
  return [id, endpoint, change, at, String(attempts), harmless(error.message)];
}

async function retry({ client, output, terminal }: CommandContext, id: string): Promise<number> {
  const outcome = await client.triggers.retrySetAside(id, { signal: terminal.signal });
  const { succeeded, error } = outcome;
  output.note(succeeded ? 'It went well.' : harmless(`It failed again: ${error?.message ?? ''}`));
  output.data(outcome, '');
  return succeeded ? EXIT_GOOD : EXIT_FAILED;
}

async function forget({ client, output, terminal }: CommandContext, id: string): Promise<void> {
  await client.triggers.deleteSetAside(id, { signal: terminal.signal });
  output.note('The change is forgotten.');
  output.data({ id, deleted: true }, '');
}
