import { setImmediate as nextTurn } from 'node:timers/promises';
import { must } from '#base/assert.ts';
import { releaseMemory } from '#base/release-memory.ts';
import {
  REPLICA_IDLE_REPORT_INTERVAL_MS,
  REPLICA_REPORT_INTERVAL_MS,
  REPLICATION_CHUNK_BYTES_MAX,
  REPLICATION_CHUNK_RECORDS_MAX,
  REPLICATION_PIECES_PER_CALL_MAX,
} from '#base/replication-limits.ts';
import type { Timers } from '#base/clock.ts';
import type { LogRecord } from '#log/commit-log.ts';
import { type Manifest, parseManifest } from '#store/manifest.ts';
import { corrupt, unavailable } from './channel-problem.ts';
import { decodeChunk } from './chunk.ts';
import { type EmbedRequest, readEmbedAnswer } from './embed-call.ts';
import { encodeJson } from './frame-stream.ts';
import { differencesBetween } from './verification.ts';
import {
  type FollowRequest,
  type HoldRequest,
  type Notice,
  readNotice,
  readReport,
  type Welcome,
} from './message-shapes.ts';
import { ReplicaCalls, type ReplicaConnection, type ReportStream } from './replica-calls.ts';

export interface TailOptions {
  /** The epoch of the primary's log that the replica has applied; checked by the primary. */
  readonly epoch: string;
  /** The first sequence that it has not applied. */
  readonly from: number;
  /**
   * The `recordDigest` of the last record that it has applied, if it has it; checked by the primary
   * as well.
   */
  readonly previous?: string | undefined;
  /**
   * Applies a chunk in one write and answers the sequence that is applied then. The next chunk
   * waits for it.
   */
  readonly apply: (chunk: readonly LogRecord[]) => Promise<number>;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/**
 * The replica's end of the replication channel, after the handshake. Every call throws these
 * problems: `replication_unavailable` when the connection or the primary is gone,
 * `replication_not_authenticated`, `replica_not_registered` when the primary has forgotten the
 * replica, `replication_corrupt` when bytes arrive that were not sent.
 */
export class ReplicaChannel implements Disposable {
  /** What the primary told in the handshake: it is compared to nothing here. */
  readonly welcome: Welcome;
  readonly #calls: ReplicaCalls;

  constructor(calls: ReplicaCalls, welcome: Welcome) {
    this.#calls = calls;
    this.welcome = welcome;
  }

