import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexDocument, SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure } from '../failure.ts';
import { table } from '../terminal.ts';

interface AddOptions {
  readonly unique?: boolean;
  readonly wait?: boolean;
}

/** The wait between two checks of an index that is being built. */
const LOOK_INTERVAL_MS = 500;

/** `trellis schema index`. */
export function addSchemaIndexes(schema: Command, run: Run): void {
  const index = schema
    .command('index')
    .summary('indexes of fields')
    .description(
      'Lists, adds and removes indexes of fields. With an index, a query finds nodes by a ' +
        'value, a range or an order without reading every node of a type.',
    );
  index
    .command('list')
    .description('Lists the indexes, with their state and how many values they hold.')
    .argument('[type]', 'only those of this node type')
    .addHelpText(
      'after',
      '\nExamples:\n  $ trellis schema index list\n  $ trellis schema index list Book --json',
    )
    .action(run((context, _options: unknown, type?: string) => list(context, type)));
  index
    .command('add')
    .description(
      'Adds an index. The server builds it while reads and writes go on; queries use it once it ' +
        'is ready.',
    )
    .argument('<type>', 'node type')
    .argument('<fields...>', 'a field, or several in the order of the index; Timestamp is one too')
    .option('--unique', 'refuse two nodes with the same value')
    .option('--wait', 'wait until it is ready')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis schema index add Book Year
  $ trellis schema index add Book Year Title
  $ trellis schema index add Book Isbn --unique --wait`,
    )
    .action(
      run((context, options: AddOptions, type: string, fields: readonly string[]) =>
        add(context, options, type, fields),
      ),
    );
  index
    .command('remove')
    .description('Removes an index. The nodes stay as they are.')
    .argument('<type>', 'node type')
    .argument('<fields...>', 'its fields, in order')
    .addHelpText('after', '\nExamples:\n  $ trellis schema index remove Book Year Title')
    .action(
      run((context, _options: unknown, type: string, fields: readonly string[]) =>
        remove(context, type, fields),
      ),
    );
}

async function list({ client, output, terminal }: CommandContext, type?: string): Promise<void> {
  const schema = await client.schema.get({ signal: terminal.signal });
  const found = schema.nodes
    .filter((node) => type === undefined || node.type === type)
    .flatMap((node) => (node.indexes ?? []).map((index) => ({ type: node.type, ...index })));
  const rows = found.map((index) => [
    index.type,
    fieldsOf(index).join(', '),
    index.unique === true ? 'unique' : '',
    index.state ?? '',
    String(index.entries ?? ''),
  ]);
  output.data(found, table(['type', 'fields', '', 'state', 'values'], rows));
}

async function add(
  { client, output, terminal }: CommandContext,
  { unique = false, wait = false }: AddOptions,
  type: string,
  fields: readonly string[],
): Promise<void> {
  const { signal } = terminal;
  const index = { ...namedBy(fields), ...(unique ? { unique } : {}) };
  const document = { nodes: [{ type, fields: {}, indexes: [index] }], edges: [] };
  await client.schema.get({ signal }).then((schema) => checkType(schema, type));
  let found = indexIn(await client.schema.put(document, { signal }), type, fields);
  if (wait) {
    while (found?.state === 'building') {
      await sleep(LOOK_INTERVAL_MS, undefined, { signal });
      found = indexIn(await client.schema.get({ signal }), type, fields);
    }
  }
  if (found === undefined) {
    throw new CommandFailure(
      `The index of ${type} over ${fields.join(', ')} was not built. The job says why: trellis job list`,
    );
  }
  output.note(`The index of ${type} over ${fields.join(', ')} is ${found.state ?? 'declared'}.`);
  output.data(found, '');
}

async function remove(
  { client, output, terminal }: CommandContext,
  type: string,
  fields: readonly string[],
): Promise<void> {
  await client.schema.removeIndex({ type, ...namedBy(fields) }, { signal: terminal.signal });
  output.note(`Removed the index of ${type} over ${fields.join(', ')}.`);
}

/** Throws when the server has no such type: otherwise the schema would add it as a new one. */
function checkType({ nodes }: SchemaDocument, type: string): void {
  if (!nodes.some((node) => node.type === type)) {
    throw new CommandFailure(`There is no node type "${type}". See: trellis schema get`);
  }
}

function namedBy(fields: readonly string[]): { field: string } | { fields: string[] } {
  const [first] = fields;
  return fields.length === 1 && first !== undefined ? { field: first } : { fields: [...fields] };
}

function fieldsOf({ field, fields }: IndexDocument): readonly string[] {
  return fields ?? (field === undefined ? [] : [field]);
}

function indexIn(
  { nodes }: SchemaDocument,
  type: string,
  fields: readonly string[],
): IndexDocument | undefined {
  const node = nodes.find((one) => one.type === type);
  // The server lists the key under the name that the type gives it, not as `Id`.
  const names = fields.map((field) => (field === 'Id' ? (node?.key ?? field) : field));
  return node?.indexes?.find((index) => fieldsOf(index).join('\n') === names.join('\n'));
}
