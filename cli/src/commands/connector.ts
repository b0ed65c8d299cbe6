import type {
  Connector,
  ConnectorAccess,
  ConnectorRunDocument,
} from '@trellis/contract/shapes/connector.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { addListOptions, listItems, type ListOptions, wholeNumber } from '../listing.ts';
import { harmless, table } from '../terminal.ts';

const CONNECTOR = 'name or id of the connector';
const RUNS_DEFAULT = '20';
const ACCESS_DEFAULT = '50';

/** `trellis connector`. */
export function addConnector(program: Command, run: Run): void {
  const connector = program
    .command('connector')
    .summary('sources that the server brings in')
    .description(
      'Lists, tests and runs connectors: sources that the server brings into the workspace. They ' +
        'are set up in the browser, or by the API.',
    );
  addListOptions(
    connector.command('list').description('Lists the connectors, and how each ran last.'),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis connector list')
    .action(run(list));
  addListOptions(
    connector
      .command('runs')
      .description(`Lists the last runs, newest first; ${RUNS_DEFAULT} by default.`)
      .argument('<connector>', CONNECTOR),
  )
    .addHelpText('after', '\nExamples:\n  $ trellis connector runs prices --json')
    .action(run((context, options: ListOptions, name: string) => runs(context, options, name)));
  connector
    .command('access')
    .description(
      'Compares who may see what it brought: at the source alone, here alone, or both. ' +
        `The first ${ACCESS_DEFAULT} nodes by default.`,
    )
    .argument('<connector>', CONNECTOR)
    .option('--skip <n>', 'skip the first <n> nodes')
    .option('--take <n>', 'show at most <n> nodes, 1 to 100')
    .addHelpText('after', '\nExamples:\n  $ trellis connector access mail --skip 50')
    .action(run((context, options: ListOptions, name: string) => access(context, options, name)));
  addDeeds(connector, run);
}

function addDeeds(connector: Command, run: Run): void {
  connector
    .command('test')
    .description('Tries to reach the source, and brings nothing. The exit code is 0 when it may.')
    .argument('<connector>', CONNECTOR)
    .addHelpText('after', '\nExamples:\n  $ trellis connector test prices')
    .action(run((context, _options: object, name: string) => test(context, name)));
  connector
    .command('run')
    .description('Brings what has changed; it goes on when the command has ended.')
    .argument('<connector>', CONNECTOR)
    .option('--full', 'read and compare everything')
    .addHelpText('after', '\nExamples:\n  $ trellis connector run prices --full')
    .action(
      run((context, { full = false }: { readonly full?: boolean }, name: string) =>
        begin(context, full, name),
      ),
    );
  connector
    .command('cancel')
    .description('Ends the run that is under way; the next one goes on.')
    .argument('<connector>', CONNECTOR)
    .addHelpText('after', '\nExamples:\n  $ trellis connector cancel prices')
    .action(run((context, _options: object, name: string) => cancel(context, name)));
  connector
    .command('delete')
    .description('Deletes a connector; what it has brought stays.')
    .argument('<connector>', CONNECTOR)
    .addHelpText('after', '\nExamples:\n  $ trellis connector delete prices')
    .action(run((context, _options: object, name: string) => remove(context, name)));
}

async function list(
  { client, output, terminal }: CommandContext,
  options: ListOptions,
): Promise<void> {
  const { signal } = terminal;
  const connectors = await listItems(options, (page) => client.connectors.list(page, { signal }));
  const rows = connectors.map(({ name, source, schedule, jobId, lastRun }) => [
    harmless(name),
    source.kind,
    harmless(source.url),
    schedule?.cron ?? '',
    jobId === null ? (lastRun?.state ?? '') : 'running',
    lastRun?.startedAt ?? '',
  ]);
  output.data(connectors, table(['name', 'kind', 'url', 'schedule', 'state', 'last run'], rows));
}

async function runs(
  context: CommandContext,
  { skip, take = RUNS_DEFAULT }: ListOptions,
  name: string,
): Promise<void> {
  const { client, output, terminal } = context;
  const { id } = await namedConnector(context, name);
  const { signal } = terminal;
  const items = await listItems({ ...(skip === undefined ? {} : { skip }), take }, (page) =>
    client.connectors.runs(id, page, { signal }),
  );
  const counts = ['rows', 'added', 'changed', 'removed', 'split off', 'refused'];
  const headings = ['started', 'state', ...counts, 'error'];
  output.data(items, table(headings, items.map(runRow)));
}

function runRow({ startedAt, state, report, error }: ConnectorRunDocument): string[] {
  const counts =
    report === null
      ? ['', '', '', '', '', '']
      : [
          report.rows,
          report.added,
          report.changed,
          report.removed,
          report.splits ?? 0,
          report.rejected,
        ].map(String);
  return [startedAt, state, ...counts, harmless(error?.message ?? '')];
}

async function access(
  context: CommandContext,
  { skip = '0', take = ACCESS_DEFAULT }: ListOptions,
  name: string,
): Promise<void> {
  const { client, output, terminal } = context;
  const { id } = await namedConnector(context, name);
  const page = { skip: wholeNumber('--skip', skip), take: wholeNumber('--take', take) };
  const compared = await client.connectors.access(id, page, { signal: terminal.signal });
  const more = compared.total - page.skip - compared.items.length;
  if (more > 0) output.note(`There are ${more} more; --skip and --take show them.`);
  const rows = compared.items.flatMap(accessRows);
  output.data(compared.items, table(['node', 'sees', 'kind', 'name'], rows));
}

function accessRows({ node, row, isTold, narrowedBy, ...told }: ConnectorAccess): string[][] {
  const shown = harmless(`${node.type} ${row}${node.uid === null ? ' (not here)' : ''}`);
  const rows = told.principals.map(({ kind, name, sees }) => [sees, kind, harmless(name)]);
  const more = told.principalsTotal - told.principals.length;
  if (more > 0) rows.push(['...', '', `${more} more`]);
  if (!isTold) rows.push(['', '', 'The source does not tell who may see it.']);
  if (narrowedBy !== null) rows.push(['', '', `Fewer see it here: ${harmless(narrowedBy)}`]);
  return rows.map((cells, i) => [i === 0 ? shown : '', ...cells]);
}

async function test(context: CommandContext, name: string): Promise<number> {
  const { client, output, terminal } = context;
  const { id, source } = await namedConnector(context, name);
  const result = await client.connectors.test({ id, source }, { signal: terminal.signal });
  output.data(result, harmless(result.message));
  return result.isReachable ? EXIT_GOOD : EXIT_FAILED;
}

async function begin(context: CommandContext, full: boolean, name: string): Promise<void> {
  const { client, output, terminal } = context;
  const { id } = await namedConnector(context, name);
  const job = await client.connectors.run(id, { full }, { signal: terminal.signal });
  output.note(`It runs; "trellis job watch ${job.id}" follows it.`);
  output.data(job, job.id);
}

async function cancel(context: CommandContext, name: string): Promise<void> {
  const { client, output, terminal } = context;
  const { id } = await namedConnector(context, name);
  const connector = await client.connectors.cancel(id, { signal: terminal.signal });
  output.note(connector.jobId === null ? 'No run is under way.' : 'The run is told to end.');
  output.data(connector, '');
}

async function remove(context: CommandContext, name: string): Promise<void> {
  const { client, output, terminal } = context;
  const { id, name: told } = await namedConnector(context, name);
  await client.connectors.delete(id, { signal: terminal.signal });
  output.note(`The connector "${harmless(told)}" is deleted.`);
  output.data({ id, deleted: true }, '');
}

async function namedConnector(
  { client, terminal }: CommandContext,
  name: string,
): Promise<Connector> {
  const { signal } = terminal;
  const all = await listItems({}, (page) => client.connectors.list(page, { signal }));
  const byId = all.find(({ id }) => id === name);
  const found = byId === undefined ? all.filter((one) => one.name === name) : [byId];
  const [connector] = found;
  if (connector !== undefined && found.length === 1) return connector;
  const many = `${found.length} connectors are called "${name}"`;
  throw new CommandFailure(found.length > 1 ? many : `There is no connector "${name}"`, {
    code: 'connector_not_found',
    hint: found.length > 1 ? 'Give its id.' : '"trellis connector list" shows them.',
  });
}
