import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { Followers } from '#log/followers.ts';
import type { Notice } from '#replication/message-shapes.ts';
import { connectReplica, type ReplicaChannel } from '#replication/replica-channel.ts';
import { replicaName } from '#replication/replica-name.ts';
import { systemTimers } from '#base/timers.ts';
import { failureOf } from '../thread-failure.ts';
import { openFollowing } from './open-following.ts';
import { PausableState } from './pausable-state.ts';
import { registerReplica } from './register-replica.ts';
import type { FromReplica, ReplicaOptions, ReplicaRequest, ToReplica } from './replica-messages.ts';
import { runReplica } from './replica-run.ts';
import type { FollowedState, ReplicaEvents, ReplicaPorts } from './replica-run.ts';
import { ReplicaStore } from './replica-store.ts';
import { StateInspection } from './state-inspection.ts';

/**
 * The thread of a replica that follows the primary. It has the only read-write state of the process, and no way to build a commit
 * of its own.
 */
const port = must(parentPort, 'the port of the thread that follows');

/** The newest channel, which may have ended. */
const primary: { channel?: ReplicaChannel } = {};

function send(message: FromReplica): void {
  port.postMessage(message);
}

async function main(signal: AbortSignal): Promise<void> {
  const options: ReplicaOptions = workerData;
  const { storage, masterKey } = options;
  const store = new ReplicaStore({ storage, masterKey: masterKey ?? undefined });
  using _claim = await store.claim(options.replicaUID);
  await runReplica(portsOf(options, store), signal);
}

function portsOf(options: ReplicaOptions, store: ReplicaStore): ReplicaPorts {
  const { secret, replicaUID, version, primaryAddress, storage } = options;
  const followers = new Followers(options.followers);
  let inspection: StateInspection | undefined;
  return {
    store,
    join: async (history) => {
      send({ kind: 'joining' });
      await registerReplica(options, history);
      const channel = await connectReplica({
        // Brackets are of the URL, not of the address.
        host: new URL(primaryAddress).hostname.replace(/^\[(.*)\]$/, '$1'),
        port: options.port,
        secret,
        replicaUID,
        hello: { name: replicaName(replicaUID), version },
      });
      primary.channel = channel;
      send({ kind: 'joined' });
      void passNotices(channel, (notice) => {
        if (!StateInspection.isAskedFor(notice)) send({ kind: 'notice', notice });
        else void inspection?.answer(channel, notice);
      });
      return channel;
    },
    openState: async () => {
      const following = await openFollowing({ ...options, followers }, events.note);
      const state = new PausableState(options.isTimed ? timed(following) : following);
      inspection = new StateInspection({
        storage,
        masterKey: options.masterKey ?? undefined,
        state,
        note: events.note,
      });
      return state;
    },
    timers: systemTimers,
    pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    events,
  };
}

/** Tells of each application how long it took. */
function timed(state: FollowedState): FollowedState {
  const now = (): number => performance.timeOrigin + performance.now();
  return {
    get epoch() {
      return state.epoch;
    },
    get sequence() {
      return state.sequence;
    },
    lastDigest: () => state.lastDigest(),
    apply: async (records) => {
      const from = state.sequence + 1;
      const startedAt = now();
      const sequence = await state.apply(records);
      send({ kind: 'applied', chunk: { from, sequence, startedAt, endedAt: now() } });
      return sequence;
    },
    [Symbol.asyncDispose]: () => state[Symbol.asyncDispose](),
  };
}

/** Until the channel ends, which those who follow the log over it hear as well. */
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
  note: (text, level = 'info') => send({ kind: 'note', level, text }),
  progress: (bytesDone, bytesTotal) => send({ kind: 'progress', bytesDone, bytesTotal }),
  loaded: () => send({ kind: 'loaded' }),
  caughtUp: () => send({ kind: 'caughtUp' }),
};

async function answer(id: number, request: ReplicaRequest): Promise<void> {
  try {
    const channel = must(primary.channel, 'the channel of a replica that has joined');
    send({ kind: 'done', id, value: await ask(channel, request) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    send({ kind: 'notDone', id, failure: failureOf(error) });
  }
}

function ask(channel: ReplicaChannel, request: ReplicaRequest): Promise<unknown> {
  switch (request.kind) {
    case 'fetchFrontEnd':
      return channel.fetchFrontEnd(request.digests);
    case 'embed':
      return channel.embed(request.request);
  }
}

const closing = new AbortController();
port.on('message', (message: ToReplica) => {
  if (message.kind === 'close') closing.abort(new Error('the replica stops'));
  else void answer(message.id, message);
});
main(closing.signal)
  .catch((error: unknown) => {
    // What it threw when it was told to stop is of no interest.
    if (closing.signal.aborted) return;
    send({ kind: 'failed', failure: failureOf(error) });
  })
  .finally(() => {
    send({ kind: 'closed' });
    port.close();
  });
