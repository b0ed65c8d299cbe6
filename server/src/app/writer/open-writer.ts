import { systemClock } from '#base/clock.ts';
import { WRITER_RELEASE_COMMITS_MAX, WRITER_RELEASE_INTERVAL_MS } from '#base/limits.ts';
import { keepPacking } from '#graph/rows/keep-packing.ts';
import { GraphWriter } from '#graph/graph-writer.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { Followers } from '#log/followers.ts';
import type { RecoveryNote } from '#log/recovery.ts';
import { openState } from '#store/state-writer.ts';
import type { State } from '#store/commit-pipeline.ts';
import type { Following } from '../replication/followed-state.ts';
import {
  type LeaseEvents,
  openSharedLog,
  type SharedLog,
  type SharedLogEvents,
  type SharedLogLease,
  takeSharedLog,
} from './shared-log.ts';
import { keepTrimming, openStoreLog, type TrimmedLog } from './store-log.ts';

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
  /** After all commits that there are: another member may lead from now on. */
  release(): Promise<void>;
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
  const { storage, masterKey, followers = new Followers() } = options;
  await using opened = new AsyncDisposableStack();
  const shared = opened.use(await openLog({ ...options, followers }, { onNote, ...leaseEvents }));
  const { log } = shared;
  const state = opened.use(
    await openState({
      storage,
      log,
      masterKey: masterKey ?? undefined,
      clock: systemClock,
      applied: followers.applied,
    }),
  );
  const { graph } = opened.use(await keepWriting({ ...options, followers, log, state }, onNote));
  return writerOf(shared, { graph, state }, opened.move());
}

function writerOf(
  { log, requireLeading, release }: SharedLog,
  { graph, state }: Pick<OpenWriter, 'graph' | 'state'>,
  resources: AsyncDisposableStack,
): OpenWriter {
  return {
    graph,
    state,
    log,
    requireLeading,
    release: async () => {
      // It takes its turn among the others.
      await state.commit(() => undefined).catch(() => undefined);
      await release();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

type TakeOverOptions = OpenWriterOptions & {
  readonly followers: Followers;
  readonly shared: SharedLogLease;
};

/**
 * The same where a member has followed until now: its log and its state stay open, so that whoever
 * reads them goes on. Rejects as `openSharedLog` does.
 */
export async function takeOver(
  following: Following,
  options: TakeOverOptions,
  events: SharedLogEvents,
): Promise<OpenWriter> {
  await using opened = new AsyncDisposableStack();
  const shared = opened.use(await takeSharedLog(options, following.log, events));
  const { log } = shared;
  const state = opened.use(await following.lead(log));
  const { graph } = opened.use(await keepWriting({ ...options, log, state }, events.onNote));
  return writerOf(shared, { graph, state }, opened.move());
}

interface WritingParts extends Omit<TrimmedLog, 'state'> {
  readonly masterKey: string | null;
  readonly state: State;
}

/** The transactor over an open state, and what is done beside commits until it is disposed of. */
async function keepWriting(
  { storage, lowMemory, masterKey, log, state, followers }: WritingParts,
  onNote: (text: string) => void,
): Promise<Pick<OpenWriter, 'graph'> & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const graph = new GraphWriter(state, systemClock, { hashesIndexes: masterKey !== null });
  await graph.addSystemSchema();
  opened.use(keepPacking(state.local, onNote));
  opened.use(keepReleasing(graph, state));
  opened.use(keepTrimming({ storage, lowMemory, log, state, followers }, onNote));
  const resources = opened.move();
  return { graph, [Symbol.asyncDispose]: () => resources.disposeAsync() };
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
  return {
    log,
    requireLeading: nothing,
    release: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => log[Symbol.asyncDispose](),
  };
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
