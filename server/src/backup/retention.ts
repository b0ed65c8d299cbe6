import type { BackupHeader } from './backup-header.ts';

/** Which backups stay: each rule keeps some, and what none keeps goes. The newest always stays. */
export interface RetentionRule {
  /** How many of the newest stay. */
  readonly last: number;
  /**
   * The newest of each of so many days (UTC) that have any, and of so many weeks, which begin on
   * Mondays.
   */
  readonly days: number;
  readonly weeks: number;
}

const DAY_MS = 86_400_000;
/** The Unix epoch was a Thursday. */
const MONDAY_SHIFT_DAYS = 3;

/** The backups that go, of a list from the newest to the oldest. */
export function expired(
  headers: readonly BackupHeader[],
  rule: RetentionRule,
): readonly BackupHeader[] {
  const kept = new Set(headers.slice(0, Math.max(1, rule.last)));
  for (const header of newestOfEach(headers, rule.days, dayOf)) kept.add(header);
  const weekOf = (header: BackupHeader): number =>
    Math.floor((dayOf(header) + MONDAY_SHIFT_DAYS) / 7);
  for (const header of newestOfEach(headers, rule.weeks, weekOf)) kept.add(header);
  return headers.filter((header) => !kept.has(header));
}

function dayOf({ createdAt }: BackupHeader): number {
  return Math.floor(Date.parse(createdAt) / DAY_MS);
}

function newestOfEach(
  headers: readonly BackupHeader[],
  count: number,
  periodOf: (header: BackupHeader) => number,
): readonly BackupHeader[] {
  const newest = new Map<number, BackupHeader>();
  for (const header of headers) {
    const period = periodOf(header);
    if (newest.size < count && !newest.has(period)) newest.set(period, header);
  }
  return [...newest.values()];
}
