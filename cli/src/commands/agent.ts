import { pause } from '@trellis/client/transport.ts';
import type { AgentRunWithTranscript } from '@trellis/contract/shapes/agent.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { readAll } from '../prompt.ts';
import { harmless, table } from '../terminal.ts';

interface RunOptions {
  readonly var: readonly string[];
}

/** How often the command asks whether a run has ended. */
const POLL_MS = 500;

/** `trellis agent`. */
export function addAgent(program: Command, run: Run): void {
  const agent = program
    .command('agent')
    .summary('run agents: saved instructions for a model')
    .description(
      'Lists and runs agents: instructions for a model, with the tools that it may call.',
    );
  addListOptions(agent.command('list').description('Lists the agents that you may run, by name.'))
    .addHelpText('after', '\nExamples:\n  $ trellis agent list')
    .action(run(list));
  agent
    .command('run')
    .description('Runs an agent as you, and prints its result. Ctrl-C cancels the run.')
    .argument('<name>', 'name of the agent')
    .argument('[message]', 'what the agent is to do (default: read from standard input)')
    .option('--var <name=value>', 'a variable of its instructions; may be repeated', collect, [])
    .addHelpText(
      'after',
      `
Examples:
  $ trellis agent run summarizer "What is new in this workspace?" --var TONGUE=Dutch
  $ trellis agent run summarizer --json < question.txt`,
    )
    .action(
      run((context, options: RunOptions, name: string, message?: string) =>
        runAgent(context, options, name, message),
      ),
    );
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const agents = await listItems(options, (page) => client.agents.list(page, { signal }));
  const rows = agents.map(({ name, access, variables, description }) => [
    name,
    access,
    variables.join(' '),
    description,
  ]);
  output.data(agents, table(['name', 'access', 'variables', 'description'], rows));
}

/**
 * Asks for the run again until it has ended, since a run may last longer than a connection may be
 * silent.
 */
async function runAgent(
  { client, output, terminal }: CommandContext,
  options: RunOptions,
  name: string,
  given: string | undefined,
): Promise<number> {
  const { signal } = terminal;
  const message = given ?? (await readAll(terminal));
  const variables = Object.fromEntries(options.var.map(variable));
  let run = await client.agents.run(name, { message, variables, async: true }, { signal });
  try {
    while (run.status === 'Running') {
      await pause(POLL_MS, signal);
      run = await client.agents.getRun(run.UID, { signal });
    }
  } catch (error) {
    if (signal.aborted) await client.agents.cancelRun(run.UID);
    throw error;
  }
  output.data(run, run.status === 'Completed' ? textOf(run) : '');
  if (run.status === 'Completed') return EXIT_GOOD;
  output.note(faultOf(run));
  return EXIT_FAILED;
}

function textOf({ result }: AgentRunWithTranscript): string {
  return typeof result === 'string' ? textLines(result) : JSON.stringify(result, null, 2);
}

/** Text of a model without control characters, since anybody may have influenced what it says. */
function textLines(text: string): string {
  return text.split('\n').map(harmless).join('\n');
}

function faultOf({ status, error }: AgentRunWithTranscript): string {
  return error === null
    ? `The run was ${status.toLowerCase()}.`
    : textLines(`error: ${error.message}`);
}

function collect(value: string, all: readonly string[]): readonly string[] {
  return [...all, value];
}

function variable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new WrongUsage(`--var ${text} is not of the form NAME=value`);
}
