import { type AuditAction, type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { TASK_NEXT_RUNS, TASKS_MAX } from '#base/limits.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { SERVER } from '#jobs/job-viewer.ts';
import type { JobWithLog } from '@trellis/contract/shapes/job.ts';
import type { Page } from '@trellis/contract/shapes/list.ts';
import type { NewTask, Task, TaskChange } from '@trellis/contract/shapes/task.ts';
import { type CodeTask, planCodeTasks } from './code-tasks.ts';
import { Schedule } from './schedule.ts';
import type { TaskRunStore } from './task-run-store.ts';
import type { TaskRunner } from './task-runner.ts';
import type { TaskScheduler } from './task-scheduler.ts';
import { TASK_TYPE, taskFields, TaskStore } from './task-store.ts';
import type {
  RunnableTask,
  ScheduledEndpoint,
  StoredTask,
  TaskEndpoints,
  TaskSettings,
} from './task.ts';

export interface TaskServiceParts extends TaskRules {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly clock: Clock;
  readonly jobs: JobRegistry;
  readonly store: TaskStore;
  readonly runs: Pick<TaskRunStore, 'list' | 'last' | 'removals' | 'forget'>;
  readonly runner: TaskRunner;
  readonly scheduler: Pick<TaskScheduler, 'look'>;
  /** False in a preview, where only people run tasks. */
  readonly runsByItself: boolean;
  /** Told of a line in code that no task can be made of. */
  readonly onFault: (error: unknown) => void;
}

interface Timetable {
  readonly description: string;
  /** ISO 8601 UTC, as are the next; null and none when it does not run by itself. */
  readonly nextRunAt: string | null;
  readonly nextRunAts: readonly string[];
}

const USUAL: Omit<TaskSettings, 'cron'> = {
  timeZone: 'UTC',
  endpoint: null,
  builtIn: null,
  body: null,
  actingUser: null,
  enabled: true,
  whenMissed: 'run',
};

/** The tasks that administrators make: what the server runs by itself, and when. */
export class TaskService {
  readonly #parts: TaskServiceParts;
  readonly #changes = new OneAtATime();

  constructor(parts: TaskServiceParts) {
    this.#parts = parts;
  }

  list(_caller: Caller, { skip, take }: Page) {
    const all = this.#parts.store.all();
    const items = all.slice(skip, skip + take).map((task) => this.#shown(task));
    return { items, total: all.length, skip, take };
  }

  builtIns(_caller: Caller): { readonly items: Pick<RunnableTask, 'name' | 'description'>[] } {
    const items = this.#parts.builtIns.map(({ name, description }) => ({ name, description }));
    return { items: items.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  /** Throws `invalid_schedule`. */
  check(
    _caller: Caller,
    wanted: { readonly cron: string; readonly timeZone?: string | undefined },
  ) {
    const schedule = Schedule.parse(wanted.cron, wanted.timeZone ?? USUAL.timeZone);
    const { cron, timeZone } = schedule;
    return { cron, timeZone, ...this.#timetable(schedule) };
  }

  /** By its name, or its UID. Throws `task_not_found`, as do those that follow. */
  get(_caller: Caller, name: string): Task {
    return this.#shown(this.#require(name));
  }

  /** Rejects with `task_exists`, `too_many_tasks`, and as `put` does. */
  create(caller: Caller, { name, ...given }: NewTask, address: string): Promise<Task> {
    return this.#changes.run(async () => {
      const { store } = this.#parts;
      if (store.find(name) !== undefined) {
        throw new Problem('task_exists', `There is a task "${name}" already`);
      }
      if (store.all().length >= TASKS_MAX) {
        throw new Problem('too_many_tasks', `There are ${TASKS_MAX} tasks already`);
      }
      const settings = settled(caller, { ...USUAL, cron: given.cron }, given, this.#parts);
      return this.#write(name, settings, undefined, { caller, address, action: 'task.created' });
    });
  }

  /**
   * Rejects with `invalid_schedule`, `invalid_request`, `endpoint_not_found`, `user_not_found`,
   * `forbidden`, `task_in_code`, `version_conflict`.
   */
  put(caller: Caller, name: string, change: TaskChange, address: string): Promise<Task> {
    return this.#changes.run(async () => {
      const before = this.#require(name);
      const settings = settled(caller, before, change, this.#parts);
      refuseOtherThanCode(before, settings);
      const by = { caller, address, action: 'task.changed' } as const;
      return this.#write(before.name, settings, before, by);
    });
  }

  setEnabled(caller: Caller, name: string, enabled: boolean, address: string): Promise<Task> {
    return this.#changes.run(async () => {
      const before = this.#require(name);
      if (before.enabled === enabled) return this.#shown(before);
      const by = { caller, address, action: 'task.changed' } as const;
      return this.#write(before.name, { ...before, enabled }, before, by);
    });
  }

  /** Rejects with `task_in_code`, `task_running`, `version_conflict`. */
  delete(caller: Caller, given: string, address: string): Promise<void> {
    return this.#changes.run(async () => {
      const { audit, runs, runner, scheduler } = this.#parts;
      const { name, nodeVersion, isInCode, endpoint } = this.#require(given);
      if (isInCode) throw inCode(name, endpoint);
      runner.requireIdle(name);
      const event = deed('task.deleted', { caller, address }, { kind: 'task', id: name });
      await commitAndRead(
        [
          { op: 'delete', type: TASK_TYPE, key: name, ifVersion: nodeVersion },
          ...runs.removals(name),
          audit.operation(event),
        ],
        this.#parts,
      );
      runs.forget(name);
      await scheduler.look();
    });
  }

  /** Resolves with the job when the run has begun. Rejects with `task_running`. */
  async run(caller: Caller, given: string, address: string): Promise<JobWithLog> {
    const { runner, audit, jobs } = this.#parts;
    const task = this.#require(given);
    const id = await runner.start(task, { trigger: 'manual', dueAt: null });
    audit.record(deed('task.run', { caller, address }, { kind: 'task', id: task.name }));
    return jobs.get(SERVER, id);
  }

  runs(_caller: Caller, name: string, page: Page) {
    return this.#parts.runs.list(this.#require(name).name, page);
  }

  /**
   * Makes, changes and removes tasks, so that they are as the code of all endpoints says. A run
   * that is under way goes on.
   */
  followCode(endpoints: readonly ScheduledEndpoint[]): Promise<void> {
    return this.#changes.run(async () => {
      const { runs, scheduler, store, onFault } = this.#parts;
      const tasks = store.all();
      const { wanted, unwanted } = planCodeTasks(endpoints.map(this.#readable), tasks);
      let room = TASKS_MAX - tasks.length + unwanted.length;
      const made = wanted.filter(({ before, endpoint }) => {
        if (before !== undefined || room-- > 0) return true;
        const why = `There are ${TASKS_MAX} tasks already: none is made for "${endpoint}"`;
        onFault(new Problem('too_many_tasks', why));
        return false;
      });
      const operations: WriterOperation[] = made.flatMap((task) => this.#ofCode(task));
      for (const { name } of unwanted) {
        operations.push({ op: 'delete', type: TASK_TYPE, key: name }, ...runs.removals(name));
      }
      if (operations.length === 0) return;
      await commitAndRead(operations, this.#parts);
      for (const { name } of unwanted) runs.forget(name);
      await scheduler.look();
    });
  }

  /** Without the lines that this server cannot read, such as one with an unknown time zone. */
  readonly #readable = ({ name, crons }: ScheduledEndpoint): ScheduledEndpoint => ({
    name,
    crons: crons.flatMap((times) => {
      try {
        const { cron, timeZone } = Schedule.parse(times.cron, times.timeZone);
        return [{ cron, timeZone }];
      } catch (error) {
        const what = `the endpoint "${name}" has a schedule that cannot be read`;
        this.#parts.onFault(new Error(what, { cause: error }));
        return [];
      }
    }),
  });

  /** What writes a task of code, unless it is as it should be. */
  #ofCode({ name, endpoint, cron, timeZone, before }: CodeTask): WriterOperation[] {
    if (before?.cron === cron && before.timeZone === timeZone) return [];
    const settings = { ...(before ?? USUAL), cron, timeZone, endpoint, isInCode: true };
    const timestamp = this.#parts.clock.now();
    const fields = taskFields(settings, timestamp);
    return [{ op: 'addOrUpdate', type: TASK_TYPE, key: name, fields, timestamp }];
  }

  /** The same, as a part of a larger commit with these endpoints. */
  over({ reader, commits, afterwards }: Staging, endpoints: TaskRules['endpoints']): TaskService {
    const { runs, scheduler } = this.#parts;
    return new TaskService({
      ...this.#parts,
      reader,
      commits,
      endpoints,
      store: new TaskStore(reader),
      runs: {
        list: (name, page) => runs.list(name, page),
        last: (name) => runs.last(name),
        removals: (name) => runs.removals(name),
        forget: (name) => afterwards(() => runs.forget(name)),
      },
      scheduler: { look: async () => afterwards(() => scheduler.look()) },
    });
  }

  #require(name: string): StoredTask {
    const { store } = this.#parts;
    const task = store.find(name) ?? store.all().find(({ UID }) => UID === name);
    if (task !== undefined) return task;
    throw new Problem('task_not_found', `There is no task "${name}"`);
  }

  async #write(
    name: string,
    settings: TaskSettings,
    before: StoredTask | undefined,
    by: { readonly caller: Caller; readonly address: string; readonly action: AuditAction },
  ): Promise<Task> {
    const { audit, clock, scheduler, store } = this.#parts;
    const { caller, address, action } = by;
    const { cron, timeZone, endpoint, builtIn, actingUser, enabled, whenMissed } = settings;
    const details = { cron, timeZone, endpoint, builtIn, actingUser, enabled, whenMissed };
    const isInCode = before?.isInCode ?? false;
    const isAsBefore =
      before?.enabled === enabled && before.cron === cron && before.timeZone === timeZone;
    const scheduledAt = isAsBefore ? before.scheduledAt : clock.now();
    await commitAndRead(
      [
        {
          op: 'addOrUpdate',
          type: TASK_TYPE,
          key: name,
          fields: taskFields({ ...settings, isInCode }, scheduledAt),
          timestamp: clock.now(),
          ifVersion: before?.nodeVersion ?? 0,
        },
        audit.operation(deed(action, { caller, address }, { kind: 'task', id: name }, details)),
      ],
      this.#parts,
    );
    await scheduler.look();
    return this.#shown(must(store.find(name), 'the task that was written'));
  }

  #shown({ nodeVersion: _version, scheduledAt: _since, ...task }: StoredTask): Task {
    const { runner, runs, runsByItself } = this.#parts;
    const schedule = Schedule.parse(task.cron, task.timeZone);
    const { description, ...next } = this.#timetable(schedule);
    return {
      ...task,
      description,
      ...(task.enabled && runsByItself ? next : { nextRunAt: null, nextRunAts: [] }),
      jobId: runner.jobOf(task.name),
      lastRun: runs.last(task.name) ?? null,
    };
  }

  #timetable(schedule: Schedule): Timetable {
    const times = schedule.nextTimes(this.#parts.clock.now(), TASK_NEXT_RUNS);
    const nextRunAts = times.map((time) => new Date(time).toISOString());
    return { description: schedule.description, nextRunAt: nextRunAts[0] ?? null, nextRunAts };
  }
}

