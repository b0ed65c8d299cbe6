import { LOG_LEVELS, type LogLevel } from '@trellis/contract/log-levels.ts';
import type { LogFilter } from '@trellis/contract/shapes/log.ts';

/** One record of the server's log. */
export interface LogRecord {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly level: LogLevel;
  readonly message: string;
  /** What was logged beside the message. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What is said of a line without taking the whole of it apart. */
export interface LineHead {
  readonly level: LogLevel;
  readonly at: string;
}

/** As the logger begins every line. */
const HEAD = /^\{"level":"(trace|debug|info|warn|error|fatal)","time":"([^"]{1,40})"/;

/** Undefined for what the logger did not write. */
export function headOf(line: string): LineHead | undefined {
  const [, level, at] = HEAD.exec(line) ?? [];
  return level === undefined || at === undefined ? undefined : { level: level as LogLevel, at };
}

/** Undefined for what is no record: a line that was cut by the end of a process. */
export function recordOf(line: string): LogRecord | undefined {
  const head = headOf(line);
  if (head === undefined) return undefined;
  try {
    const { level: _level, time: _time, msg, ...fields } = Object(JSON.parse(line));
    return { ...head, message: typeof msg === 'string' ? msg : '', fields };
  } catch {
    return undefined;
  }
}

/** Judges lines by their text: what is looked for is escaped as it would stand in one. */
export function lineMatcher({ query, level, from, to }: LogFilter): (line: string) => boolean {
  const wanted = JSON.stringify(query ?? '')
    .slice(1, -1)
    .toLowerCase();
  const least = level === undefined ? -1 : LOG_LEVELS.indexOf(level);
  const fromMs = from === undefined ? -Infinity : Date.parse(from);
  const toMs = to === undefined ? Infinity : Date.parse(to);
  const needsHead = least >= 0 || from !== undefined || to !== undefined;
  return (line) => {
    if (wanted !== '' && !line.toLowerCase().includes(wanted)) return false;
    if (!needsHead) return true;
    const head = headOf(line);
    if (head === undefined || LOG_LEVELS.indexOf(head.level) < least) return false;
    const atMs = Date.parse(head.at);
    return atMs >= fromMs && atMs < toMs;
  };
}
