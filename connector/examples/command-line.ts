import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { ConnectorOptions, ConnectorReport } from '../src/run-connector.ts';

/** What every example takes besides its own options. */
const SHARED = {
  url: { type: 'string', default: 'http://localhost:8080' },
  state: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  'skip-invalid': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const SHARED_HELP = `
  --url URL        the workspace (http://localhost:8080)
  --state FILE     what the connector remembers of its runs (NAME.state)
  --dry-run        say what would be sent, and send nothing
  --skip-invalid   leave out rows that the workspace refuses, and name them
  --json           the report as JSON

The token of the connector is taken from TRELLIS_TOKEN.`;

export type CommandOptions = NonNullable<ParseArgsConfig['options']>;
type Values<O extends CommandOptions> = ReturnType<
  typeof parseArgs<{ options: O & typeof SHARED }>
>['values'];

/** Ready for `runConnector`, but for the schema. */
export type Target = Omit<ConnectorOptions, 'schema' | 'client'> & {
  readonly client: TrellisClient;
};

export interface Command<O extends CommandOptions> {
  readonly name: string;
  /** What it does, and its own options. */
  readonly help: string;
  readonly options: O;
  readonly run: (target: Target, values: Values<O>) => Promise<ConnectorReport>;
}

/**
 * Runs a connector as a program: ends with 0 when all is in the workspace, and with 1 when
 * something was not.
 */
export async function main<O extends CommandOptions>(command: Command<O>): Promise<void> {
  try {
    const { values } = parseArgs({ options: { ...command.options, ...SHARED } });
    const shared = values as Values<Record<string, never>>;
    if (shared.help) return void process.stdout.write(`${command.help}\n${SHARED_HELP}\n`);
    const report = await command.run(targetOf(command.name, shared), values as Values<O>);
    process.stdout.write(shared.json ? `${JSON.stringify(report)}\n` : textOf(report));
    if (report.rejected > 0) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`${command.name}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}

function targetOf(name: string, values: Values<Record<string, never>>): Target {
  const token = process.env['TRELLIS_TOKEN'];
  if (token === undefined) {
    throw new Error('TRELLIS_TOKEN is not set; make one with: trellis token create connector NAME');
  }
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort(new Error('stopped; the next run goes on from here')));
  return {
    client: new TrellisClient({ baseUrl: values.url, token }),
    name,
    state: values.state ?? `${name}.state`,
    dryRun: values['dry-run'],
    onInvalidRow: values['skip-invalid'] ? 'skip' : 'stop',
    signal: stopped.signal,
  };
}

function textOf(report: ConnectorReport): string {
  const { rows, unchanged, removed, splits, operations, commits, dryRun, rejectedRows } = report;
  const sent = dryRun ? 'would be sent' : 'sent';
  return [
    `${rows} rows, ${unchanged} of them unchanged, ${removed} gone`,
    `${operations} operations ${sent} in ${commits} commits`,
    ...(splits === 0 ? [] : [`${splits} of those gone split off from merged nodes`]),
    ...rejectedRows.map(({ row, message }) => `refused: row ${row}: ${message}`),
    '',
  ].join('\n');
}
