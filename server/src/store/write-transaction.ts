import type { Environment } from './environment.ts';
import { storageProblem } from './storage-problem.ts';

/**
 * Carries out everything that `put` puts into the stores of the environment and removes from them,
 * in one transaction, on a thread of lmdb-js that works while more is being put. Values must not
 * change until it resolves: those stored plain are not copied.
 *
 * Resolves when every reader that begins a transaction sees it. Rejects with the problem
 * `storage_full` or `storage_failed`; then nothing of it has happened.
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
 * Closes an environment that was opened read-write. At closing lmdb-js waits for the flush of the
 * last transaction, which never comes when that one has failed; an empty one always succeeds.
 */
export async function closeWritten({ root, pageReuse }: Environment): Promise<void> {
  pageReuse?.[Symbol.dispose]();
  await root.batch(() => undefined);
  await root.close();
}

/** lmdb-js rejects with an error that promises the one that says why. */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (reason) {
    return reason;
  }
}
