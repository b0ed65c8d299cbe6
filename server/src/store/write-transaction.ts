import type { Environment } from './environment.ts';
import { storageProblem } from './storage-problem.ts';

/**
 * Carries out all puts and removals that `put` makes in the stores of the environment, in one
 * transaction. A thread of lmdb-js works on it while `put` is still running. Values must not change
 * until it resolves, since plain ones are not copied.
 *
 * Resolves when every reader that begins a transaction sees the result. Rejects with the problem
 * `storage_full` or `storage_failed`; then nothing has changed.
 */
export async function writeTransaction(environment: Environment, put: () => void): Promise<void> {
  try {
    await environment.root.batch(() => {
      environment.seal.begin(false);
      put();
    });
  } catch (error) {
    throw storageProblem('writing in', environment.path, await reasonOf(error));
  }
  environment.seal.committed();
}

/**
 * Closes an environment that was opened read-write. When it closes, lmdb-js waits for the flush of
 * the last transaction, which never comes if that transaction failed. So an empty transaction,
 * which always succeeds, is made first.
 */
export async function closeWritten({ root, pageReuse }: Environment): Promise<void> {
  pageReuse?.[Symbol.dispose]();
  await root.batch(() => undefined);
  await root.close();
}

/** lmdb-js rejects with an error that holds a promise of the error with the reason. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}