/** What settings are held against. */
interface TaskRules {
  readonly endpoints: Pick<TaskEndpoints, 'access'>;
  readonly builtIns: readonly RunnableTask[];
  /** The system, or a user; undefined for one who is not there, or not active. */
  readonly callerFor: (actingUser: string | null) => Caller | undefined;
}

/**
 * Settings with a change laid over. Who names an endpoint takes the task away from what is built
 * in, and the other way round. Throws `invalid_schedule`, `invalid_request`, `endpoint_not_found`,
 * `user_not_found`, `forbidden`.
 */
function settled(
  caller: Caller,
  before: TaskSettings,
  change: TaskChange,
  rules: TaskRules,
): TaskSettings {
  const { cron, timeZone } = Schedule.parse(
    change.cron ?? before.cron,
    change.timeZone ?? before.timeZone,
  );
  const settings: TaskSettings = {
    cron,
    timeZone,
    ...targetOf(before, change),
    body: change.body === undefined ? before.body : change.body,
    actingUser: change.actingUser === undefined ? before.actingUser : change.actingUser,
    enabled: change.enabled ?? before.enabled,
    whenMissed: change.whenMissed ?? before.whenMissed,
  };
  checkTarget(settings, rules);
  checkRights(caller, before, settings, rules);
  return settings;
}

