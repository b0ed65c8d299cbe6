import type { NewTask } from '@trellis/contract/shapes/task.ts';
import { ADMINISTRATOR } from '#access/testing/administrator.ts';
import { auditInMemory } from '#access/testing/audit-in-memory.ts';
import { openTestGraph, type TestGraph } from '#graph/testing/test-graph.ts';
import { JobRegistry } from '#jobs/job-registry.ts';
import { TaskRunner } from '../task-runner.ts';
import { TaskRunStore } from '../task-run-store.ts';
import { TaskScheduler } from '../task-scheduler.ts';
import { TaskService } from '../task-service.ts';
import { TaskStore } from '../task-store.ts';
import type { EndpointTask } from '../task.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const ALL = { skip: 0, take: 1_000 };
/** The one user there is beside the administrator. */
export const BOB = '1111111111111111111112';
export const HOURLY = { name: 'hourly', cron: '0 * * * *', endpoint: 'work' };

/**
 * A graph with tasks that call an endpoint "work", and one for administrators, "admins"; time
 * passes when it is told to.
 */
export class TaskScene implements AsyncDisposable {
  readonly graph: TestGraph;
  /** Calls of endpoints. */
  readonly calls: EndpointTask[] = [];
  readonly faults: unknown[] = [];
  /** What an endpoint does. */
  work: (task: EndpointTask) => Promise<unknown> = async () => 'done';
  #opened: AsyncDisposable[] = [];

  private constructor(graph: TestGraph) {
    this.graph = graph;
  }

  static async start(): Promise<TaskScene> {
    const graph = await openTestGraph();
    await graph.writer.addSystemSchema();
    graph.reader.refresh();
    return new TaskScene(graph);
  }

  /** The primary stops. */
  async stop(): Promise<void> {
    for (const one of this.#opened.splice(0)) await one[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.graph[Symbol.asyncDispose]();
  }

  /** A primary begins; the one before is gone. */
  open() {
    const { reader, writer: commits, clock } = this.graph;
    const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]');
    const jobs = new JobRegistry({ clock, store: undefined, redact });
    const onFault = (error: unknown): void => void this.faults.push(error);
    const store = new TaskStore(reader);
    const runs = new TaskRunStore(reader, commits);
    const common = { reader, commits, clock, jobs, store, runs, onFault, ...this.#rules() };
    const runnable = (name: string) => common.builtIns.find((one) => one.name === name);
    const runner = new TaskRunner({ ...common, runnable, redact });
    let alarm = { at: NaN, ring: (): void => {} };
    const scheduler = new TaskScheduler({
      ...common,
      runner,
      alarm: (afterMs, ring) => {
        alarm = { at: clock.time + afterMs, ring };
        return { [Symbol.dispose]: () => (alarm = { at: NaN, ring: () => {} }) };
      },
    });
    this.#opened.push(scheduler, runner);
    const tasks = new TaskService({
      ...common,
      runner,
      scheduler,
      runsByItself: true,
      audit: auditInMemory(),
    });
    return {
      tasks,
      jobs,
      runner,
      create: (task: NewTask) => tasks.create(ADMINISTRATOR, task, ''),
      async start() {
        await runner.endInterrupted();
        await scheduler.start();
      },
      /** The alarm rings as often as it is set. */
      async pass(ms: number) {
        const end = clock.time + ms;
        while (alarm.at <= end) {
          clock.time = Math.max(clock.time, alarm.at);
          alarm.ring();
          await scheduler.look();
        }
        clock.time = end;
      },
      log: (name: string) => tasks.runs(ADMINISTRATOR, name, ALL).items,
      alarmMs: () => alarm.at - clock.time,
    };
  }

  #rules() {
    const access = new Map([
      ['work', 'users'],
      ['admins', 'admins'],
    ] as const);
    return {
      endpoints: {
        access: (name: string) => access.get(name as 'work'),
        run: async (task: EndpointTask) => {
          this.calls.push(task);
          return this.work(task);
        },
      },
      builtIns: [{ name: 'tidy', description: 'Tidies.', run: async () => ({ tidied: 2 }) }],
      callerFor: (user: string | null) => {
        if (user === null) return ADMINISTRATOR;
        return user === BOB ? { ...ADMINISTRATOR, userUid: BOB } : undefined;
      },
    };
  }
}
