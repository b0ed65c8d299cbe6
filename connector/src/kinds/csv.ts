import type { CsvSource } from '@trellis/contract/shapes/connector.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import { ConnectorError } from '../connector-error.ts';
import { type ConnectorReport, runConnector } from '../run-connector.ts';
import { streamOfDisk } from './disk-files.ts';
import { LastRows, type ReplacedRow } from './last-rows.ts';
import type { ConnectorKind, KindTarget, SourceContext } from './source-context.ts';

/** What becomes of a table. */
export type CsvTable = Pick<CsvSource, 'type' | 'key'>;

/** A hostile file must not become one endless record. */
const RECORD_BYTES_MAX = 1024 * 1024;
const COLUMNS_MAX = 500;
/** Rows with the key of another one that are named one by one. */
const REPLACED_TOLD = 20;

/** A table on the web, or on the disk of the server. */
export const csvKind: ConnectorKind<CsvSource> = {
  async test({ url, key }, context) {
    const table = readTable(await openTable(url, context));
    for await (const { record } of table.records) {
      checkColumn(key, Object.keys(record));
      return `A table with the columns ${Object.keys(record).join(', ')}`;
    }
    checkColumn(key, table.columns());
    return 'A table without rows';
  },
  async run(source, target, context) {
    const content = await openTable(source.url, context);
    return bringTable(content, source, { ...target, name: `csv ${source.url}` }, context.log);
  },
};

/**
 * A node for each row. Every run lists the whole source, so the nodes of missing rows are removed.
 * When rows have the same key, only the last one is sent: nothing is sent before the whole table
 * has been read.
 */
export async function bringTable(
  content: Readable,
  { type, key }: CsvTable,
  target: KindTarget & { readonly name: string },
  log: (text: string) => void,
): Promise<ConnectorReport> {
  const table = readTable(content);
  using rows = new LastRows();
  let replaced = 0;
  for await (const { record, info } of table.records) {
    const id = record[key];
    if (id === undefined) break;
    const former = rows.add(id, info.lines, record);
    if (former !== undefined && ++replaced <= REPLACED_TOLD) log(replacedText(former, key));
  }
  if (replaced > REPLACED_TOLD) log(`and ${replaced - REPLACED_TOLD} more such rows`);
  const columns = table.columns();
  checkColumn(key, columns);
  const options = { ...target, schema: schemaOf(type, key, columns) };
  return await runConnector(options, async (run) => {
    for (const { key: id, row: fields } of rows.rows()) {
      // A table does not tell who may read it.
      const access = { node: { type, key: id }, readers: null };
      await run.row(id, [{ op: 'addOrUpdate', type, key: id, fields }], access);
    }
    await run.removeUnseen();
  });
}

interface ParsedRow {
  readonly record: Record<string, string>;
  /** `lines`: up to the end of the record. */
  readonly info: { readonly lines: number };
}

function readTable(content: Readable) {
  let columns: readonly string[] = [];
  const parser = parse({
    columns: (header: string[]) => {
      if (header.length > COLUMNS_MAX) {
        const message = `The table has more than ${COLUMNS_MAX} columns`;
        throw new ConnectorError('source_failed', message);
      }
      columns = header;
      return header;
    },
    bom: true,
    skip_empty_lines: true,
    info: true,
    max_record_size: RECORD_BYTES_MAX,
  });
  // What goes wrong on the way is thrown where the records are read.
  const records = pipeline(content, parser, () => {}) as AsyncIterable<ParsedRow>;
  return { records, columns: () => columns };
}

function checkColumn(key: string, columns: readonly string[]): void {
  if (columns.includes(key)) return;
  const message = `There is no column ${key}: ${columns.join(', ')}`;
  throw new ConnectorError('source_failed', message);
}

function replacedText({ key, line, byLine }: ReplacedRow, column: string): string {
  return `lines ${line} and ${byLine} both have the ${column} "${key}": line ${byLine} counts`;
}

export async function openTable(
  url: string,
  { fetch, disk, secret, signal }: Pick<SourceContext, 'fetch' | 'disk' | 'secret' | 'signal'>,
): Promise<Readable> {
  if (new URL(url).protocol === 'file:') {
    if (disk !== undefined) return streamOfDisk(disk);
    throw new ConnectorError('source_failed', `${url} may not be read`);
  }
  const headers = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  const response = await fetch(url, { headers, signal: signal ?? null });
  if (!response.ok || response.body === null) {
    throw new ConnectorError('source_failed', `${url} answers ${response.status}`);
  }
  return Readable.fromWeb(response.body);
}

function schemaOf(type: string, key: string, columns: readonly string[]): SchemaDocument {
  const fields = Object.fromEntries(columns.map((column) => [column, 'String' as const]));
  return { nodes: [{ type, key, fields }], edges: [] };
}