function targetOf(
  before: TaskSettings,
  { endpoint, builtIn }: TaskChange,
): Pick<TaskSettings, 'endpoint' | 'builtIn'> {
  const namesEndpoint = typeof endpoint === 'string';
  const namesBuiltIn = typeof builtIn === 'string';
  return {
    endpoint: endpoint === undefined ? (namesBuiltIn ? null : before.endpoint) : endpoint,
    builtIn: builtIn === undefined ? (namesEndpoint ? null : before.builtIn) : builtIn,
  };
}

function checkTarget(settings: TaskSettings, { endpoints, builtIns }: TaskRules): void {
  const { endpoint, builtIn, body, actingUser } = settings;
  if ((endpoint === null) === (builtIn === null)) {
    throw invalid('endpoint', 'a task runs either an endpoint or what is built in');
  }
  if (endpoint !== null && endpoints.access(endpoint) === undefined) throw notFound(endpoint);
  if (builtIn === null) return;
  if (!builtIns.some(({ name }) => name === builtIn)) {
    const known = builtIns.map(({ name }) => name).join(', ');
    throw invalid('builtIn', `"${builtIn}" is not built in: there are ${known}`);
  }
  if (body !== null) throw invalid('body', 'only endpoints take a body');
  if (actingUser !== null) throw invalid('actingUser', 'only endpoints run as a user');
}

