import { parse } from 'csv-parse';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { runConnector } from '../src/run-connector.ts';
import { main, type Target } from './command-line.ts';
import { LastRows, type ReplacedRow } from './last-rows.ts';

/**
 * A CSV table, from a file or from the web: a node for each row. Every run lists the whole source,
 * so the nodes of missing rows are removed. When rows have the same key, only the last one is sent:
 * nothing is sent before the whole table has been read.
 */
interface CsvSource {
  readonly source: string;
  readonly type: string;
  readonly key: string;
}

/** A hostile file must not become one endless record. */
const RECORD_BYTES_MAX = 1024 * 1024;
/** Rows with the key of another one that are named one by one. */
const REPLACED_TOLD = 20;

async function bringCsv(target: Target, { source, type, key }: CsvSource) {
  if (source === '' || type === '' || key === '') {
    throw new Error('--source, --type and --key are needed; see --help');
  }
  let columns: readonly string[] = [key];
  const parser = parse({
    columns: (header: string[]) => {
      columns = header;
      return header;
    },
    bom: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: RECORD_BYTES_MAX,
  });
  // What goes wrong on the way is thrown where the records are read.
  const records = pipeline(await open(source, target.signal), parser, () => {});
  using rows = new LastRows();
  let replaced = 0;
  for await (const { record, info } of records as AsyncIterable<ParsedRow>) {
    const id = record[key];
    if (id === undefined) break;
    const former = rows.add(id, info.lines, record);
    if (former !== undefined && ++replaced <= REPLACED_TOLD) tellReplaced(former, key);
  }
  if (replaced > REPLACED_TOLD) {
    process.stderr.write(`csv: and ${replaced - REPLACED_TOLD} more such rows\n`);
  }
  if (!columns.includes(key)) throw new Error(`There is no column ${key}: ${columns.join(', ')}`);
  const options = { ...target, name: `csv ${source}`, schema: schemaOf({ type, key, columns }) };
  return await runConnector(options, async (run) => {
    for (const { key: id, row: fields } of rows.rows()) {
      await run.row(id, [{ op: 'addOrUpdate', type, key: id, fields }]);
    }
    await run.removeUnseen();
  });
}

interface ParsedRow {
  readonly record: Record<string, string>;
  /** `lines`: up to the end of the record. */
  readonly info: { readonly lines: number };
}

function tellReplaced({ key, line, byLine }: ReplacedRow, column: string): void {
  process.stderr.write(
    `csv: lines ${line} and ${byLine} both have the ${column} "${key}": line ${byLine} counts\n`,
  );
}

async function open(source: string, signal: AbortSignal | undefined): Promise<Readable> {
  if (!/^https?:/.test(source)) return createReadStream(source);
  const response = await fetch(source, { signal: signal ?? null });
  if (!response.ok || response.body === null) {
    throw new Error(`${source} answers ${response.status}`);
  }
  return Readable.fromWeb(response.body);
}

function schemaOf(table: {
  type: string;
  key: string;
  columns: readonly string[];
}): SchemaDocument {
  const { type, key, columns } = table;
  const fields = Object.fromEntries(columns.map((column) => [column, 'String' as const]));
  return { nodes: [{ type, key, fields }], edges: [] };
}

await main({
  name: 'csv',
  help: `A node for each row of a CSV file.

  node connector/examples/csv.ts --source people.csv --type Person --key Email
  node connector/examples/csv.ts --source https://example.org/prices.csv --type Price --key Sku

  --source         a file, or a URL; its first line names the columns
  --type TYPE      of the nodes
  --key COLUMN     that has the key of each node; of rows with the same key the last counts`,
  options: {
    source: { type: 'string', default: '' },
    type: { type: 'string', default: '' },
    key: { type: 'string', default: '' },
  },
  run: (target, { source, type, key }) => bringCsv(target, { source, type, key }),
});
