import type { Task } from '@trellis/contract/shapes/task.ts';

/** A task as its form has it; nothing is blank text. */
export interface TaskValues {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly runs: 'endpoint' | 'built-in';
  readonly endpoint: string;
  readonly builtIn: string;
  /** UID. */
  readonly actingUser: string;
  /** JSON text. */
  readonly body: string;
  readonly whenMissed: 'run' | 'skip';
}

export function valuesOf(task: Task | undefined): TaskValues {
  return {
    name: task?.name ?? '',
    cron: task?.cron ?? '0 3 * * *',
    timeZone: task?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    runs: typeof task?.builtIn === 'string' ? 'built-in' : 'endpoint',
    endpoint: task?.endpoint ?? '',
    builtIn: task?.builtIn ?? '',
    actingUser: task?.actingUser ?? '',
    body: task === undefined || task.body === null ? '' : JSON.stringify(task.body, null, 2),
    whenMissed: task?.whenMissed ?? 'run',
  };
}

export function settingsOf({ cron, timeZone, runs, whenMissed, ...rest }: TaskValues) {
  const common = { cron, timeZone, whenMissed };
  if (runs === 'built-in') {
    const { builtIn } = rest;
    return { ...common, endpoint: null, builtIn, body: null, actingUser: null };
  }
  const body: unknown = rest.body.trim() === '' ? null : JSON.parse(rest.body);
  const actingUser = rest.actingUser === '' ? null : rest.actingUser;
  return { ...common, endpoint: rest.endpoint, builtIn: null, body, actingUser };
}

/** What is wrong with the text of a body; true when nothing is. */
export function isJson(text: string): true | string {
  try {
    if (text.trim() !== '') JSON.parse(text);
    return true;
  } catch {
    return 'Enter JSON, or nothing.';
  }
}
