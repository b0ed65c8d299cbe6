import { systemClock } from '#base/clock.ts';
import { WRITER_RELEASE_COMMITS_MAX, WRITER_RELEASE_INTERVAL_MS } from '#base/limits.ts';
import { keepPacking } from '#graph/rows/keep-packing.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Followers } from '#log/followers.ts';
import type { RecoveryNote } from '#log/recovery.ts';
import { openState } from '#store/state-writer.ts';
import type { State } from '#store/commit-pipeline.ts';
import {
  type LeaseEvents,
  openSharedLog,
  type SharedLog,
  type SharedLogEvents,
  type SharedLogLease,
} from './shared-log.ts';
import { keepTrimming, openStoreLog } from './store-log.ts';

export interface OpenWriterOptions {
  readonly storage: string;
  readonly masterKey: string | null;
  readonly lowMemory: boolean;
  /** The followers that other threads know; by default there are none. */
  readonly followers?: Followers;
  /** Of a member: the lease of the common log. The log is in the folder alone without it. */
  readonly shared?: SharedLogLease | undefined;
}

const NO_LEASE: LeaseEvents = { onAdopted: nothing, onLost: nothing, onRenewal: nothing };

/** The log, the state that follows it, and the transactor: everything that writes. */
export interface OpenWriter extends AsyncDisposable {
  readonly graph: GraphWriter;
  readonly state: State;
  readonly log: CommitLog;
  /** Throws `no_primary` when another member may be the primary by now. */
  requireLeading(): void;
}

/**
 * Opens the storage folder for writing, replays what the state has not applied yet, and keeps
 * removing from the log what it has. Rejects, having touched nothing, with the problem that
 * prevents it. `onNote` hears of what an operator should know.
 */
export async function openWriter(
  options: OpenWriterOptions,
  onNote: (text: string) => void,
  leaseEvents: LeaseEvents = NO_LEASE,
): Promise<OpenWriter> {
  const { storage, masterKey, lowMemory, followers = new Followers() } = options;
  await using opened = new AsyncDisposableStack();
  const { log, requireLeading } = opened.use(
    await openLog({ ...options, followers }, { onNote, ...leaseEvents }),
  );
  const state = opened.use(
    await openState({
      storage,
      log,
      masterKey: masterKey ?? undefined,
      clock: systemClock,
      applied: followers.applied,
    }),
  );
  const graph = new GraphWriter(state, systemClock, { hashesIndexes: masterKey !== null });
  await graph.addSystemSchema();
  opened.use(keepPacking(state.local, onNote));
  opened.use(keepReleasing(graph, state));
  opened.use(keepTrimming({ storage, lowMemory, log, state, followers }, onNote));
  const resources = opened.move();
  return {
    graph,
    state,
    log,
    requireLeading,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function openLog(
  {
    storage,
    masterKey,
    lowMemory,
    shared,
    followers,
  }: OpenWriterOptions & { followers: Followers },
  events: SharedLogEvents,
): Promise<SharedLog> {
  const options = {
    storage,
    masterKey,
    lowMemory,
    onRecovery: (note: RecoveryNote) => events.onNote(`log recovery: ${JSON.stringify(note)}`),
  };
  if (shared !== undefined) return openSharedLog({ ...options, shared, followers }, events);
  const log = await openStoreLog(options);
  return { log, requireLeading: nothing, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() };
}

function nothing(): void {}

/** Lets the writer give memory back whenever little was written for a while, until disposed. */
function keepReleasing(graph: GraphWriter, state: State): Disposable {
  let before = graph.commits;
  const releasing = setInterval(() => {
    if (graph.commits - before <= WRITER_RELEASE_COMMITS_MAX) {
      graph.releaseMemory();
      state.releaseMemory();
    }
    before = graph.commits;
  }, WRITER_RELEASE_INTERVAL_MS);
  return { [Symbol.dispose]: () => clearInterval(releasing) };
}
