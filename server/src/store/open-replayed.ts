import { Applier } from './apply.ts';
import { openEnvironments, type Environment } from './environment.ts';
import { openStoreKeys } from './master-key.ts';
import { replayLog } from './replay.ts';
import type { StateOptions } from './state-writer.ts';
import { closeWritten } from './write-transaction.ts';

/** Environments that are open for writing and stand at the end of the log, and what applies to them. */
export interface ReplayedState {
  readonly graph: Environment;
  readonly vault: Environment;
  readonly applier: Applier;
}

/** Throws the problems of `openStoreKeys` and `replayLog` before anything is changed. */
export async function openReplayed(options: StateOptions): Promise<ReplayedState> {
  const { storage, log } = options;
  const keys = openStoreKeys(options);
  const { graph, vault } = openEnvironments({ storage, readOnly: false, ...keys });
  try {
    const applier = new Applier(graph, vault, log.epoch);
    await replayLog(log, applier);
    return { graph, vault, applier };
  } catch (error) {
    await Promise.all([graph, vault].map(closeWritten));
    throw error;
  }
}
