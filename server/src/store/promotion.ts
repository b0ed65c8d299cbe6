import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { adoptEpoch, readHistory } from './history.ts';
import type { History, HistoryOptions } from './history.ts';
import { openState } from './state-writer.ts';

/** The place of the log of a store. */
export interface LogPlace {
  /** The log that is there; where there is none, one of a new epoch begins after `after`. */
  open(after: number): Promise<CommitLog>;
  /** All of it or nothing, durably. */
  remove(): Promise<void>;
}

export interface PromotionOptions extends HistoryOptions {
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
