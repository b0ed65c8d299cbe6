import { Problem } from '#base/problem.ts';
import type { Clock } from '#base/clock.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { putGraphApplied, readGraphApplied } from './applied.ts';
import type { GraphApplied } from './applied.ts';
import { openEnvironment } from './environment.ts';
import type { Environment } from './environment.ts';
import { openStoreKeys } from './master-key.ts';
import { openState } from './state-writer.ts';
import { closeWritten, writeTransaction } from './write-transaction.ts';

/** The place of the log of a store. */
export interface LogPlace {
  /** The log that is there; where there is none, one of a new epoch begins behind `after`. */
  open(after: number): Promise<CommitLog>;
  /** All of it or nothing, durably. */
  remove(): Promise<void>;
}

export interface PromotionOptions {
  readonly storage: string;
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
  readonly log: LogPlace;
}

/**
 * Makes the store of a replica that of a primary: everything that its log holds is carried out, and a log of a new epoch begins
 * behind it, so that nobody who follows the old history mixes the two (design, section 5, "Promotion"). What a crash leaves, the
 * next call finishes. Answers the new epoch. Throws what `openState` throws.
 */
export async function promoteStore(options: PromotionOptions): Promise<string> {
  const { storage, masterKey, clock, log: place } = options;
  let applied = await withGraph(options, readApplied);
  let log = await place.open(applied.sequence);
  try {
    if (log.epoch === applied.epoch) {
      const state = await openState({ storage, masterKey, clock, log });
      await state[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
      await place.remove();
      applied = await withGraph(options, readApplied);
      log = await place.open(applied.sequence);
    }
    checkBegins(log, applied);
    const { epoch } = log;
    await withGraph(options, (graph) =>
      writeTransaction(graph, () => putGraphApplied(graph, { ...applied, epoch })),
    );
    return epoch;
  } finally {
    await log[Symbol.asyncDispose]();
  }
}

async function readApplied(graph: Environment): Promise<GraphApplied> {
  return readGraphApplied(graph);
}

async function withGraph<T>(
  options: PromotionOptions,
  use: (graph: Environment) => Promise<T>,
): Promise<T> {
  const encryptionKey = openStoreKeys(options).environmentKey;
  const graph = openEnvironment('graph', {
    storage: options.storage,
    readOnly: false,
    encryptionKey,
  });
  try {
    return await use(graph);
  } finally {
    await closeWritten(graph);
  }
}

/** A log of another epoch that holds something is another workspace's. */
function checkBegins(log: CommitLog, { sequence, epoch }: GraphApplied): void {
  const isNew = log.lastSequence === sequence && log.firstSequence === sequence + 1;
  if (isNew) return;
  throw new Problem(
    'state_log_mismatch',
    `the state is at sequence ${sequence} of the epoch ${epoch}, the log of the epoch ${log.epoch} ends at ${log.lastSequence}`,
    { hint: 'Put the log folder and the state folders of the same replica together.' },
  );
}
