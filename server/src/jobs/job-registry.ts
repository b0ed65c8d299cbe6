import type { Job, JobKind, JobState, JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { LogOrigin } from '@trellis/contract/log-levels.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { JOB_STORED_AFTER_MS, JOBS_KEPT } from '#base/limits.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { hasEnded, JobRecord, type JobNews, type JobReport, type JobStore } from './job-record.ts';
import { type JobViewer, mayCancel, mayRead, refusal } from './job-viewer.ts';

export interface JobRegistryParts {
  readonly clock: Clock;
  /** Undefined where nothing can be written: on a replica. */
  readonly store: JobStore | undefined;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  readonly storedAfterMs?: number;
  /** Told what the jobs tell, under their ids; nothing when left out. */
  readonly logger?: JobLogger;
}

/** The part of the server's logger that jobs use; pino's fits. */
interface JobLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface NewJob {
  readonly kind: JobKind;
  /** What is done first. */
  readonly step: string;
  /** Whether it ends when its signal is aborted. */
  readonly isCancellable?: boolean;
  /**
   * UID of the user whose job it is, and who may look at it and cancel it as administrators may.
   */
  readonly owner?: string;
  /**
   * It waits for its turn, and is kept from now on: whoever asked for it is told when it never
   * comes.
   */
  readonly isQueued?: boolean;
}

/** A job as whoever does the work sees it. */
export interface RunningJob {
  readonly id: string;
  /** Aborted when somebody wants it to end; only of one that is cancellable. */
  readonly signal: AbortSignal;
  /** The turn of one that was queued has come. */
  begin(step: string): void;
  report(report: JobReport): void;
  log(text: string): void;
  /** The first end counts. */
  end(state: 'succeeded' | 'failed' | 'cancelled', error?: unknown): void;
}

/**
 * The long pieces of work of this server, newest first (open-shapes, section 8). What has lasted
 * for a while is kept over a restart, and so is what has gone wrong: work that is done in no time
 * leaves no trace in the commit log. The last JOBS_KEPT that have ended are there.
 */
export class JobRegistry implements Disposable {
  readonly #parts: JobRegistryParts;
  readonly #jobs: JobRecord[];
  readonly #stored = new Set<JobRecord>();
  readonly #timers = new Map<JobRecord, NodeJS.Timeout>();
  /** Ids of jobs that are to go from the storage with the next commit. */
  #removed: string[] = [];
  #listener: (job: Job, owner: string | undefined) => void = () => {};
  #isClosed = false;

  /** What was running when it was stored is interrupted: nobody does it any more. */
  constructor(parts: JobRegistryParts) {
    this.#parts = parts;
    const stored = parts.store?.load() ?? [];
    const recordParts = this.#recordParts();
    this.#jobs = stored.map((one) => new JobRecord(one, recordParts));
    for (const record of this.#jobs) this.#stored.add(record);
    const undone = this.#jobs.filter(({ job }) => !hasEnded(job));
    for (const record of undone) record.end('interrupted');
  }

  /** Told of every change from now on, often; with the UID of the user whose job it is. */
  onChange(listener: (job: Job, owner: string | undefined) => void): void {
    this.#listener = listener;
  }

  start({ kind, step, owner, isCancellable = false, isQueued = false }: NewJob): RunningJob {
    const id = formatUid(randomUid());
    const startedAt = new Date(this.#parts.clock.now()).toISOString();
    const state = isQueued ? 'queued' : 'running';
    const job: Job = {
      id,
      kind,
      state,
      progress: 0,
      step,
      isCancellable,
      startedAt,
      endedAt: null,
    };
    const owned = owner === undefined ? {} : { owner };
    const record = new JobRecord({ job, ...owned, revision: 1, lines: [] }, this.#recordParts());
    this.#jobs.unshift(record);
    this.#parts.logger?.info(logFieldsOf(job), `a job has begun: ${step}`);
    if (isQueued) this.#store(record);
    else this.#storeLater(record);
    this.#listener(job, owner);
    return {
      id,
      signal: record.signal,
      begin: (first) => record.begin(first),
      report: (report) => record.report(report),
      log: (text) => record.log(text),
      end: (how, error) => record.end(how, error),
    };
  }

  /**
   * Does work as a job, which ends as the work does: with what was thrown after a cancellation, it
   * is cancelled.
   */
  async run<T>(wanted: NewJob, work: (job: RunningJob) => Promise<T>): Promise<T> {
    const job = this.start(wanted);
    try {
      const result = await work(job);
      job.end('succeeded');
      return result;
    } catch (error) {
      if (job.signal.aborted) job.end('cancelled');
      else job.end('failed', error);
      throw error;
    }
  }

  /** Those that have not ended. */
  underWay(): Job[] {
    return this.#jobs.map(({ job }) => job).filter((job) => !hasEnded(job));
  }

  /** Those that the viewer may read. */
  list(
    viewer: JobViewer,
    query: {
      readonly state?: JobState | undefined;
      readonly kind?: JobKind | undefined;
      readonly skip: number;
      readonly take: number;
    },
  ) {
    const { state, kind, skip, take } = query;
    const all = this.#jobs
      .filter((record) => mayRead(viewer, record))
      .map(({ job }) => job)
      .filter((job) => state === undefined || job.state === state)
      .filter((job) => kind === undefined || job.kind === kind);
    return { items: all.slice(skip, skip + take), total: all.length, skip, take };
  }

  /**
   * This and the next two throw `job_not_found`, or `forbidden`, to whoever may not: see `refusal`.
   */
  get(viewer: JobViewer, id: string): JobWithLog {
    return this.#find(viewer, id).withLog();
  }

  /**
   * Takes write access of an administrator. Throws `job_ended`, `job_not_cancellable`. The job ends
   * a moment later.
   */
  cancel(viewer: JobViewer, id: string): Job {
    const record = this.#find(viewer, id, 'cancel');
    record.cancel();
    return record.job;
  }

  /**
   * What comes after a revision, the state as it is now included; until the job has ended or the
   * signal aborts.
   */
  watch(
    viewer: JobViewer,
    id: string,
    from: { readonly after: number | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<JobNews> {
    return news(this.#find(viewer, id), from);
  }

  /** From now on nothing is kept: what still runs is found interrupted after the next start. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #recordParts() {
    const { clock, redact, logger } = this.#parts;
    return {
      clock,
      redact,
      onChange: (record: JobRecord) => this.#changed(record),
      onLine: ({ job }: JobRecord, text: string) => logger?.info(logFieldsOf(job), text),
    };
  }

  #changed(record: JobRecord): void {
    if (this.#isClosed) return;
    this.#listener(record.job, record.owner);
    if (!hasEnded(record.job)) return;
    this.#tellEnd(record.job);
    clearTimeout(this.#timers.get(record));
    this.#timers.delete(record);
    this.#dropOldest();
    if (this.#stored.has(record) || record.job.state !== 'succeeded') this.#store(record);
  }

  #tellEnd(job: Job): void {
    const { kind, state, error, startedAt, endedAt } = job;
    const level = state === 'failed' || state === 'interrupted' ? 'warn' : 'info';
    const why = error === undefined ? '' : `: ${error.message}`;
    const durationMs = Date.parse(must(endedAt, 'the end of a job')) - Date.parse(startedAt);
    const fields = { ...logFieldsOf(job), state, durationMs, code: error?.code };
    this.#parts.logger?.[level](
      fields,
      `a job has ended: ${state}, ${kind} after ${durationMs} ms${why}`,
    );
  }

  #storeLater(record: JobRecord): void {
    const { storedAfterMs = JOB_STORED_AFTER_MS } = this.#parts;
    const timer = setTimeout(() => this.#store(record), storedAfterMs).unref();
    this.#timers.set(record, timer);
  }

  #store(record: JobRecord): void {
    this.#stored.add(record);
    void this.#parts.store?.save(record.stored(), this.#removed.splice(0));
  }

  #dropOldest(): void {
    const ended = this.#jobs.filter(({ job }) => hasEnded(job));
    for (const record of ended.slice(JOBS_KEPT)) {
      this.#jobs.splice(this.#jobs.indexOf(record), 1);
      if (this.#stored.delete(record)) this.#removed.push(record.job.id);
    }
  }

  #find(viewer: JobViewer, id: string, wanted: 'read' | 'cancel' = 'read'): JobRecord {
    const found = this.#jobs.find(({ job }) => job.id === id);
    const may = wanted === 'read' ? mayRead : mayCancel;
    if (found !== undefined && may(viewer, found)) return found;
    throw refusal(viewer, id, wanted);
  }
}

function logFieldsOf({ id, kind }: Job) {
  return { origin: 'job' satisfies LogOrigin, job: id, kind };
}

async function* news(
  record: JobRecord,
  { after = 0, signal }: { readonly after: number | undefined; readonly signal: AbortSignal },
): AsyncGenerator<JobNews> {
  let seen = after;
  while (!signal.aborted) {
    const found = record.newsAfter(seen);
    if (found !== undefined) {
      seen = found.revision;
      yield found;
    } else if (hasEnded(record.job)) return;
    else await record.untilChanged(signal);
  }
}
