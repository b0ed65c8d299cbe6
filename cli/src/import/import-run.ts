import { NOTHING_INGESTED, sumOfIngestions } from '@trellis/contract/ingest-sums.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { ProgressBar } from '../progress-bar.ts';
import { BatchSender, type SenderOptions } from './batch-sender.ts';
import { type ImportBatch, importBatches } from './import-batches.ts';
import type { RejectedRows } from './rejected-rows.ts';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ImportRun extends SenderOptions {
  /** Operations that an earlier run has sent and that were acknowledged. */
  readonly skip: number;
  readonly bar: ProgressBar;
  /** Takes the rows that are wrong; without it the first of them ends the import. */
  readonly rejected: RejectedRows | undefined;
  /** Called after each acknowledged batch. */
  readonly onAcknowledged: (state: Pick<ImportState, 'operations' | 'sequence'>) => void;
}

export interface ImportSummary extends IngestSummary {
  /** Stored by this run. */
  readonly operations: number;
}

/**
 * Sends everything. Throws a `CommandFailure` that names the place in the source when the server
 * refuses an operation.
 */
export async function runImport(run: ImportRun): Promise<ImportSummary> {
  const { source, skip, bar, rejected } = run;
  let stored = 0;
  let summary = NOTHING_INGESTED;
  const isSkipping = rejected !== undefined;
  const sender = new BatchSender(run, isSkipping);
  /** Also those of rows that were refused. */
  let operations = skip;
  const deliver = async (batch: ImportBatch): Promise<void> => {
    const sent = batch.operations === 0 ? undefined : await sender.send(batch);
    rejected?.add([...(sent?.refused ?? []), ...batch.rejects]);
    if (sent === undefined) return;
    stored += sent.operations;
    summary = sumOfIngestions(summary, sent.summary);
    operations += batch.operations;
    run.onAcknowledged({ operations, sequence: summary.sequence });
    bar.update({ share: shareOf(batch), done: operations });
  };
  bar.update({ share: shareOf({ progress: source.progress() }), done: skip });
  let delivery: Promise<void> = Promise.resolve();
  try {
    for await (const batch of importBatches(source, { skip, isSkipping })) {
      await delivery;
      delivery = deliver(batch);
      // It is awaited after the next batch is made; until then a failure must not count as
      // unhandled.
      delivery.catch(() => {});
    }
  } finally {
    // Waits even if the source has failed: what is on its way is acknowledged first.
    await delivery;
  }
  const schema = source.tellsSchema ? source.takeSchema() : undefined;
  if (schema !== undefined) await run.client.schema.put(schema, { signal: run.signal });
  return { ...summary, operations: stored };
}

function shareOf({ progress }: Pick<ImportBatch, 'progress'>): number | undefined {
  return progress.total === undefined ? undefined : progress.done / Math.max(1, progress.total);
}

/** How far an import came, as it is kept between two runs. */
interface ImportState {
  readonly server: string;
  readonly source: string;
  /** Acknowledged by the server, from the beginning. */
  readonly operations: number;
  /** Storage sequence number of the last acknowledged commit. */
  readonly sequence: number;
}

/**
 * The file that remembers how far an import came. It is found by what is imported, how, and where
 * to: when any of these has changed there is nothing to resume.
 */
export class ImportStateFile {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string, identity: readonly string[]) {
    const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    this.#folder = folder;
    this.#path = join(folder, `${digest.slice(0, 32)}.json`);
  }

  read(): ImportState | undefined {
    try {
      // Written by this class only.
      return JSON.parse(readFileSync(this.#path, 'utf8')) as ImportState;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The file is whole at every moment. */
  write(state: ImportState): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const draft = `${this.#path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(draft, this.#path);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }
}
