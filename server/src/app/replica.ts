import type { ReplicaHealth } from '@trellis/contract/shapes/replica.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import type { PrimaryAddress } from '#base/primary-address.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { createHttpServer } from '#http/server.ts';
import type { HttpServices } from '#http/services.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import { Followers } from '#log/followers.ts';
import { ChangeThread } from './changes/change-thread.ts';
import type { AnswerEmbed } from '#replication/embed-call.ts';
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
import { buildServices, type GraphServices, type Services } from './build/services.ts';
import { CommitLooks } from './commit-looks.ts';
import { readFrontEnd } from './front-end/front-end-files.ts';
import { ReplicaFrontEnd } from './front-end/replica-front-end.ts';
import { licenseReporter, licenseSettings, readLicense, requireFeature } from './license.ts';
import { replicaProbes } from './part-probes.ts';
import { type MemberRole, NO_MEMBERS, stopGraceOf, joinMembers } from './member/member-role.ts';
import { PublicAddress } from './build/identity.ts';
import { openReadState, readingOf, type ReadState } from './open-storage.ts';
import { ReplicaThread } from './replication/replica-thread.ts';
import { describeIndexNotice } from './replication/notices.ts';
import { indexOptions } from './search/index-options.ts';
import { ServerStatus, VERSION } from './server-status.ts';
import { readMetrics } from './telemetry/read-metrics.ts';
import { TracedApplications } from './telemetry/traced-commits.ts';
import { tellOfSchema } from './view-notices.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

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
): Promise<Workspace> {
  const { config, storage, logger, telemetry, areLogsWritten } = options;
  const parts = partsOf(options, following);
  const { sequence } = parts;
  const uid = formatUid(randomUid());
  const files = await readFrontEnd({ ...options, configured: config.frontEndFolder });
  const frontEnd = new ReplicaFrontEnd(files, following.member === undefined);
  await using opened = new AsyncDisposableStack();
  const thread = opened.use(followPrimary(parts, uid, frontEnd));
  /** Undefined until the graph is there. */
  let built: Services | undefined;
  const services = (): Services | undefined => built;
  const isJoined = (): boolean => thread.isJoined;
  const status = new ServerStatus({
    storage,
    role: 'replica',
    replication: () => roleOf(uid),
    probes: replicaProbes({ services, isJoined, areLogsWritten }),
    member: following.member,
  });
  opened.use(readMetrics(telemetry, { sequence, status, services, member: following.member }));
  const always = servicesWithoutGraph(parts, { status, frontEnd });
  const http = opened.use(
    await createHttpServer(startingServices(always, services), {
      ...config.http,
      publicAddress: config.publicAddress,
      logger,
      telemetry,
      primaryAddress: following.primaryAddress,
      ...stopGraceOf(following.member),
    }),
  );
  opened.use(joinMembers(following.member, sequence, http));
  const { url } = await http.listen(config.http);
  const resources = opened.move();
  const stopping = Promise.withResolvers<never>();
  stopping.promise.catch(() => undefined);
  const load = async (): Promise<void> => {
    await Promise.race([thread.loaded, stopping.promise]);
    const state = resources.use(openReadState(readingOf(parts), sequence));
    const peers = { askPrimary: thread.embed, changes: resources.use(changeThread(parts)) };
    built = resources.use(await buildReplicaServices(parts, state, peers));
    const caughtUp = Promise.all([thread.caughtUp, built.endpoints.prepare(), built.indexOpened()]);
    await Promise.race([caughtUp, stopping.promise]);
    const looks = resources.use(new CommitLooks(state.reader, sequence));
    const fetch = thread.fetchFrontEnd;
    const fetched = frontEnd.follow({ storage, looks, fetch, logger });
    resources.use(await Promise.race([fetched, stopping.promise]));
    status.becomeReady();
    // Nobody is connected before.
    frontEnd.tellBy((message, owner) => http.broadcast(message, owner));
    resources.use(tellOfSchema(looks, http));
  };
  let loading = Promise.resolve();
  return {
    url,
    role: 'replica',
    uid,
    crashed: thread.failed,
    makeReady: () => (loading = load()),
    [Symbol.asyncDispose]: async () => {
      stopping.reject(new Error('the server stops'));
      await loading.catch(() => undefined);
      await http.close();
      await resources.disposeAsync();
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
  { askPrimary, changes }: { readonly askPrimary: AnswerEmbed; readonly changes: ChangeThread },
): Promise<Services> {
  requireReplicas(parts);
  const { logger, redact, telemetry, jwtKey, following, followers, sequence, logs } = parts;
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
    index: indexOptions(parts, followers),
    pool: undefined,
    tracing: parts.config.endpointTraces,
    signingKey: jwtKey,
    address: new PublicAddress(following.publicAddress),
    primaryAddress: following.primaryAddress,
    smtpUrl: null,
    takesOAuthRegistrations: parts.config.oauthRegistration,
    // Connectors run on the primary.
    disk: new DiskRoots({ roots: [], own: [] }),
    askPrimary,
    replicaLag: () => Promise.resolve(undefined),
    license: { report: licenseReporter(licenseSettings(parts), clock) },
    logs,
    changes,
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
