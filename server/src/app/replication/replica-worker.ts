import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { REPLICA_RETRY_DELAY_MIN_MS, REPLICA_VERIFY_HOLD_MS } from '#base/replication-limits.ts';
import { systemTimers } from '#base/clock.ts';
import { noPrimary } from '#log/postgres/database-problem.ts';
import { LogFollower } from '#log/postgres/log-follower.ts';
import { Followers } from '#log/followers.ts';
import type { Notice } from '#replication/message-shapes.ts';
import { connectReplica, type ReplicaChannel } from '#replication/replica-channel.ts';
import { replicaName } from '#replication/replica-name.ts';
import { VERIFY_NOTICE } from '#replication/verification.ts';
import type { History } from '#store/history.ts';
import type { Manifest } from '#store/manifest.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { digestHeld } from '#store/snapshot.ts';
import type { AppliedChunk } from '../telemetry/traced-commits.ts';
import { Channel, type Handlers } from '../threads/channel.ts';
import { serve } from '../threads/thread.ts';
import { type Following, openFollowing, PausableState } from './followed-state.ts';
import { addressOf, secretOf } from '../writer/shared-log.ts';
import { leaseTold, type WriterCalls, type WriterNotices } from '../writer/writer-client.ts';
import { runMember } from './member-run.ts';
import { registerReplica } from './registration.ts';
import type {
  Leading,
  ReplicaOptions,
  ReplicaThreadCalls,
  ReplicaThreadNotices,
} from './replica-thread.ts';
import { isPassing, type ReplicaEvents, type ReplicaPorts, runReplica } from './replica-run.ts';
import { ReplicaStore } from './replica-store.ts';

/**
 * The thread of a replica that follows the primary. It has the only read-write state of the
 * process, and no way to build a commit of its own. That of a member becomes the writer when it is
 * told to lead.
 */
const closing = new AbortController();
/** Aborted when it is told to lead. */
const leading = new AbortController();
const toLead = Promise.withResolvers<Leading>();
const leads = Promise.withResolvers<void>();
leads.promise.catch(() => undefined);
/** The newest channel, which may have ended. */
const primary: { channel?: ReplicaChannel } = {};

const main = serve<ReplicaThreadNotices, ReplicaThreadCalls>(() => {
  const channel = (): ReplicaChannel => {
    if (primary.channel !== undefined) return primary.channel;
    throw new Problem('replication_unavailable', 'the primary was not reached yet');
  };
  return {
    follow: () => ended,
    fetchFrontEnd: (digests) => channel().fetchFrontEnd(digests),
    embed: (request) => channel().embed(request),
    lead: (asked) => {
      toLead.resolve(asked);
      leading.abort(new Error('this member leads'));
      return leads.promise;
    },
    close,
  };
});

async function close(): Promise<void> {
  closing.abort(new Error('the replica stops'));
  await ended;
}

async function follow(options: ReplicaOptions, signal: AbortSignal): Promise<void> {
  const { storage, masterKey } = options;
  const store = new ReplicaStore({ storage, masterKey: masterKey ?? undefined });
  using _claim = await store.claim(options.replicaUID);
  const ports = portsOf(options, store);
  const { sharedLog } = options;
  if (sharedLog === null) return runReplica(ports, signal);
  await using log = new LogFollower({
    address: addressOf(sharedLog),
    workspace: sharedLog.workspace,
    ...secretOf(masterKey),
    onReleased: () => main.tell('leaseReleased'),
  });
  const followed = async (): Promise<void> => {
    if (signal.aborted || !leading.signal.aborted) return;
    await lead(options, must(ports.following(), 'an open state'), signal);
  };
  const until = AbortSignal.any([signal, leading.signal]);
  try {
    await runMember({ ...ports, log, followed }, until);
  } finally {
    // It had nothing open yet, or no more.
    leads.reject(noPrimary(sharedLog.workspace));
  }
}

/** Is the writer until the signal is aborted. */
async function lead(
  options: ReplicaOptions,
  following: Following,
  signal: AbortSignal,
): Promise<void> {
  const { shared, port } = await toLead.promise;
  const opened = Promise.withResolvers<Handlers<WriterCalls>>();
  opened.promise.catch(() => undefined);
  const asking = new Channel<WriterNotices, WriterCalls>(port, opened.promise);
  try {
    const { answersOf, takeOver } = await writing();
    const followers = new Followers(options.followers);
    const onNote = (text: string): void => asking.tell('note', text);
    const events = { onNote, ...leaseTold(asking) };
    await using writer = await takeOver(following, { ...options, followers, shared }, events);
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    opened.resolve(answersOf(writer, close));
    leads.resolve();
    if (!signal.aborted) await stopped;
  } catch (error) {
    opened.reject(error);
    leads.reject(error);
  }
}

/** What only a writer needs is loaded before it is one. */
async function writing() {
  const [{ takeOver }, { answersOf }] = await Promise.all([
    import('../writer/open-writer.ts'),
    import('../writer/answer-writer.ts'),
  ]);
  return { takeOver, answersOf };
}

