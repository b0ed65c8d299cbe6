import type { CodeKind } from '@trellis/contract/shapes/build.ts';
import type { CodeChange } from '@trellis/contract/shapes/code-history.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { EXIT_FAILED, EXIT_GOOD, WrongUsage } from '../failure.ts';
import { addListOptions, listItems, type ListOptions } from '../listing.ts';
import { table } from '../terminal.ts';

type DiffRange = { readonly from?: string; readonly to?: string };
type HistoryOptions = ListOptions & { readonly from?: string; readonly to?: string };

const TAKE_DEFAULT = '50';

/** An example name for each kind, for the help. */
const EXAMPLES: Readonly<Record<CodeKind, string>> = {
  endpoint: 'lookup-word',
  migration: '001-authors',
  module: 'prices',
};

/** `history`, `diff` and `restore` of one kind of code. */
export function addCodeHistory(command: Command, run: Run, kind: CodeKind): void {
  const example = EXAMPLES[kind];
  addListOptions(
    command
      .command('history')
      .description(
        `Lists who changed code and when, newest first; ${TAKE_DEFAULT} changes by default.`,
      )
      .argument('[name]', `one ${kind}, also a deleted one (default: all code)`)
      .option('--from <time>', 'not before this time, ISO 8601; only without a name')
      .option('--to <time>', 'before this time'),
  )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis ${kind} history
  $ trellis ${kind} history ${example} --json
  $ trellis ${kind} history --from 2026-11-01T00:00:00Z`,
    )
    .action(
      run((context, options: HistoryOptions, name?: string) =>
        showHistory(context, options, kind, name),
      ),
    );
  command
    .command('diff')
    .description(
      `Shows how two versions of one ${kind} differ, as a unified diff of settings and code. ` +
        'By default the newest version and the one before it.',
    )
    .argument('<name>', `name of the ${kind}`)
    .option('--from <version>', 'the older one')
    .option('--to <version>', 'the newer one')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis ${kind} diff ${example}
  $ trellis ${kind} diff ${example} --from 1 --to 4`,
    )
    .action(
      run((context, range: DiffRange, name: string) => showDiff(context, range, { kind, name })),
    );
  command
    .command('restore')
    .description(
      'Makes a new version with the code and the settings of an old one. Also brings back deleted code.',
    )
    .argument('<name>', `name of the ${kind}`)
    .argument('<version>', 'version to restore')
    .addHelpText('after', `\nExamples:\n  $ trellis ${kind} restore ${example} 3`)
    .action(
      run((context, _options: unknown, name: string, version: string) =>
        restore(context, { kind, name }, version),
      ),
    );
}

async function showHistory(
  { client, output, terminal }: CommandContext,
  options: HistoryOptions,
  kind: CodeKind,
  name: string | undefined,
): Promise<void> {
  const { signal } = terminal;
  const { from, to, skip, take = TAKE_DEFAULT } = options;
  if (name !== undefined && (from !== undefined || to !== undefined)) {
    throw new WrongUsage('--from and --to are for the history of all code');
  }
  const paging = { ...(skip === undefined ? {} : { skip }), take };
  const changes = await listItems(paging, (page) =>
    name === undefined
      ? client.codeHistory.list({ from, to, ...page }, { signal })
      : client.codeHistory.listItem(kind, name, page, { signal }),
  );
  output.data(changes, table(['AT', 'VERSION', 'ACTION', 'BY', 'KIND', 'NAME'], changes.map(row)));
}

function row({ at, version, action, by, kind, name }: CodeChange): string[] {
  return [at, String(version), action, by?.name ?? '', kind, name];
}

async function showDiff(
  { client, output, terminal }: CommandContext,
  { from, to }: DiffRange,
  item: { readonly kind: CodeKind; readonly name: string },
): Promise<void> {
  const range = {
    ...(from === undefined ? {} : { from: versionOf(from) }),
    ...(to === undefined ? {} : { to: versionOf(to) }),
  };
  const diff = await client.codeHistory.diff(item.kind, item.name, range, {
    signal: terminal.signal,
  });
  if (diff.diff === '') output.note(`Versions ${diff.from} and ${diff.to} are the same.`);
  output.data(diff, diff.diff);
}

async function restore(
  { client, output, terminal }: CommandContext,
  item: { readonly kind: CodeKind; readonly name: string },
  version: string,
): Promise<number> {
  const wanted = { version: versionOf(version) };
  const definition = await client.codeHistory.restore(item.kind, item.name, wanted, {
    signal: terminal.signal,
  });
  output.note(
    `${item.name} is at version ${definition.version}, which is what version ${version} was` +
      (definition.compiles ? '.' : '. It does not compile any more, so it is a draft.'),
  );
  output.data(definition, '');
  return definition.compiles ? EXIT_GOOD : EXIT_FAILED;
}

export function versionOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new WrongUsage(`${text} is not a version: the first is 1`);
}
