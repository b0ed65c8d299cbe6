import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import { Problem } from '#base/problem.ts';
import { WRITER_CLOSE_TIMEOUT_MS } from '#base/limits.ts';
import type { IngestPort, IngestStream } from '#access/ingest-service.ts';
import type {
  CommitAuthor,
  CommitPort,
  CommitRequest,
  CommitResult,
  LineOutcome,
} from '#graph/operations.ts';
import { Thread } from '../threads/thread.ts';
import type { Channel, Handlers, Steps } from '../threads/channel.ts';
import type { LeaseRenewal } from '#log/postgres/lease.ts';
import type { LeaseEvents, SharedLogLease } from './shared-log.ts';

/** Options of the writer thread, which runs no user code and speaks no HTTP. */
export interface WriterOptions {
  readonly storage: string;
  /** `MSK_GRAPH_MASTER_KEY`; null when encryption is off. */
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
  /**
   * The memory of `Followers`: the state publishes there how far it is, and followers say there
   * what they need of the log.
   */
  readonly followers: SharedArrayBuffer;
  /** Of a member that is the primary. */
  readonly shared?: SharedLogLease | undefined;
}

/**
 * Milliseconds since the Unix epoch: when the writer thread took the commit up, and when it was
 * durable and applied.
 */
export interface Timed<R> {
  readonly result: R;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The calls that the writer thread answers. Commits happen in the order of their calls. */
export interface WriterCalls {
  /** Answered once log and state are open. */
  opened(): void;
  commit(request: CommitRequest): CommitResult;
  timedCommit(request: CommitRequest): Timed<CommitResult>;
  timedLine(requests: readonly CommitRequest[]): Timed<CommittedLine>;
  ingest(batch: IngestBatch): IngestSummary;
  /** The number of the stream. */
  openStream(author: CommitAuthor): number;
  writeStream(chunk: StreamChunk): void;
  endStream(stream: number): IngestSummary;
  abortStream(stream: number): void;
  loadSample(given: undefined, progress: Steps): IngestSummary;
  repackRows(): void;
  /** Of a member: another one may lead from now on. */
  release(): void;
  close(): void;
}

export interface CommittedLine {
  /** Of the last of its commits; 0 when there is none. */
  readonly sequence: number;
  readonly outcomes: readonly LineOutcome[];
}

export interface IngestBatch {
  readonly operations: readonly unknown[];
  readonly author: CommitAuthor;
}

export interface StreamChunk {
  readonly stream: number;
  readonly bytes: Uint8Array;
}

/** The calls that it makes to the thread that started it. */
export interface WriterNotices {
  note(text: string): void;
  /** See `LeaseEvents`. */
  leaseAdopted(): void;
  leaseLost(): void;
  leaseRenewal(renewal: LeaseRenewal): void;
}

/** Tells the main thread of the lease. */
export function leaseTold(main: Pick<Channel<WriterNotices, WriterCalls>, 'tell'>): LeaseEvents {
  return {
    onAdopted: () => main.tell('leaseAdopted'),
    onLost: () => main.tell('leaseLost'),
    onRenewal: (renewal) => main.tell('leaseRenewal', renewal),
  };
}

/** The thread that has the writer. */
export interface WriterLink {
  readonly ask: Channel<WriterCalls, WriterNotices>['ask'];
  /** Ends it; it has nothing open any more. */
  terminate(): Promise<void>;
}

/** Reaches it, and says when it has ended. */
export type ReachWriter = (
  handlers: Handlers<WriterNotices>,
  onEnd: (error: Error) => void,
) => WriterLink;

export type ObserveCommit = <R extends { readonly sequence: number }>(
  perform: () => Promise<Timed<R>>,
) => Promise<R>;

export interface WriterEvents {
  /** Something an operator should know, such as a torn tail that was cut off. */
  onNote(text: string): void;
  /**
   * Called when something was written, before its caller hears of it, so that this thread reads
   * what was written.
   */
  onWritten?: (() => void) | undefined;
  /**
   * Performs each commit, and is told when the thread worked on it; undefined when nobody wants to
   * be.
   */
  observeCommit?: ObserveCommit | undefined;
  readonly leaseEvents?: LeaseEvents | undefined;
  /** The writer thread ended without being asked to: nothing can be written any more. */
  onCrash(error: Error): void;
}

/**
 * The writer thread as the others see it: one message a commit, one answer with its sequence
 * (design, "Threads").
 */
export class WriterClient implements CommitPort, IngestPort, AsyncDisposable {
  readonly #events: WriterEvents;
  readonly #thread: WriterLink;
  #closing = false;
  #isFailing = false;

