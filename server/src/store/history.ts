import type { Clock } from '#base/clock.ts';
import { putGraphApplied, readGraphApplied } from './applied.ts';
import { openEnvironment } from './environment.ts';
import type { Environment } from './environment.ts';
import { openStoreKeys } from './master-key.ts';
import { closeWritten, writeTransaction } from './write-transaction.ts';

export interface HistoryOptions {
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
export function adoptEpoch(options: HistoryOptions, epoch: string): Promise<void> {
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