  /** Takes a snapshot of the primary, which is held there until the copy is disposed of. */
  async openSnapshot(): Promise<SnapshotCopy> {
    const messages = this.#calls.messages('GetManifest', encodeJson({}));
    const release = async (): Promise<void> => {
      await messages.return();
    };
    const first = await messages.next();
    if (first.done === true) throw unavailable('the primary ended the call before its manifest');
    try {
      return new SnapshotCopy(parseManifest(first.value), this.#calls, release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /**
   * The records of the primary's log from `from` on, in chunks, without end: each begins where the
   * one before it ended. While a chunk is worked on, no more than gRPC's buffers is read ahead.
   * Throws also `replication_epoch_differs`, when the primary has another history, and
   * `log_trimmed`, when it no longer has the records; then the replica must start over.
   */
  async *follow(
    request: FollowRequest,
    signal?: AbortSignal,
  ): AsyncGenerator<readonly LogRecord[], never, void> {
    let next = request.from;
    for await (const message of this.#calls.messages('Follow', encodeJson(request), signal)) {
      const chunk = decodeChunk(message, next);
      next = chunk.at(-1)!.last + 1;
      yield chunk;
    }
    throw unavailable('the primary ended the stream of its log');
  }

  /**
   * Follows the log, applies it and reports what is applied, until it fails or `signal` is aborted,
   * whose reason it throws.
   */
  async tail({ epoch, from, previous, apply, timers, signal }: TailOptions): Promise<never> {
    const failing = new AbortController();
    using stream = this.#calls.openReports((problem) => failing.abort(problem));
    using reports = startReports(stream, from - 1, timers);
    const ending = AbortSignal.any([signal, failing.signal]);
    try {
      for await (const chunk of mergeArrived(this.follow({ epoch, from, previous }, ending))) {
        reports.applied(await apply(chunk));
      }
      throw unavailable('the primary ended the stream of its log');
    } finally {
      failing.abort(unavailable('the log is followed no longer'));
    }
  }

  /**
   * Reports how far the replica is that follows the log elsewhere, until it fails or `signal` is
   * aborted, whose reason it throws.
   */
  async report(sequence: () => number, timers: Timers, signal: AbortSignal): Promise<never> {
    const ended = Promise.withResolvers<never>();
    using stream = this.#calls.openReports(ended.reject);
    const stop = (): void => ended.reject(signal.reason);
    signal.throwIfAborted();
    signal.addEventListener('abort', stop, { once: true });
    let reported = sequence();
    using reports = startReports(stream, reported, timers);
    using _looks = timers.every(REPLICA_REPORT_INTERVAL_MS, () => {
      if (sequence() === reported) return;
      reported = sequence();
      reports.applied(reported);
    });
    try {
      return await ended.promise;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /**
   * Answers the notice `VerifyReplica`, at a sequence that the replica has stopped at. `advance` is
   * told where to look, and answers the manifest of the replica's state there; it is compared with
   * the primary's, which is told the outcome.
   */
  async verify(
    request: HoldRequest,
    advance: (sequence: number) => Promise<Manifest>,
    signal?: AbortSignal,
  ): Promise<void> {
    const messages = this.#calls.messages('Hold', encodeJson(request), signal);
    try {
      const target = await messages.next();
      if (target.done === true) throw unavailable('the primary compares no longer');
      const own = await advance(readReport(target.value).sequence);
      const manifest = await messages.next();
      if (manifest.done === true) throw unavailable('the primary compares no longer');
      const primary = parseManifest(manifest.value);
      const isEqual = primary.digest === own.digest;
      const differences = differencesBetween(primary, own);
      const outcome = encodeJson({ id: request.id, isEqual, differences });
      for await (const _ of this.#calls.messages('Compared', outcome, signal)) continue;
    } finally {
      await messages.return();
    }
  }

  /**
   * Files of the primary's front end, by their digests and in that order. What came is for the
   * caller to verify.
   */
  fetchFrontEnd(digests: readonly string[]): Promise<Uint8Array[]> {
    const request = Buffer.from(digests.join(''), 'hex');
    return Array.fromAsync(this.#calls.messages('GetFrontEnd', request));
  }

  /**
   * The vector of a text, as the primary's provider gives it; see `AnswerEmbed`. Throws also what
   * the primary cannot do, as the problem that it is there.
   */
  async embed(request: EmbedRequest): Promise<string> {
    for await (const answer of this.#calls.messages('Embed', encodeJson(request))) {
      return readEmbedAnswer(answer);
    }
    throw unavailable('the primary ended the call before its answer');
  }

  /** What the primary announces: first what holds, then what comes, without end. */
  async *notices(signal?: AbortSignal): AsyncGenerator<Notice, never, void> {
    for await (const message of this.#calls.messages('Notify', encodeJson({}), signal)) {
      yield readNotice(message);
    }
    throw unavailable('the primary ended its notices');
  }

  /** Ends every call, which then throws `replication_unavailable`, and the connection. */
  [Symbol.dispose](): void {
    this.#calls[Symbol.dispose]();
  }
}

/**
 * Connects to a primary and shakes hands: each side proves to the other that it has the secret.
 * Throws the problems `replication_unavailable`, `replication_not_authenticated`, and
 * `replica_not_registered`.
 */
export async function connectReplica(connection: ReplicaConnection): Promise<ReplicaChannel> {
  const calls = new ReplicaCalls(connection.host, connection.port);
  try {
    return new ReplicaChannel(calls, await calls.handshake(connection));
  } catch (error) {
    calls[Symbol.dispose]();
    throw error;
  }
}

interface ReportLoop extends Disposable {
  /** Everything up to `sequence` is applied. */
  applied(sequence: number): void;
}

/**
 * Reports the applied sequence: at once when it starts; every 250 ms while something is received,
 * and once more after that; else every 30 seconds, so that the primary does not take the replica
 * for lost (specification, sections 3.1 and 8).
 */
export function startReports(
  stream: Pick<ReportStream, 'send'>,
  appliedSequence: number,
  timers: Timers,
): ReportLoop {
  const idleTicksMax = REPLICA_IDLE_REPORT_INTERVAL_MS / REPLICA_REPORT_INTERVAL_MS;
  let newest = appliedSequence;
  let isReceiving = false;
  let wasReceiving = false;
  let isDue = true;
  let idleTicks = 0;
  const report = (): void => {
    isDue = !stream.send(newest);
    idleTicks = 0;
  };
  const timer = timers.every(REPLICA_REPORT_INTERVAL_MS, () => {
    idleTicks++;
    if (isDue || isReceiving || wasReceiving || idleTicks >= idleTicksMax) report();
    wasReceiving = isReceiving;
    isReceiving = false;
  });
  report();
  return {
    applied: (sequence) => {
      newest = sequence;
      isReceiving = true;
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

/**
 * Joins chunks that have arrived while the ones before them were worked on, until one of a chunk's
 * bounds is reached. Else a queue of small chunks, which the connection has room for, would keep
 * its length for ever: each costs a write of its own, and a write of many costs hardly more. Ends,
 * or throws, when the source does, and does not wait for it when it is left.
 */
export async function* mergeArrived(
  source: AsyncIterable<readonly LogRecord[]>,
): AsyncGenerator<readonly LogRecord[], void, void> {
  const chunks = source[Symbol.asyncIterator]();
  const askForNext = (): Promise<IteratorResult<readonly LogRecord[]>> => {
    const next = chunks.next();
    // It may fail before anybody waits for it; whoever waits later gets the failure.
    next.catch(() => undefined);
    return next;
  };
  let next = askForNext();
  try {
    for (;;) {
      const first = await next;
      if (first.done === true) return;
      const records = [...first.value];
      let bytes = bytesOf(records);
      next = askForNext();
      for (;;) {
        const arrived = await Promise.race([next, nextTurn()]);
        if (arrived === undefined || arrived.done === true) break;
        bytes += bytesOf(arrived.value);
        const count = records.length + arrived.value.length;
        // What has arrived and does not fit begins the next one.
        if (count > REPLICATION_CHUNK_RECORDS_MAX || bytes > REPLICATION_CHUNK_BYTES_MAX) break;
        records.push(...arrived.value);
        next = askForNext();
      }
      yield records;
    }
  } finally {
    chunks.return?.().catch(() => undefined);
  }
}

function bytesOf(records: readonly LogRecord[]): number {
  return records.reduce((sum, { payload }) => sum + payload.length, 0);
}

interface CopyProgress {
  readonly bytesDone: number;
  /** The size of the pieces that were asked for. */
  readonly bytesTotal: number;
}

/** Takes a piece, in parts that are good until it is done. */
type OnPiece = (digest: string, parts: readonly Uint8Array[]) => Promise<void>;

/** A snapshot that the primary holds for this replica, until it is disposed of. */
export class SnapshotCopy implements AsyncDisposable {
  readonly manifest: Manifest;
  readonly #calls: ReplicaCalls;
  readonly #release: () => Promise<void>;
  /** Bytes by digest. */
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(manifest: Manifest, calls: ReplicaCalls, release: () => Promise<void>) {
    this.manifest = manifest;
    this.#calls = calls;
    this.#release = release;
    const pieces = manifest.databases.flatMap((database) => database.pieces);
    this.#sizes = new Map(pieces.map(({ digest, bytes }) => [digest, bytes]));
  }

  /**
   * Fetches pieces of the manifest in the order given, each once. `onPiece` is given each in parts,
   * which are released when it is done; the next one is given then, and those after it are on
   * their way meanwhile. What it throws ends the fetching.
   *
   * The bytes are those that the primary has sent. That they are the piece is for the restoring to
   * verify: it reads them from a disk, and so has to do it anyway.
   */
  async fetchPieces(
    digests: readonly string[],
    onPiece: OnPiece,
    onProgress: (progress: CopyProgress) => void = () => {},
  ): Promise<void> {
    const wanted = [...new Set(digests)];
    const bytesTotal = wanted.reduce((sum, digest) => sum + this.#sizeOf(digest), 0);
    let bytesDone = 0;
    for (let at = 0; at < wanted.length; at += REPLICATION_PIECES_PER_CALL_MAX) {
      const batch = wanted.slice(at, at + REPLICATION_PIECES_PER_CALL_MAX);
      await this.#fetchBatch(batch, async (digest, parts) => {
        await onPiece(digest, parts);
        bytesDone += this.#sizeOf(digest);
        onProgress({ bytesDone, bytesTotal });
        for (const part of parts) releaseMemory(part);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#release();
  }

  async #fetchBatch(digests: readonly string[], onPiece: OnPiece): Promise<void> {
    const request = Buffer.from(digests.join(''), 'hex');
    const missing = digests.values();
    for await (const parts of this.#calls.messageParts('GetPieces', request)) {
      const { value: digest } = missing.next();
      if (digest === undefined) throw corrupt('more pieces came than were asked for');
      const bytes = parts.reduce((sum, { length }) => sum + length, 0);
      if (bytes !== this.#sizeOf(digest)) throw corrupt(`piece ${digest} has another size`);
      await onPiece(digest, parts);
    }
    if (missing.next().done !== true) throw corrupt('the copy ended before its last piece');
  }

  #sizeOf(digest: string): number {
    return must(this.#sizes.get(digest), `piece ${digest} in the manifest`);
  }
}
