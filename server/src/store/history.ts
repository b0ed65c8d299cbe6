import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { putGraphApplied, readGraphApplied } from './applied.ts';
import { type Environments, openEnvironments } from './environment.ts';
import { openStoreKeys } from './master-key.ts';
import { openState } from './state-writer.ts';
import { closeEnvironments, writeTransaction } from './write-transaction.ts';

interface HistoryOptions {
  readonly storage: string;
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
}

/** To which history a state belongs, and how far it has followed it. */
export interface History {
  /** The epoch of the log that the state follows; empty when it has never followed one. */
  readonly epoch: string;
  readonly sequence: number;
}

/** Reads the history of a store that nobody has open. Throws the problems of `openStoreKeys`. */
export function readHistory(options: HistoryOptions): Promise<History> {
  return withState(options, async ({ graph }) => {
    const { epoch, sequence } = readGraphApplied(graph);
    return { epoch, sequence };
  });
}

/** Makes the state belong to another history, at the same sequence. */
function adoptEpoch(options: HistoryOptions, epoch: string): Promise<void> {
  return withState(options, ({ graph }) => {
    const applied = readGraphApplied(graph);
    return writeTransaction(graph, () => putGraphApplied(graph, { ...applied, epoch }));
  });
}

/** Opens both, since neither may be flushed without the other: see `SteadyPoints`. */
async function withState<T>(
  options: HistoryOptions,
  use: (environments: Environments) => Promise<T>,
): Promise<T> {
  const keys = openStoreKeys(options);
  const { storage } = options;
  const environments = openEnvironments({ storage, readOnly: false, ...keys });
  try {
    return await use(environments);
  } finally {
    await closeEnvironments(environments);
  }
}

/** Where the log of a store is. */
export interface LogPlace {
  /**
   * Opens the log. When there is none, a log with a new epoch begins after the sequence `after`.
   */
  open(after: number): Promise<CommitLog>;
  /** Durably removes the whole log; after a crash either all of it is there or nothing. */
  remove(): Promise<void>;
}

interface PromotionOptions extends HistoryOptions {
  readonly log: LogPlace;
}

/**
 * Makes the store of a replica the store of a primary. Everything that its log holds is carried
 * out, and a log with a new epoch begins after it, so that followers of the old history do not mix
 * the two (design, section 5, "Promotion"). After a crash, the next call completes the work.
 * Returns the new epoch. Throws what `openState` throws.
 */
export async function promoteStore(options: PromotionOptions): Promise<string> {
  const { storage, masterKey, clock, log: place } = options;
  let history = await readHistory(options);
  let log = await place.open(history.sequence);
  try {
    if (log.epoch === history.epoch) {
      const state = await openState({ storage, masterKey, clock, log });
      await state[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
      await place.remove();
      history = await readHistory(options);
      log = await place.open(history.sequence);
    }
    checkBegins(log, history);
    await adoptEpoch(options, log.epoch);
    return log.epoch;
  } finally {
    await log[Symbol.asyncDispose]();
  }
}

/** Refuses a log of another epoch that holds something: it belongs to another workspace. */
function checkBegins(log: CommitLog, { sequence, epoch }: History): void {
  const isNew = log.lastSequence === sequence && log.firstSequence === sequence + 1;
  if (isNew) return;
  throw new Problem(
    'state_log_mismatch',
    `the state is at sequence ${sequence} of the epoch ${epoch}, the log of the epoch ${log.epoch} ends at ${log.lastSequence}`,
    { hint: 'Put the log folder and the state folders of the same replica together.' },
  );
}
