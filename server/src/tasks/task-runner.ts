import type { TaskRun } from '@trellis/contract/shapes/task.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import {
  TASK_LOG_CHARACTERS_MAX,
  TASK_LOG_LINES_MAX,
  TASK_RESULT_CHARACTERS_MAX,
} from '#base/limits.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { JobRegistry, RunningJob } from '#jobs/job-registry.ts';
import { errorCodeOf } from '@trellis/contract/errors.ts';
import type { TaskRunStore } from './task-run-store.ts';
import type {
  RunnableTask,
  StoredTask,
  TaskEndpoints,
  TaskError,
  TaskTrigger,
  TaskWork,
} from './task.ts';

export interface TaskRunnerParts {
  readonly runs: TaskRunStore;
  readonly jobs: JobRegistry;
  readonly clock: Clock;
  readonly endpoints: TaskEndpoints;
  /** What a task runs that runs no endpoint, by its name. */
  readonly runnable: (name: string) => RunnableTask | undefined;
  /**
   * The system, or a user as their record is now; undefined for one who is not there, or not
   * active.
   */
  readonly callerFor: (actingUser: string | null) => Caller | undefined;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
  /** Told of what could not be written. */
  readonly onFault: (error: unknown) => void;
}

/** Why a task runs. */
export interface TaskOccasion {
  readonly trigger: TaskTrigger;
  /** In milliseconds since the Unix epoch; null when somebody asks for it. */
  readonly dueAt: number | null;
}

interface RunUnderWay {
  readonly job: RunningJob;
  /** Aborts with the job, and when the server stops. */
  readonly stop: AbortController;
  /** The newest that was skipped meanwhile. */
  skipped: TaskRun | undefined;
  /** Never rejects. */
  ended: Promise<void>;
}

/**
 * Runs tasks: each run is a job, and one of a task is under way at a time. What is due meanwhile is
 * skipped, and its log says so. When the server stops, runs are told to, and are found interrupted
 * at the next start.
 */
