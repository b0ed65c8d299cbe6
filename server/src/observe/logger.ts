import { mkdirSync } from 'node:fs';
import { type DestinationStream, type Logger, multistream, pino, type StreamEntry } from 'pino';
import type { LogOrigin } from '@trellis/contract/log-levels.ts';
import type { Clock } from '#base/clock.ts';
import { DailyFile } from './daily-file.ts';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  /** `MSK_LOG_PATH`: the folder for one log file a day. It is made when it does not exist. */
  readonly folder: string | null;
  /** The beginning of the file names: `<name>-2026-11-20.log`. */
  readonly name: string;
  /** Whose records these are; those of the server itself when left out. */
  readonly origin?: LogOrigin | undefined;
  /** Values that never appear in a line, whatever was logged. */
  readonly secrets: readonly string[];
  readonly clock: Clock;
  /** Gets every line too, without secrets. */
  readonly history?: DestinationStream;
  /** Gets every line too. The stderr of the process, unless a test gives its own. */
  readonly stderr?: DestinationStream;
}

export interface Log {
  readonly logger: Logger;
  /** False when there is a log file that cannot be written. */
  readonly isWritten: () => boolean;
  /** Writes out what is buffered and closes the files. */
  close(): Promise<void>;
}

/**
 * Opens the log: JSON lines (`level` as a word, `time` as ISO 8601 UTC, `msg`) to stderr and, with
 * a folder, to files. Throws when the folder cannot be made.
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
      base: options.origin === undefined ? null : { origin: options.origin },
      timestamp: () => `,"time":"${new Date(options.clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: createRedactor(options.secrets) },
    },
    multistream(streams),
  );
  return { logger, isWritten: () => file?.isWritten ?? true, close: async () => file?.close() };
}

const CENSOR = '[redacted]';

/**
 * Shorter values are not hidden: they are no real secrets, and ordinary words contain them.
 */
const SECRET_CHARACTERS_MIN = 6;

/** A member of a JSON object whose name says that its value is secret. */
const SECRET_MEMBER =
  /"([^"\\]*(?:password|secret|token|authorization|cookie|api_?key))":"(?:[^"\\]|\\.)*"/gi;
/** A JSON Web Token, wherever it stands: header and claims of one always begin with `{"`. */
const JSON_WEB_TOKEN = /\beyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/g;

/**
 * Replaces in a line of JSON the given secrets, members with the name of a secret, and every token.
 */
export function createRedactor(secrets: readonly string[]): (line: string) => string {
  const values = secrets
    .filter((secret) => secret.length >= SECRET_CHARACTERS_MIN)
    // As they would stand inside a JSON string.
    .map((secret) => JSON.stringify(secret).slice(1, -1));
  return (line) => {
    let out = line;
    for (const value of values) out = out.replaceAll(value, CENSOR);
    return out.replaceAll(SECRET_MEMBER, `"$1":"${CENSOR}"`).replaceAll(JSON_WEB_TOKEN, CENSOR);
  };
}
