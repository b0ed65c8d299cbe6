import type { Caller } from '#access/caller.ts';
import { timerAlarm } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { ConnectorRuns } from '#connectors/connector-runs.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { HttpServices } from '#http/services.ts';
import { findUser } from '#identity/users.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { MigrationService } from '#runtime/migrations/migration-service.ts';
import { TaskScheduler } from '#tasks/task-scheduler.ts';
import type { EndpointTask, RunnableTask, TaskEndpoints } from '#tasks/task.ts';
import { TaskRunner } from '#tasks/task-runner.ts';
import { TaskRunStore } from '#tasks/task-run-store.ts';
import { TaskService } from '#tasks/task-service.ts';
import { TaskStore } from '#tasks/task-store.ts';
import type { ChangeFeed, TriggerEndpoints } from '#tasks/triggers/trigger.ts';
import { TriggerService } from '#tasks/triggers/trigger-service.ts';
import { SERVER } from '../endpoint-files.ts';
import { type Foundation, textRedactor } from './foundation.ts';
import type { OpenBackups } from '../backup/open-backups.ts';

export interface TasksArguments {
  readonly jobs: JobRegistry;
  readonly endpoints: EndpointService;
  /** Runs beside endpoints as tasks. */
  readonly builtInTasks: readonly RunnableTask[];
  readonly goldenSets: HttpServices['goldenSets'];
  readonly changes: { readonly triggers: ChangeFeed };
  /** Connectors, which run beside the tasks that administrators make. */
  readonly work: Pick<ConnectorRuns, 'tasks' | 'find'>;
}

/**
 * What a primary does by itself. What goes wrong in it is logged, and keeps no server from
 * starting.
 */
export interface Automation {
  /** To be called before the server is ready: ends what was under way when it last stopped. */
  recover(): Promise<void>;
  /** To be called once the server is ready: until then nothing runs by itself. */
  start(): Promise<void>;
}

export interface Tasks extends AsyncDisposable {
  readonly tasks: TaskService;
  readonly triggers: TriggerService;
  readonly migrations: MigrationService;
  readonly automation: Automation;
  /** What runs tasks also runs connectors. */
  readonly parts: {
    readonly runs: TaskRunStore;
    readonly runner: TaskRunner;
    readonly scheduler: TaskScheduler;
    readonly runsByItself: boolean;
  };
}

/** Builds what the server does by itself: tasks, and migrations at its start. */
export function buildTasks(foundation: Foundation, parts: TasksArguments): Tasks {
  const { reader, commits, logger, clock, redact, preview, views } = foundation;
  const { jobs, endpoints, goldenSets, builtInTasks, changes, work } = parts;
  const onFault = (err: unknown): void =>
    logger.error({ err }, 'a task or a migration could not be run');
  const migrations = endpoints.migrations.service;
  const store = new TaskStore(reader);
  const runs = new TaskRunStore(reader, commits);
  const rules = {
    endpoints: taskEndpoints(endpoints),
    builtIns: [...builtInTasks, searchEvaluationTask(goldenSets)],
    callerFor: (actingUser: string | null) => callerFor(reader, actingUser),
  };
  const runner = new TaskRunner({
    ...rules,
    runs,
    jobs,
    clock,
    runnable: (name) => rules.builtIns.find((one) => one.name === name) ?? work.find(name),
    redact: textRedactor(redact),
    onFault,
  });
  const alarm = timerAlarm;
  const runsByItself = preview === null;
  const scheduled = runsByItself
    ? { all: () => [...store.all(), ...work.tasks()] }
    : NOTHING_SCHEDULED;
  const scheduler = new TaskScheduler({ clock, alarm, store: scheduled, runs, runner, onFault });
  const tasks = new TaskService({
    ...foundation,
    ...rules,
    jobs,
    store,
    runs,
    runner,
    scheduler,
    runsByItself,
    onFault,
  });
  const triggers = new TriggerService({
    ...foundation,
    endpoints: triggerEndpoints(endpoints),
    feed: changes.triggers,
    alarm,
    redact: textRedactor(redact),
    onChange: () => views.changed('triggers'),
    onFault: (err) => logger.error({ err }, 'a trigger could not go on as it should'),
  });
  return {
    tasks,
    triggers,
    migrations,
    parts: { runs, runner, scheduler, runsByItself },
    automation: {
      recover: async () => {
        await runner.endInterrupted().catch(onFault);
        await migrations.recover().catch(onFault);
      },
      start: async () => {
        if (runsByItself) {
          await migrations.start().catch(onFault);
          await scheduler.start();
          triggers.start();
        }
        await keepFollowingCode(endpoints, runsByItself ? [tasks, triggers] : [tasks], onFault);
      },
    },
    [Symbol.asyncDispose]: () => disposeInOrder(triggers, scheduler, runner),
  };
}

