import { Cron } from 'croner';
import cronstrue from 'cronstrue';
import { Problem } from '#base/problem.ts';
import { TASK_CRON_CHARACTERS_MAX } from '@trellis/contract/limits.ts';

const FIELDS = ['minute', 'hour', 'day of the month', 'month', 'day of the week'];
const NICKNAMES = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
/**
 * What a field of the standard may have, with L, W and # for the days of months; anything else has
 * another meaning elsewhere.
 */
const FIELD = /^[0-9A-Za-z*,/#-]+$/;

/**
 * A cron expression in a time zone. Where clocks change, croner does as cron does: what is due at
 * an hour that is left out runs as soon as it is over, what is due at a fixed time in an hour that
 * comes twice runs once, and what is due every so often runs in both.
 */
export class Schedule {
  /** With one blank between fields. */
  readonly cron: string;
  readonly timeZone: string;
  readonly #cron: Cron;

  private constructor(cron: string, timeZone: string, parsed: Cron) {
    this.cron = cron;
    this.timeZone = timeZone;
    this.#cron = parsed;
  }

  /** Throws `invalid_schedule`, which says which field is wrong; also for what never comes. */
  static parse(text: string, timeZone: string): Schedule {
    const cron = text.trim().replaceAll(/\s+/g, ' ');
    checkTimeZone(timeZone);
    const fault = faultOf(cron, timeZone);
    if (fault !== undefined) throw invalid('cron', `"${text}": ${fault}`);
    const schedule = new Schedule(cron, timeZone, calendarOf(cron, timeZone));
    if (schedule.next(0) === undefined) throw invalid('cron', `"${text}": such a day never comes`);
    return schedule;
  }

  /** What is wrong with it, in words; undefined when nothing is. */
  static faultOf(cron: string, timeZone: string): string | undefined {
    try {
      Schedule.parse(cron, timeZone);
      return undefined;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return error.message;
    }
  }

  /** In words, such as "At 02:30, Monday through Friday". */
  get description(): string {
    return cronstrue.toString(this.cron, {
      use24HourTimeFormat: true,
      throwExceptionOnParseError: false,
    });
  }

  /** The first time after this one; undefined when there is none any more. */
  next(afterMs: number): number | undefined {
    return this.#cron.nextRun(new Date(afterMs))?.getTime();
  }

  /** The same for several. */
  nextTimes(afterMs: number, count: number): number[] {
    return this.#cron.nextRuns(count, new Date(afterMs)).map((date) => date.getTime());
  }
}

/** Without a function to call, it only tells the times. */
function calendarOf(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, mode: '5-or-6-parts' });
}

/** What is wrong with it; undefined when nothing is. */
function faultOf(cron: string, timeZone: string): string | undefined {
  if (cron.length > TASK_CRON_CHARACTERS_MAX) {
    return `is longer than ${TASK_CRON_CHARACTERS_MAX} characters`;
  }
  if (cron.startsWith('@')) {
    return NICKNAMES.includes(cron.toLowerCase())
      ? undefined
      : `is none of ${NICKNAMES.join(', ')}`;
  }
  const fields = cron.split(' ');
  if (fields.length !== 5 && fields.length !== 6) {
    return `has ${cron === '' ? 0 : fields.length} fields; it takes five (${FIELDS.join(', ')}), or six, with the second before them`;
  }
  const names = fields.length === 5 ? FIELDS : ['second', ...FIELDS];
  for (const [at, field] of fields.entries()) {
    const fault = FIELD.test(field)
      ? faultAt(fields, at, timeZone)
      : 'has characters of no such field';
    if (fault !== undefined) return `the field ${at + 1} (${names[at]}), "${field}", ${fault}`;
  }
  return undefined;
}

/** Tried by itself, so that the field is known that is wrong. */
function faultAt(fields: readonly string[], at: number, timeZone: string): string | undefined {
  try {
    calendarOf(fields.map((field, i) => (i === at ? field : '*')).join(' '), timeZone);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `is not valid: ${message.replace(/^CronPattern: /, '')}`;
  }
}

function checkTimeZone(timeZone: string): void {
  try {
    void new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw invalid('timeZone', `"${timeZone}" is no time zone`);
  }
}

function invalid(path: 'cron' | 'timeZone', message: string): Problem {
  return new Problem('invalid_schedule', message, { details: { fields: [{ path, message }] } });
}
