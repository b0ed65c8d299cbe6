/** Formats of exact moments, apart from `format.ts`, which every page has. */
const LOCALE = undefined;
const MOMENT = new Intl.DateTimeFormat(LOCALE, {
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const SPAN_TIMES = {
  second: new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' }),
  minute: new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' }),
  day: new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' }),
};

/** With its milliseconds and without its year, in the time zone of the browser. */
export function formatMoment(iso: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : MOMENT.format(date);
}

/** A moment within a span of time, as exactly as a part of the span needs. */
export function formatInSpan(ms: number, spanMs: number, partMs: number): string {
  if (spanMs > 86_400_000) return SPAN_TIMES.day.format(ms);
  return (partMs < 60_000 ? SPAN_TIMES.second : SPAN_TIMES.minute).format(ms);
}

/** The time zone of the browser, such as "Europe/Berlin". */
export function timeZoneName(): string {
  return MOMENT.resolvedOptions().timeZone;
}