export class TaskRunner implements AsyncDisposable {
  readonly #parts: TaskRunnerParts;
  /** By name. */
  readonly #running = new Map<string, RunUnderWay>();
  #isClosed = false;

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts;
  }

  /** What was under way when the server ended is over. */
  async endInterrupted(): Promise<void> {
    const { runs } = this.#parts;
    const { code, message } = new Problem(
      'task_interrupted',
      'The server stopped before the run ended.',
    );
    const error = { code, message };
    for (const run of runs.underWay()) {
      await runs.change({ ...run, state: 'interrupted', endedAt: this.#now(), error });
    }
  }

  /** Job of the run that is under way. */
  jobOf(task: string): string | null {
    return this.#running.get(task)?.job.id ?? null;
  }

  /** Throws `task_running`. */
  requireIdle(task: string): void {
    const jobId = this.jobOf(task);
    if (jobId === null) return;
    throw new Problem('task_running', `The task "${task}" is running`, { details: { jobId } });
  }

  /**
   * Resolves with the id of the job once the run has begun; it goes on. Rejects with
   * `task_running`.
   */
  async start(task: StoredTask, occasion: TaskOccasion): Promise<string> {
    this.requireIdle(task.name);
    const { jobs, runs } = this.#parts;
    const what = task.endpoint ?? (task.title === undefined ? task.builtIn : 'the connector');
    const step = `${titleOf(task)}: Runs ${what ?? ''}`;
    const job = jobs.start({ kind: 'task', step, isCancellable: true });
    const run = this.#newRun(task, job.id, occasion);
    const stop = new AbortController();
    const under: RunUnderWay = { job, stop, skipped: undefined, ended: Promise.resolve() };
    const abort = (): void => stop.abort(job.signal.reason);
    job.signal.addEventListener('abort', abort, { once: true });
    this.#running.set(task.name, under);
    try {
      await runs.add(run);
    } catch (error) {
      this.#running.delete(task.name);
      job.end('failed', error);
      throw error;
    }
    under.ended = this.#run(task, run, under).catch(this.#parts.onFault);
    return job.id;
  }

  /** Says that it did not run when it was due: in one entry, as long as nothing else happens. */
  async skip(task: StoredTask, dueAt: number, why: string): Promise<void> {
    const { runs } = this.#parts;
    const under = this.#running.get(task.name);
    const before = under?.skipped;
    const { code, message } = new Problem('task_skipped', why);
    const error = { code, message };
    if (before !== undefined && under !== undefined) {
      under.skipped = { ...before, times: before.times + 1, endedAt: this.#now() };
      return;
    }
    const occasion: TaskOccasion = { trigger: 'schedule', dueAt };
    const id = formatUid(randomUid());
    const endedAt = this.#now();
    const run = { ...this.#newRun(task, id, occasion), state: 'skipped', endedAt, error } as const;
    if (under !== undefined) under.skipped = run;
    await runs.add(run);
  }

  /** Resolves when the runs that are under way have ended. */
  async idle(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#running.values()) stop.abort(new Error('the server stops'));
    await this.idle();
  }

  async #run(task: StoredTask, begun: TaskRun, under: RunUnderWay): Promise<void> {
    const { runs } = this.#parts;
    const { job, stop } = under;
    const log: { at: string; text: string }[] = [];
    const work: TaskWork = {
      signal: stop.signal,
      log: (text) => {
        log.push({ at: this.#now(), text: this.#text(text, TASK_LOG_CHARACTERS_MAX) });
        if (log.length > TASK_LOG_LINES_MAX) log.shift();
        job.log(text);
      },
      progress: (fraction, step) =>
        job.report({
          ...(fraction === null ? {} : { progress: fraction }),
          ...(step === null ? {} : { step: `${titleOf(task)}: ${step}` }),
        }),
    };
    const outcome = await this.#outcome(task, work);
    // After its end a job is as it was found at the next start, and so is its run.
    if (this.#isClosed) return;
    const { skipped } = under;
    const end: TaskRun = { ...begun, ...outcome, endedAt: this.#now(), log };
    try {
      await runs.change(end);
      if (skipped !== undefined && skipped.times > 1) await runs.change(skipped);
    } finally {
      this.#running.delete(task.name);
      if (end.state === 'failed') job.end('failed', problemOf(end.error));
      else job.end(end.state === 'cancelled' ? 'cancelled' : 'succeeded');
    }
  }

  async #outcome(
    task: StoredTask,
    work: TaskWork,
  ): Promise<Pick<TaskRun, 'state' | 'result' | 'error'>> {
    try {
      const result = await this.#work(task, work);
      const text = result === undefined ? undefined : JSON.stringify(result);
      const kept = text === undefined ? null : this.#text(text, TASK_RESULT_CHARACTERS_MAX);
      return { state: 'succeeded', result: kept, error: null };
    } catch (error) {
      if (work.signal.aborted) return { state: 'cancelled', result: null, error: null };
      return { state: 'failed', result: null, error: this.#errorOf(error) };
    }
  }

  async #work(task: StoredTask, work: TaskWork): Promise<unknown> {
    const { endpoints, runnable, callerFor } = this.#parts;
    if (task.endpoint === null) {
      const builtIn = must(task.builtIn, 'what a task runs');
      return must(runnable(builtIn), 'the built-in of a task').run(work);
    }
    const caller = callerFor(task.actingUser);
    if (caller === undefined) {
      throw new Problem(
        'user_deactivated',
        'The user as whom the task runs is not active any more',
      );
    }
    const body = task.body === null ? null : JSON.stringify(task.body);
    return endpoints.run({ ...work, endpoint: task.endpoint, caller, body });
  }

  #newRun(task: StoredTask, id: string, { trigger, dueAt }: TaskOccasion): TaskRun {
    return {
      id,
      task: task.name,
      state: 'running',
      trigger,
      dueAt: dueAt === null ? null : new Date(dueAt).toISOString(),
      startedAt: this.#now(),
      endedAt: null,
      result: null,
      error: null,
      log: [],
      times: 1,
    };
  }

  #errorOf(error: unknown): TaskError {
    const code = error instanceof Problem ? error.code : 'internal_error';
    if (!(error instanceof Problem)) this.#parts.onFault(error);
    const message = error instanceof Error ? error.message : String(error);
    return { code, message: this.#text(message, TASK_LOG_CHARACTERS_MAX) };
  }

  #text(text: string, charactersMax: number): string {
    const redacted = this.#parts.redact(text);
    if (redacted.length <= charactersMax) return redacted;
    return `${redacted.slice(0, charactersMax)}...`;
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

function titleOf({ title, name }: StoredTask): string {
  return title ?? name;
}

function problemOf(error: TaskError | null): Problem {
  const { code, message } = must(error, 'the error of what failed');
  return new Problem(errorCodeOf(code, 'internal_error'), message);
}
