import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';

type HistoryOptions = ListOptions & { readonly from?: string; readonly to?: string };

const TAKE_DEFAULT = '50';

export function addEndpointHistory(endpoint: Command, run: Run): void {
  addListOptions(
    endpoint
      .command('history')
      .description(
        `Lists who changed the code of endpoints when, newest first; ${TAKE_DEFAULT} changes unless --take says otherwise.`,
      )
      .argument('[name]', 'one endpoint, which may be deleted; without it all')
      .option('--from <time>', 'not before this time, ISO 8601; of all endpoints only')
      .option('--to <time>', 'before this time'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint history
  $ trellis endpoint history lookup-word --json
  $ trellis endpoint history --from 2026-11-01T00:00:00Z`,
    )
    .action(run(showHistory));
  endpoint
    .command('diff')
    .description(
      'Shows in what two versions of an endpoint differ, as a unified diff of settings and code: without versions the ' +
        'newest against the one before it.',
    )
    .argument('<name>', 'name of the endpoint')
    .option('--from <version>', 'the older one')
    .option('--to <version>', 'the newer one')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis endpoint diff lookup-word
  $ trellis endpoint diff lookup-word --from 1 --to 4`,
    )
    .action(run(showDiff));
  endpoint
    .command('restore')
    .description(
      'Makes a new version with the code and the settings of an old one, also of an endpoint that is deleted.',
    )
    .argument('<name>', 'name of the endpoint')
    .argument('<version>', 'whose content it gets')
    .addHelpText('after', '\nExamples:\n  $ trellis endpoint restore lookup-word 3')
    .action(run(restore));
}

async function showHistory(
  { client, output, terminal }: CommandContext,
  options: HistoryOptions,
  name?: string,
): Promise<void> {
  const { signal } = terminal;
  const { from, to, skip, take = TAKE_DEFAULT } = options;
  if (name !== undefined && (from !== undefined || to !== undefined)) {
    throw new WrongUsage('--from and --to are for the history of all endpoints');
  }
  const paging = { ...(skip === undefined ? {} : { skip }), take };
  const changes = await listItems(paging, (page) =>
    name === undefined
      ? client.listCodeHistory({ from, to, ...page }, { signal })
      : client.listItemHistory(itemOf(name), page, { signal }),
  );
  output.data(changes, table(['AT', 'VERSION', 'ACTION', 'BY', 'NAME'], changes.map(row)));
}

function row({ at, version, action, by, name }: CodeChange): string[] {
  return [at, String(version), action, by?.name ?? '', name];
}

async function showDiff(
  { client, output, terminal }: CommandContext,
  { from, to }: { readonly from?: string; readonly to?: string },
  name: string,
): Promise<void> {
  const range = {
    ...(from === undefined ? {} : { from: versionOf(from) }),
    ...(to === undefined ? {} : { to: versionOf(to) }),
  };
  const diff = await client.diffCode(itemOf(name), range, { signal: terminal.signal });
  if (diff.diff === '') output.note(`Versions ${diff.from} and ${diff.to} are the same.`);
  output.data(diff, diff.diff);
}

async function restore(
  { client, output, terminal }: CommandContext,
  _options: unknown,
  name: string,
  version: string,
): Promise<number> {
  const wanted = { version: versionOf(version) };
  const definition = await client.restoreCode(itemOf(name), wanted, { signal: terminal.signal });
  output.note(
    `${name} is at version ${definition.version}, which is what version ${version} was` +
      (definition.compiles ? '.' : '. It does not compile any more, so it is a draft.'),
  );
  output.data(definition, '');
  return definition.compiles ? EXIT_GOOD : EXIT_FAILED;
}

export function itemOf(name: string) {
  return { kind: 'endpoint', name } as const;
}

export function versionOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new WrongUsage(`${text} is not a version: the first is 1`);
}
