import type { LogFilter } from '@trellis/contract/shapes/log.ts';
import { levelOf, originOf } from './log-levels.ts';
import type { LOG_SEARCH_NAMES } from './log-search-names.ts';

/**
 * What stands in the address of the records. `range` is a key of RANGES, and not there when there
 * is `from` or `to` (ISO 8601).
 */
export type LogAddress = {
  readonly [Name in (typeof LOG_SEARCH_NAMES)[number]]?: string | undefined;
};

interface Range {
  readonly label: string;
  /** Milliseconds until now; undefined for all that is kept. */
  readonly ms: number | undefined;
  /** Spans of a length that people know: a minute, half an hour. */
  readonly spans: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const RANGES: Readonly<Record<string, Range>> = {
  '15m': { label: 'Last 15 minutes', ms: 15 * MINUTE_MS, spans: 60 },
  '1h': { label: 'Last hour', ms: HOUR_MS, spans: 60 },
  '1d': { label: 'Last 24 hours', ms: DAY_MS, spans: 48 },
  '7d': { label: 'Last 7 days', ms: 7 * DAY_MS, spans: 56 },
  all: { label: 'All that is kept', ms: undefined, spans: 60 },
};

export const RANGE_DEFAULT = '1d';
const SPANS_DEFAULT = 60;

export interface LogSpan {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly spans: number;
}

/** The time that an address names, as of a moment. What is no time counts as left out. */
export function spanOf(address: LogAddress, nowMs: number): LogSpan {
  const [from, to] = [timeOf(address.from), timeOf(address.to)];
  if (from !== undefined || to !== undefined) return { from, to, spans: SPANS_DEFAULT };
  const { ms, spans } = rangeOf(address);
  const begin = ms === undefined ? undefined : new Date(nowMs - ms).toISOString();
  return { from: begin, to: undefined, spans };
}

export function rangeOf({ range }: LogAddress): Range {
  return RANGES[range ?? RANGE_DEFAULT] ?? RANGES[RANGE_DEFAULT]!;
}

export function isOwnRange({ from, to }: LogAddress): boolean {
  return timeOf(from) !== undefined || timeOf(to) !== undefined;
}

function timeOf(text: string | undefined): string | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}

/** What the server is asked for, without the time. */
export function filterOf(address: LogAddress): LogFilter {
  const { query, level, origin, endpoint, job, request } = address;
  return {
    query: query || undefined,
    level: levelOf(level),
    origin: originOf(origin),
    endpoint: endpoint || undefined,
    job: job || undefined,
    traceId: request || undefined,
  };
}

/** A moment as `datetime-local` has it, in the time zone of the browser. */
export function localInput(iso: string | undefined): string {
  const ms = Date.parse(iso ?? '');
  if (Number.isNaN(ms)) return '';
  const offsetMs = new Date(ms).getTimezoneOffset() * MINUTE_MS;
  return new Date(ms - offsetMs).toISOString().slice(0, 19);
}
