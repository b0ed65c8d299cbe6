import { KEY_TIME_MAX_MS } from '../keys.ts';
import { parseTime } from '../time.ts';
import type { Comparison } from './plan.ts';
import type { QueryContext } from './query-context.ts';

/** A comparison of a field. */
interface Compared {
  readonly field: string;
  readonly compare: Comparison;
  readonly value: unknown;
}

/** Both ends are included; `-Infinity` and `Infinity` where there is none. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Of the nodes at `toMs` only those with lower ids, which come later. */
  readonly beforeId?: number;
}

export const ALWAYS: TimeSpan = { fromMs: -Infinity, toMs: Infinity };

/** Whether a node is within a time. */
export function isWithinTime(
  context: QueryContext,
  id: number,
  { fromMs, toMs, beforeId }: TimeSpan,
): boolean {
  const ms = context.timestampMs(id);
  if (ms < fromMs) return false;
  if (beforeId === undefined) return ms <= toMs;
  // As keys have them: nodes that are later than any key tells are in the order of their ids.
  const at = Math.min(ms, KEY_TIME_MAX_MS);
  const last = Math.min(toMs, KEY_TIME_MAX_MS);
  return at < last || (at === last && id < beforeId);
}

export function isBounded({ fromMs, toMs }: TimeSpan): boolean {
  return fromMs !== -Infinity || toMs !== Infinity;
}

/** What is in both. */
export function narrowed(a: TimeSpan, b: TimeSpan): TimeSpan {
  const toMs = Math.min(a.toMs, b.toMs);
  const ids = [a, b].map((one) => (one.toMs === toMs ? (one.beforeId ?? Infinity) : Infinity));
  const beforeId = Math.min(...ids);
  const fromMs = Math.max(a.fromMs, b.fromMs);
  return { fromMs, toMs, ...(beforeId === Infinity ? {} : { beforeId }) };
}

/** The time that a comparison of the field Timestamp leaves. */
export function timeIn({ field, compare, value }: Compared): TimeSpan {
  const ms = field === 'Timestamp' ? parseTime(value) : undefined;
  if (ms === undefined) return ALWAYS;
  switch (compare) {
    case '=':
      return { fromMs: ms, toMs: ms };
    case '<':
      return { ...ALWAYS, toMs: ms - 1 };
    case '<=':
      return { ...ALWAYS, toMs: ms };
    case '>':
      return { ...ALWAYS, fromMs: ms + 1 };
    case '>=':
      return { ...ALWAYS, fromMs: ms };
    default:
      return ALWAYS;
  }
}

export function isOfTime({ field, compare }: Compared): boolean {
  return field === 'Timestamp' && ['=', '<', '<=', '>', '>='].includes(compare);
}

/** Whether keys tell which times are in it: see `keys.ts`. */
export function isToldByKeys({ fromMs, toMs }: TimeSpan): boolean {
  return fromMs <= KEY_TIME_MAX_MS && (toMs < KEY_TIME_MAX_MS || toMs === Infinity);
}
