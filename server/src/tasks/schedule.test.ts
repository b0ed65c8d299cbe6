import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '#base/problem.ts';
import { Schedule } from './schedule.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function times(cron: string, from: string, count: number, timeZone: string): string[] {
  const schedule = Schedule.parse(cron, timeZone);
  return schedule.nextTimes(Date.parse(from), count).map((time) => new Date(time).toISOString());
}

/** What the clock on the wall shows, and the day. */
function wall(time: number, timeZone: string): { day: string; minutes: number } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(time);
  const [day = '', clock = ''] = parts.split(', ');
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return { day, minutes: hours * 60 + minutes };
}

describe.each(['Europe/Berlin', 'Europe/Oslo'])('where clocks change, in %s', (timeZone) => {
  it('what is due in the hour that is left out runs as soon as it is over', () => {
    expect(times('30 2 * * *', '2026-03-27T12:00:00Z', 3, timeZone)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
  });

  it('what is due at a fixed time in the hour that comes twice runs once', () => {
    expect(times('30 2 * * *', '2026-10-23T12:00:00Z', 3, timeZone)).toEqual([
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
  });

  it('what is due every hour runs every hour', () => {
    expect(times('0 * * * *', '2026-10-24T22:30:00Z', 4, timeZone)).toEqual([
      '2026-10-24T23:00:00.000Z',
      '2026-10-25T00:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2026-10-25T02:00:00.000Z',
    ]);
  });
});

it('a daily time comes once on every day of the zone, and at that time on all but one that leaves it out', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'];
  const start = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) });
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.nat({ max: 23 }),
      fc.nat({ max: 59 }),
      start,
      (timeZone, hour, minute, from) => {
        const found = Schedule.parse(`${minute} ${hour} * * *`, timeZone).nextTimes(from, 400);
        const days = found.map((time) => wall(time, timeZone));
        expect(new Set(days.map(({ day }) => day)).size).toBe(400);
        for (const [i, time] of found.entries()) {
          const before = found[i - 1];
          if (before !== undefined) expect(Math.abs(time - before - DAY)).toBeLessThanOrEqual(HOUR);
        }
        const wanted = hour * 60 + minute;
        const others = days.filter(({ minutes }) => minutes !== wanted);
        // The hour is left out once a year.
        expect(others.length).toBeLessThanOrEqual(2);
        for (const { minutes } of others) expect(minutes - wanted).toBeLessThanOrEqual(60);
      },
    ),
    { numRuns: 40 },
  );
});

describe('what is read', () => {
  it.each([
    ['  0   3 * * *', '0 3 * * *', 'At 03:00'],
    ['*/5 9-17 * * MON-FRI', '*/5 9-17 * * MON-FRI', /^Every 5 minutes, .*Monday through Friday$/],
    ['*/10 * * * * *', '*/10 * * * * *', 'Every 10 seconds'],
    ['0 0 L * *', '0 0 L * *', /last day of the month/],
    ['@daily', '@daily', /^At 00:00/],
  ])('%s', (text, cron, description) => {
    const schedule = Schedule.parse(text, 'UTC');
    expect(schedule.cron).toBe(cron);
    expect(schedule.description).toMatch(description);
    expect(schedule.nextTimes(0, 3)).toHaveLength(3);
  });

  it.each([
    ['', /has 0 fields/],
    ['* * * *', /has 4 fields; it takes five/],
    ['* * * * * * *', /has 7 fields/],
    ['0 25 * * *', /the field 2 \(hour\), "25", .*25/],
    ['0 0 1 JANU *', /the field 4 \(month\), "JANU"/],
    ['5-1 * * * *', /the field 1 \(minute\), "5-1"/],
    ['99 0 0 1 1 *', /the field 1 \(second\), "99"/],
    ['? * * * *', /the field 1 \(minute\), "\?"/],
    ['0 0 30 2 *', /never comes/],
    ['@reboot', /is none of @yearly/],
    ['2030-01-01T00:00:00', /has 1 fields/],
    ['* '.repeat(200), /longer than/],
  ])('what is not: %s', (text, message) => {
    const fault = faultOf(() => Schedule.parse(text, 'UTC'));
    expect(fault).toMatchObject({
      code: 'invalid_schedule',
      message: expect.stringMatching(message),
    });
    expect(fault.details).toMatchObject({ fields: [{ path: 'cron' }] });
  });

  it('a zone that there is not', () => {
    const fault = faultOf(() => Schedule.parse('@daily', 'Mars/Phobos'));
    expect(fault.details).toMatchObject({ fields: [{ path: 'timeZone' }] });
  });
});

function faultOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    return error as Problem;
  }
  throw new Error('nothing is thrown');
}
