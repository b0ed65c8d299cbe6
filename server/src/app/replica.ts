import type { ReplicaHealth } from '@trellis/contract/shapes/replica.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import type { PrimaryAddress } from '#base/primary-address.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { createHttpServer, type HttpServer } from '#http/server.ts';
import type { HttpServices } from '#http/services.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import { Followers } from '#log/followers.ts';
import { ChangeThread } from './changes/change-thread.ts';
import { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import { usualSize } from '#runtime/sandbox/pool-load.ts';
import { replicaName } from '#replication/replica-name.ts';
import { deriveReplicationSecret } from '#replication/session-keys.ts';
import type { IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import type { AuditEvent, AuditTrail } from '#access/audit-event.ts';
import type { IngestPort, IngestStream } from '#access/ingest-service.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort, CommitResult, WriterOperation } from '#graph/operations.ts';
import type { Logger } from '#observe/logger.ts';
import { buildJobs, type Foundation } from './build/foundation.ts';
import { DiskRoots } from './connectors/disk-roots.ts';
import {
  buildServices,
  type GraphServices,
  type Services,
  type ServicesArguments,
} from './build/services.ts';
import { CommitLooks } from './commit-looks.ts';
import { type FrontEndFiles, readFrontEnd } from './front-end/front-end-files.ts';
import { ReplicaFrontEnd } from './front-end/replica-front-end.ts';
import { licenseReporter, licenseSettings, readLicense, requireFeature } from './license.ts';
import { replicaProbes } from './part-probes.ts';
import {
  joinMembers,
  type MemberRole,
  NO_MEMBERS,
  type PrimaryMember,
  stopGraceOf,
} from './member/member-role.ts';
import { PublicAddress } from './build/identity.ts';
import { openReadState, readingOf, type ReadState } from './open-storage.ts';
import { ReplicaThread } from './replication/replica-thread.ts';
import { describeIndexNotice } from './replication/notices.ts';
import { type PreparedHttp, prepareHttp } from './prepared-http.ts';
import type { KeptParts } from './primary.ts';
import { indexOptions } from './search/index-options.ts';
import { IndexThread } from './search/index-thread.ts';
import { ServerStatus, VERSION } from './server-status.ts';
import { readMetrics } from './telemetry/read-metrics.ts';
import { TracedApplications } from './telemetry/traced-commits.ts';
import { tellOfSchema } from './view-notices.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';
import type { WriterClient, WriterEvents } from './writer/writer-client.ts';

/** Goes on as the primary, with what it has open as a follower. */
export type Promotion = (options: WorkspaceOptions, member: PrimaryMember) => Promise<Workspace>;

export interface Follower extends Workspace {
  /** Instead of closing it; undefined while it has not got everything open. */
  promotion(): Promotion | undefined;
}

/** Whom this process follows. */
export interface Following {
  /** Where clients and pages find the primary. */
  readonly primaryAddress: PrimaryAddress;
  /** Where this process does. */
  readonly serverAddress: PrimaryAddress;
  /** The addresses of links that it sends. */
  readonly publicAddress: string | null;
  /** Null asks the primary for the port of its channel. */
  readonly channelPort: number | null;
  /** Undefined on a replica, which needs a license (open-shapes, section 13). */
  readonly member: MemberRole | undefined;
}

/** The options that a replica needs; the configuration has been checked for them. */
interface ReplicaParts extends WorkspaceOptions {
  readonly jwtKey: string;
  readonly following: Following;
  readonly followers: Followers;
  /** The applied sequence of `followers`. */
  readonly sequence: AppliedSequence;
}

/**
 * Listens, so that it can be asked how it is, and begins to follow the primary; not ready before it
 * has caught up.
 */
export async function openReplica(
  options: WorkspaceOptions,
  following: Following = onePrimary(options),
): Promise<Follower> {
  const { config, storage, logger, telemetry, areLogsWritten } = options;
  const { member, primaryAddress } = following;
  const parts = partsOf(options, following);
  const { sequence } = parts;
  const uid = formatUid(randomUid());
  const files = await readFrontEnd({ ...options, configured: config.frontEndFolder });
  const frontEnd = new ReplicaFrontEnd(files, member === undefined);
  await using kept = new AsyncDisposableStack();
  const thread = kept.use(followPrimary(parts, uid, frontEnd));
  await using serving = new AsyncDisposableStack();
  /** Undefined until the graph is there. */
  let built: Services | undefined;
  const services = (): Services | undefined => built;
  const isJoined = (): boolean => thread.isJoined;
  const status = new ServerStatus({
    storage,
    role: 'replica',
    replication: () => roleOf(uid),
    probes: replicaProbes({ services, isJoined, areLogsWritten }),
    member,
  });
  serving.use(readMetrics(telemetry, { sequence, status, services, member }));
  const always = servicesWithoutGraph(parts, { status, frontEnd });
  const http = serving.use(
    await createHttpServer(startingServices(always, services), {
      ...config.http,
      publicAddress: config.publicAddress,
      logger,
      telemetry,
      primaryAddress,
      ...stopGraceOf(member),
    }),
  );
  serving.use(joinMembers(member, sequence, http));
  const { url } = await http.listen(config.http);
  const onBuilt = (all: Services): void => void (built = all);
  const open = { parts, files, frontEnd, thread, status, http, onBuilt };
  return new Replica({ url, uid, ...open, kept: kept.move(), serving: serving.move() });
}

type LoadedParts = Omit<KeptParts, 'lead' | 'http'>;

interface ReplicaOpen {
  readonly url: string;
  readonly uid: string;
  readonly parts: ReplicaParts;
  readonly files: FrontEndFiles;
  readonly frontEnd: ReplicaFrontEnd;
  readonly thread: ReplicaThread;
  readonly status: ServerStatus;
  readonly http: HttpServer;
  /** Told of the services once the graph is there. */
  readonly onBuilt: (services: Services) => void;
  /** What a member keeps when it becomes the primary. */
  readonly kept: AsyncDisposableStack;
  readonly serving: AsyncDisposableStack;
}

/** One that listens. */
class Replica implements Follower {
  readonly url: string;
  readonly role = 'replica';
  readonly uid: string;
  readonly crashed: Promise<Error>;
  readonly #open: ReplicaOpen;
  readonly #stopping = Promise.withResolvers<never>();
  #loading = Promise.resolve();
  #loaded: LoadedParts | undefined;
  #primaryHttp: PreparedHttp | undefined;

  constructor(open: ReplicaOpen) {
    this.url = open.url;
    this.uid = open.uid;
    this.crashed = open.thread.failed;
    this.#open = open;
    this.#stopping.promise.catch(() => undefined);
  }

  makeReady(): Promise<void> {
    return (this.#loading = this.#load());
  }

  promotion(): Promotion | undefined {
    const loaded = this.#loaded;
    return loaded && ((options, member) => this.#promote(loaded, options, member));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopServing();
    await this.#open.kept.disposeAsync();
  }

  async #load(): Promise<void> {
    const { parts, files, frontEnd, thread, status, http, onBuilt, kept, serving } = this.#open;
    const { storage, logger, followers, sequence, following } = parts;
    const stopping = this.#stopping.promise;
    await Promise.race([thread.loaded, stopping]);
    const state = kept.use(openReadState(readingOf(parts), sequence));
    const { pool, index } = kept.use(startThreads(parts, state));
    const peers = { askPrimary: thread.embed, changes: serving.use(changeThread(parts)) };
    const built = serving.use(await buildReplicaServices(parts, state, { ...peers, pool, index }));
    onBuilt(built);
    const caughtUp = Promise.all([thread.caughtUp, built.endpoints.prepare(), built.indexOpened()]);
    await Promise.race([caughtUp, stopping]);
    const looks = serving.use(new CommitLooks(state.reader, sequence));
    const fetch = thread.fetchFrontEnd;
    const fetched = frontEnd.follow({ storage, looks, fetch, logger });
    serving.use(await Promise.race([fetched, stopping]));
    status.becomeReady();
    this.#loaded = { files, followers, state, pool, index };
    if (following.member !== undefined) void this.#prepare(following.member);
    // Nobody is connected before.
    frontEnd.tellBy((message, owner) => http.broadcast(message, owner));
    serving.use(tellOfSchema(looks, http));
  }

  /** What only a primary needs is there before it is one. */
  async #prepare(member: MemberRole): Promise<void> {
    const { parts, kept } = this.#open;
    await import('./primary-workspace.ts');
    const { publicAddress } = parts.following;
    const config = { ...parts.config, publicAddress };
    await using prepared = new AsyncDisposableStack();
    this.#primaryHttp = prepared.use(await prepareHttp({ ...parts, config }, member));
    if (!kept.disposed) kept.use(prepared.move());
  }

  async #stopServing(): Promise<void> {
    const { http, serving } = this.#open;
    this.#stopping.reject(new Error('the server stops'));
    await this.#loading.catch(() => undefined);
    await http.close();
    await serving.disposeAsync();
  }

  async #promote(
    loaded: LoadedParts,
    options: WorkspaceOptions,
    member: PrimaryMember,
  ): Promise<Workspace> {
    const { thread, kept } = this.#open;
    await using keeping = new AsyncDisposableStack();
    keeping.use(kept);
    const lead = async (events: WriterEvents): Promise<WriterClient> => {
      const leading = thread.lead(member.shared, events);
      leading.catch(() => undefined);
      await this.#stopServing();
      return leading;
    };
    const { openPromoted } = await import('./primary.ts');
    const primary = keeping.use(
      await openPromoted(options, { ...loaded, http: this.#primaryHttp, lead }, member),
    );
    const all = keeping.move();
    return { ...primary, [Symbol.asyncDispose]: () => all.disposeAsync() };
  }
}

/** The processes of endpoints, and the thread that indexes: neither depends on the role. */
function startThreads(
  parts: ReplicaParts,
  { store }: ReadState,
): AsyncDisposable & Pick<KeptParts, 'pool' | 'index'> {
  const { followers, logger } = parts;
  const pool = EndpointPool.start({ ...store, size: usualSize(), logger });
  const index = new IndexThread(indexOptions(parts, followers), logger);
  return {
    pool,
    index,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([pool.close(), index[Symbol.asyncDispose]()]);
    },
  };
}

/** No trigger runs here, and no webhook: it starts with the first who watches an endpoint. */
function changeThread({ storage, secrets, followers }: ReplicaParts): ChangeThread {
  return new ChangeThread({ storage, masterKey: secrets.graphMasterKey }, followers);
}

function servicesWithoutGraph(
  { sequence, following }: ReplicaParts,
  { status, frontEnd }: { readonly status: ServerStatus; readonly frontEnd: ReplicaFrontEnd },
): Omit<HttpServices, keyof GraphServices> {
  const refuse = (): Promise<never> => new ReadOnlyWrites().refuse();
  return {
    status,
    replicas: { register: refuse, list: refuse, verify: refuse },
    members: following.member?.members ?? NO_MEMBERS,
    backups: { list: refuse, run: refuse, verify: refuse, remove: refuse },
    frontEnd: frontEnd.served,
    sequence: () => sequence.get(),
    waitForSequence: (wanted, timeoutMs) => sequence.reach(wanted, timeoutMs),
  };
}

/**
 * The services of a server that listens before it has its graph. Until they are there only the area
 * `status` answers, so nobody meets one that is missing.
 */
function startingServices(
  always: Omit<HttpServices, keyof GraphServices>,
  graph: () => GraphServices | undefined,
): HttpServices {
  return new Proxy(always, {
    get: (_always, name) =>
      Reflect.get(
        name in always ? always : must(graph(), 'the graph of a server that is ready'),
        name,
      ),
  }) as HttpServices;
}

function roleOf(replicaUID: string): ReplicaHealth {
  const name = replicaName(replicaUID);
  return { isReplica: true, hasReplicas: false, replicaUID, replicaName: name };
}

/** The one of `MSK_PRIMARY_ADDRESS`. */
function onePrimary({ config }: WorkspaceOptions): Following {
  const address = must(config.replication.primaryAddress, 'MSK_PRIMARY_ADDRESS of a replica');
  const primaryAddress = (): string => address;
  return {
    primaryAddress,
    serverAddress: primaryAddress,
    publicAddress: address,
    channelPort: config.replication.port,
    member: undefined,
  };
}

function partsOf(options: WorkspaceOptions, following: Following): ReplicaParts {
  const { secrets } = options;
  const followers = Followers.awaiting(['text index', 'vector index']);
  return {
    ...options,
    jwtKey: must(secrets.jwtKey, 'MSK_JWT_KEY of a replica'),
    following,
    followers,
    sequence: followers.applied,
  };
}

function followPrimary(
  parts: ReplicaParts,
  replicaUID: string,
  frontEnd: ReplicaFrontEnd,
): ReplicaThread {
  const { storage, config, secrets, jwtKey, following, followers, logger } = parts;
  const traces = parts.telemetry && new TracedApplications(parts.telemetry);
  return new ReplicaThread(
    {
      storage,
      masterKey: secrets.graphMasterKey,
      lowMemory: config.lowMemory,
      port: following.channelPort,
      sharedLog: following.member?.place ?? null,
      followers: followers.buffer,
      secret: deriveReplicationSecret(Buffer.from(jwtKey)),
      replicaUID,
      publicAddress: config.publicAddress ?? '',
      serverAddress: config.serverAddress ?? '',
      version: VERSION,
      isTimed: traces !== undefined,
    },
    logger,
    {
      primaryAddress: following.serverAddress,
      onApplied: (chunk) => traces?.applied(chunk),
      onNotice: (notice) => {
        if (traces?.hear(notice) === true) return;
        const told = describeIndexNotice(notice);
        // The settings themselves come with the log, and the index follows that.
        if (told !== undefined) logger.info(told);
        frontEnd.hear(notice);
      },
      onJoined: () => frontEnd.reconnected(),
      onLeaseReleased: () => following.member?.onLeaseReleased(),
    },
  );
}

/** Specification, section 3.1: told once the graph is loaded. */
function requireReplicas(parts: ReplicaParts): void {
  if (parts.following.member !== undefined) return;
  const license = readLicense({ ...licenseSettings(parts), now: systemClock.now() });
  requireFeature(license, 'Replicas');
}

function buildReplicaServices(
  parts: ReplicaParts,
  { reader, vault, store }: ReadState,
  peers: Pick<ServicesArguments, 'askPrimary' | 'changes' | 'pool' | 'index'>,
): Promise<Services> {
  requireReplicas(parts);
  const { logger, redact, telemetry, jwtKey, following, sequence, logs } = parts;
  const writes = new ReadOnlyWrites();
  const clock = systemClock;
  const foundation: Foundation = {
    reader,
    vault,
    commits: writes,
    audit: new LoggedAuditTrail(logger),
    logger,
    clock,
    redact,
    // What is written is told of by the primary.
    views: { changed: () => undefined },
    telemetry,
    isReplica: true,
    preview: null,
  };
  return buildServices(foundation, {
    store,
    sequence,
    ingest: writes,
    jobs: buildJobs(foundation),
    ...peers,
    tracing: parts.config.endpointTraces,
    signingKey: jwtKey,
    address: new PublicAddress(following.publicAddress),
    primaryAddress: following.primaryAddress,
    smtpUrl: null,
    takesOAuthRegistrations: parts.config.oauthRegistration,
    // Connectors run on the primary.
    disk: new DiskRoots({ roots: [], own: [] }),
    replicaLag: () => Promise.resolve(undefined),
    license: { report: licenseReporter(licenseSettings(parts), clock) },
    logs,
    builtInTasks: [],
    onIndexChanged: () => undefined,
    onFrontEndChanged: () => Promise.resolve(),
  });
}

/**
 * Takes the place of a primary's writer, and refuses. Routes that write never get here, as a
 * replica sends their callers to the primary; whatever else tries to write is refused in the same
 * words (specification, section 4.8).
 */
class ReadOnlyWrites implements CommitPort, IngestPort {
  commit(): Promise<CommitResult> {
    return this.refuse();
  }

  ingest(): Promise<IngestSummary> {
    return this.refuse();
  }

  openIngestStream(): Promise<IngestStream> {
    return this.refuse();
  }

  refuse(): Promise<never> {
    return Promise.reject(new Problem('read_only_replica', 'A replica takes no changes.'));
  }
}

/**
 * Security events at a replica are in its log only: what changes something happens on the primary,
 * and is recorded there.
 */
class LoggedAuditTrail implements AuditTrail {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  operation({ action }: AuditEvent): WriterOperation {
    throw new Problem('read_only_replica', `A replica makes no commit for ${action}.`);
  }

  record(event: AuditEvent): void {
    this.#logger.info({ audit: event }, event.action);
  }
}
