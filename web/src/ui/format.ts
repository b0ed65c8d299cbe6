const COUNT = new Intl.NumberFormat('en');
const DECIMAL = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const DATE_TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
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

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** Formats a share from 0 to 1. */
export function formatPercent(share: number): string {
  return PERCENT.format(share);
}
