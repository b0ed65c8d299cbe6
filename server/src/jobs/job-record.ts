import type { Job, JobLine, JobState, JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { Clock } from '#base/clock.ts';
import { JOB_LOG_LINES_MAX, JOB_TEXT_CHARACTERS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

/** What is reported of a job that goes on; what is left out stays as it is. */
export interface JobReport {
  /** From 0 to 1. Less than before counts for nothing. */
  readonly progress?: number;
  readonly step?: string;
  /** Null when it waits no more. */
  readonly waitingFor?: string | null;
}

/** What a watcher has not seen yet. */
export interface JobNews {
  readonly job: Job;
  readonly lines: StoredJob['lines'];
  readonly revision: number;
}

export interface JobRecordParts {
  readonly clock: Clock;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Told of every change. */
  readonly onChange: (record: JobRecord) => void;
  /** Told the lines of its log. */
  readonly onLine: (record: JobRecord, text: string) => void;
}

/** One job and its log. Nothing changes once it has ended. */
export class JobRecord {
  readonly #parts: JobRecordParts;
  readonly #cancelling = new AbortController();
  readonly #owner: string | undefined;
  #job: Job;
  #revision: number;
  #lines: StoredJob['lines'];
  readonly #waiting = new Set<() => void>();

  constructor({ job, owner, revision, lines }: StoredJob, parts: JobRecordParts) {
    this.#job = job;
    this.#owner = owner;
    this.#revision = revision;
    this.#lines = lines;
    this.#parts = parts;
  }

  get job(): Job {
    return this.#job;
  }

  /** Aborted when somebody wants it to end. */
  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }

  /** UID of the user whose job it is. */
  get owner(): string | undefined {
    return this.#owner;
  }

  stored(): StoredJob {
    const owned = this.#owner === undefined ? {} : { owner: this.#owner };
    return { job: this.#job, ...owned, revision: this.#revision, lines: this.#lines };
  }

  withLog(): JobWithLog {
    return { ...this.#job, log: this.#lines.map(({ at, text }) => ({ at, text })) };
  }

  /** It has waited for its turn. */
  begin(step: string): void {
    const { waitingFor: _waitingFor, ...rest } = this.#job;
    this.#change({ ...rest, state: 'running', step: this.#text(step) });
  }

  report({ progress = 0, step, waitingFor }: JobReport): void {
    const before = this.#job;
    const { waitingFor: waited, ...rest } = before;
    const waits = waitingFor === undefined ? waited : (waitingFor ?? undefined);
    this.#change({
      ...rest,
      progress: Math.max(before.progress, Math.min(1, progress)),
      step: step === undefined ? before.step : this.#text(step),
      ...(waits === undefined ? {} : { waitingFor: this.#text(waits) }),
    });
  }

  log(text: string): void {
    if (hasEnded(this.#job)) return;
    const line = { at: this.#now(), text: this.#text(text), revision: this.#revision + 1 };
    this.#lines = [...this.#lines, line].slice(-JOB_LOG_LINES_MAX);
    this.#parts.onLine(this, line.text);
    this.#changed();
  }

  /** Asks the work to end. Throws `job_ended`, `job_not_cancellable`. */
  cancel(): void {
    const { id, state, isCancellable } = this.#job;
    if (hasEnded(this.#job)) {
      throw new Problem('job_ended', `The job ${id} has ended already: ${state}.`);
    }
    if (!isCancellable)
      throw new Problem('job_not_cancellable', `The job ${id} cannot be cancelled.`);
    this.#cancelling.abort(new Problem('job_cancelled', 'The job was cancelled.'));
  }

  /** An error that is no problem is told by its message: only administrators see it. */
  end(state: Exclude<JobState, 'queued' | 'running'>, error?: unknown): void {
    const { waitingFor: _waitingFor, ...rest } = this.#job;
    this.#change({
      ...rest,
      state,
      progress: state === 'succeeded' ? 1 : rest.progress,
      endedAt: this.#now(),
      ...(error === undefined ? {} : { error: this.#errorOf(error) }),
    });
  }

  /**
   * What is new after a revision; all of it after one that never was. Undefined when nothing is.
   */
  newsAfter(revision: number): JobNews | undefined {
    if (revision === this.#revision) return undefined;
    const after = revision > this.#revision ? 0 : revision;
    const lines = this.#lines.filter((line) => line.revision > after);
    return { job: this.#job, lines, revision: this.#revision };
  }

  /** Resolves with the next change, or when the signal aborts. */
  async untilChanged(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    this.#waiting.delete(wake);
    signal.removeEventListener('abort', wake);
  }

  #change(job: Job): void {
    if (hasEnded(this.#job)) return;
    if (JSON.stringify(job) === JSON.stringify(this.#job)) return;
    this.#job = job;
    this.#changed();
  }

  #changed(): void {
    this.#revision++;
    for (const wake of this.#waiting) wake();
    this.#parts.onChange(this);
  }

  #errorOf(error: unknown): { readonly code: string; readonly message: string } {
    const code = error instanceof Problem ? error.code : 'internal_error';
    const message = error instanceof Error ? error.message : String(error);
    return { code, message: this.#text(message) };
  }

  #text(text: string): string {
    const redacted = this.#parts.redact(text);
    if (redacted.length <= JOB_TEXT_CHARACTERS_MAX) return redacted;
    return `${redacted.slice(0, JOB_TEXT_CHARACTERS_MAX)}...`;
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

/** A job as it is kept over a restart. */
export interface StoredJob {
  readonly job: Job;
  /** UID of the user whose job it is; of none when absent. */
  readonly owner?: string;
  /** Counts the changes, lines included; those of each line rise. */
  readonly revision: number;
  readonly lines: readonly (JobLine & { readonly revision: number })[];
}

export function hasEnded({ state }: Job): boolean {
  return state !== 'queued' && state !== 'running';
}

/** The node type of `#graph/system-schema.ts` in which jobs are kept. */
const JOB_TYPE = '_Job';

export interface JobStoreParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  /** Told when a job could not be kept: the work itself goes on. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Keeps jobs in the graph, so that they are there after a restart, and after a replica is promoted.
 */
export class JobStore {
  readonly #parts: JobStoreParts;

  constructor(parts: JobStoreParts) {
    this.#parts = parts;
  }

  /** Newest first. */
  load(): StoredJob[] {
    const { reader } = this.#parts;
    reader.refresh();
    return reader.idsOfType(JOB_TYPE).map((id) => reader.field(id, 'Record') as StoredJob);
  }

  /** In the order of the calls. Never rejects. */
  async save(stored: StoredJob, removed: readonly string[]): Promise<void> {
    const { commits, onFailure } = this.#parts;
    const { id, startedAt } = stored.job;
    const operations: WriterOperation[] = [
      {
        op: 'addOrUpdate',
        type: JOB_TYPE,
        key: id,
        timestamp: startedAt,
        fields: { Record: { ...stored } },
      },
      ...removed.map((key) => ({ op: 'delete', type: JOB_TYPE, key }) as const),
    ];
    try {
      await commits.commit({ system: true, operations });
    } catch (error) {
      onFailure(error);
    }
  }
}
