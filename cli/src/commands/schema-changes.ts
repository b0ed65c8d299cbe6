import { schemaChangeText } from '@trellis/contract/schema-change-text.ts';
import type { SchemaChange, SchemaChangeOutcome } from '@trellis/contract/shapes/schema-change.ts';
import {
  type FieldType,
  fieldType,
  type SchemaAlias,
} from '@trellis/contract/shapes/schema-document.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { table } from '../terminal.ts';

interface ChangeOptions {
  readonly edge?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
}

const CHANGES_SHOWN = 50;

/** `trellis schema rename`, `retype`, `drop`, `changes`, `undo` and `remove-alias`. */
export function addSchemaChanges(schema: Command, run: Run): void {
  addRename(schema, run);
  addRetype(schema, run);
  addDrop(schema, run);
  addHistory(schema, run);
}

function addRename(schema: Command, run: Run): void {
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
      run((context, options: ChangeOptions, name: string, to: string) =>
        change(context, options, {
          change: { rename: { ...placeOf(name, options.edge), to } },
          would: `rename ${name} to ${to}`,
          done: `Renamed ${name} to ${to}`,
          hint: 'Reads take the former name too.',
        }),
      ),
    );
}

function addRetype(schema: Command, run: Run): void {
  schema
    .command('retype')
    .summary('give a field another type')
    .description(
      'Gives a field of a node type another type. Values are converted as they are read, and stay ' +
        'as they were written for an undo. The server refuses what would break code.',
    )
    .argument('<name>', 'field as Type.Field')
    .argument('<to>', 'new type, such as String, Double or Int[]')
    .option('--dry-run', 'show what would break and be lost, and change nothing')
    .option('--force', 'do it although it breaks something')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis schema retype Book.Year String --dry-run
  $ trellis schema retype Book.Tags String[] --force`,
    )
    .action(
      run((context, options: ChangeOptions, name: string, to: string) =>
        change(context, options, {
          change: { retype: { field: fieldOf(name), to: typeNamed(to) } },
          would: `give ${name} the type ${to}`,
          done: `Gave ${name} the type ${to}`,
          hint: UNDO_HINT,
        }),
      ),
    );
}

function addDrop(schema: Command, run: Run): void {
  schema
    .command('drop')
    .summary('drop a type or a field')
    .description(
      'Drops a type with its nodes, an edge type with its edges and its inverse, or a field with ' +
        'its values. They are hidden, and an undo shows them again. The server refuses what would ' +
        'break code.',
    )
    .argument('<name>', 'type, or a field as Type.Field')
    .option('--edge', 'the name is one of an edge type')
    .option('--dry-run', 'show what would break and be lost, and change nothing')
    .option('--force', 'drop it although that breaks something')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis schema drop Book --dry-run
  $ trellis schema drop Book.Year
  $ trellis schema drop WrittenBy --edge --force`,
    )
    .action(
      run((context, options: ChangeOptions, name: string) =>
        change(context, options, {
          change: { drop: placeOf(name, options.edge) },
          would: `drop ${name}`,
          done: `Dropped ${name}`,
          hint: UNDO_HINT,
        }),
      ),
    );
}

const UNDO_HINT = 'An undo brings back what was there.';

function addHistory(schema: Command, run: Run): void {
  schema
    .command('changes')
    .description('Lists the changes of the schema that were made, the newest first.')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis schema changes\n  $ trellis schema changes --json',
    )
    .action(run(listChanges));
  schema
    .command('undo')
    .description('Takes a change back: names, types of fields, and what was dropped.')
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
      run((context, { edge }: Pick<ChangeOptions, 'edge'>, name: string, alias: string) =>
        removeAlias(context, { ...placeOf(name, edge), alias }),
      ),
    );
}

interface WantedChange {
  readonly change: SchemaChange;
  readonly would: string;
  readonly done: string;
  readonly hint: string;
}

async function change(
  { client, output, terminal }: CommandContext,
  { dryRun = false, force = false }: ChangeOptions,
  wanted: WantedChange,
): Promise<number> {
  const { signal } = terminal;
  const changes = [wanted.change];
  const done = await client.schema.change({ changes, dryRun, force }, { signal });
  const lost = done.lostValues === 0 ? '' : ` ${done.lostValues} values are lost to readers.`;
  const extent = `for ${done.nodes} nodes and ${done.edges} edges.${lost}`;
  output.note(
    dryRun ? `This would ${wanted.would}, ${extent}` : `${wanted.done}, ${extent} ${wanted.hint}`,
  );
  output.data(done, breaksText(done));
  return done.breaks.length > 0 ? EXIT_FAILED : EXIT_GOOD;
}

function breaksText({ breaks }: SchemaChangeOutcome): string {
  return breaks
    .flatMap(({ kind, name, why, diagnostics = [] }) => [
      `${kind} ${name}: ${why}`,
      ...diagnostics.map(({ line, column, message }) => `  ${line}:${column}: ${message}`),
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
    changes.map(schemaChangeText).join(', '),
    undoneBy === null ? (undoes === null ? '' : `undoes ${undoes}`) : `undone by ${undoneBy}`,
  ]);
  output.data(items, table(['id', 'at', 'by', 'changes', ''], rows));
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

function fieldOf(name: string): string {
  if (/^[^.]+\.[^.]+$/.test(name)) return name;
  throw new CommandFailure(`"${name}" is no field as Type.Field.`);
}

function typeNamed(name: string): FieldType {
  const checked = fieldType.safeParse(name);
  if (checked.success) return checked.data;
  throw new CommandFailure(`"${name}" is no type of a field, such as String, Double or Int[].`);
}
