import type { Config, Secrets } from '#config/config.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import type { LogHistory } from '#observe/logs/log-history.ts';

export interface WorkspaceOptions {
  /** Absolute: the working directory changes at the start. */
  readonly storage: string;
  /** Absolute; relative paths in the configuration begin here. */
  readonly startFolder: string;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly logger: Logger;
  /**
   * Logs what happens on the channel to replicas, into files of its own (specification, section
   * 2.9).
   */
  readonly replicationLogger: Logger;
  /** The records of both logs. */
  readonly logs: LogHistory;
  /** Whether the log files, if there are any, take what is logged. */
  readonly areLogsWritten: () => boolean;
  /** Undefined unless it was asked for. */
  readonly telemetry: Telemetry | undefined;
  /** Takes the secrets out of JSON text, as out of the log. */
  readonly redact: (json: string) => string;
}

/**
 * Everything that runs in one process. Disposing stops it in the order in which it depends on one
 * another.
 */
export interface Workspace extends AsyncDisposable {
  readonly url: string;
  readonly role: 'primary' | 'replica';
  /** Names this process: new at every start. */
  readonly uid: string;
  /** Resolves with the error that makes going on impossible. */
  readonly crashed: Promise<Error>;
  /** Does what is needed before the server can answer; from then on it does. */
  makeReady(): Promise<void>;
}