  private constructor(events: WriterEvents, reach: ReachWriter) {
    this.#events = events;
    const handlers: Handlers<WriterNotices> = {
      note: (text) => events.onNote(text),
      leaseAdopted: () => events.leaseEvents?.onAdopted(),
      leaseLost: () => events.leaseEvents?.onLost(),
      leaseRenewal: (renewal) => events.leaseEvents?.onRenewal(renewal),
    };
    this.#thread = reach(handlers, (error) => {
      if (!this.#closing) events.onCrash(error);
      this.#closing = true;
    });
  }

  /**
   * Opens the log and the state in a thread of their own; rejects with the problem that prevents
   * it.
   */
  static open(data: WriterOptions, events: WriterEvents): Promise<WriterClient> {
    const file = new URL('./writer-worker.ts', import.meta.url);
    return WriterClient.over(events, (handlers, onEnd) => {
      return new Thread({ name: 'the writer thread', file, data, handlers, onEnd });
    });
  }

  /** In a thread that there is; rejects with what keeps it from opening them. */
  static async over(events: WriterEvents, reach: ReachWriter): Promise<WriterClient> {
    const writer = new WriterClient(events, reach);
    try {
      await writer.#thread.ask('opened');
      return writer;
    } catch (error) {
      writer.#closing = true;
      await writer.#thread.terminate();
      throw error;
    }
  }

  /** Whether what was written last could not be stored. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    const { observeCommit } = this.#events;
    if (observeCommit === undefined) return this.#watch(this.#thread.ask('commit', request));
    return observeCommit(() => this.#watch(this.#thread.ask('timedCommit', request)));
  }

  async commitLine(requests: readonly CommitRequest[]): Promise<readonly LineOutcome[]> {
    const perform = () => this.#watch(this.#thread.ask('timedLine', requests));
    const observe = this.#events.observeCommit ?? unobserved;
    const { outcomes } = await observe(perform);
    for (const outcome of outcomes) if ('problem' in outcome) this.#noteProblem(outcome.problem);
    return outcomes;
  }

  ingest(operations: readonly unknown[], author: CommitAuthor): Promise<IngestSummary> {
    return this.#watch(this.#thread.ask('ingest', { operations, author }));
  }

  async openIngestStream(author: CommitAuthor): Promise<IngestStream> {
    const stream = await this.#thread.ask('openStream', author);
    return {
      write: (bytes) => this.#watch(this.#thread.ask('writeStream', { stream, bytes })),
      end: () => this.#watch(this.#thread.ask('endStream', stream)),
      abort: () => this.#thread.ask('abortStream', stream),
    };
  }

  /** Fills an empty store with the sample graph. */
  loadSample(onProgress: (done: number, total: number) => void): Promise<IngestSummary> {
    return this.#thread.ask('loadSample', undefined, {
      onProgress: ({ done, total }) => onProgress(done, total),
    });
  }

  /** Has packed rows made again, since they are damaged. */
  repackRows(): Promise<void> {
    return this.#thread.ask('repackRows');
  }

  /** Of a member, which commits nothing any more: another one need not wait for the rest of it. */
  async release(): Promise<void> {
    if (this.#closing) return;
    const released = this.#thread.ask('release').catch(() => undefined);
    // PostgreSQL may be away; the lease expires then.
    await Promise.race([released, sleep(RELEASE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const closed = this.#thread.ask('close');
    // What was acknowledged is in the log, so a storage that does not answer any more must not keep
    // the process.
    closed.catch(() => undefined);
    const late = sleep(WRITER_CLOSE_TIMEOUT_MS, LATE, { ref: false });
    try {
      if ((await Promise.race([closed, late])) === LATE) {
        this.#events.onNote('the storage does not close: the process stops without it');
      }
    } finally {
      await this.#thread.terminate();
    }
  }

  /** Remembers whether the disk takes what is written. */
  async #watch<T>(written: Promise<T>): Promise<T> {
    try {
      const result = await written;
      this.#isFailing = false;
      this.#events.onWritten?.();
      return result;
    } catch (error) {
      if (error instanceof Problem) this.#noteProblem(error);
      throw error;
    }
  }

  #noteProblem({ code }: Pick<Problem, 'code'>): void {
    this.#isFailing ||= STORAGE_PROBLEMS.has(code);
  }
}

const unobserved: ObserveCommit = async (perform) => (await perform()).result;

const LATE = 'late';
const RELEASE_TIMEOUT_MS = 1_000;

/** Problems that come from the disk. */
const STORAGE_PROBLEMS: ReadonlySet<string> = new Set(['storage_full', 'storage_failed']);
