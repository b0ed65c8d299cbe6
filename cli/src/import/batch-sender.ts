import { NOTHING_INGESTED, sumOfIngestions } from '@trellis/contract/ingest-sums.ts';
import type { TrellisClient } from '@trellis/client/trellis-client.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import { pause } from '@trellis/client/transport.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { SchemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import { CommandFailure } from '../failure.ts';
import type { ImportBatch } from './import-batches.ts';
import type { ImportSource, Reject, SourceRow } from './import-source.ts';

export interface SenderOptions {
  readonly source: ImportSource;
  readonly client: TrellisClient;
  readonly gzip: boolean;
  readonly signal: AbortSignal;
  readonly onRetry: (error: TrellisError, pauseMs: number) => void;
}

/** What one batch came to. */
export interface SentBatch {
  /** Without those of the rows that were refused. */
  readonly operations: number;
  readonly summary: IngestSummary;
  readonly refused: readonly Reject[];
}

const RETRY_PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];
/** Rows that are sent together where the server has just refused one: there may be more. */
const ROWS_AFTER_REFUSAL = 50;
/** Of an import. Each costs a request or two; faults that are found here cost none. */
const REFUSALS_MAX = 1_000;

/** Operations that are sent together. */
interface Part {
  readonly body: readonly Uint8Array[];
  /** The place of each. */
  readonly places: readonly number[];
  readonly schema: SchemaDocument | undefined;
}

/** One row of a batch, with the lines of its operations. */
interface BatchRow {
  readonly place: number;
  readonly row: SourceRow;
  readonly lines: string[];
}

/** Sends the batches of one import. */
export class BatchSender {
  readonly #options: SenderOptions;
  readonly #isSkipping: boolean;
  #wasReached = false;
  #refusals = 0;

  constructor(options: SenderOptions, isSkipping: boolean) {
    this.#options = options;
    this.#isSkipping = isSkipping;
  }

  /**
   * Leaves out the rows that the server refuses, if rows are skipped. Else throws a
   * `CommandFailure` that names the place of the operation.
   */
  async send(batch: ImportBatch): Promise<SentBatch> {
    const sums: Sums = { operations: 0, summary: NOTHING_INGESTED };
    const refused: Reject[] = [];
    const reject = (rows: readonly BatchRow[], refusal: Refusal): number => {
      const at = rowOf(rows, refusal.index);
      const { place, row } = rows[at]!;
      refused.push({ place, row, reason: refusal.error.message.replace(/^Operation \d+: /, '') });
      return at;
    };
    const first = await this.#sendPart(batch, sums);
    if (first === undefined) return { ...sums, refused };
    let rest = rowsOf(batch);
    let at = reject(rest, first);
    // Nothing of a row that is refused is stored, and the rows before it are good.
    rest = rest.toSpliced(at, 1);
    let size = at > 0 ? at : ROWS_AFTER_REFUSAL;
    while (rest.length > 0) {
      const rows = rest.slice(0, size);
      const refusal = await this.#sendPart(partOf(rows), sums);
      if (refusal === undefined) {
        rest = rest.slice(rows.length);
        size = ROWS_AFTER_REFUSAL;
      } else {
        at = reject(rows, refusal);
        rest = rest.toSpliced(at, 1);
        size = at > 0 ? at : ROWS_AFTER_REFUSAL;
      }
    }
    return { ...sums, refused };
  }

  /** Answers which operation the server refused, if its row can be skipped. */
  async #sendPart(part: Part, sums: Sums): Promise<Refusal | undefined> {
    try {
      const stored = await this.#sendPatiently(part);
      sums.operations += part.places.length;
      sums.summary = sumOfIngestions(sums.summary, stored);
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined || part.places[refusal.index] === undefined) throw error;
      if (this.#isSkipping && ++this.#refusals <= REFUSALS_MAX) return refusal;
      throw located(refusal, part, this.#options.source);
    }
  }

  /**
   * A lost request may have been applied in part, and is sent again all the same: every operation
   * of an import is idempotent. Not so the first, because then the address is wrong more likely
   * than the network is weak.
   */
  async #sendPatiently({ body, schema }: Part): Promise<IngestSummary> {
    const { client, gzip, signal } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        if (schema !== undefined) await client.schema.put(schema, { signal });
        const stored = await client.graph.ingestStream(body, { gzip, signal });
        this.#wasReached = true;
        return stored;
      } catch (error) {
        if (!(error instanceof TrellisError)) throw error;
        const pauseMs = this.#wasReached ? RETRY_PAUSES_MS[tries] : undefined;
        if (pauseMs === undefined || !isTransient(error)) throw error;
        this.#options.onRetry(error, pauseMs);
        await pause(pauseMs, signal);
      }
    }
  }
}

type Sums = { -readonly [name in keyof Omit<SentBatch, 'refused'>]: SentBatch[name] };

function isTransient({ status }: TrellisError): boolean {
  return [0, 429, 502, 503, 504].includes(status);
}

/** An operation of a request that the server refused. */
interface Refusal {
  readonly error: TrellisError;
  readonly index: number;
}

/** `details.index` counts the operations of the request (open-shapes, section 4). */
function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof TrellisError)) return undefined;
  const index = error.details?.['index'];
  return typeof index === 'number' ? { error, index } : undefined;
}

function located({ error, index }: Refusal, { places }: Part, source: ImportSource): Error {
  const place = places[index]!;
  const { code, hint } = error;
  const message = `${source.locate(place)}: ${error.message}`;
  return new CommandFailure(message, { code, hint, cause: error });
}

/** The body is read again: rows are refused seldom, and lines cost memory. */
function rowsOf({ body, places, rows }: ImportBatch): BatchRow[] {
  const lines = Buffer.concat(body).toString().split('\n');
  const all: BatchRow[] = [];
  places.forEach((place, i) => {
    const last = all.at(-1);
    const line = lines[i]!;
    if (last?.place === place) last.lines.push(line);
    else all.push({ place, row: rows[i]!, lines: [line] });
  });
  return all;
}

/** Which row the operation is of. */
function rowOf(rows: readonly BatchRow[], index: number): number {
  let end = 0;
  return rows.findIndex(({ lines }) => (end += lines.length) > index);
}

function partOf(rows: readonly BatchRow[]): Part {
  const text = rows.map(({ lines }) => `${lines.join('\n')}\n`).join('');
  const places = rows.flatMap(({ place, lines }) => lines.map(() => place));
  return { body: [Buffer.from(text)], places, schema: undefined };
}
