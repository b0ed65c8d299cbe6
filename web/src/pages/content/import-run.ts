import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import { client } from '../../api/client.ts';
import { type FileRow, type ImportFormat, ImportFileError, readRows } from './import-file.ts';
import { type ImportPlan, operationsOf, schemaOf } from './import-plan.ts';
import type { SkippedRows } from './import-skipped.ts';

export interface ImportProgress {
  /** Stored; those that were skipped are not among them. */
  readonly rows: number;
  /** New or changed; `created` are the new ones. */
  readonly nodes: number;
  readonly created: number;
  readonly edges: number;
  /** The share of the file that is read, 0 to 1. */
  readonly fraction: number;
}

export const NOTHING_STORED: ImportProgress = {
  rows: 0,
  nodes: 0,
  created: 0,
  edges: 0,
  fraction: 0,
};

/** Each batch is one commit: it is stored as a whole or not at all. */
const ROWS_PER_BATCH_MAX = 1_000;
/** Below what one commit takes (open-shapes, section 4). */
const OPERATIONS_PER_BATCH_MAX = 9_000;
/** Where the server has refused a row there may be more: they are sent in smaller parts. */
const ROWS_AFTER_REFUSAL = 50;
/** Each costs a request or two; the faults that are seen in the page cost none. */
const REFUSALS_MAX = 1_000;

interface ImportOptions {
  /** Takes the rows that are wrong; without it the first of them ends the import. */
  readonly skipped?: SkippedRows | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
}

/**
 * Stores row by row, batch by batch, and makes the types that are missing when the first batch is
 * good. What was stored before a failure stays: as rows add or update by their keys, the same file
 * can be imported again. Throws what is wrong with a row, or what the server refused, with the row.
 */
export async function runImport(
  file: File,
  format: ImportFormat,
  plan: ImportPlan,
  options: ImportOptions,
): Promise<ImportProgress> {
  const edges = plan.columns.filter(({ use }) => use === 'edge').length;
  const batchRows = Math.min(
    ROWS_PER_BATCH_MAX,
    Math.floor(OPERATIONS_PER_BATCH_MAX / (1 + 2 * edges)),
  );
  const store = new RowStore(plan, options);
  for await (const { rows, bytesRead } of readRows(file, format, batchRows)) {
    await store.put(rows.flatMap((row) => preparedRows(plan, row, options.skipped)));
    store.advance(file.size === 0 ? 1 : bytesRead / file.size);
  }
  store.advance(1);
  return store.progress;
}

/** A row, and what it asks the server to do. */
interface PreparedRow {
  readonly row: FileRow;
  readonly operations: readonly GraphOperation[];
}

/** None when the row is skipped. */
function preparedRows(
  plan: ImportPlan,
  row: FileRow,
  skipped: SkippedRows | undefined,
): PreparedRow[] {
  try {
    if (row.fault !== undefined) throw new ImportFileError(row.fault);
    return [{ row, operations: operationsOf(plan, row.row, row.number) }];
  } catch (error) {
    if (skipped === undefined) throw error;
    skipped.add(row, error instanceof Error ? error.message : String(error));
    return [];
  }
}

class RowStore {
  readonly #plan: ImportPlan;
  readonly #options: ImportOptions;
  #hasTypes = false;
  #refusals = 0;
  progress = NOTHING_STORED;

  constructor(plan: ImportPlan, options: ImportOptions) {
    this.#plan = plan;
    this.#options = options;
  }

  advance(fraction: number): void {
    this.progress = { ...this.progress, fraction };
    this.#options.onProgress(this.progress);
  }

  async put(rows: readonly PreparedRow[]): Promise<void> {
    let rest = rows;
    let size = rows.length;
    while (rest.length > 0) {
      this.#options.signal.throwIfAborted();
      const part = rest.slice(0, size);
      const refused = await this.#putTogether(part);
      if (refused === undefined) {
        rest = rest.slice(part.length);
        size = ROWS_AFTER_REFUSAL;
      } else {
        // Nothing of the part is stored; the rows before the refused one are good.
        rest = rest.filter((_, at) => at !== refused);
        size = refused > 0 ? refused : ROWS_AFTER_REFUSAL;
      }
    }
  }

  /** Answers where in the rows the one is that was refused and skipped. */
  async #putTogether(rows: readonly PreparedRow[]): Promise<number | undefined> {
    if (!this.#hasTypes) await client.schema.put(schemaOf(this.#plan));
    this.#hasTypes = true;
    try {
      const stored = await client.graph.ingest(rows.flatMap(({ operations }) => operations));
      this.progress = {
        ...this.progress,
        rows: this.progress.rows + rows.length,
        nodes: this.progress.nodes + stored.nodes,
        created: this.progress.created + stored.created,
        edges: this.progress.edges + stored.edges,
      };
      this.#options.onProgress(this.progress);
      return undefined;
    } catch (error) {
      const refused = refusedRow(error, rows);
      const row = rows[refused]?.row;
      if (row === undefined || !(error instanceof TrellisError)) throw error;
      const { skipped } = this.#options;
      if (skipped === undefined || ++this.#refusals > REFUSALS_MAX) throw withRow(error, row);
      skipped.add(row, error.message.replace(/^Operation \d+: /, ''));
      return refused;
    }
  }
}

/** The server names the operation (open-shapes, section 4). -1 where it is about none of them. */
function refusedRow(error: unknown, rows: readonly PreparedRow[]): number {
  const index = error instanceof TrellisError ? error.details?.['index'] : undefined;
  if (typeof index !== 'number') return -1;
  let end = 0;
  return rows.findIndex(({ operations }) => (end += operations.length) > index);
}

/** A person knows the rows of the file. */
function withRow(error: TrellisError, { number }: FileRow): TrellisError {
  return new TrellisError(`row ${number}: ${error.message}`, {
    status: error.status,
    code: error.code,
    hint: error.hint,
    details: error.details,
    traceId: error.traceId,
    cause: error,
  });
}
