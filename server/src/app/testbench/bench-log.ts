import type { RuntimeLogger } from '#runtime/runtime-logger.ts';
import type { TestLogLine } from '@trellis/endpoint/testing.ts';

/**
 * Keeps the lines of endpoints. What the server says of a failed run has a `kind`, and shows in the
 * error of the run.
 */
export class BenchLog implements RuntimeLogger {
  readonly lines: TestLogLine[] = [];

  debug(fields: object, message: string): void {
    this.#add('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#add('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#add('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#add('error', fields, message);
  }

  #add(level: TestLogLine['level'], fields: object, message: string): void {
    if ('kind' in fields || !('endpoint' in fields)) return;
    const data = 'data' in fields ? { data: fields.data } : {};
    this.lines.push({ level, endpoint: String(fields.endpoint), message, ...data });
  }
}
