import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { PrimaryAddress } from '#base/primary-address.ts';
import type { Logger } from '#observe/logger.ts';
import type { EmbedRequest } from '#replication/embed-call.ts';
import type { Notice } from '#replication/message-shapes.ts';
import { ProgressBar } from '../progress-bar.ts';
import type { AppliedChunk } from '../telemetry/traced-commits.ts';
import { Channel } from '../threads/channel.ts';
import { Thread } from '../threads/thread.ts';
import type { FollowingOptions } from './followed-state.ts';
import type { SharedLogLease, SharedLogPlace } from '../writer/shared-log.ts';
import {
  WriterClient,
  type WriterCalls,
  type WriterEvents,
  type WriterNotices,
} from '../writer/writer-client.ts';
import type { RegistrationOptions } from './registration.ts';

/** Options of the thread that follows a primary, which runs no user code. */
export interface ReplicaOptions extends RegistrationOptions, FollowingOptions {
  /**
   * The port of the channel, on the host of the primary's address. Null: the one that the primary
   * tells. Then the primary changes, and this thread waits for one instead of giving up.
   */
  readonly port: number | null;
  /** The log of members, which one follows; null on a replica, which follows the primary's. */
  readonly sharedLog: SharedLogPlace | null;
  /**
   * The memory of `Followers`: its state publishes there how far it is, and its indexes say there
   * what they need of its log.
   */
  readonly followers: SharedArrayBuffer;
  /** Whether it tells how long each application took: see `applied`. */
  readonly isTimed: boolean;
}

/** The calls that this thread answers. */
export interface ReplicaThreadCalls {
  /** Follows it until it is closed. Fails with what ends a replica: see `runReplica`. */
  follow(): void;
  /** Files of the primary's front end, by their digests and in that order. */
  fetchFrontEnd(digests: readonly string[]): readonly Uint8Array[];
  /** The vector of a text, from the primary. */
  embed(request: EmbedRequest): string;
  /**
   * Of a member: follows no more, and is the writer from now on. Answered once it takes commits;
   * when it fails, nothing is open any more soon.
   */
  lead(leading: Leading): void;
  /** Answered once nothing is open any more. */
  close(): void;
}

export interface Leading {
  readonly shared: SharedLogLease;
  /** Over which the writer is asked: `WriterCalls`, and `WriterNotices` back. */
  readonly port: MessagePort;
}

/** The calls that it makes to the thread that started it; see `ReplicaEvents`. */
export interface ReplicaThreadNotices {
  loaded(): void;
  caughtUp(): void;
  progress(progress: { readonly bytesDone: number; readonly bytesTotal: number }): void;
  note(note: { readonly level: 'info' | 'warn'; readonly text: string }): void;
  /** Where the primary is now; null while there is none. */
  primaryAddress(): string | null;
  /** Connects to the primary: it is not connected to it. */
  joining(): void;
  /** Connected to the primary, again or for the first time. */
  joined(): void;
  /** A chunk was applied. Only a thread with `isTimed` tells it. */
  applied(chunk: AppliedChunk): void;
  /** A notice of the primary to all its replicas. */
  notice(notice: Notice): void;
  /** Of a member: the lease can be taken. */
  leaseReleased(): void;
}

export interface ReplicaThreadEvents {
  readonly primaryAddress: PrimaryAddress;
  /** A notice of the primary to all its replicas. */
  onNotice(notice: Notice): void;
  /** Called by a thread that is timed. */
  onApplied(chunk: AppliedChunk): void;
  /** The primary can be reached, again or for the first time. */
  onJoined(): void;
  /** Of a member: the primary has let its lease go. */
  onLeaseReleased(): void;
}

