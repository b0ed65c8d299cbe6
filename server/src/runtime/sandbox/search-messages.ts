import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';

export interface SearchThreadSetup {
  readonly storage: string;
  readonly environmentKey: string | undefined;
}

/**
 * To a thread that searches for the code of endpoints: what can be found, or a frame of asks (see
 * `frame.ts`).
 */
export type ToSearchThread = SearchSnapshot | string;

/**
 * Items of frames to it, after the length of the payload: `ask`, number, operation, length of the
 * caller. Payload: JSON of the caller, then that of the arguments. It answers each with one text:
 * number, a space, `+` or `-`, and JSON of the value or of the problem.
 */
export type SearchAsk = readonly [
  number,
  'ask',
  id: number,
  operation: string,
  callerLength: number,
];
