import type { ToldAccessPage } from '@trellis/connector/row-access.ts';
import type { ConnectorReport } from '@trellis/connector/run-connector.ts';
import type { Connector, ConnectorSource } from '@trellis/contract/shapes/connector.ts';

/**
 * A connector brings a source of others into the workspace, as often as its schedule says. The
 * source is read in a process of its own, by the code that the SDK has for programs; here is what
 * administrators set up, and what is kept of the runs, which are runs of a task.
 */
export interface StoredConnector extends ConnectorSettings {
  readonly id: string;
  readonly createdAt: string;
  /** UID of a user; null for a token that acts as nobody. */
  readonly createdBy: string | null;
  readonly updatedAt: string;
  /** Of its node; 0 before there is one. */
  readonly nodeVersion: number;
}

export interface ConnectorSettings extends Pick<
  Connector,
  'name' | 'source' | 'schedule' | 'enabled'
> {
  /** Since when it runs by this schedule: ISO 8601 UTC. */
  readonly scheduledAt: string;
  /**
   * Counts what it has forgotten: after a rename of its node type, what it remembers would be of
   * nodes that have another name now.
   */
  readonly memory: number;
  /** Whether it does not run without a secret. */
  readonly needsSecret: boolean;
}

/** What the process is told that reads a source. */
export interface AskedSource {
  readonly source: ConnectorSource;
  readonly secret: string | null;
  readonly reach: SourceReach;
}

/** What the process that reads a source may reach. */
export interface SourceReach {
  /** Other addresses are refused, also when it is redirected there. */
  readonly origins: readonly string[];
  /** The real path of a file, or of a folder with all that is below it; null for nothing. */
  readonly disk: string | null;
}

/** The disk of the server, as much of it as connectors may read. */
export interface ReadableDisk {
  /**
   * The real path of what a `file:` URL names, which need not be there. Rejects with
   * `connector_address_not_allowed`.
   */
  placeOf(address: string): Promise<string>;
}

export interface AskedRun extends AskedSource {
  readonly connector: string;
  readonly memory: number;
  readonly isFull: boolean;
}

export interface AskedAccess {
  readonly connector: string;
  readonly memory: number;
  readonly skip: number;
  readonly take: number;
}

/**
 * Reads sources, each in a process of its own with limits of memory and time. Both reject with
 * `connector_failed` and what the workspace refuses, or with the signal's reason.
 */
export interface SourceReader {
  /** What was found. */
  test(asked: AskedSource, signal: AbortSignal): Promise<string>;
  run(asked: AskedRun, log: (text: string) => void, signal: AbortSignal): Promise<ConnectorReport>;
  /** What its runs were told of who may see what they brought. Rejects with `task_running`. */
  access(asked: AskedAccess, signal: AbortSignal): Promise<ToldAccessPage>;
  /** Removes what it remembers of the runs of a connector. */
  forget(connector: string): Promise<void>;
}
