import type { Clock, Timers } from '#base/clock.ts';
import {
  REPLICATION_CALLS_MAX,
  REPLICATION_CONNECTION_IDLE_MS,
  REPLICATION_KEEPALIVE_MS,
  REPLICATION_KEEPALIVE_TIMEOUT_MS,
  REPLICATION_NOTICES_WAITING_MAX,
  REPLICATION_REQUEST_BYTES_MAX,
  REPLICATION_SWEEP_INTERVAL_MS,
} from '#base/replication-limits.ts';
import type { Followers } from '#log/followers.ts';
import { encodeManifest } from '#store/manifest.ts';
import type { SnapshotLease } from '#store/snapshot-reader.ts';
import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall } from '@grpc/grpc-js';
import { notRegistered, statusOf, unavailable } from './channel-problem.ts';
import { answerEmbed, type AnswerEmbed } from './embed-call.ts';
import { FrameOpener, FrameSealer } from './frame.ts';
import { encodeJson, type MessageSender, Wake } from './frame-stream.ts';
import type { LagReport } from './lag.ts';
import {
  type Notice,
  readComparison,
  readFollowRequest,
  readHello,
  readHoldRequest,
  readReport,
  type Welcome,
} from './message-shapes.ts';
import { PrimaryCopy, readDigests } from './primary-copy.ts';
import {
  type FollowedLog,
  requireFollowable,
  requireSameRecord,
  sendLog,
} from './primary-follow.ts';
import { PrimarySessions } from './primary-sessions.ts';
import {
  type DropReason,
  type OnReplicationEvent,
  type RegisteredReplica,
  ReplicaRegistry,
  type ReplicaStatus,
} from './replica-registry.ts';
import {
  type AnsweredCall,
  reportRejection,
  requireRegistered,
  ServedCalls,
} from './served-calls.ts';
import {
  type AuthenticateReply,
  type AuthenticateRequest,
  type ChallengeReply,
  type ChallengeRequest,
  loadMethods,
} from './service-definition.ts';
import { HANDSHAKE_CALL } from './session-keys.ts';
import {
  type HeldState,
  type OnVerificationProgress,
  Verification,
  type VerificationReport,
} from './verification.ts';

export interface ReplicationServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** From `deriveReplicationSecret`. */
  readonly secret: Uint8Array;
  /** This server's version, which replicas are told. */
  readonly version: string;
  readonly log: FollowedLog;
  /** Where replicas say what they need of the log. */
  readonly followers: Pick<Followers, 'claim'>;
  readonly openSnapshot: () => Promise<SnapshotLease>;
  /**
   * The newest commit of the state, once it is at `sequence` or later, to compare replicas with.
   */
  readonly holdState: (sequence: number) => Promise<HeldState>;
  /** Without it there is no front end to copy. */
  readonly frontEndFile?: FrontEndFileSource;
  /** Without it nothing is embedded for replicas. */
  readonly embed?: AnswerEmbed;
  readonly pause: (ms: number) => Promise<void>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly onEvent: OnReplicationEvent;
}

/**
 * The primary's end of the replication channel. Disposing ends every call and gives every snapshot
 * back.
 */
export interface ReplicationServer extends AsyncDisposable {
  readonly port: number;
  /**
   * Only registered replicas may open the channel; the primary's HTTP API registers them, once they
   * proved the secret.
   */
  register(registration: RegisteredReplica): ReplicaStatus;
  /** The registered replicas, in the order of their registration. */
  replicas(): readonly ReplicaStatus[];
  lag(): LagReport;
  /** To every replica that is connected. */
  notify(notice: Notice): void;
  /**
   * To every replica, also to those that connect later: it holds until the next one of its kind.
   */
  announce(notice: Notice): void;
  /** Compares every replica with this primary, at one sequence; see `Verification`. */
  verify(onProgress: OnVerificationProgress): Promise<VerificationReport>;
  cancelVerification(): void;
}

