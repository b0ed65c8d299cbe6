import type { Alarm, Clock } from '#base/clock.ts';
import { TASK_LOOK_INTERVAL_MAX_MS } from '#base/limits.ts';
import { Schedule } from './schedule.ts';
import type { TaskRunStore } from './task-run-store.ts';
import type { TaskRunner } from './task-runner.ts';
import type { TaskStore } from './task-store.ts';
import type { StoredTask } from './task.ts';

export interface TaskSchedulerParts {
  readonly store: Pick<TaskStore, 'all'>;
  readonly runs: Pick<TaskRunStore, 'last'>;
  readonly runner: TaskRunner;
  readonly clock: Clock;
  readonly alarm: Alarm;
  /** Told of a run that could not begin. */
  readonly onFault: (error: unknown) => void;
}

interface Due {
  /** Another one when the schedule changes. */
  readonly identity: string;
  /**
   * Undefined where this version of the server, or the time zones of this machine, do not know it.
   */
  readonly schedule: Schedule | undefined;
  /** Undefined when it never comes again. */
  nextAt: number | undefined;
}

/**
 * Begins the runs of tasks when they are due. It looks at the clock itself, so that a clock that is
 * set, and a machine that slept, make up at most one run of each task.
 */
export class TaskScheduler implements AsyncDisposable {
  readonly #parts: TaskSchedulerParts;
  /** By name. */
  readonly #due = new Map<string, Due>();
  #ringing: Disposable | undefined;
  #isClosed = false;
  /** The last look; one follows the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(parts: TaskSchedulerParts) {
    this.#parts = parts;
  }

  /**
   * A primary calls it once: runs missed while the server was down are made up for, or are
   * recorded as skipped.
   */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      for (const task of this.#enabled()) await this.#makeUp(task);
      await this.#look();
    });
  }

  /** To be called when tasks have changed. Resolves when what is due has begun. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#look());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#ringing?.[Symbol.dispose]();
    await this.#last;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = async (): Promise<void> => {
      if (this.#isClosed) return;
      try {
        await work();
      } catch (error) {
        this.#parts.onFault(error);
      } finally {
        this.#setAlarm();
      }
    };
    this.#last = this.#last.then(turn);
    return this.#last;
  }

  #enabled(): StoredTask[] {
    return this.#parts.store.all().filter(({ enabled }) => enabled);
  }

  async #makeUp(task: StoredTask): Promise<void> {
    const { runs, runner, clock } = this.#parts;
    const { schedule } = this.#dueOf(task);
    const last = runs.last(task.name);
    const since = Math.max(
      Date.parse(task.scheduledAt),
      ...[last?.startedAt, last?.endedAt].map((time) => Date.parse(time ?? '') || 0),
    );
    const missedAt = schedule?.next(since);
    if (missedAt === undefined || missedAt > clock.now()) return;
    if (task.whenMissed === 'run') await this.#begin(task, missedAt, 'missed');
    else await runner.skip(task, missedAt, 'The server was not running when it was due.');
  }

  async #look(): Promise<void> {
    const { clock, runner } = this.#parts;
    const tasks = this.#enabled();
    const names = new Set(tasks.map(({ name }) => name));
    for (const name of this.#due.keys()) if (!names.has(name)) this.#due.delete(name);
    for (const task of tasks) {
      const due = this.#dueOf(task);
      const now = clock.now();
      if (due.nextAt === undefined || due.nextAt > now) continue;
      const dueAt = due.nextAt;
      due.nextAt = due.schedule?.next(now);
      if (runner.jobOf(task.name) === null) await this.#begin(task, dueAt, 'schedule');
      else await runner.skip(task, dueAt, 'The run before it was still under way.');
    }
  }

  async #begin(task: StoredTask, dueAt: number, trigger: 'schedule' | 'missed'): Promise<void> {
    try {
      await this.#parts.runner.start(task, { trigger, dueAt });
    } catch (error) {
      this.#parts.onFault(error);
    }
  }

  #dueOf(task: StoredTask): Due {
    const identity = `${task.scheduledAt} ${task.timeZone} ${task.cron}`;
    const known = this.#due.get(task.name);
    if (known?.identity === identity) return known;
    const schedule = this.#scheduleOf(task);
    const due = { identity, schedule, nextAt: schedule?.next(this.#parts.clock.now()) };
    this.#due.set(task.name, due);
    return due;
  }

  #scheduleOf({ name, cron, timeZone }: StoredTask): Schedule | undefined {
    try {
      return Schedule.parse(cron, timeZone);
    } catch (error) {
      this.#parts.onFault(new Error(`the task "${name}" has no schedule`, { cause: error }));
      return undefined;
    }
  }

  #setAlarm(): void {
    const { clock, alarm } = this.#parts;
    this.#ringing?.[Symbol.dispose]();
    this.#ringing = undefined;
    if (this.#isClosed) return;
    const times = [...this.#due.values()].map(({ nextAt }) => nextAt ?? Infinity);
    const afterMs = Math.min(...times) - clock.now();
    this.#ringing = alarm(
      Math.min(Math.max(afterMs, 0), TASK_LOOK_INTERVAL_MAX_MS),
      () => void this.look(),
    );
  }
}