/**
 * A token that manages tasks is nobody's session: it lends nobody's rights, and has nothing run
 * that only administrators may call. What an administrator has set of these stays.
 */
function checkRights(
  caller: Caller,
  before: TaskSettings,
  { actingUser, endpoint, body }: TaskSettings,
  { callerFor, endpoints }: TaskRules,
): void {
  if (
    actingUser !== null &&
    actingUser !== before.actingUser &&
    callerFor(actingUser) === undefined
  )
    throw new Problem('user_not_found', `There is no active user ${actingUser}`);
  if (caller.kind === 'session') return;
  const isAsBefore =
    endpoint === before.endpoint && JSON.stringify(body) === JSON.stringify(before.body);
  const isBold =
    (actingUser !== null && (actingUser !== before.actingUser || !isAsBefore)) ||
    (endpoint !== null && !isAsBefore && endpoints.access(endpoint) === 'admins') ||
    (actingUser === null && before.actingUser !== null);
  if (!isBold) return;
  // That there is one for administrators a task that runs it tells, and nothing else does.
  if (endpoint !== null && endpoint !== before.endpoint && endpoints.access(endpoint) === 'admins')
    throw notFound(endpoint);
  throw new Problem(
    'forbidden',
    'With a token, a task cannot run as a user, or run an endpoint for administrators',
    { details: { role: 'admin-write' } },
  );
}

/** Of a task in code, code alone decides but for these two. Throws `task_in_code`. */
function refuseOtherThanCode(before: StoredTask, settings: TaskSettings): void {
  if (!before.isInCode) return;
  const { enabled, whenMissed } = settings;
  const allowed: TaskSettings = { ...before, enabled, whenMissed };
  const names = Object.keys(settings) as (keyof TaskSettings)[];
  if (names.every((name) => settings[name] === allowed[name])) return;
  throw inCode(before.name, before.endpoint);
}

function inCode(task: string, endpoint: string | null): Problem {
  return new Problem(
    'task_in_code',
    `The task "${task}" belongs to the code of the endpoint "${endpoint ?? ''}"`,
    { details: { endpoint } },
  );
}

function notFound(endpoint: string): Problem {
  return new Problem('endpoint_not_found', `There is no endpoint "${endpoint}"`);
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `The task's ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
