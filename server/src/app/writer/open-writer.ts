import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Followers } from '#log/followers.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { openStoreKeys } from '#store/master-key.ts';
import { openState } from '#store/state-writer.ts';
import type { State } from '#store/commit-pipeline.ts';
import { archiveRule } from './archive-rule.ts';
import { keepTrimming } from './keep-trimming.ts';

export interface OpenWriterOptions {
  readonly storage: string;
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
  /** Those that other threads know; by default there are none. */
  readonly followers?: Followers;
}

/** The log, the state that follows it, and the transactor: everything that writes. */
export interface OpenWriter extends AsyncDisposable {
  readonly graph: GraphWriter;
  readonly state: State;
  readonly log: CommitLog;
}

/**
 * Opens the storage folder for writing, replays what the state has not applied yet, and keeps
 * removing from the log what it has. Rejects, having touched nothing, with the problem that
 * prevents it. `onNote` hears of what an operator should know.
 */
export async function openWriter(
  options: OpenWriterOptions,
  onNote: (text: string) => void,
): Promise<OpenWriter> {
  const { storage, lowMemory, followers = new Followers() } = options;
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
  const state = opened.use(
    await openState({ storage, log, masterKey, clock: systemClock, applied: followers.applied }),
  );
  const graph = new GraphWriter(state, systemClock);
  await graph.addSystemSchema();
  opened.use(keepTrimming({ storage, lowMemory, log, state, followers }, onNote));
  const resources = opened.move();
  return { graph, state, log, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}
