import type { FacetCount } from '@trellis/client/system-search.ts';
import { formatUtc } from '../../../ui/format.ts';

const TIME_UNITS = ['hour', 'day', 'month', 'year'] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/** As many as can still be told apart on a narrow screen. */
const BARS_MAX = 90;
const YEARS_AT_ONCE = [1, 5, 10, 50, 100, 500, 1_000, 5_000] as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface TimeBar {
  /** What it stands for, such as "March 2026". */
  readonly label: string;
  readonly count: number;
  /** As they stand in an address: days, or moments where a bar is shorter; both are included. */
  readonly from: string;
  readonly to: string;
}

/**
 * The finest bars of which there are not too many, from the first to the last that counts
 * something; none where one bar would be all. `counts` are those of each unit of time.
 */
export function timeBarsOf(
  counts: Readonly<Partial<Record<TimeUnit, readonly FacetCount[]>>>,
): readonly TimeBar[] {
  for (const unit of TIME_UNITS) {
    const ofUnit = counts[unit];
    if (ofUnit === undefined) continue;
    const steps = unit === 'year' ? YEARS_AT_ONCE : [1];
    for (const step of steps) {
      const bars = barsOf(ofUnit, unit, step);
      if (bars !== undefined) return bars.length > 1 ? bars : [];
    }
  }
  return [];
}

/** Undefined when there are too many. */
function barsOf(
  counts: readonly FacetCount[],
  unit: TimeUnit,
  step: number,
): readonly TimeBar[] | undefined {
  const byStart = new Map<number, number>();
  for (const { value, count } of counts) {
    const start = startOf(Date.parse(value), unit, step);
    byStart.set(start, (byStart.get(start) ?? 0) + count);
  }
  const starts = [...byStart.keys()];
  const first = Math.min(...starts);
  const last = Math.max(...starts);
  const bars: TimeBar[] = [];
  for (let start = first; start <= last; start = nextOf(start, unit, step)) {
    if (bars.length === BARS_MAX) return undefined;
    bars.push(barOf(start, unit, step, byStart.get(start) ?? 0));
  }
  return bars;
}

function barOf(start: number, unit: TimeUnit, step: number, count: number): TimeBar {
  const last = nextOf(start, unit, step) - 1;
  const isShort = unit === 'hour';
  const written = (ms: number) => new Date(ms).toISOString().slice(0, isShort ? undefined : 10);
  const begins = formatUtc(start, unit);
  const label = step === 1 ? begins : `${begins} to ${formatUtc(last, unit)}`;
  return { label, count, from: written(start), to: written(last) };
}

/** Worth counting: hours are many, and only told apart in a few days. */
export function unitsFor(from: string | undefined, to: string | undefined): readonly TimeUnit[] {
  const isShort =
    from !== undefined &&
    to !== undefined &&
    Date.parse(to) - Date.parse(from) < (BARS_MAX / 24) * DAY_MS;
  return isShort ? TIME_UNITS : ['day', 'month', 'year'];
}

/** A range as an address has it, for people. */
export function rangeText(from: string | undefined, to: string | undefined): string {
  const begin = from === undefined ? undefined : momentText(from);
  const end = to === undefined ? undefined : momentText(to);
  if (begin === undefined) return `Until ${end}`;
  if (end === undefined) return `From ${begin}`;
  return begin === end ? begin : `${begin} to ${end}`;
}

function momentText(text: string): string {
  return formatUtc(Date.parse(text), text.length === 10 ? 'day' : 'hour');
}

function startOf(ms: number, unit: TimeUnit, step: number): number {
  if (unit !== 'year' || step === 1) return ms;
  const year = new Date(ms).getUTCFullYear();
  return startOfMonth(Math.floor(year / step) * step, 0);
}

function nextOf(ms: number, unit: TimeUnit, step: number): number {
  if (unit === 'hour') return ms + HOUR_MS;
  if (unit === 'day') return ms + DAY_MS;
  const date = new Date(ms);
  const [years, months] = unit === 'year' ? [step, 0] : [0, 1];
  return startOfMonth(date.getUTCFullYear() + years, date.getUTCMonth() + months);
}

/** Date.UTC takes the years 0 to 99 for those of 1900. */
function startOfMonth(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 1);
  return date.getTime();
}
