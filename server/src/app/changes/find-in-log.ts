import { Problem } from '#base/problem.ts';
import { unlessAborted } from '#base/unless-aborted.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import type { CommitWindow, DecodedCommit } from './commit-window.ts';

/** What one follower takes out of the log at a time. */
export interface LogStep {
  /** The last commit that is taken in as a whole. */
  readonly after: number;
  readonly isEmpty: boolean;
  /** There is enough to be told of it. */
  readonly isWorthwhile: boolean;
  /** False when the step is large enough; the commit may then be taken in part. */
  take(commit: DecodedCommit): boolean;
}

/**
 * Reads on until the step is worthwhile. Answers where the log begins when it does not reach back
 * as far; else undefined. Rejects with the signal's reason.
 */
export async function findInLog(
  commits: CommitWindow,
  step: LogStep,
  signal: AbortSignal,
): Promise<number | undefined> {
  for (;;) {
    signal.throwIfAborted();
    try {
      for await (const commit of commits.read(step.after)) {
        signal.throwIfAborted();
        if (!step.take(commit)) break;
      }
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'log_trimmed') throw error;
      if (step.isEmpty) return commits.firstSequence - 1;
    }
    if (step.isWorthwhile) return undefined;
    await newerThan(commits.applied, step.after, signal);
  }
}

/** Resolves when a commit after the sequence is applied. Rejects with the signal's reason. */
export function newerThan(
  applied: Pick<AppliedSequence, 'get' | 'onChange'>,
  sequence: number,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = applied.onChange((newest) => {
    if (newest > sequence) resolve();
  });
  // It may have come before anybody listened.
  if (applied.get() > sequence) resolve();
  return unlessAborted(promise, signal).finally(stop);
}
