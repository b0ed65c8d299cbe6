import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  LOG_LEVELS,
  LOG_ORIGINS,
  type LogLevel,
  type LogOrigin,
} from '@trellis/contract/log-levels.ts';
import type { LogFilter, LogRecord } from '@trellis/contract/shapes/log.ts';
import { type Command, Option } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmless, table } from '../terminal.ts';

interface FilterOptions {
  readonly level?: LogLevel;
  readonly origin?: LogOrigin;
  readonly endpoint?: string;
  readonly job?: string;
  readonly request?: string;
  readonly from?: string;
  readonly to?: string;
}

interface DownloadOptions extends FilterOptions {
  readonly file?: string[];
  readonly out?: string;
}

const TAKE_DEFAULT = '50';
const TEXT = 'only records that contain this text, ignoring case';

export function addLogs(program: Command, run: Run): void {
  const logs = program
    .command('logs')
    .summary("the server's own log: search, follow, download")
    .description(
      'Shows what the server has logged: from its files, or from its memory if it writes none.',
    );
  addListOptions(
    addFilter(logs.command('search'))
      .description(`Shows records, newest last; ${TAKE_DEFAULT} by default.`)
      .argument('[text]', TEXT)
      .option('--from <time>', 'not before this time, ISO 8601')
      .option('--to <time>', 'before this time'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis logs search
  $ trellis logs search --endpoint lookup-word --level warn
  $ trellis logs search replica --level warn --from 2026-11-01T00:00:00Z
  $ trellis logs search 5f0c6c1e-6f0e-4c8e-b1f5-8b8e4a8f1d11 --json`,
    )
    .action(run(search));
  addFilter(logs.command('tail'))
    .description('Shows records as they are logged, until --to or Ctrl-C.')
    .argument('[text]', TEXT)
    .option('--to <time>', 'end at this time, ISO 8601')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis logs tail\n  $ trellis logs tail --level error --json',
    )
    .action(run(tail));
  logs
    .command('files')
    .description('Lists the log files of the server, newest first.')
    .addHelpText('after', '\nExamples:\n  $ trellis logs files\n  $ trellis logs files --json')
    .action(run(listFiles));
  addFilter(logs.command('download'))
    .description('Prints all matching records as lines of JSON, oldest first.')
    .argument('[text]', TEXT)
    .option('--from <time>', 'not before this time, ISO 8601')
    .option('--to <time>', 'before this time')
    .option('--file <name...>', 'only of these files: see trellis logs files')
    .option('--out <file>', 'write to a file instead of stdout')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis logs download > all.log
  $ trellis logs download replica --file trellis-2026-11-20.log --out replica.log`,
    )
    .action(run(download));
}

function addFilter(command: Command): Command {
  return command
    .addOption(new Option('--level <level>', 'this level and more urgent ones').choices(LOG_LEVELS))
    .addOption(new Option('--origin <origin>', 'only records of these').choices(LOG_ORIGINS))
    .option('--endpoint <name>', 'only of this endpoint; with "/" at its end, of all below it')
    .option('--job <id>', 'only of this job')
    .option('--request <id>', 'only of the request with this id: the traceId of an error');
}

async function search(
  { client, output, terminal }: CommandContext,
  options: ListOptions & FilterOptions,
  query?: string,
): Promise<void> {
  const { skip, take = TAKE_DEFAULT } = options;
  let isComplete = true;
  const paging = { ...(skip === undefined ? {} : { skip }), take };
  const records = await listItems(paging, async (page) => {
    const found = await client.logs.search(
      { ...filterOf(options, query), ...page },
      { signal: terminal.signal },
    );
    ({ isComplete } = found);
    return found;
  });
  const inOrder = records.toReversed();
  output.data(inOrder, inOrder.map(textOf).join('\n'));
  if (!isComplete) output.note('There was no time to look at everything: name an earlier --to.');
}

async function tail(
  { client, output, terminal }: CommandContext,
  options: FilterOptions,
  query?: string,
): Promise<void> {
  const { signal } = terminal;
  for await (const event of client.logs.watch(filterOf(options, query), { signal })) {
    if (event.kind === 'line') output.data(event.line, textOf(event.line));
    else output.note(`${event.count} records were gone before they could be shown.`);
  }
}

async function listFiles({ client, output, terminal }: CommandContext): Promise<void> {
  const { source, items } = await client.logs.listFiles({ signal: terminal.signal });
  const rows = items.map(({ name, sizeBytes, from, to }) => [
    name,
    String(sizeBytes),
    from ?? '',
    to ?? '',
  ]);
  output.data(items, table(['NAME', 'BYTES', 'FROM', 'TO'], rows));
  if (source === 'memory') output.note('The server writes no log files: MSK_LOG_PATH is not set.');
}

async function download(
  { client, terminal }: CommandContext,
  { file, out, ...filter }: DownloadOptions,
  query?: string,
): Promise<void> {
  const { signal } = terminal;
  const wanted = { ...filterOf(filter, query), ...(file && { fileNames: file }) };
  const bytes = await client.logs.download(wanted, { signal });
  if (out !== undefined) {
    await pipeline(Readable.fromWeb(bytes), createWriteStream(out), { signal });
    return;
  }
  for await (const text of bytes.pipeThrough(new TextDecoderStream())) terminal.stdout.write(text);
}

function filterOf(options: FilterOptions, query?: string): LogFilter {
  const { request, level, from, to, origin, endpoint, job } = options;
  return { query, level, from, to, origin, endpoint, job, traceId: request };
}

function textOf({ at, level, message, fields }: LogRecord): string {
  const more = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  return harmless(`${at} ${level.padEnd(5)} ${message}${more}`);
}
