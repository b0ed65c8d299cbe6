import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { assert, must } from '#base/assert.ts';
import { WRITER_CLOSE_TIMEOUT_MS } from '#base/limits.ts';
import type { IngestPort, IngestStream, IngestSummary } from '#access/ingest-service.ts';
import type { CommitAuthor, CommitPort, CommitRequest, CommitResult } from '#graph/operations.ts';
import { startThread } from '../start-thread.ts';
import { errorOf } from '../thread-failure.ts';
import { ThreadRequests } from '../thread-requests.ts';
import type {
  FromWriter,
  TimedCommit,
  ToWriter,
  WriterOptions,
  WriterRequest,
} from './messages.ts';

export interface WriterEvents {
  /** Something an operator should know, such as a torn tail that was cut off. */
  onNote(text: string): void;
  /** Performs each commit, and is told when the thread worked on it; undefined when nobody wants to be. */
  observeCommit?: ((perform: () => Promise<TimedCommit>) => Promise<CommitResult>) | undefined;
  /** The writer thread ended without being asked to: nothing can be written any more. */
  onCrash(error: Error): void;
}

/** The writer thread as the others see it: one message a commit, one answer with its sequence (design, "Threads"). */
export class WriterClient implements CommitPort, IngestPort, AsyncDisposable {
  readonly #worker: Worker;
  readonly #events: WriterEvents;
  readonly #requests: ThreadRequests<WriterRequest>;
  #closing = false;
  #isFailing = false;

  private constructor(worker: Worker, events: WriterEvents) {
    this.#worker = worker;
    this.#events = events;
    this.#requests = new ThreadRequests((message) => {
      worker.postMessage(message satisfies ToWriter);
    });
    worker.on('message', (message: FromWriter) => this.#receive(message));
    worker.on('error', (error) =>
      this.#fail(error instanceof Error ? error : new Error(String(error))),
    );
    worker.on('exit', (code) => this.#fail(new Error(`the writer thread ended with code ${code}`)));
  }

  /** Opens the log and the state in a thread of their own; rejects with the problem that prevents it. */
  static async open(options: WriterOptions, events: WriterEvents): Promise<WriterClient> {
    const worker = startThread(new URL('./writer-worker.ts', import.meta.url), options);
    const [message] = (await once(worker, 'message')) as [FromWriter];
    if (message.kind === 'failed') {
      await worker.terminate();
      throw errorOf(message.failure);
    }
    assert(message.kind === 'opened', 'the writer opens before it says anything else');
    for (const note of message.notes) events.onNote(note);
    return new WriterClient(worker, events);
  }

  /** Whether what was written last could not be stored. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  commit(request: CommitRequest): Promise<CommitResult> {
    const { observeCommit } = this.#events;
    if (observeCommit === undefined) {
      return this.#requests.ask<CommitResult>({ kind: 'commit', request });
    }
    return observeCommit(() => this.#requests.ask<TimedCommit>({ kind: 'timedCommit', request }));
  }

  ingest(operations: readonly unknown[], author: CommitAuthor): Promise<IngestSummary> {
    return this.#requests.ask<IngestSummary>({ kind: 'ingest', operations, author });
  }

  async openIngestStream(author: CommitAuthor): Promise<IngestStream> {
    const stream = await this.#requests.ask<number>({ kind: 'openStream', author });
    return {
      write: (bytes) => this.#requests.ask<void>({ kind: 'chunk', stream, bytes }),
      end: () => this.#requests.ask<IngestSummary>({ kind: 'endStream', stream }),
      abort: () => this.#requests.ask<void>({ kind: 'abortStream', stream }),
    };
  }

  /** Fills an empty store with the sample graph. */
  loadSample(onProgress: (done: number, total: number) => void): Promise<IngestSummary> {
    return this.#requests.ask<IngestSummary>({ kind: 'loadSample' }, onProgress);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    const closed = this.#requests.ask<string>({ kind: 'close' });
    // What was acknowledged is in the log, so a storage that does not answer any more must not keep the process.
    closed.catch(() => undefined);
    const late = sleep(WRITER_CLOSE_TIMEOUT_MS, LATE, { ref: false });
    if ((await Promise.race([closed, late])) === LATE) {
      this.#events.onNote('the storage does not close: the process stops without it');
    }
    await this.#worker.terminate();
  }

  #receive(message: FromWriter): void {
    switch (message.kind) {
      case 'note':
        this.#events.onNote(message.text);
        return;
      case 'progress':
        this.#requests.progress(message.id, message.done, message.total);
        return;
      case 'done':
        this.#isFailing = false;
        this.#requests.done(message.id, message.value);
        return;
      case 'failed':
        this.#isFailing ||= STORAGE_PROBLEMS.has(message.failure.problem?.code ?? '');
        this.#requests.failed(
          must(message.id, 'the id of a failed request'),
          errorOf(message.failure),
        );
        return;
      case 'opened':
    }
  }

  #fail(error: Error): void {
    const unexpected = !this.#closing;
    this.#closing = true;
    this.#requests.end(error);
    if (unexpected) this.#events.onCrash(error);
  }
}

const LATE = 'late';

/** What the disk is to blame for. */
const STORAGE_PROBLEMS: ReadonlySet<string> = new Set(['storage_full', 'storage_failed']);
