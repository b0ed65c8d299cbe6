import { must } from '#base/assert.ts';
import type { NodeWrite, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { StoredTask } from '#tasks/task.ts';
import type { ConnectorSettings, StoredConnector } from './connector.ts';
import type { ConnectorSecrets } from './connector-secrets.ts';

/** The node type in which they are stored: see `#graph/system-schema.ts`. */
const CONNECTOR_TYPE = '_Connector';

/** Reads the connectors that there are. */
export class ConnectorStore {
  readonly #reader: GraphReader;
  readonly #secrets: Pick<ConnectorSecrets, 'has'>;

  constructor(reader: GraphReader, secrets: Pick<ConnectorSecrets, 'has'>) {
    this.#reader = reader;
    this.#secrets = secrets;
  }

  find(key: string): StoredConnector | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ type: CONNECTOR_TYPE, key });
    return id === undefined ? undefined : this.#read(id);
  }

  /** By name. */
  all(): StoredConnector[] {
    this.#reader.refresh();
    return this.#reader
      .idsOfType(CONNECTOR_TYPE)
      .map((id) => this.#read(id))
      .toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
  }

  #read(id: number): StoredConnector {
    const node = must(this.#reader.node(id), 'the node of a connector');
    const settings = node['Settings'] as StoredSettings;
    const key = String(node.Id);
    return {
      ...settings,
      needsSecret: settings.needsSecret ?? this.#secrets.has(key),
      id: key,
      createdAt: String(node['CreatedAt']),
      createdBy: typeof node['CreatedBy'] === 'string' ? node['CreatedBy'] : null,
      updatedAt: node.Timestamp,
      nodeVersion: must(this.#reader.version(id), 'the version of a node'),
    };
  }
}

/** Those of older versions do not say whether there is a secret. */
type StoredSettings = Omit<ConnectorSettings, 'needsSecret'> &
  Partial<Pick<ConnectorSettings, 'needsSecret'>>;

/** The way there: nothing else writes these nodes. Refused when somebody else has meanwhile. */
export function writeConnector(connector: StoredConnector): WriterOperation {
  const { id: key, createdAt, createdBy, updatedAt: timestamp } = connector;
  const { name, source, schedule, enabled, scheduledAt, memory, needsSecret } = connector;
  const settings = { name, source, schedule, enabled, scheduledAt, memory, needsSecret };
  const fields: NonNullable<NodeWrite['fields']> = {
    Name: name,
    Settings: JSON.parse(JSON.stringify(settings)) as Record<string, never>,
    CreatedAt: createdAt,
    CreatedBy: createdBy,
  };
  const { nodeVersion: ifVersion } = connector;
  return { op: 'addOrUpdate', type: CONNECTOR_TYPE, key, timestamp, fields, ifVersion };
}

export function deleteConnector({ id: key, nodeVersion }: StoredConnector): WriterOperation {
  return { op: 'delete', type: CONNECTOR_TYPE, key, ifVersion: nodeVersion };
}

/** As the runner of tasks knows it: under a name that no task of an administrator can have. */
export function taskOf(connector: StoredConnector): StoredTask {
  const { id, name, schedule, enabled, updatedAt, scheduledAt } = connector;
  return {
    UID: id,
    name: taskName(id),
    title: name,
    cron: schedule?.cron ?? '',
    timeZone: schedule?.timeZone ?? 'UTC',
    endpoint: null,
    builtIn: taskName(id),
    body: null,
    actingUser: null,
    enabled: enabled && schedule !== null,
    whenMissed: 'run',
    updatedAt,
    isInCode: false,
    scheduledAt,
    nodeVersion: 0,
  };
}

const TASK_PREFIX = '_connector-';

export function taskName(id: string): string {
  return TASK_PREFIX + id;
}

/** Id of the connector that a task runs; undefined for any other task. */
export function connectorOfTask(name: string): string | undefined {
  return name.startsWith(TASK_PREFIX) ? name.slice(TASK_PREFIX.length) : undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