/** Listens for replicas. Rejects with `replication_unavailable` when the port cannot be taken. */
export async function startReplicationServer(
  options: ReplicationServerOptions,
): Promise<ReplicationServer> {
  const { host, port, timers } = options;
  const parts = partsOf(options);
  const server = new Server({
    'grpc.max_receive_message_length': REPLICATION_REQUEST_BYTES_MAX,
    'grpc.max_concurrent_streams': REPLICATION_CALLS_MAX,
    // A replica always has calls: whoever has none for so long is a stranger.
    'grpc.max_connection_idle_ms': REPLICATION_CONNECTION_IDLE_MS,
    'grpc.keepalive_time_ms': REPLICATION_KEEPALIVE_MS,
    'grpc.keepalive_timeout_ms': REPLICATION_KEEPALIVE_TIMEOUT_MS,
  });
  server.addService({ ...loadMethods() }, handlersOf(options, parts));
  const boundPort = await bind(server, host, port);
  const { registry, notices, copy, calls } = parts;
  const sweep = timers.every(REPLICATION_SWEEP_INTERVAL_MS, () => {
    copy.sweep();
    registry.dropLate();
  });
  return {
    port: boundPort,
    register: (registration) => {
      const replica = registry.register(registration);
      options.onEvent({ kind: 'registered', replica });
      return replica;
    },
    replicas: () => registry.list(),
    lag: () => registry.lag(),
    notify: (notice) => notices.post(notice),
    announce: (notice) => notices.keep(notice),
    verify: (onProgress) => parts.verification.run(onProgress),
    cancelVerification: () => parts.verification.cancel(),
    [Symbol.asyncDispose]: async () => {
      sweep[Symbol.dispose]();
      server.forceShutdown();
      await calls.ended();
    },
  };
}

interface Parts {
  readonly sessions: PrimarySessions;
  readonly registry: ReplicaRegistry;
  readonly copy: PrimaryCopy;
  readonly notices: NoticeBoard;
  readonly calls: ServedCalls;
  readonly verification: Verification;
}

function partsOf(options: ReplicationServerOptions): Parts {
  const { secret, clock, log, openSnapshot, onEvent, holdState, pause } = options;
  const sessions = new PrimarySessions(secret, clock);
  const onDropped = (replica: ReplicaStatus, reason: DropReason): void => {
    sessions.close(replica.replicaUID, notRegistered(WHY_DROPPED[reason](replica)));
    onEvent({ kind: 'dropped', replica, reason });
  };
  const registry = new ReplicaRegistry({ clock, log, followers: options.followers, onDropped });
  const notices = new NoticeBoard();
  return {
    sessions,
    registry,
    copy: new PrimaryCopy({ openSnapshot, registry, clock, onEvent }),
    notices,
    verification: new Verification({
      replicas: () => registry.list(),
      notify: (notice) => notices.post(notice),
      hold: holdState,
      pause,
    }),
    calls: new ServedCalls({ sessions, registry, onEvent }),
  };
}

/** The message that a dropped replica gets. */
const WHY_DROPPED: Readonly<Record<DropReason, (replica: ReplicaStatus) => string>> = {
  silent: ({ replicaUID }) => `replica ${replicaUID} was silent`,
  'no room': ({ replicaUID }) =>
    `the log that replica ${replicaUID} needs takes too much room on the primary: it copies the graph`,
};

function handlersOf(options: ReplicationServerOptions, parts: Parts) {
  const { log, onEvent } = options;
  const { registry, copy, notices, calls, verification } = parts;
  return {
    Challenge: unary(onEvent, (request: ChallengeRequest): ChallengeReply =>
      challenge(parts, request),
    ),
    Authenticate: unary(onEvent, (request: AuthenticateRequest, peer): AuthenticateReply =>
      authenticate(options, parts, request, peer),
    ),
    GetManifest: calls.answer('GetManifest', (call) => copy.sendManifest(call)),
    GetPieces: calls.answer('GetPieces', (call) => copy.sendPieces(call)),
    Follow: calls.answer('Follow', async ({ replica, request, sender, signal }) => {
      const follow = readFollowRequest(request);
      requireFollowable(log, follow);
      await requireSameRecord(log, follow);
      registry.needsAfter(replica.replicaUID, follow.from - 1);
      onEvent({ kind: 'following', replica, from: follow.from });
      return sendLog(log, follow.from, sender, { pause: options.pause, signal });
    }),
    Report: calls.receive('Report', (replica, message) => {
      const { replicaUID } = replica;
      // A replica that was dropped in the meantime must register again.
      requireRegistered(registry, replicaUID);
      registry.reported(replicaUID, readReport(message).sequence);
      onEvent({ kind: 'reported', replica });
    }),
    Hold: calls.answer('Hold', async ({ replica, request, sender }) => {
      const { id, sequence } = readHoldRequest(request);
      const target = await verification.held(replica.replicaUID, id, sequence);
      await sender.send([encodeJson({ sequence: target })]);
      await sender.send([encodeManifest(await verification.manifest(id))]);
    }),
    Compared: calls.answer('Compared', async ({ replica, request }) => {
      const { id, ...comparison } = readComparison(request);
      verification.compared(replica.replicaUID, id, comparison);
    }),
    GetFrontEnd: calls.answer('GetFrontEnd', (call) =>
      sendFrontEndFiles(options.frontEndFile ?? (() => undefined), call),
    ),
    Embed: calls.answer('Embed', (call) => answerEmbed(options.embed ?? noEmbeddings, call)),
    Notify: calls.answer('Notify', ({ sender, signal }) => notices.send(sender, signal)),
  };
}

