import type { LogRecord } from '#log/commit-log.ts';
import { parseManifest } from '#store/manifest.ts';
import type { Manifest } from '#store/manifest.ts';
import { unavailable } from './channel-problem.ts';
import { decodeChunk } from './chunk.ts';
import { encodeJson } from './frame-stream.ts';
import { readEmbedAnswer, type EmbedRequest } from './embed-call.ts';
import { differencesBetween } from './manifest-difference.ts';
import { mergeArrived } from './merge-arrived.ts';
import { readNotice, readReport } from './message-shapes.ts';
import type { FollowRequest, HoldRequest, Notice, Welcome } from './message-shapes.ts';
import { ReplicaCalls } from './replica-calls.ts';
import type { ReplicaConnection } from './replica-calls.ts';
import { SnapshotCopy } from './snapshot-copy.ts';
import { startReports } from './report-loop.ts';
import type { Timers } from '#base/timers.ts';

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
