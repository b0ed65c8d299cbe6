import { must } from '#base/assert.ts';
import {
  INDEX_BUILD_NODES,
  INDEX_BUILD_STEPS,
  INDEX_OFFENDERS_MAX,
  INDEX_RETRY_MS_MAX,
  INDEX_ROOM_RETRY_MS,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, IndexProgress, IndexWork } from '#graph/operations.ts';
import type { GraphReader, IndexState } from '#graph/reader.ts';
import type { JobRegistry, RunningJob } from './job-registry.ts';

export interface IndexBuilderParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly jobs: Pick<JobRegistry, 'start'>;
  /** Resolves after the time, or when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** What went wrong with work that nobody waits for. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Builds the field indexes that were added, and deletes the entries of those that were removed: one
 * after the other, a commit for some thousand nodes, so that writes go on between them. While one
 * commit is synced and applied, the next ones are built. Where it stands is in the state, so the
 * next process, or a promoted replica, goes on from there. Where the disk is full, it waits for
 * room; after another failure it tries again, more and more seldom.
 */
export class IndexBuilder implements AsyncDisposable {
  readonly #parts: IndexBuilderParts;
  #working: Promise<void> | undefined;
  #isAsked = false;
  /** Ends the pause after a failure. */
  #wait: AbortController | undefined;
  readonly #closing = new AbortController();

  constructor(parts: IndexBuilderParts) {
    this.#parts = parts;
  }

  /** Looks for work: at the start, and after each change of the schema. */
  look(): void {
    this.#isAsked = true;
    this.#wait?.abort();
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // Somebody asked after it had looked for the last time.
      if (this.#isAsked && !this.#isClosed) this.look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  async #work(): Promise<void> {
    let delay = INDEX_ROOM_RETRY_MS;
    while (this.#isAsked && !this.#isClosed) {
      this.#isAsked = false;
      try {
        await this.#workOnAll();
        delay = INDEX_ROOM_RETRY_MS;
      } catch (error) {
        this.#parts.onFailure(error);
        // What is left would else lie there until somebody changes the schema.
        await this.#untilAsked(delay);
        delay = Math.min(2 * delay, INDEX_RETRY_MS_MAX);
        this.#isAsked = true;
      }
    }
  }

  async #workOnAll(): Promise<void> {
    const { reader } = this.#parts;
    reader.refresh();
    for (const number of reader.indexesBeingRemoved()) await this.#clear(number);
    for (const index of reader.indexes()) if (!index.isReady) await this.#build(index);
  }

  async #untilAsked(ms: number): Promise<void> {
    if (this.#isAsked) return;
    this.#wait = new AbortController();
    await this.#parts.pause(ms, AbortSignal.any([this.#closing.signal, this.#wait.signal]));
    this.#wait = undefined;
  }

  async #build(index: IndexState): Promise<void> {
    const { reader, jobs } = this.#parts;
    const name = `${index.type} (${index.fields.join(', ')})`;
    const job = jobs.start({
      kind: 'schema-index',
      step: `Building the index of ${name}`,
      isCancellable: true,
    });
    const total = Math.max(1, reader.countOfType(index.type));
    try {
      const offenders = await this.#buildAll(index, job, total);
      if (this.#isClosed) return;
      // A message has no room for all of them.
      for (const uid of offenders) job.log(`Another node has a value of ${uid}.`);
      if (offenders.length > 0) throw notUnique(name, offenders);
      const isReady = reader.indexes().some((one) => one.number === index.number && one.isReady);
      // Somebody may have removed it meanwhile.
      job.end(isReady ? 'succeeded' : 'cancelled');
    } catch (error) {
      const { aborted } = job.signal;
      try {
        // What cannot get ready would cost every write, and answer nothing.
        await this.#step({ remove: index.number });
        this.#isAsked = true;
      } finally {
        job.end(aborted ? 'cancelled' : 'failed', aborted ? undefined : error);
      }
    }
  }

  /** Up to `INDEX_OFFENDERS_MAX` nodes that keep a unique index from being built. */
  async #buildAll(index: IndexState, job: RunningJob, total: number): Promise<readonly string[]> {
    const offenders: string[] = [];
    const sent: Promise<IndexProgress>[] = [];
    let after: string | undefined;
    let count = 0;
    const send = (): void => {
      const build = index.number;
      const step = this.#step(after === undefined ? { build } : { build, after }, job);
      step.catch(() => undefined);
      sent.push(step);
    };
    // The first comes alone: the index may be built already, along with another. So do the last:
    // an index is counted in the end, without what is on its way.
    const maySendAnother = (): boolean =>
      after === undefined &&
      sent.length < INDEX_BUILD_STEPS &&
      count > 0 &&
      count + (sent.length + 2) * INDEX_BUILD_NODES <= total;
    try {
      while (!this.#isClosed && offenders.length < INDEX_OFFENDERS_MAX) {
        job.signal.throwIfAborted();
        if (sent.length === 0) send();
        while (maySendAnother()) send();
        const progress = await must(sent.shift(), 'a step on its way');
        count += progress.count;
        offenders.push(...progress.offenders);
        // From the first one on nothing is kept of how far it is: see `IndexWork`. The steps that
        // were sent after this one have met the same offenders.
        if (offenders.length > 0) {
          after = progress.cursor;
          await Promise.allSettled(sent.splice(0));
        }
        const step = `${index.type} (${index.fields.join(', ')}): ${count} of ${total} nodes`;
        job.report({ progress: count / total, step });
        if (progress.isDone) break;
      }
    } finally {
      await Promise.allSettled(sent);
    }
    return offenders.slice(0, INDEX_OFFENDERS_MAX);
  }

  async #clear(number: number): Promise<void> {
    while (!this.#isClosed) {
      const { isDone } = await this.#step({ clear: number });
      if (isDone) return;
    }
  }

  /** One commit. It is tried again until there is room, or the job is cancelled. */
  async #step(indexWork: IndexWork, job?: RunningJob): Promise<IndexProgress> {
    const request = { operations: [], system: true, indexWork };
    const { signal } = this.#closing;
    while (!this.#isClosed) {
      job?.signal.throwIfAborted();
      try {
        const { indexes } = await this.#parts.commits.commit(request);
        this.#parts.reader.refresh();
        return indexes ?? DONE;
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'storage_full') throw error;
        job?.report({ step: 'Waiting: there is no room on the disk' });
        const ending = job === undefined ? signal : AbortSignal.any([signal, job.signal]);
        await this.#parts.pause(INDEX_ROOM_RETRY_MS, ending);
      }
    }
    return DONE;
  }
}

const DONE: IndexProgress = { count: 0, isDone: true, offenders: [] };

function notUnique(name: string, offenders: readonly string[]): Problem {
  return new Problem(
    'not_unique',
    `Values of ${name} occur more than once, such as in the nodes ${offenders.join(', ')}`,
    {
      hint: 'Change or delete these nodes, then add the index again.',
      details: { uids: offenders },
    },
  );
}
