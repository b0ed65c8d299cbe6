import { Problem } from '#base/problem.ts';
import { WATCH_VALUE_CHARACTERS_MAX } from '#base/watch-limits.ts';
import type { EndpointAnswer } from '../call-outcome.ts';
import { WatchedFault, WatchedValue, type WatchOutcome } from './endpoint-watch.ts';

/** What a run that has ended says to those who watch. */
export function outcomeOf(
  { status, body }: EndpointAnswer,
  sequence: number,
  accessEpoch: number,
): WatchOutcome {
  if (status >= 300) {
    const message = `The endpoint answers ${status}, which is no value`;
    return new WatchedFault(new Problem('endpoint_failed', message, { details: { status } }));
  }
  const json = body ?? 'null';
  if (json.length <= WATCH_VALUE_CHARACTERS_MAX) {
    return new WatchedValue(sequence, json, accessEpoch);
  }
  const message = `The answer has ${json.length} characters, more than can be watched`;
  const details = { charactersMax: WATCH_VALUE_CHARACTERS_MAX };
  return new WatchedFault(new Problem('watched_answer_too_large', message, { details }));
}

/** It does not pass by itself. */
const ENDS: ReadonlySet<string> = new Set(['malformed_json', 'invalid_token', 'server_stopping']);

/** Whether no other outcome can follow. */
export function isEnd(error: unknown): boolean {
  return error instanceof Problem && ENDS.has(error.code);
}

/** The workers have too much to do, or are not there yet. */
const PASSING: ReadonlySet<string> = new Set([
  'endpoint_overloaded',
  'too_many_requests',
  'search_timeout',
  'index_opening',
  'not_ready',
]);

/** Whether another try is to follow, and whoever has an answer keeps it. */
export function isPassingFault(error: unknown): boolean {
  return !(error instanceof Problem) || PASSING.has(error.code);
}
