import { ENDPOINT_PROGRESS_CHARACTERS_MAX } from '#base/endpoint-limits.ts';

/** How far a run is, as its code said last with `progress()`. */
export interface RunProgress {
  /** From 0 to 1. */
  readonly fraction: number | null;
  readonly text: string | null;
}

/** From what the code of an endpoint sent, which may be anything; null when it says nothing. */
export function progressOf(json: string): RunProgress | null {
  const { fraction, text } = Object(JSON.parse(json)) as Record<string, unknown>;
  const progress = {
    fraction: typeof fraction === 'number' ? Math.min(1, Math.max(0, fraction)) : null,
    text: typeof text === 'string' ? cut(text) : null,
  };
  return progress.fraction === null && progress.text === null ? null : progress;
}

/**
 * The value of `MSK-ENDPOINT-PROGRESS`: as the query of a URL, so that any text fits into a header,
 * such as `fraction=0.25&text=Reading+books`.
 */
export function progressHeader({ fraction, text }: RunProgress): string {
  const members = new URLSearchParams();
  if (fraction !== null) members.set('fraction', String(fraction));
  if (text !== null) members.set('text', text);
  return members.toString();
}

function cut(text: string): string {
  return text.slice(0, ENDPOINT_PROGRESS_CHARACTERS_MAX).toWellFormed();
}
