import type { CodeComparisonResult } from '@trellis/contract/shapes/code-history.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { parseJson } from '../json-input.ts';
import { readAll } from '../prompt.ts';
import { table } from '../terminal.ts';
import { versionOf } from './code-history.ts';

interface CompareOptions {
  readonly with?: string;
  readonly recorded?: boolean;
}

export function addEndpointCompare(endpoint: Command, run: Run): void {
  endpoint
    .command('compare')
    .description(
      'Runs an old version of an endpoint and the newest with the same body, as you, in the ' +
        'read-only scope, and shows what each answered and how long it took. The exit code is 0 ' +
        'when they answer the same, else 1.',
    )
    .argument('<name>', 'name of the endpoint')
    .argument('<version>', 'the old version')
    .argument('[body]', 'JSON to call both with; "-" reads standard input')
    .option('--with <version>', 'compare with this version instead of the newest')
    .option('--recorded', 'call both with every recorded body, instead of one that you give')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint compare lookup-word 3 '{"word":"dog"}'
  $ trellis endpoint compare lookup-word 3 --with 4 --json
  $ trellis endpoint compare lookup-word 3 --recorded`,
    )
    .action(run(compare));
  endpoint
    .command('inputs')
    .description(
      'Lists the last bodies that an endpoint was called with. They are kept only after ' +
        '--keep was used, and only in the memory of the server.',
    )
    .argument('<name>', 'name of the endpoint')
    .option('--keep <n>', 'keep the last <n> from now on; 0 keeps none and deletes the kept ones')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint inputs lookup-word --keep 20
  $ trellis endpoint inputs lookup-word`,
    )
    .action(run(showInputs));
}

async function compare(
  context: CommandContext,
  options: CompareOptions,
  name: string,
  version: string,
  bodyText?: string,
): Promise<number> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const versions = {
    version: versionOf(version),
    ...(options.with === undefined ? {} : { with: versionOf(options.with) }),
  };
  const results: CodeComparisonResult[] = [];
  for (const call of await callsOf(context, options, name, bodyText)) {
    results.push(
      await client.codeHistory.compare('endpoint', name, { ...versions, ...call }, { signal }),
    );
  }
  const rows = results.flatMap(rowsOf);
  output.data(
    options.recorded === true ? results : results[0],
    table(['VERSION', 'STATUS', 'MS', 'ANSWER'], rows),
  );
  const different = results.filter(({ isEqual }) => !isEqual).length;
  output.note(
    different === 0
      ? 'They answer the same.'
      : `They do not answer the same: ${different} of ${results.length} differ.`,
  );
  return different === 0 ? EXIT_GOOD : EXIT_FAILED;
}

/** The bodies with which both versions are called. */
async function callsOf(
  { client, terminal }: CommandContext,
  options: CompareOptions,
  name: string,
  bodyText: string | undefined,
): Promise<readonly { readonly body?: unknown; readonly input?: number }[]> {
  if (options.recorded !== true) {
    const text = bodyText === '-' ? await readAll(terminal) : bodyText;
    return [text === undefined ? {} : { body: parseJson(text, 'the body') }];
  }
  if (bodyText !== undefined) throw new WrongUsage('--recorded takes no body');
  const { signal } = terminal;
  const { inputs } = await client.codeHistory.listRecordedInputs('endpoint', name, { signal });
  if (inputs.length > 0) return inputs.map(({ id }) => ({ input: id }));
  throw new WrongUsage(
    `no body of ${name} is recorded`,
    `"trellis endpoint inputs ${name} --keep 20" keeps those of the next calls.`,
  );
}

function rowsOf({ runs }: CodeComparisonResult): string[][] {
  return runs.map(({ version, status, ms, error, body }) => {
    const answer = error === null ? JSON.stringify(body) : `${error.code}: ${error.message}`;
    return [String(version), status === null ? 'failed' : String(status), ms.toFixed(1), answer];
  });
}

async function showInputs(
  { client, output, terminal }: CommandContext,
  options: { readonly keep?: string },
  name: string,
): Promise<void> {
  const { signal } = terminal;
  const { keep } = options;
  if (keep !== undefined && !/^\d{1,6}$/.test(keep)) {
    throw new WrongUsage(`--keep ${keep} is not a whole number`);
  }
  const recorded =
    keep === undefined
      ? await client.codeHistory.listRecordedInputs('endpoint', name, { signal })
      : await client.codeHistory.recordInputs('endpoint', name, { keep: Number(keep) }, { signal });
  const rows = recorded.inputs.map(({ id, at, body }) => [String(id), at, body]);
  output.data(recorded, table(['ID', 'AT', 'BODY'], rows));
  output.note(
    recorded.keep === 0
      ? `Bodies of ${name} are not recorded.`
      : `The last ${recorded.keep} bodies of ${name} are kept.`,
  );
}
