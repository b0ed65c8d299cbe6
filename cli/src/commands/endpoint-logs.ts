import { ENDPOINT_LOG_LEVELS } from '@trellis/contract/log-levels.ts';
import type { EndpointLogFilter, EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { harmless } from '../terminal.ts';

interface LogOptions extends ListOptions {
  readonly level?: string;
  readonly query?: string;
  readonly from?: string;
  readonly to?: string;
  readonly follow?: boolean;
}

const TAKE_DEFAULT = '50';

/** `trellis endpoint logs`. */
export function addEndpointLogs(endpoint: Command, run: Run): void {
  addListOptions(
    endpoint
      .command('logs')
      .description(
        `Shows what endpoints have logged on the server, newest last; ${TAKE_DEFAULT} lines by default.`,
      )
      .argument('[name]', 'an endpoint, or a folder with "/" at its end (default: all)')
      .option(
        '--level <level>',
        `this level and more urgent ones: ${ENDPOINT_LOG_LEVELS.join(', ')}`,
      )
      .option('--query <text>', 'only lines that contain this text, ignoring case')
      .option('--from <time>', 'not before this time, ISO 8601')
      .option('--to <time>', 'before this time')
      .option('--follow', 'print new lines as they come, until --to or Ctrl-C'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint logs
  $ trellis endpoint logs reports/ --level warn --follow
  $ trellis endpoint logs lookup-word --query timeout --json`,
    )
    .action(run(showLogs));
}

async function showLogs(
  { client, output, terminal }: CommandContext,
  options: LogOptions,
  name?: string,
): Promise<void> {
  const { signal } = terminal;
  const { skip, take = TAKE_DEFAULT, follow = false } = options;
  const filter = filterOf(options, name);
  const paging = { ...(skip === undefined ? {} : { skip }), take };
  const lines = await listItems(paging, (page) =>
    client.endpoints.listLogs({ ...filter, ...page }, { signal }),
  );
  const inOrder = lines.toReversed();
  if (!follow) {
    output.data(inOrder, inOrder.map(endpointLineText).join('\n'));
    return;
  }
  for (const line of inOrder) output.data(line, endpointLineText(line));
  // Without a line there is no place to begin after, so only lines from now on are shown.
  const after = lines[0]?.sequence;
  for await (const event of client.endpoints.watchLogs(filter, { after, signal })) {
    if (event.kind === 'line') output.data(event.line, endpointLineText(event.line));
    else output.note(`${event.count} lines were gone before they could be shown.`);
  }
}

function filterOf({ level, query, from, to }: LogOptions, name?: string): EndpointLogFilter {
  const known = ENDPOINT_LOG_LEVELS.find((one) => one === level);
  if (level !== undefined && known === undefined) {
    throw new WrongUsage(`${level} is no level: ${ENDPOINT_LOG_LEVELS.join(', ')}`);
  }
  return { endpoint: name, level: known, query, from, to };
}

export function endpointLineText({ at, level, endpoint, message, data }: EndpointLogLine): string {
  const more = data === undefined ? '' : ` ${JSON.stringify(data)}`;
  return harmless(`${at} ${level.padEnd(5)} ${endpoint}: ${message}${more}`);
}
