import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { pause } from '@trellis/client/transport.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import { CommandFailure } from '../failure.ts';
import type { ProgressBar } from '../progress-bar.ts';
import { type ImportBatch, importBatches } from './import-batches.ts';
import type { ImportSource } from './import-source.ts';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ImportRun {
  readonly source: ImportSource;
  readonly client: TrellisClient;
  /** Operations that an earlier run has sent and that were acknowledged. */
  readonly skip: number;
  readonly gzip: boolean;
  readonly bar: ProgressBar;
  readonly signal: AbortSignal;
  /** Called after each acknowledged batch. */
  readonly onAcknowledged: (state: Pick<ImportState, 'operations' | 'sequence'>) => void;
  readonly onRetry: (error: TrellisError, pauseMs: number) => void;
}

export interface ImportSummary extends IngestSummary {
  /** Sent by this run. */
  readonly operations: number;
}

const RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * Sends everything. Throws a `CommandFailure` that names the place in the source when the server
 * refuses an operation.
 */
export async function runImport(run: ImportRun): Promise<ImportSummary> {
  const { source, skip, bar } = run;
  const summary = { operations: 0, nodes: 0, edges: 0, commits: 0, sequence: 0 };
  const deliver = async (batch: ImportBatch): Promise<void> => {
    const isFirst = summary.operations === 0;
    const { nodes, edges, commits, sequence } = await send(
      batch,
      run,
      isFirst ? [] : RETRY_PAUSES_MS,
    );
    summary.operations += batch.operations;
    summary.nodes += nodes;
    summary.edges += edges;
    summary.commits += commits;
    summary.sequence = sequence;
    const operations = skip + summary.operations;
    run.onAcknowledged({ operations, sequence });
    bar.update({ share: shareOf(batch), operations });
  };
  bar.update({ share: shareOf({ progress: source.progress() }), operations: skip });
  let delivery: Promise<void> = Promise.resolve();
  try {
    for await (const batch of importBatches(source, skip)) {
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
  return summary;
}

function shareOf({ progress }: Pick<ImportBatch, 'progress'>): number | undefined {
  return progress.total === undefined ? undefined : progress.done / Math.max(1, progress.total);
}

/**
 * A lost request may have been applied in part, and is sent again all the same: every operation of
 * an import is idempotent. Not so the first, because then the address is wrong more likely than the
 * network is weak.
 */
async function send(
  batch: ImportBatch,
  run: ImportRun,
  pausesMs: readonly number[],
): Promise<IngestSummary> {
  const { client, gzip, signal } = run;
  for (let tries = 0; ; tries++) {
    try {
      if (batch.schema !== undefined) await client.schema.put(batch.schema, { signal });
      return await client.graph.ingestStream(batch.body, { gzip, signal });
    } catch (error) {
      if (!(error instanceof TrellisError)) throw error;
      const pauseMs = pausesMs[tries];
      if (pauseMs === undefined || !isTransient(error)) throw located(error, batch, run.source);
      run.onRetry(error, pauseMs);
      await pause(pauseMs, signal);
    }
  }
}

function isTransient({ status }: TrellisError): boolean {
  return [0, 429, 502, 503, 504].includes(status);
}

/** `details.index` counts the operations of the request (open-shapes, section 4). */
function located(error: TrellisError, batch: ImportBatch, source: ImportSource): Error {
  const index = error.details?.['index'];
  const place = typeof index === 'number' ? batch.places[index] : undefined;
  if (place === undefined) return error;
  const { code, hint } = error;
  return new CommandFailure(`${source.locate(place)}: ${error.message}`, {
    code,
    hint,
    cause: error,
  });
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
