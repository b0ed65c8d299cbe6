/** When and how manieth a log file is; the first of a day has the part 1. */
export interface LogDate {
  /** UTC, such as `2026-11-20`. */
  readonly day: string;
  readonly part: number;
}

/** `<name>-2026-11-20.log`, and those after it on the same day `<name>-2026-11-20.2.log` and so on. */
export function datedName(log: string, { day, part }: LogDate): string {
  return part === 1 ? `${log}-${day}.log` : `${log}-${day}.${part}.log`;
}

/** `undefined` for a file that is none of this log. */
export function dateOf(file: string, log: string): LogDate | undefined {
  const [, name, day = '', part = '1'] =
    /^(.*)-(\d{4}-\d\d-\d\d)(?:\.([1-9]\d{0,5}))?\.log$/.exec(file) ?? [];
  return name === log ? { day, part: Number(part) } : undefined;
}

/** For sorting: oldest first. */
export function byDate(a: LogDate, b: LogDate): number {
  if (a.day !== b.day) return a.day < b.day ? -1 : 1;
  return a.part - b.part;
}
