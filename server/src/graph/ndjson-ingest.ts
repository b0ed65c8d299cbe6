import { NOTHING_INGESTED, sumOfIngestions } from '@trellis/contract/ingest-sums.ts';
import { isUtf8 } from 'node:buffer';
import { assert } from '#base/assert.ts';
import {
  INGEST_COMMIT_BYTES_MAX,
  INGEST_COMMIT_PARSED_BYTES_MAX,
  INGEST_COMMITS_IN_FLIGHT_MAX,
  NDJSON_LINE_VALUES_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { IngestedCommit, IngestTarget } from './graph-writer.ts';
import { jsonWeight, LineList } from './json-lines.ts';
import { LargeCommits } from './large-commits.ts';
import { LineSplitter } from './line-splitter.ts';
import type { CommitAuthor } from './operations.ts';

export interface NdjsonIngestOptions {
  /** The largest number of operations in one atomic commit. */
  readonly commitOperationsMax?: number;
  readonly commitBytesMax?: number;
  readonly lineBytesMax?: number;
  readonly author?: CommitAuthor;
  /** Shared by all streams of one writer. */
  readonly largeCommits?: LargeCommits;
}

/** More lines are parsed one by one: what they would take together is not worth it. */
const TOGETHER_BYTES_MAX = 1024 * 1024;

/**
 * Ingests operations as NDJSON, one in each line, from chunks that may end anywhere. Full commits
 * are sent while earlier ones are synced. `write` waits while too many are in flight, so memory
 * stays bounded.
 *
 * The first problem ends the stream. This call and every later one throws it, after the commits in
 * flight have settled; `details.committed` says what stays in the graph. Codes: `line_too_large`,
 * `malformed_json` (with `details.line`, counted from 1), `commit_too_large`, and those of a
 * commit, where `details.index` counts operations of the stream from 0.
 */
export class NdjsonIngest {
  readonly #port: IngestTarget;
  readonly #commitOperationsMax: number;
  readonly #commitBytesMax: number;
  readonly #author: CommitAuthor;
  readonly #lines: LineSplitter;
  readonly #together = new LineList();
  readonly #largeCommits: LargeCommits;
  #operations: unknown[] = [];
  #operationBytes = 0;
  #parsedBytes = 0;
  /** The number of operations sent in commits so far. */
  #handedOn = 0;
  readonly #inFlight: Promise<void>[] = [];
  #committed = NOTHING_INGESTED;
  #problem: unknown;
  #isBusy = false;

  constructor(port: IngestTarget, options: NdjsonIngestOptions = {}) {
    this.#port = port;
    this.#commitOperationsMax = options.commitOperationsMax ?? INGEST_COMMIT_OPERATIONS_MAX;
    this.#commitBytesMax = options.commitBytesMax ?? INGEST_COMMIT_BYTES_MAX;
    this.#author = options.author ?? {};
    this.#lines = new LineSplitter(options.lineBytesMax);
    this.#largeCommits = options.largeCommits ?? new LargeCommits();
  }

  /**
   * Takes the next chunk; resolves when there is room for another. The chunk is not used after
   * that. Make one call at a time.
   */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#exclusively(async () => {
      this.#lines.add(chunk);
      // The first line may have begun in the chunk before.
      let isFirst = true;
      for (let line = this.#lines.next(); line !== undefined; line = this.#lines.next()) {
        const turn = this.#weigh(line);
        if (turn !== undefined) await this.#waitFor(turn);
        this.#parse(line);
        if (isFirst) this.#takeTogether(this.#lines.wholeLines());
        isFirst = false;
        if (this.#operations.length >= this.#commitOperationsMax) await this.#commit();
      }
    });
  }

  /**
   * Takes lines that belong to the present commit. Takes none when something may be wrong with one
   * of them, or with all of them in one commit: one by one, each gets the problem that it has.
   */
  #takeTogether(lines: Buffer): void {
    if (lines.length === 0 || lines.length > TOGETHER_BYTES_MAX) return;
    const weight = this.#together.weigh(lines);
    if (weight === undefined || weight.values > NDJSON_LINE_VALUES_MAX) return;
    const parsedBytes = this.#parsedBytes + weight.parsedBytes;
    if (this.#operations.length + weight.lines > this.#commitOperationsMax) return;
    if (this.#operationBytes + weight.bytes > this.#commitBytesMax) return;
    if (parsedBytes > INGEST_COMMIT_PARSED_BYTES_MAX) return;
    if (this.#largeCommits.isLarge(parsedBytes)) return;
    const operations = this.#together.parse(weight);
    if (operations === undefined) return;
    for (const operation of operations) this.#operations.push(operation);
    this.#operationBytes += weight.bytes;
    this.#parsedBytes = parsedBytes;
    this.#lines.skip(lines, weight.lines);
  }

  /** Commits the rest; resolves when everything is committed. */
  async end(): Promise<IngestSummary> {
    await this.#exclusively(async () => {
      const line = this.#lines.end();
      if (line !== undefined) {
        const turn = this.#weigh(line);
        if (turn !== undefined) await this.#waitFor(turn);
        this.#parse(line);
      }
      // A stream without operations still answers the newest sequence.
      if (this.#operations.length > 0 || this.#handedOn === 0) await this.#commit();
      await Promise.all(this.#inFlight);
    });
    this.#largeCommits.leave(this);
    return this.#committed;
  }

  /** Drops the operations that are not in a commit yet. Commits in flight continue. */
  abort(): void {
    this.#operations = [];
    this.#largeCommits.leave(this);
    this.#problem ??= new Problem('ingest_aborted', 'The stream of operations was aborted', {
      details: { committed: this.#committed },
    });
  }

  async #exclusively(work: () => Promise<void>): Promise<void> {
    assert(!this.#isBusy, 'an ingest stream is used by one caller, one call at a time');
    if (this.#problem !== undefined) throw this.#problem;
    this.#isBusy = true;
    try {
      await work();
    } catch (error) {
      this.#operations = [];
      await Promise.allSettled(this.#inFlight);
      this.#largeCommits.leave(this);
      this.#problem ??= withCommitted(error, this.#committed);
      throw this.#problem;
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Estimates the memory of a parsed line before it is parsed. The promise resolves when a large
   * commit has its turn; undefined when it need not wait.
   */
  #weigh(line: Buffer): Promise<void> | undefined {
    const { values, parsedBytes } = jsonWeight(line);
    if (values > NDJSON_LINE_VALUES_MAX) {
      throw new Problem('line_too_large', `Line ${this.#lines.number} has too many values`, {
        hint: 'Lists, objects and their members count.',
        details: { line: this.#lines.number, limitValues: NDJSON_LINE_VALUES_MAX },
      });
    }
    this.#parsedBytes += parsedBytes;
    this.#operationBytes += line.length;
    if (this.#operationBytes > this.#commitBytesMax) throw this.#tooLarge(this.#commitBytesMax);
    if (this.#parsedBytes > INGEST_COMMIT_PARSED_BYTES_MAX) {
      throw this.#tooLarge(INGEST_COMMIT_PARSED_BYTES_MAX);
    }
    return this.#largeCommits.grow(this, this.#parsedBytes);
  }

  async #waitFor(turn: Promise<void>): Promise<void> {
    await turn;
    // While it waited, the stream may have been aborted.
    if (this.#problem !== undefined) throw this.#problem;
  }

  #tooLarge(limitBytes: number): Problem {
    return new Problem('commit_too_large', 'The operations of one commit are too large', {
      hint: `Send fewer operations in one request: ${this.#commitOperationsMax} are one commit.`,
      details: { limitBytes, line: this.#lines.number },
    });
  }

  #parse(line: Buffer): void {
    let operation: unknown;
    try {
      if (!isUtf8(line)) throw new SyntaxError('not UTF-8');
      operation = JSON.parse(line.toString('utf8'));
    } catch (error) {
      throw new Problem('malformed_json', `Line ${this.#lines.number} is not JSON`, {
        hint: 'Each line of application/x-ndjson is one operation as JSON, in UTF-8.',
        details: {
          line: this.#lines.number,
          reason: error instanceof Error ? error.message : String(error),
        },
        cause: error,
      });
    }
    this.#operations.push(operation);
  }

  async #commit(): Promise<void> {
    while (this.#inFlight.length >= INGEST_COMMITS_IN_FLIGHT_MAX) await this.#inFlight[0];
    await this.#port.ready();
    // While it waited, the stream may have been aborted.
    if (this.#problem !== undefined) throw this.#problem;
    const operations = this.#operations;
    this.#operations = [];
    this.#operationBytes = 0;
    this.#parsedBytes = 0;
    const firstIndex = this.#handedOn;
    this.#handedOn += operations.length;
    const author = this.#author;
    const commit = this.#settle(
      this.#port.ingest(operations, { firstIndex, author }),
      operations.length,
    );
    this.#inFlight.push(commit);
    // Whoever awaits the oldest commit in flight handles a rejection. Until then it must not count
    // as unhandled.
    commit.catch(() => undefined);
    if (!this.#largeCommits.isTurnOf(this)) return;
    await commit;
    this.#largeCommits.leave(this);
  }

  async #settle(commit: Promise<IngestedCommit>, operations: number): Promise<void> {
    const committed = { ...(await commit), commits: operations > 0 ? 1 : 0 };
    this.#committed = sumOfIngestions(this.#committed, committed);
    // Commits settle in their order, so this one is the oldest.
    void this.#inFlight.shift();
  }
}

/** Adds to the problem of a failed stream what stays in the graph. */
function withCommitted(error: unknown, committed: IngestSummary): unknown {
  if (!(error instanceof Problem)) return error;
  return new Problem(error.code, error.message, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    details: { ...error.details, committed },
    cause: error,
  });
}