async function disposeInOrder(...parts: readonly AsyncDisposable[]): Promise<void> {
  for (const part of parts) await part[Symbol.asyncDispose]();
}

/** Has what the code of endpoints says of when they run done, now and after each change. */
async function keepFollowingCode(
  endpoints: EndpointService,
  followers: readonly Pick<TaskService | TriggerService, 'followCode'>[],
  onFault: (error: unknown) => void,
): Promise<void> {
  const followCode = async (): Promise<void> => {
    const all = endpoints.selfRunning();
    for (const one of followers) await one.followCode(all).catch(onFault);
  };
  await followCode();
  endpoints.onChange(followCode);
}

/** In a preview: its tasks are run by people alone. */
const NOTHING_SCHEDULED: Pick<TaskStore, 'all'> = { all: () => [] };

/** As endpoints are called by whoever waits for the answer. */
function taskEndpoints(endpoints: EndpointService): TaskEndpoints {
  return {
    access: (name) => endpoints.standing(name)?.access,
    run: async ({ endpoint: name, caller, body, signal, log, progress }: EndpointTask) => {
      const { status, body: answer } = await endpoints.run({
        name,
        caller,
        body,
        headers: '{}',
        authorization: undefined,
        runKey: null,
        signal,
        isAwaited: true,
        onLog: log,
        onProgress: ({ fraction, text }) => progress(fraction, text),
      });
      if (status >= 400) {
        throw new Problem('endpoint_failed', `The endpoint answers ${status}: ${answer ?? ''}`);
      }
      return answer === null ? undefined : (JSON.parse(answer) as unknown);
    },
  };
}

/** As the system, whose code it is that administrators have saved. */
function triggerEndpoints(endpoints: EndpointService): TriggerEndpoints {
  return {
    run: ({ endpoint: name, body, chain, signal }) =>
      endpoints.run({
        name,
        caller: SERVER,
        body,
        headers: '{}',
        authorization: undefined,
        runKey: null,
        signal,
        isAwaited: true,
        triggers: chain,
      }),
  };
}

/** The caller of a task has the rights that the user's record gives now. */
export function callerFor(reader: GraphReader, actingUser: string | null): Caller | undefined {
  if (actingUser === null) return SERVER;
  reader.refresh();
  const user = findUser(reader, actingUser);
  if (user?.active !== true) return undefined;
  const { uid: userUid, userName, isAdmin, isReadOnlyAdmin, isGuest, roles } = user;
  return { ...SERVER, userUid, userName, isAdmin, isReadOnlyAdmin, isGuest, roles };
}

/** A built-in task of a primary, as are those below and the one of `StorageScrub`. */
function searchEvaluationTask(goldenSets: HttpServices['goldenSets']): RunnableTask {
  return {
    name: 'search-evaluation',
    description: 'Measures, with each golden set, how good searches are.',
    run: async ({ signal, log, progress }) => {
      const { items } = await goldenSets.list(SERVER);
      const measured: unknown[] = [];
      for (const [at, { name }] of items.entries()) {
        signal.throwIfAborted();
        progress(at / items.length, name);
        const report = await goldenSets.run(SERVER, name);
        log(`${name} is measured`);
        measured.push({ name, report });
      }
      return { sets: measured };
    },
  };
}

export function replicaVerificationTask(replicas: HttpServices['replicas']): RunnableTask {
  return {
    name: 'replica-verification',
    description: 'Compares every replica with the primary; fails when one differs.',
    run: async ({ log }) => {
      const verification = await replicas.verify();
      log(`${verification.replicas.length} replicas were compared`);
      if (!verification.isEqual) {
        throw new Problem('replicas_differ', 'A replica is not equal to the primary', {
          details: { verification },
        });
      }
      return verification;
    },
  };
}

/** The job of the backup is beside that of the task; to cancel one cancels the other. */
export function backupTask(backups: Pick<OpenBackups, 'start' | 'cancel'>): RunnableTask {
  return {
    name: 'backup',
    description: 'Backs the workspace up to where MSK_GRAPH_BACKUP_FOLDER says.',
    run: async ({ signal, log }) => {
      const { job, done } = backups.start();
      const cancel = () => backups.cancel(job.id);
      signal.addEventListener('abort', cancel, { once: true });
      log(`Job ${job.id}`);
      const { id, sequence, nodes, edges, newBytes } = await done.finally(() => {
        signal.removeEventListener('abort', cancel);
      });
      return { id, sequence, nodes, edges, newBytes };
    },
  };
}