/** The thread that follows the primary, as the others see it. */
export class ReplicaThread implements AsyncDisposable {
  /** The store is there and open: other threads may read it. */
  readonly loaded: Promise<void>;
  /** Everything that the primary had when the replica joined is applied. */
  readonly caughtUp: Promise<void>;
  /** Resolves with what ended the replica. */
  readonly failed: Promise<Error>;
  readonly #thread: Thread<ReplicaThreadCalls, ReplicaThreadNotices>;
  readonly #logger: Logger;
  readonly #failed = Promise.withResolvers<Error>();
  #progress: ProgressBar | undefined;
  #isJoined = false;
  #writer: WriterClient | undefined;

  constructor(options: ReplicaOptions, logger: Logger, events: ReplicaThreadEvents) {
    this.#logger = logger;
    const loaded = Promise.withResolvers<void>();
    const caughtUp = Promise.withResolvers<void>();
    this.loaded = loaded.promise;
    this.caughtUp = caughtUp.promise;
    this.failed = this.#failed.promise;
    this.#thread = new Thread<ReplicaThreadCalls, ReplicaThreadNotices>({
      name: 'the thread that follows the primary',
      file: new URL('./replica-worker.ts', import.meta.url),
      data: options,
      handlers: {
        primaryAddress: () => events.primaryAddress() ?? null,
        loaded: () => loaded.resolve(),
        caughtUp: () => caughtUp.resolve(),
        progress: ({ bytesDone, bytesTotal }) => this.#show(bytesDone, bytesTotal),
        note: ({ level, text }) => this.#note(level, text),
        joining: () => {
          this.#isJoined = false;
        },
        joined: () => {
          this.#isJoined = true;
          events.onJoined();
        },
        applied: events.onApplied,
        notice: events.onNotice,
        leaseReleased: events.onLeaseReleased,
      },
      onEnd: (error) => this.#fail(error),
    });
    this.#thread.ask('follow').catch((error: Error) => this.#fail(error));
  }

  /**
   * Files of the primary's front end, by their digests and in that order. Rejects when it cannot be
   * asked.
   */
  readonly fetchFrontEnd = (digests: readonly string[]): Promise<readonly Uint8Array[]> =>
    this.#thread.ask('fetchFrontEnd', digests);

  /**
   * The vector of a text, from the primary. Rejects with its problem, and when it cannot be asked.
   */
  readonly embed = (request: EmbedRequest): Promise<string> => this.#thread.ask('embed', request);

  /**
   * Takes the writer's place, with all that is open: who reads the store goes on. Rejects with
   * `no_primary`, and what keeps the log and the state from going on; then it is to be closed.
   */
  async lead(shared: SharedLogLease, events: WriterEvents): Promise<WriterClient> {
    const { port1, port2 } = new MessageChannel();
    const leading = this.#thread.ask('lead', { shared, port: port2 }, { handOver: [port2] });
    this.#writer = await WriterClient.over(events, (handlers, onEnd) => {
      const channel = new Channel<WriterCalls, WriterNotices>(port1, handlers);
      const end = (error: Error): void => {
        channel.end(error);
        onEnd(error);
      };
      leading.catch((error: Error) => channel.end(error));
      void this.failed.then(end);
      return {
        ask: channel.ask.bind(channel),
        terminate: async () => {
          port1.close();
          await this.#close();
        },
      };
    });
    return this.#writer;
  }

  /** Whether it hears the primary. */
  get isJoined(): boolean {
    return this.#isJoined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#writer === undefined) await this.#close();
    else await this.#writer[Symbol.asyncDispose]();
  }

  async #close(): Promise<void> {
    // It may have ended before.
    await this.#thread.ask('close').catch(() => undefined);
    await this.#thread.terminate();
  }

  #show(bytesDone: number, bytesTotal: number): void {
    this.#progress ??= new ProgressBar(process.stderr, 'Copying the graph');
    this.#progress.update(bytesDone, bytesTotal);
  }

  #note(level: 'info' | 'warn', text: string): void {
    this.#endProgress('done');
    this.#logger[level](text);
  }

  #fail(error: Error): void {
    this.#endProgress('stopped');
    this.#failed.resolve(error);
  }

  #endProgress(how: 'done' | 'stopped'): void {
    this.#progress?.finish(how);
    this.#progress = undefined;
  }
}
