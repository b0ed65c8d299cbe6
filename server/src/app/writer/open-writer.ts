import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { LOG_TRIM_INTERVAL_MS } from '#base/limits.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { openStoreKeys } from '#store/master-key.ts';
import { openState, type State } from '#store/state-writer.ts';
import { archiveRule } from './archive-rule.ts';

export interface OpenWriterOptions {
  readonly storage: string;
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
  /** The sequence behind which replicas or backups need the log; infinite while none do. */
  readonly neededAfter?: () => number;
}

/** The log, the state that follows it, and the transactor: everything that writes. */
export interface OpenWriter extends AsyncDisposable {
  readonly graph: GraphWriter;
  readonly state: State;
  readonly log: CommitLog;
}

/**
 * Opens the storage folder for writing, replays what the state has not applied yet, and keeps trimming the log behind it.
 * Rejects, having touched nothing, with the problem that prevents it. `onNote` hears of what an operator should know.
 */
export async function openWriter(
  options: OpenWriterOptions,
  onNote: (text: string) => void,
): Promise<OpenWriter> {
  const { storage, lowMemory } = options;
  const masterKey = options.masterKey ?? undefined;
  await using opened = new AsyncDisposableStack();
  // The keys come first: a wrong one must not touch the log either.
  const keys = openStoreKeys({ storage, masterKey, clock: systemClock });
  const log = opened.use(
    await openSegmentLog({
      folder: join(storage, 'log'),
      clock: systemClock,
      ...(keys.logKey === undefined ? {} : { encryptionKey: keys.logKey }),
      archive: archiveRule(lowMemory),
      onRecovery: (note) => onNote(`log recovery: ${JSON.stringify(note)}`),
    }),
  );
  const state = opened.use(await openState({ storage, log, masterKey, clock: systemClock }));
  const graph = new GraphWriter(state, systemClock);
  await graph.addSystemSchema();
  const trimming = setInterval(() => {
    log
      .trim(Math.min(state.flushedSequence, options.neededAfter?.() ?? Infinity))
      .catch((error: unknown) => onNote(`trimming the log: ${error}`));
  }, LOG_TRIM_INTERVAL_MS);
  const resources = opened.move();
  return {
    graph,
    state,
    log,
    [Symbol.asyncDispose]: async () => {
      clearInterval(trimming);
      await resources.disposeAsync();
    },
  };
}
