import { eachItem } from '@trellis/client/pages.ts';
import type { RunningEndpoint } from '@trellis/client/methods/endpoint-runs.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { parseJson } from '../json-input.ts';
import { readAll } from '../prompt.ts';
import { table } from '../terminal.ts';
import { addCodeHistory } from './code-history.ts';
import { addEndpointCalls } from './endpoint-calls.ts';
import { addEndpointCompare } from './endpoint-compare.ts';
import { addEndpointLogs } from './endpoint-logs.ts';
import { addEndpointPush } from './endpoint-push.ts';
import { addEndpointMetrics } from './stats.ts';

export function addEndpoint(program: Command, run: Run): void {
  const endpoint = program
    .command('endpoint')
    .summary('write and run custom endpoints')
    .description('Writes, reads and runs custom endpoints: TypeScript that runs in the server.');
  addEndpointPush(endpoint, run);
  addCodeHistory(endpoint, run, 'endpoint');
  addEndpointCompare(endpoint, run);
  addEndpointMetrics(endpoint, run);
  addEndpointLogs(endpoint, run);
  addEndpointCalls(endpoint, run);
  endpoint
    .command('run')
    .description('Runs an endpoint and prints its answer.')
    .argument('<name>', 'name of the endpoint')
    .argument('[body]', 'JSON to call it with; "-" reads standard input')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint run count-by-pos
  $ trellis endpoint run lookup-word '{"word":"dog"}'
  $ trellis endpoint run lookup-word - --json < question.json`,
    )
    .action(run(runEndpoint));
  endpoint
    .command('list')
    .description('Lists the endpoints by name.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis endpoint list\n  $ trellis endpoint list --json',
    )
    .action(run(listEndpoints));
  endpoint
    .command('get')
    .description('Prints the code of an endpoint; with --json the whole definition.')
    .argument('<name>', 'name of the endpoint')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint get lookup-word
  $ trellis endpoint get lookup-word > lookup-word.ts`,
    )
    .action(run(getEndpoint));
  endpoint
    .command('delete')
    .description('Deletes an endpoint.')
    .argument('<name>', 'name of the endpoint')
    .addHelpText('after', '\nExamples:\n  $ trellis endpoint delete lookup-word')
    .action(run(deleteEndpoint));
}

async function runEndpoint(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
  bodyText?: string,
): Promise<void> {
  const text = bodyText === '-' ? await readAll(terminal) : bodyText;
  const body = text === undefined ? undefined : parseJson(text, 'the body');
  const { signal } = terminal;
  let running: RunningEndpoint | undefined;
  const onRunning = (run: RunningEndpoint) => {
    const said = describeProgress(run);
    if (said !== '' && (running === undefined || said !== describeProgress(running))) {
      output.note(said);
    }
    running = run;
  };
  const answer = await client.endpoints
    .run(name, body, { signal, onRunning })
    .catch(async (error: unknown) => {
      // A user who interrupts a run of mode "pooling" does not want it to continue on the server.
      if (signal.aborted) await running?.cancel().catch(() => undefined);
      throw error;
    });
  if (answer !== undefined) output.data(answer, JSON.stringify(answer, null, 2));
}

function describeProgress({ fraction, text }: RunningEndpoint): string {
  const share = fraction === null ? [] : [`${Math.round(fraction * 100)} %`];
  return [...share, ...(text === null ? [] : [text])].join(' ');
}

async function listEndpoints({ client, output, terminal }: CommandContext): Promise<void> {
  const { signal } = terminal;
  const endpoints: EndpointDefinition[] = [];
  for await (const endpoint of eachItem((page) => client.endpoints.list(page, { signal }))) {
    endpoints.push(endpoint);
  }
  const headings = ['NAME', 'STATE', 'READ-ONLY', 'MODE', 'ACCESS', 'VERSION'];
  const rows = endpoints.map((endpoint) => [
    endpoint.name,
    endpoint.compiles ? 'compiles' : 'draft',
    endpoint.isReadOnly ? 'yes' : 'no',
    endpoint.mode,
    endpoint.access,
    String(endpoint.version),
  ]);
  output.data(endpoints, table(headings, rows));
}

async function getEndpoint(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  const definition = await client.endpoints.get(name, { signal: terminal.signal });
  output.data(definition, definition.code);
}

async function deleteEndpoint(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
): Promise<void> {
  await client.endpoints.delete(name, { signal: terminal.signal });
  output.note(`Deleted ${name}.`);
  output.data({ name, deleted: true }, '');
}
