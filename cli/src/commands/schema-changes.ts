import type { SchemaChange, SchemaChangeOutcome } from '@trellis/contract/shapes/schema-change.ts';
import type { SchemaAlias } from '@trellis/contract/shapes/schema-document.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { table } from '../terminal.ts';

interface RenameOptions {
  readonly edge?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

const CHANGES_SHOWN = 50;

/** `trellis schema rename`, `changes`, `undo` and `alias`. */
export function addSchemaChanges(schema: Command, run: Run): void {
  schema
    .command('rename')
    .summary('rename a type or a field')
    .description(
      'Gives a type of nodes or edges, or a field, another name, in one commit. Reads take the ' +
        'former name too, until you remove it. The server refuses what would break code.',
    )
    .argument('<name>', 'type, or a field as Type.Field')
    .argument('<to>', 'new name, without the type')
    .option('--edge', 'the name is one of an edge type')
    .option('--dry-run', 'show what would break, and change nothing; exit code 1 if anything does')
    .option('--force', 'rename it although it breaks something')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis schema rename Book Work --dry-run
  $ trellis schema rename Book.Title Name
  $ trellis schema rename WrittenBy Author --edge --force`,
    )
    .action(
      run((context, options: RenameOptions, name: string, to: string) =>
        rename(context, options, name, to),
      ),
    );
  schema
    .command('changes')
    .description('Lists the renames that were made, the newest first.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis schema changes\n  $ trellis schema changes --json',
    )
    .action(run(listChanges));
  schema
    .command('undo')
    .description('Takes a change back: the former names become the names again.')
    .argument('<id>', 'id of the change, as "schema changes" shows it')
    .addHelpText('after', '\nExamples:\n  $ trellis schema undo 7mXcR2vKq4sNwE9bT1uYzA')
    .action(run((context, _options: unknown, id: string) => undo(context, id)));
  schema
    .command('remove-alias')
    .description('Removes a former name: reads by it are refused from then on.')
    .argument('<name>', 'present name: a type, or a field as Type.Field')
    .argument('<alias>', 'former name, without the type')
    .option('--edge', 'the name is one of an edge type')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis schema remove-alias Work Book\n' +
        '  $ trellis schema remove-alias Work.Name Title',
    )
    .action(
      run((context, { edge }: Pick<RenameOptions, 'edge'>, name: string, alias: string) =>
        removeAlias(context, { ...placeOf(name, edge), alias }),
      ),
    );
}

async function rename(
  { client, output, terminal }: CommandContext,
  { edge, dryRun = false, force = false }: RenameOptions,
  name: string,
  to: string,
): Promise<number> {
  const changes = [{ rename: { ...placeOf(name, edge), to } }];
  const { signal } = terminal;
  const done = await client.schema.change({ changes, dryRun, force }, { signal });
  const extent = `${done.nodes} nodes and ${done.edges} edges`;
  output.note(
    dryRun
      ? `This would rename ${name} to ${to}, for ${extent}.`
      : `Renamed ${name} to ${to}, for ${extent}. Reads take the former name too.`,
  );
  output.data(done, breaksText(done));
  return done.breaks.length > 0 ? EXIT_FAILED : EXIT_GOOD;
}

function breaksText({ breaks }: SchemaChangeOutcome): string {
  return breaks
    .flatMap(({ kind, name, why, diagnostics = [] }) => [
      `${kind} ${name}: ${why}`,
      ...diagnostics.map(({ line, column, message }) => `  ${line}:${column} ${message}`),
    ])
    .join('\n');
}

async function listChanges({ client, output, terminal }: CommandContext): Promise<void> {
  const { items } = await client.schema.changes(
    { take: CHANGES_SHOWN },
    { signal: terminal.signal },
  );
  const rows = items.map(({ id, at, by, changes, undoes, undoneBy }) => [
    id,
    at,
    by?.name ?? '',
    changes.map(changeText).join(', '),
    undoneBy === null ? (undoes === null ? '' : `undoes ${undoes}`) : `undone by ${undoneBy}`,
  ]);
  output.data(items, table(['id', 'at', 'by', 'changes', ''], rows));
}

function changeText({ rename: one }: SchemaChange): string {
  const owner = 'type' in one ? one.type : 'edge' in one ? one.edge : undefined;
  const name = [owner, one.field].filter((part) => part !== undefined).join('.');
  return `${name} to ${one.to}`;
}

async function undo({ client, output, terminal }: CommandContext, id: string): Promise<void> {
  const done = await client.schema.undoChange(id, { signal: terminal.signal });
  output.note(`Undone, for ${done.nodes} nodes and ${done.edges} edges.`);
  output.data(done, '');
}

async function removeAlias(
  { client, output, terminal }: CommandContext,
  alias: SchemaAlias,
): Promise<void> {
  await client.schema.removeAlias(alias, { signal: terminal.signal });
  output.note(`Reads do not take ${alias.alias} any more.`);
}

type Place = { readonly field?: string } & ({ readonly type: string } | { readonly edge: string });

function placeOf(name: string, isEdge = false): Place {
  const [owner = '', field, ...rest] = name.split('.');
  if (owner === '' || field === '' || rest.length > 0) {
    throw new CommandFailure(`"${name}" is neither a type nor a field as Type.Field.`);
  }
  const own = field === undefined ? {} : { field };
  return isEdge ? { edge: owner, ...own } : { type: owner, ...own };
}
