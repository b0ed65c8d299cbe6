import type { ReadKeys } from '#graph/transactions/read-set.ts';

/**
 * What wakes watches. A question that is watched says what its answer was made of (`ReadKeys`, with
 * the points of `read-index.ts`), and as of which commit; it is told once a later commit has
 * changed some of it. The log is followed only while there is a question.
 */
export interface WatchFeed {
  /** The sequence of the newest commit. */
  readonly sequence: number;
  /** From now on; takes the place of what the question had read before. */
  watch(asked: WatchedReads): void;
  unwatch(question: number): void;
  /**
   * Whether a commit after one sequence, up to another, may have changed what was read. True also
   * when that is too long ago to tell.
   */
  hasChanged(asked: LookedBack): Promise<boolean>;
  listen(listener: WatchListener): void;
}

export interface WatchedReads {
  readonly question: number;
  readonly reads: ReadKeys;
  /** The sequence of the commit that was read. */
  readonly since: number;
}

export interface LookedBack {
  readonly reads: ReadKeys;
  readonly after: number;
  readonly upTo: number;
}

export interface WatchListener {
  /** A commit has changed what these questions had read. */
  woken(questions: readonly number[]): void;
  /** Nobody knows what was changed, nor what is watched: each question is to be asked again. */
  lost(): void;
}
