import { must } from '#base/assert.ts';
import type { NodeWrite } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { StoredTask, TaskSettings } from './task.ts';

/** The node type in which tasks are stored: see `#graph/system-schema.ts`. */
export const TASK_TYPE = '_Task';

/** Reads the tasks that there are. */
export class TaskStore {
  readonly #reader: GraphReader;

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  find(name: string): StoredTask | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: TASK_TYPE, key: name });
    return id === undefined ? undefined : this.#read(id);
  }

  /** By name. */
  all(): StoredTask[] {
    this.#reader.refresh();
    return [...this.#reader.idsOfType(TASK_TYPE)]
      .map((id) => this.#read(id))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  #read(id: number): StoredTask {
    const node = must(this.#reader.node(id), 'the node of a task');
    return {
      UID: node.UID,
      name: String(node.Id),
      cron: String(node['Cron']),
      timeZone: String(node['TimeZone']),
      endpoint: textOrNull(node['Endpoint']),
      builtIn: textOrNull(node['BuiltIn']),
      body: node['Body'] ?? null,
      actingUser: textOrNull(node['ActingUser']),
      enabled: node['Enabled'] === true,
      whenMissed: node['WhenMissed'] === 'skip' ? 'skip' : 'run',
      isInCode: node['IsInCode'] === true,
      updatedAt: node.Timestamp,
      scheduledAt: String(node['ScheduledAt'] ?? node.Timestamp),
      nodeVersion: must(this.#reader.version(id), 'the version of a node'),
    };
  }
}

/**
 * The way there: nothing else writes these nodes. `scheduledAt` is in milliseconds since the Unix
 * epoch.
 */
export function taskFields(
  task: TaskSettings & Pick<StoredTask, 'isInCode'>,
  scheduledAt: number | string,
): NonNullable<NodeWrite['fields']> {
  return {
    Cron: task.cron,
    TimeZone: task.timeZone,
    Endpoint: task.endpoint,
    BuiltIn: task.builtIn,
    Body: task.body as NonNullable<NodeWrite['fields']>[string],
    ActingUser: task.actingUser,
    Enabled: task.enabled,
    WhenMissed: task.whenMissed,
    IsInCode: task.isInCode,
    ScheduledAt: new Date(scheduledAt).toISOString(),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
