import {
  LOG_LEVELS,
  LOG_ORIGINS,
  type LogLevel,
  type LogOrigin,
} from '@trellis/contract/log-levels.ts';
import type { LogFilter, LogRecord } from '@trellis/contract/shapes/log.ts';
import { Problem } from '#base/problem.ts';

/** The part of a line that is read without parsing all of it. */
type LineHead = Pick<LogRecord, 'level' | 'at'>;

/** The beginning of every line of the logger. */
const HEAD = new RegExp(`^\\{"level":"(${LOG_LEVELS.join('|')})","time":"([^"]{1,40})"`);

/** Undefined for a line that the logger did not write. */
export function headOf(line: string): LineHead | undefined {
  const [, level, at] = HEAD.exec(line) ?? [];
  return level === undefined || at === undefined ? undefined : { level: level as LogLevel, at };
}

/** Undefined for a line that is no record, such as one that the end of a process has cut. */
export function recordOf(line: string): LogRecord | undefined {
  const head = headOf(line);
  const members = head && membersOf(line);
  if (head === undefined || members === undefined) return undefined;
  const { level: _level, time: _time, msg, origin, ...fields } = members;
  const message = typeof msg === 'string' ? msg : '';
  return { ...head, origin: originOf(origin), message, fields };
}

function membersOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return Object(JSON.parse(line)) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** What the server says of itself needs no name. */
function originOf(value: unknown): LogOrigin {
  return LOG_ORIGINS.find((origin) => origin === value) ?? 'server';
}

type LineTest = (line: string) => boolean;

/** A filter of lines by their text. The query is escaped as it is in a line. */
export function lineMatcher(filter: LogFilter): LineTest {
  // Cheap ones first.
  const tests = [...headTests(filter), ...textTests(filter), ...memberTests(filter)];
  return (line) => tests.every((test) => test(line));
}

function headTests({ level, from, to }: LogFilter): LineTest[] {
  if (level === undefined && from === undefined && to === undefined) return [];
  const least = level === undefined ? -1 : LOG_LEVELS.indexOf(level);
  const { fromMs = -Infinity, toMs = Infinity } = timesOf({ from, to });
  return [
    (line) => {
      const head = headOf(line);
      if (head === undefined || LOG_LEVELS.indexOf(head.level) < least) return false;
      const atMs = Date.parse(head.at);
      return atMs >= fromMs && atMs < toMs;
    },
  ];
}

function textTests({ query }: LogFilter): LineTest[] {
  if (query === undefined || query === '') return [];
  const wanted = JSON.stringify(query).slice(1, -1).toLowerCase();
  return [(line) => line.toLowerCase().includes(wanted)];
}

/** Few lines have the text of such a member; of these it is looked whether it is theirs. */
function memberTests({ origin, endpoint, job, traceId }: LogFilter): LineTest[] {
  const tests: LineTest[] = [];
  if (endpoint?.endsWith('/') === true) {
    const isBelow = (value: unknown) => typeof value === 'string' && value.startsWith(endpoint);
    tests.push(memberTest('endpoint', JSON.stringify(endpoint).slice(0, -1), isBelow));
  }
  const exact = { endpoint: endpoint?.endsWith('/') === true ? undefined : endpoint, job, traceId };
  for (const [name, wanted] of Object.entries(exact)) {
    if (wanted === undefined) continue;
    tests.push(memberTest(name, JSON.stringify(wanted), (value) => value === wanted));
  }
  if (origin === 'server') {
    tests.push((line) => !line.includes('"origin":') || recordOf(line)?.origin === origin);
  } else if (origin !== undefined) {
    tests.push(memberTest('origin', JSON.stringify(origin), (value) => value === origin));
  }
  return tests;
}

function memberTest(name: string, json: string, fits: (value: unknown) => boolean): LineTest {
  const text = `"${name}":${json}`;
  return (line) => line.includes(text) && fits(membersOf(line)?.[name]);
}

/** Milliseconds since the Unix epoch. Throws `invalid_request` where the one is after the other. */
export function timesOf({ from, to }: Pick<LogFilter, 'from' | 'to'>) {
  const [fromMs, toMs] = [from, to].map((time) => (time === undefined ? time : Date.parse(time)));
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) {
    const message = 'must be later than "from"';
    throw new Problem('invalid_request', `the query, to: ${message}`, {
      details: { fields: [{ path: 'to', message }] },
    });
  }
  return { fromMs, toMs };
}