function portsOf(options: ReplicaOptions, store: ReplicaStore) {
  const { storage } = options;
  const followers = new Followers(options.followers);
  let inspection: StateInspection | undefined;
  let following: Following | undefined;
  return {
    store,
    following: () => following,
    join: async (history: History | undefined) => {
      main.tell('joining');
      const channel = await (options.port === null
        ? joinAnyPrimary(options, history)
        : joinPrimary(options, history));
      primary.channel = channel;
      main.tell('joined');
      void passNotices(channel, (notice) => {
        if (!StateInspection.isAskedFor(notice)) main.tell('notice', notice);
        else void inspection?.answer(channel, notice);
      });
      return channel;
    },
    openState: async () => {
      following = await openFollowing({ ...options, followers }, events.note);
      const tell = (chunk: AppliedChunk): void => main.tell('applied', chunk);
      const state = new PausableState(following, options.isTimed ? tell : undefined);
      leading.signal.addEventListener('abort', () => state.resume());
      inspection = new StateInspection({
        storage,
        masterKey: options.masterKey ?? undefined,
        state,
        note: events.note,
      });
      return state;
    },
    timers: systemTimers,
    pause: (ms: number, signal: AbortSignal) =>
      sleep(ms, undefined, { signal }).catch(() => undefined),
    events,
  } satisfies ReplicaPorts & { following(): Following | undefined };
}

async function joinPrimary(
  options: ReplicaOptions,
  history: History | undefined,
): Promise<ReplicaChannel> {
  const { secret, replicaUID, version } = options;
  const address = await main.ask('primaryAddress');
  if (address === null) {
    throw new Problem('replication_unavailable', 'there is no primary at the moment');
  }
  const { replicationPort } = await registerReplica(options, address, history);
  return connectReplica({
    // Brackets are of the URL, not of the address.
    host: new URL(address).hostname.replace(/^\[(.*)\]$/, '$1'),
    port: options.port ?? replicationPort,
    secret,
    replicaUID,
    hello: { name: replicaName(replicaUID), version },
  });
}

/** Waits for the member that is the primary, or for another one that takes over. */
async function joinAnyPrimary(
  options: ReplicaOptions,
  history: History | undefined,
): Promise<ReplicaChannel> {
  for (;;) {
    try {
      return await joinPrimary(options, history);
    } catch (error) {
      const isOver = closing.signal.aborted || leading.signal.aborted;
      if (isOver || !isPassing(error)) throw error;
      await sleep(REPLICA_RETRY_DELAY_MIN_MS);
    }
  }
}

/** Passes notices on until the channel ends, which whoever follows the log over it hears too. */
async function passNotices(
  channel: ReplicaChannel,
  receive: (notice: Notice) => void,
): Promise<void> {
  try {
    for await (const notice of channel.notices()) receive(notice);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

const events: ReplicaEvents = {
  note: (text, level = 'info') => main.tell('note', { level, text }),
  progress: (bytesDone, bytesTotal) => main.tell('progress', { bytesDone, bytesTotal }),
  loaded: () => main.tell('loaded'),
  caughtUp: () => {
    main.tell('caughtUp');
    const { sharedLog }: ReplicaOptions = workerData;
    if (sharedLog !== null) void writing();
  },
};

const ended = follow(workerData, closing.signal).catch((error: unknown) => {
  // An error after it was told to stop is of no interest.
  if (!closing.signal.aborted) throw error;
});

interface StateInspectionParts {
  readonly storage: string;
  readonly masterKey: string | undefined;
  readonly state: PausableState;
  readonly note: (text: string, level: 'info' | 'warn') => void;
}

/**
 * Compares the state of a replica with that of the primary when the primary asks for it: see
 * `Verification`.
 */
class StateInspection {
  readonly #parts: StateInspectionParts;
  #isRunning = false;

  constructor(parts: StateInspectionParts) {
    this.#parts = parts;
  }

  static isAskedFor({ kind }: Notice): boolean {
    return kind === VERIFY_NOTICE;
  }

  /** Answers one request at a time; whatever goes wrong, the state goes on following. */
  async answer(channel: ReplicaChannel, { payload }: Notice): Promise<void> {
    const id = idOf(payload);
    if (this.#isRunning || id === undefined) return;
    this.#isRunning = true;
    const { state, note } = this.#parts;
    // A primary that says nothing must not keep the replica from following.
    const timer = setTimeout(() => state.resume(), REPLICA_VERIFY_HOLD_MS);
    try {
      const sequence = await state.pause();
      await channel.verify({ id, sequence }, (target) => this.#manifestAt(target));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      note(`the comparison with the primary ended: ${error.message}`, 'warn');
    } finally {
      clearTimeout(timer);
      state.resume();
      this.#isRunning = false;
    }
  }

  async #manifestAt(sequence: number): Promise<Manifest> {
    const { storage, masterKey, state } = this.#parts;
    await state.advanceTo(sequence);
    using reader = openSnapshotReader({ storage, masterKey, environments: ['graph', 'vault'] });
    using held = reader.hold();
    state.resume();
    if (held.sequence !== sequence) {
      const where = `the replica is at ${held.sequence}, and was to look at ${sequence}`;
      throw new Problem('replication_unavailable', where);
    }
    return await digestHeld(held);
  }
}

function idOf(payload: unknown): number | undefined {
  if (typeof payload !== 'object' || payload === null || !('id' in payload)) return undefined;
  return typeof payload.id === 'number' ? payload.id : undefined;
}
