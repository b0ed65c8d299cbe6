import { mkdirSync } from 'node:fs';
import { multistream, pino, type DestinationStream, type Logger, type StreamEntry } from 'pino';
import type { Clock } from '#base/clock.ts';
import { DailyFile } from './daily-file.ts';
import { createRedactor } from './redaction.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** `MSK_LOG_PATH`: a file a day is written there too; made when missing. */
  readonly folder: string | null;
  /** Begins the names of the files: `<name>-2026-11-20.log`. */
  readonly name: string;
  /** Values that never appear in a line, whatever was logged. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** Is given every line as well, without its secrets. */
  readonly history?: DestinationStream;
  /** Where lines go besides the files; the process's stderr unless a test listens. */
  readonly stderr?: DestinationStream;
}

export interface Log {
  readonly logger: Logger;
  /** Whether the files, if there are any, take what is logged. */
  readonly isWritten: () => boolean;
  /** Writes out what is buffered and closes the files. */
  close(): Promise<void>;
}

/**
 * Opens the log: JSON lines (`level` as a word, `time` as ISO 8601 UTC, `msg`) to stderr and, with a folder, to files.
 * Throws when the folder cannot be made.
 */
export function openLog(options: LogOptions): Log {
  // Written at once: the last lines before a crash are the ones that matter.
  const stderr = options.stderr ?? pino.destination({ fd: 2, sync: true });
  const streams: StreamEntry[] = [{ level: 'trace', stream: stderr }];
  if (options.history !== undefined) streams.push({ level: 'trace', stream: options.history });
  let file: DailyFile | undefined;
  if (options.folder !== null) {
    mkdirSync(options.folder, { recursive: true });
    file = new DailyFile(options.folder, options.name, options.clock, (error) => {
      logger.error({ err: error }, 'the log file cannot be written');
    });
    streams.push({ level: 'trace', stream: file });
  }
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"time":"${new Date(options.clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: createRedactor(options.secrets) },
    },
    multistream(streams),
  );
  return { logger, isWritten: () => file?.isWritten ?? true, close: async () => file?.close() };
}
