import type { Worker } from 'node:worker_threads';
import type { Logger } from '#observe/logger.ts';
import type { EmbedRequest } from '#replication/embed-call.ts';
import type { Notice } from '#replication/message-shapes.ts';
import { ProgressBar } from '../progress-bar.ts';
import { startThread } from '../start-thread.ts';
import type { AppliedChunk } from '../telemetry/traced-commits.ts';
import { errorOf } from '../thread-failure.ts';
import { ThreadRequests } from '../thread-requests.ts';
import type { FromReplica, ReplicaOptions, ReplicaRequest, ToReplica } from './replica-messages.ts';

export interface ReplicaThreadEvents {
  /** Of the primary, to all its replicas. */
  onNotice(notice: Notice): void;
  /** Of a thread that is timed. */
  onApplied(chunk: AppliedChunk): void;
  /** The primary can be reached, again or for the first time. */
  onJoined(): void;
}

/** The thread that follows the primary, as the others see it. */
export class ReplicaThread implements AsyncDisposable {
  /** The store is there and open: other threads may read it. */
  readonly loaded: Promise<void>;
  /** Everything that the primary had when the replica joined is applied. */
  readonly caughtUp: Promise<void>;
  /** Resolves with what ended the replica. */
  readonly failed: Promise<Error>;
  readonly #worker: Worker;
  readonly #logger: Logger;
  readonly #events: ReplicaThreadEvents;
  readonly #requests: ThreadRequests<ReplicaRequest>;
  readonly #loaded = Promise.withResolvers<void>();
  readonly #caughtUp = Promise.withResolvers<void>();
  readonly #failed = Promise.withResolvers<Error>();
  readonly #closed = Promise.withResolvers<void>();
  #progress: ProgressBar | undefined;
  #isJoined = false;

  constructor(options: ReplicaOptions, logger: Logger, events: ReplicaThreadEvents) {
    this.#logger = logger;
    this.#events = events;
    this.loaded = this.#loaded.promise;
    this.caughtUp = this.#caughtUp.promise;
    this.failed = this.#failed.promise;
    this.#worker = startThread(new URL('./replica-worker.ts', import.meta.url), options);
    this.#requests = new ThreadRequests((message) => {
      this.#worker.postMessage(message satisfies ToReplica);
    });
    this.#worker.on('message', (message: FromReplica) => this.#receive(message));
    this.#worker.on('error', (error) => {
      this.#failed.resolve(error instanceof Error ? error : new Error(String(error)));
    });
    this.#worker.on('exit', (code) => {
      this.#failed.resolve(new Error(`the thread that follows the primary ended with ${code}`));
      this.#closed.resolve();
    });
  }

  /** Files of the primary's front end, by their digests and in that order. Rejects when it cannot be asked. */
  readonly fetchFrontEnd = (digests: readonly string[]): Promise<readonly Uint8Array[]> =>
    this.#requests.ask({ kind: 'fetchFrontEnd', digests });

  /** The vector of a text, from the primary. Rejects with its problem, and when it cannot be asked. */
  readonly embed = (request: EmbedRequest): Promise<string> =>
    this.#requests.ask({ kind: 'embed', request });

  /** Whether it hears the primary. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.postMessage({ kind: 'close' } satisfies ToReplica);
    await this.#closed.promise;
    await this.#worker.terminate();
  }

  #receive(message: FromReplica): void {
    switch (message.kind) {
      case 'note':
        this.#endProgress('done');
        this.#logger[message.level](message.text);
        return;
      case 'progress':
        this.#progress ??= new ProgressBar(process.stderr, 'Copying the graph');
        this.#progress.update(message.bytesDone, message.bytesTotal);
        return;
      case 'loaded':
        this.#loaded.resolve();
        return;
      case 'caughtUp':
        this.#caughtUp.resolve();
        return;
      case 'applied':
        this.#events.onApplied(message.chunk);
        return;
      case 'notice':
        this.#events.onNotice(message.notice);
        return;
      case 'joining':
        this.#isJoined = false;
        return;
      case 'joined':
        this.#isJoined = true;
        this.#events.onJoined();
        return;
      case 'done':
        this.#requests.done(message.id, message.value);
        return;
      case 'notDone':
        this.#requests.failed(message.id, errorOf(message.failure));
        return;
      case 'failed':
        this.#endProgress('stopped');
        this.#failed.resolve(errorOf(message.failure));
        return;
      case 'closed':
        this.#closed.resolve();
    }
  }

  #endProgress(how: 'done' | 'stopped'): void {
    this.#progress?.finish(how);
    this.#progress = undefined;
  }
}
