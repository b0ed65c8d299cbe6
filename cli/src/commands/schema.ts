import { schemaDocument, type SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, EXIT_FAILED, EXIT_GOOD } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { diffSchemas, differenceText } from '../schema-diff.ts';
import { addSchemaChanges } from './schema-changes.ts';
import { addSchemaIndexes } from './schema-indexes.ts';

export function addSchema(program: Command, run: Run): void {
  const schema = program
    .command('schema')
    .summary('read and change the schema')
    .description('Reads and changes the types of nodes and edges and their fields.');
  schema
    .command('get')
    .description('Prints the schema as JSON.')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis schema get
  $ trellis schema get > schema.json`,
    )
    .action(run(getSchema));
  schema
    .command('put')
    .description(
      'Adds the types, fields and indexes of a document, and widens fields. It removes nothing.',
    )
    .argument('<file>', 'JSON document as "schema get" prints it; "-" reads standard input')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis schema put schema.json
  $ trellis schema get --server https://a.example.org | trellis schema put - --server https://b.example.org`,
    )
    .action(run(putSchema));
  schema
    .command('diff')
    .description(
      'Shows how a document differs from the schema of the server: "+" would be added, "~" ' +
        'would be changed, "-" is on the server only and would stay. The exit code is 1 when ' +
        '"schema put" would change something.',
    )
    .argument('<file>', 'JSON document; "-" reads standard input')
    .addHelpText(
      'after',
      `
Examples:
  $ trellis schema diff schema.json
  $ trellis schema diff schema.json && echo "up to date"`,
    )
    .action(run(diffSchema));
  addSchemaIndexes(schema, run);
  addSchemaChanges(schema, run);
}

async function getSchema({ client, output, terminal }: CommandContext): Promise<void> {
  const schema = await client.schema.get({ signal: terminal.signal });
  output.data(schema, JSON.stringify(schema, null, 2));
}

async function putSchema(context: CommandContext, _: unknown, file: string): Promise<void> {
  const { client, output, terminal } = context;
  const { signal } = terminal;
  const wanted = await readSchema(context, file);
  const before = await client.schema.get({ signal });
  const after = await client.schema.put(wanted, { signal });
  const changes = diffSchemas(before, after);
  output.note(
    changes.length === 0 ? 'The schema was like this already.' : 'The schema has changed:',
  );
  output.data({ schema: after, changes }, changes.map(differenceText).join('\n'));
}

async function diffSchema(context: CommandContext, _: unknown, file: string): Promise<number> {
  const { client, output, terminal } = context;
  const wanted = await readSchema(context, file);
  const differences = diffSchemas(await client.schema.get({ signal: terminal.signal }), wanted);
  output.data(differences, differences.map(differenceText).join('\n'));
  return differences.some(({ kind }) => kind !== 'missing') ? EXIT_FAILED : EXIT_GOOD;
}

async function readSchema({ terminal }: CommandContext, file: string): Promise<SchemaDocument> {
  return checkSchema(await readJson(terminal, file), file);
}

/** `file` is how a fault names it. */
export function checkSchema(value: unknown, file: string): SchemaDocument {
  const checked = schemaDocument.safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new CommandFailure(`${file} is not a schema document:\n  ${faults.join('\n  ')}`);
}
