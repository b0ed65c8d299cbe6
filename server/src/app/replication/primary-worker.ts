import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { systemClock, systemTimers } from '#base/clock.ts';
import { REPLICATION_SWEEP_INTERVAL_MS, REPLICA_VERIFY_HOLD_MS } from '#base/replication-limits.ts';
import { Followers } from '#log/followers.ts';
import type { ReplicationEvent } from '#replication/replica-registry.ts';
import { startReplicationServer, type ReplicationServer } from '#replication/replication-server.ts';
import { digestHeld } from '#store/snapshot.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { SnapshotSpool } from '#store/snapshot-spool.ts';
import { DigestFolder, FRONT_END_FOLDER } from '../front-end/digest-folder.ts';
import { openPublishedLog } from '../open-published-log.ts';
import type { Handlers } from '../threads/channel.ts';
import { serve } from '../threads/thread.ts';
import { RefusalLog } from './refusal-log.ts';
import type {
  PrimaryOptions,
  ReplicationCalls,
  ReplicationNotices,
} from './primary-replication.ts';

/**
 * The thread that serves replicas: it reads the log's files and the state beside the writer, so
 * that a copy takes time from nobody who reads or writes. It writes the snapshots that replicas
 * copy, in a folder of their own.
 */
const main = serve<ReplicationNotices, ReplicationCalls>(serveReplicas);

/** Anybody who reaches the port can be refused any number of times. */
const refusals = new RefusalLog({
  clock: systemClock,
  timers: systemTimers,
  warn: (text) => main.tell('note', { level: 'warn', text }),
});

async function serveReplicas(): Promise<Handlers<ReplicationCalls>> {
  const options: PrimaryOptions = workerData;
  const { storage, host, secret, version } = options;
  const followers = new Followers(options.followers);
  const { applied } = followers;
  const { log, isEncrypted, keys } = await openPublishedLog(storage, options.masterKey, applied);
  const { environmentKey, vaultKey } = keys;
  const reader = openSnapshotReader({
    storage,
    environmentKey,
    vaultKey,
    environments: ['graph', 'vault'],
  });
  const spool = await SnapshotSpool.open({
    folder: join(storage, 'snapshot'),
    reader,
    clock: systemClock,
    isEncrypted,
  });
  const interfaceFiles = new DigestFolder(join(storage, FRONT_END_FOLDER));
  const server = await startReplicationServer({
    host,
    secret,
    version,
    log,
    followers,
    port: options.port,
    openSnapshot: () => spool.openSnapshot(),
    holdState: async (sequence) => {
      await applied.reach(sequence, REPLICA_VERIFY_HOLD_MS);
      const held = reader.hold();
      return {
        sequence: held.sequence,
        readManifest: () => digestHeld(held),
        [Symbol.dispose]: () => held[Symbol.dispose](),
      };
    },
    frontEndFile: async (digest) =>
      options.frontEnd.get(digest) ?? (await interfaceFiles.read(digest)),
    embed: (request) => main.ask('embed', request),
    pause: (ms) => sleep(ms, undefined, { ref: false }),
    clock: systemClock,
    timers: systemTimers,
    onEvent: (event) => tell(event, () => server.replicas()),
  });
  const sweeping = setInterval(() => {
    spool.sweep().catch((error: unknown) => {
      main.tell('note', warn(`snapshots for replicas are not cleared: ${String(error)}`));
    });
  }, REPLICATION_SWEEP_INTERVAL_MS);
  return {
    listening: () => ({ port: server.port, epoch: log.epoch }),
    register: (registration) => server.register(registration),
    state: () => ({ replicas: server.replicas(), lag: server.lag() }),
    announce: (notice) => server.announce(notice),
    verify: (_, { progress }) => server.verify((done, total) => progress({ done, total })),
    cancelVerification: () => server.cancelVerification(),
    close: async () => {
      await server[Symbol.asyncDispose]();
      await spool[Symbol.asyncDispose]();
      clearInterval(sweeping);
      refusals[Symbol.dispose]();
    },
  };
}

/**
 * Tells the main thread, for the primary's log (specification, section 3.1) and for the list of
 * replicas that pages get.
 */
function tell(event: ReplicationEvent, replicas: ReplicationServer['replicas']): void {
  if (event.kind === 'rejected') {
    refusals.refused(`failed connection of a replica from ${event.peer}: ${event.reason}`);
    return;
  }
  if (event.kind === 'reported') {
    main.tell('reported', undefined);
    return;
  }
  const note = noteOf(event);
  if (note !== undefined) main.tell('note', note);
  if (event.kind === 'registered' || event.kind === 'dropped') {
    const publicUrls = replicas().map(({ publicUrl }) => publicUrl);
    main.tell('replicas', publicUrls);
  }
}

const WHY_DROPPED = {
  silent: 'has been silent for too long',
  'no room': 'needs more of the log than there is room for',
} as const;

function noteOf(
  event: Exclude<ReplicationEvent, { kind: 'rejected' | 'reported' }>,
): { readonly level: 'info' | 'warn'; readonly text: string } | undefined {
  switch (event.kind) {
    case 'registered':
      return info(`new read-only replica registration: ${nameOf(event.replica)}`);
    case 'dropped':
      return info(`the replica ${nameOf(event.replica)} ${WHY_DROPPED[event.reason]}: dropped`);
    case 'connected':
      return info(
        `the replica ${nameOf(event.replica)} of version ${event.replica.version} is connected from ${event.peer}`,
      );
    case 'copy_started':
      return info(
        `the replica ${nameOf(event.replica)} copies ${event.pieces} pieces at sequence ${event.sequence}`,
      );
    case 'copy_progress':
      return undefined;
    case 'following':
      return info(`the replica ${nameOf(event.replica)} follows from sequence ${event.from}`);
    case 'failed':
      return warn(
        `${event.method} of the replica ${nameOf(event.replica)} failed: ${String(event.error)}`,
      );
  }
}

function nameOf({ replicaName, replicaUID }: { replicaName: string; replicaUID: string }): string {
  return `${replicaName} (${replicaUID})`;
}

const info = (text: string) => ({ level: 'info', text }) as const;
const warn = (text: string) => ({ level: 'warn', text }) as const;
