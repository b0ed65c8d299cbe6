import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { putGraphApplied, readGraphApplied } from './applied.ts';
import { type Environment, openEnvironment } from './environment.ts';
import { openStoreKeys } from './master-key.ts';
import { openState } from './state-writer.ts';
import { closeWritten, writeTransaction } from './write-transaction.ts';

interface HistoryOptions {
  readonly storage: string;
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
}

/** Which history a state is of, and how far it has come in it. */
export interface History {
  /** The epoch of the log that the state follows; empty when it has never followed one. */
  readonly epoch: string;
  readonly sequence: number;
}

/** Reads it from a store that nobody has open. Throws the problems of `openStoreKeys`. */
export function readHistory(options: HistoryOptions): Promise<History> {
  return withGraph(options, async (graph) => {
    const { epoch, sequence } = readGraphApplied(graph);
    return { epoch, sequence };
  });
}

/** From now on the state is of another history, at the same sequence. */
function adoptEpoch(options: HistoryOptions, epoch: string): Promise<void> {
  return withGraph(options, (graph) => {
    const applied = readGraphApplied(graph);
    return writeTransaction(graph, () => putGraphApplied(graph, { ...applied, epoch }));
  });
}

async function withGraph<T>(
  options: HistoryOptions,
  use: (graph: Environment) => Promise<T>,
): Promise<T> {
  const { environmentKey: encryptionKey, values } = openStoreKeys(options);
  const graph = openEnvironment('graph', {
    storage: options.storage,
    readOnly: false,
    encryptionKey,
    values,
  });
  try {
    return await use(graph);
  } finally {
    await closeWritten(graph);
  }
}

/** The place of the log of a store. */
export interface LogPlace {
  /** The log that is there; where there is none, one of a new epoch begins after `after`. */
  open(after: number): Promise<CommitLog>;
  /** All of it or nothing, durably. */
  remove(): Promise<void>;
}

interface PromotionOptions extends HistoryOptions {
  readonly log: LogPlace;
}

/**
 * Makes the store of a replica that of a primary: everything that its log holds is carried out, and
 * a log of a new epoch begins after it, so that nobody who follows the old history mixes the two
 * (design, section 5, "Promotion"). What a crash leaves, the next call finishes. Answers the new
 * epoch. Throws what `openState` throws.
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

/** A log of another epoch that holds something is another workspace's. */
function checkBegins(log: CommitLog, { sequence, epoch }: History): void {
  const isNew = log.lastSequence === sequence && log.firstSequence === sequence + 1;
  if (isNew) return;
  throw new Problem(
    'state_log_mismatch',
    `the state is at sequence ${sequence} of the epoch ${epoch}, the log of the epoch ${log.epoch} ends at ${log.lastSequence}`,
    { hint: 'Put the log folder and the state folders of the same replica together.' },
  );
}
