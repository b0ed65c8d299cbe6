import type { Environment, Environments } from './environment.ts';
import { openingGate } from '#base/opening-gate.ts';
import { storageProblem } from './storage-problem.ts';

/**
 * Environments whose last transaction has failed. After some failures LMDB refuses the next one,
 * and only a thread can be told so.
 */
const failing = new WeakSet<Environment>();

/**
 * Carries out all puts and removals that `put` makes in the stores of the environment, in one
 * transaction, once no other process opens the state. If it `isSmall`, this thread carries it out;
 * otherwise a thread of lmdb-js works on it. Where LMDB encrypts the pages, values must not change
 * until this resolves.
 *
 * Resolves when every reader that begins a transaction sees the result. Rejects with the problem
 * `storage_full` or `storage_failed`; then nothing has changed.
 */
export async function writeTransaction(
  environment: Environment,
  put: () => void,
  isSmall = false,
): Promise<void> {
  const { root, seal, path, writes } = environment;
  const isAtOnce = isSmall && writes !== undefined && !failing.has(environment);
  const carryOut = (): void => {
    seal.begin(isAtOnce);
    put();
  };
  try {
    await openingGate.write(() => {
      if (isAtOnce) return root.transactionSync(() => writes.each(carryOut));
      if (writes !== undefined) return writes.all(carryOut);
      // Where LMDB itself flushes, only `batch` does not wait for it.
      return root.batch(carryOut);
    });
  } catch (error) {
    failing.add(environment);
    throw storageProblem('writing in', path, isAtOnce ? error : await reasonOf(error));
  }
  root.resetReadTxn();
  failing.delete(environment);
  seal.committed();
}

/**
 * Closes environments that were opened read-write. All that was written is on the device then;
 * rejects with `storage_full` or `storage_failed` when that is not sure.
 */
export async function closeEnvironments({ graph, vault }: Environments): Promise<void> {
  // The vault comes first, as at a steady point.
  try {
    await closeWritten(vault);
  } finally {
    await closeWritten(graph);
  }
}

/** The same for one environment. */
export async function closeWritten(environment: Environment): Promise<void> {
  const { root, pageReuse, steady, path } = environment;
  pageReuse?.[Symbol.dispose]();
  steady?.releaseAll();
  // When it closes, lmdb-js waits for the flush of the last transaction, which never comes if that
  // transaction failed. So an empty transaction, which always succeeds, is made first.
  if (steady === undefined) await root.batch(() => undefined);
  await root.close();
  try {
    await steady?.close();
  } catch (error) {
    throw storageProblem('closing', path, error);
  }
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