const noEmbeddings: AnswerEmbed = () =>
  Promise.reject(unavailable('this primary embeds nothing for replicas'));

/** The first half of the handshake: strangers take no place from replicas. */
function challenge({ sessions, registry }: Parts, request: ChallengeRequest): ChallengeReply {
  requireRegistered(registry, request.replicaUid);
  return sessions.challenge(request);
}

/**
 * The second half of the handshake: the replica first, so that a stranger gets nothing that the
 * secret went into.
 */
function authenticate(
  { version, log, onEvent }: ReplicationServerOptions,
  { sessions, registry }: Parts,
  request: AuthenticateRequest,
  peer: string,
): AuthenticateReply {
  const session = sessions.authenticate(request.session, request.proof);
  const { replicaUID, keys } = session;
  requireRegistered(registry, replicaUID);
  const opener = new FrameOpener(keys.frameKey('replica', HANDSHAKE_CALL));
  const hello = readHello(opener.open(request.hello));
  sessions.open(request.session, session);
  registry.connected(replicaUID, hello.version);
  onEvent({ kind: 'connected', replica: requireRegistered(registry, replicaUID), peer });
  const { epoch, firstSequence, lastSequence } = log;
  const welcome: Welcome = { version, epoch, firstSequence, lastSequence };
  const sealer = new FrameSealer(keys.frameKey('primary', HANDSHAKE_CALL));
  return {
    proof: keys.handshakeProof('primary'),
    welcome: sealer.seal([encodeJson(welcome)], true),
  };
}

function unary<Request, Response>(
  onEvent: OnReplicationEvent,
  answer: (request: Request, peer: string) => Response,
): (call: ServerUnaryCall<Request, Response>, done: sendUnaryData<Response>) => void {
  return (call, done) => {
    try {
      done(null, answer(call.request, call.getPeer()));
    } catch (error) {
      reportRejection(onEvent, error, call.getPeer());
      done(statusOf(error));
    }
  };
}

function bind(server: Server, host: string, port: number): Promise<number> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, boundPort) => {
      if (error === null) resolve(boundPort);
      else reject(unavailable(`cannot listen on ${address}: ${error.message}`, error));
    });
  });
}

/** A file of the primary's front ends by its digest (SHA-256, hexadecimal). */
type FrontEndFileSource = (
  digest: string,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

/**
 * Sends the files asked for. Throws `replication_unavailable` for one of another front end than the
 * primary has now.
 */
async function sendFrontEndFiles(
  source: FrontEndFileSource,
  { request, sender }: Pick<AnsweredCall, 'request' | 'sender'>,
): Promise<void> {
  for (const digest of readDigests(request)) {
    const bytes = await source(digest);
    if (bytes === undefined) throw unavailable(`the front end has no file ${digest} any more`);
    await sender.send([bytes]);
  }
}

interface Listener {
  readonly waiting: Notice[];
  readonly changed: Wake;
  isOverrun: boolean;
}

/**
 * Passes notices to the replicas that listen at that moment, in order. What a replica misses while
 * it is not connected it finds in the graph when it comes back, or among the notices that hold.
 */
class NoticeBoard {
  readonly #listeners = new Set<Listener>();
  /** The notices that still hold, by kind. */
  readonly #kept = new Map<string, Notice>();

  post(notice: Notice): void {
    for (const listener of this.#listeners) {
      if (listener.waiting.length < REPLICATION_NOTICES_WAITING_MAX) listener.waiting.push(notice);
      else listener.isOverrun = true;
      listener.changed.wake();
    }
  }

  /** Sends the notice to whoever listens later too, until there is another notice of its kind. */
  keep(notice: Notice): void {
    this.#kept.set(notice.kind, notice);
    this.post(notice);
  }

  /**
   * Sends until `signal` is aborted; throws `replication_unavailable` when the replica does not
   * take them.
   */
  async send(sender: MessageSender, signal: AbortSignal): Promise<void> {
    const listener: Listener = {
      waiting: [...this.#kept.values()],
      changed: new Wake(),
      isOverrun: false,
    };
    const { waiting, changed } = listener;
    this.#listeners.add(listener);
    try {
      for (;;) {
        for (const notice of waiting.splice(0)) await sender.send([encodeJson(notice)]);
        if (listener.isOverrun) throw unavailable('the replica does not take its notices');
        if (waiting.length === 0) await changed.wait(signal);
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }
}
