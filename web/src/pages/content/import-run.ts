import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import { client } from '../../api/client.ts';
import { type ImportFormat, readRows } from './import-file.ts';
import { type ImportPlan, operationsOf, schemaOf } from './import-plan.ts';

export interface ImportProgress {
  readonly rows: number;
  readonly nodes: number;
  readonly edges: number;
  /** The share of the file that is read, 0 to 1. */
  readonly fraction: number;
}

/** Each batch is one commit: it is stored as a whole or not at all. */
const ROWS_PER_BATCH_MAX = 1_000;
/** Below what one commit takes (open-shapes, section 4). */
const OPERATIONS_PER_BATCH_MAX = 9_000;

/**
 * Makes the types that are missing, and stores row by row, batch by batch. What was stored before a
 * failure stays: as rows add or update by their keys, the same file can be imported again. Throws
 * what the server refused, with the row.
 */
export async function runImport(
  file: File,
  format: ImportFormat,
  plan: ImportPlan,
  options: {
    readonly signal: AbortSignal;
    readonly onProgress: (progress: ImportProgress) => void;
  },
): Promise<ImportProgress> {
  await client.schema.put(schemaOf(plan));
  const edges = plan.columns.filter(({ use }) => use === 'edge').length;
  const batchRows = Math.min(
    ROWS_PER_BATCH_MAX,
    Math.floor(OPERATIONS_PER_BATCH_MAX / (1 + 2 * edges)),
  );
  let progress: ImportProgress = { rows: 0, nodes: 0, edges: 0, fraction: 0 };
  for await (const { rows, firstRow, bytesRead } of readRows(file, format, batchRows)) {
    options.signal.throwIfAborted();
    const operations: GraphOperation[] = [];
    const rowOf: number[] = [];
    rows.forEach((row, at) => {
      for (const operation of operationsOf(plan, row, firstRow + at)) {
        operations.push(operation);
        rowOf.push(firstRow + at);
      }
    });
    const stored = await client.graph.ingest(operations).catch((error: unknown) => {
      throw withRow(error, rowOf);
    });
    progress = {
      rows: progress.rows + rows.length,
      nodes: progress.nodes + stored.nodes,
      edges: progress.edges + stored.edges,
      fraction: file.size === 0 ? 1 : bytesRead / file.size,
    };
    options.onProgress(progress);
  }
  return { ...progress, fraction: 1 };
}

/** The server names the operation (open-shapes, section 4); a person knows the rows of the file. */
function withRow(error: unknown, rowOf: readonly number[]): unknown {
  if (!(error instanceof TrellisError)) return error;
  const index: unknown = error.details?.['index'];
  const row = typeof index === 'number' ? rowOf[index] : undefined;
  if (row === undefined) return error;
  return new TrellisError(`row ${row}: ${error.message}`, {
    status: error.status,
    code: error.code,
    hint: error.hint,
    details: error.details,
    traceId: error.traceId,
    cause: error,
  });
}
