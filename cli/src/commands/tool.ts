import type { ToolDefinition } from '@trellis/contract/shapes/tool.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';

interface CreateOptions {
  readonly endpoint: string;
  readonly description: string;
  readonly adminsOnly?: boolean;
  readonly disabled?: boolean;
}

/** `trellis tool`. */
export function addTool(program: Command, run: Run): void {
  const tool = program
    .command('tool')
    .summary('endpoints that are offered to models as tools')
    .description(
      'Lists, creates and deletes tools: endpoints that are offered to models under another ' +
        'name. Read-only endpoints are offered without a tool; an endpoint that writes needs ' +
        'one.',
    );
  addListOptions(tool.command('list').description('Lists the tools, by name.'))
    .addHelpText('after', '\nExamples:\n  $ trellis tool list\n  $ trellis tool list --json')
    .action(run(list));
  tool
    .command('create')
    .description('Creates a tool.')
    .argument('<name>', 'letters, digits, "_" and "-", at most 64')
    .requiredOption('--endpoint <name>', 'the endpoint that it calls')
    .requiredOption('--description <text>', 'what it does and when to call it, for the model')
    .option('--admins-only', 'offer it to the models of administrators only')
    .option('--disabled', 'offer it to nobody yet')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis tool create add_note --endpoint notes/add --description "Adds a note to a book, by its ISBN."`,
    )
    .action(run((context, options: CreateOptions, name: string) => create(context, options, name)));
  tool
    .command('delete')
    .description('Deletes a tool; its endpoint stays.')
    .argument('<name>', 'name of the tool')
    .addHelpText('after', '\nExamples:\n  $ trellis tool delete add_note')
    .action(run((context, _options: unknown, name: string) => remove(context, name)));
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const tools = await listItems(options, (page) => client.tools.list(page, { signal }));
  const rows = tools.map((one) => [one.name, one.endpoint, one.access, standingOf(one)]);
  output.data(tools, table(['name', 'endpoint', 'access', 'standing'], rows));
}

function standingOf({ enabled, problem, isReadOnly }: ToolDefinition): string {
  if (problem !== null) return problem;
  if (!enabled) return 'disabled';
  return isReadOnly === true ? 'reads' : 'writes';
}

async function create(
  { client, output, terminal }: CommandContext,
  { endpoint, description, adminsOnly, disabled }: CreateOptions,
  name: string,
): Promise<void> {
  const access = adminsOnly === true ? 'admins' : 'users';
  const enabled = disabled !== true;
  const tool = { name, description, endpoint, access, enabled } as const;
  const made = await client.tools.create(tool, { signal: terminal.signal });
  output.note(`The tool "${made.name}" calls ${made.endpoint}.`);
  output.data(made, '');
}

async function remove({ client, output, terminal }: CommandContext, name: string): Promise<void> {
  await client.tools.delete(name, { signal: terminal.signal });
  output.note(`The tool "${name}" is deleted.`);
}
