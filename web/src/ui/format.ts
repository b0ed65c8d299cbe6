/** Dates and numbers are written as the browser's language has them; words are English. */
const LOCALE = undefined;
const COUNT = new Intl.NumberFormat(LOCALE);
const DECIMAL = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });
const RATIO = new Intl.NumberFormat(LOCALE, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const SIGNIFICANT = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 3 });
const DATE_TIME = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const UTC = { timeZone: 'UTC' } as const;
const UTC_DATES = {
  hour: new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short', ...UTC }),
  day: new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', ...UTC }),
  month: new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric', ...UTC }),
  year: new Intl.DateTimeFormat(LOCALE, { year: 'numeric', ...UTC }),
};
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

export function formatCount(count: number): string {
  return COUNT.format(count);
}

export function formatDecimal(value: number): string {
  return DECIMAL.format(value);
}

/** With two digits after the point, for what lies between 0 and 1. */
export function formatRatio(value: number): string {
  return RATIO.format(value);
}

/** With its first three digits. */
export function formatSignificant(value: number): string {
  return SIGNIFICANT.format(value);
}

/** A moment in UTC, to the hour, day, month or year. */
export function formatUtc(ms: number, unit: keyof typeof UTC_DATES): string {
  return UTC_DATES[unit].format(ms);
}

/** In the time zone of the browser. */
export function formatDateTime(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : DATE_TIME.format(date);
}

/** "3 minutes ago"; below a minute "just now". */
export function formatAgo(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1_000;
  if (Number.isNaN(seconds)) return iso;
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.round(seconds / size), unit);
  }
  return 'just now';
}

const BYTE_UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1_024 && unit < BYTE_UNITS.length - 1) {
    value /= 1_024;
    unit++;
  }
  return `${unit === 0 ? COUNT.format(value) : DECIMAL.format(value)} ${BYTE_UNITS[unit]}`;
}

export function formatMs(ms: number): string {
  return ms < 1_000 ? `${DECIMAL.format(ms)} ms` : `${DECIMAL.format(ms / 1_000)} s`;
}

const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });

/** Formats a share from 0 to 1. */
export function formatPercent(share: number): string {
  return PERCENT.format(share);
}

const WHOLE_PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });

/** The same without a fraction, for progress. */
export function formatProgress(share: number): string {
  return WHOLE_PERCENT.format(share);
}
