import { TASK_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { ScheduledEndpoint, StoredTask, TaskSettings } from './task.ts';

type Times = Pick<TaskSettings, 'cron' | 'timeZone'>;

/** A task that a line in the code of an endpoint asks for. */
export interface CodeTask extends Times {
  readonly name: string;
  readonly endpoint: string;
  /** The task that is there already. */
  readonly before: StoredTask | undefined;
}

export interface CodeTaskPlan {
  readonly wanted: readonly CodeTask[];
  /** Tasks whose lines are gone. */
  readonly unwanted: readonly StoredTask[];
}

/**
 * What becomes of the tasks that are in the code of endpoints, so that they are as the code says.
 * A line that stays keeps its task, with its log and whether it is enabled. A line that changes
 * gets a task of the same endpoint whose line is gone.
 */
export function planCodeTasks(
  endpoints: readonly ScheduledEndpoint[],
  tasks: readonly StoredTask[],
): CodeTaskPlan {
  const names = new Set(tasks.map(({ name }) => name));
  const free = new Set(tasks.filter(({ isInCode }) => isInCode));
  const take = (fits: (task: StoredTask) => boolean): StoredTask | undefined => {
    const found = [...free].find(fits);
    if (found !== undefined) free.delete(found);
    return found;
  };
  const wanted: CodeTask[] = [];
  for (const { name: endpoint, crons } of endpoints) {
    const isOwn = (task: StoredTask): boolean => task.endpoint === endpoint;
    const rest: Times[] = [];
    for (const times of distinct(crons)) {
      const before = take((task) => isOwn(task) && isSame(task, times));
      if (before === undefined) rest.push(times);
      else wanted.push({ ...times, endpoint, name: before.name, before });
    }
    for (const times of rest) {
      const before = take(isOwn);
      const name = before?.name ?? freeName(endpoint, names);
      names.add(name);
      wanted.push({ ...times, endpoint, name, before });
    }
  }
  return { wanted, unwanted: [...free] };
}

function distinct(crons: readonly Times[]): Times[] {
  return crons.filter((times, at) => crons.findIndex((each) => isSame(each, times)) === at);
}

function isSame(a: Times, b: Times): boolean {
  return a.cron === b.cron && a.timeZone === b.timeZone;
}

/** The path of the endpoint with dots, as a task has one segment; numbered where it is taken. */
function freeName(endpoint: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const room = TASK_NAME_CHARACTERS_MAX - suffix.length;
    const base = endpoint.replaceAll('/', '.').slice(0, room).replace(/\.+$/, '');
    const name = base + suffix;
    if (!taken.has(name)) return name;
  }
}
