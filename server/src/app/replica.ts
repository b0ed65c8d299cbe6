import type { ReplicaHealth } from '@trellis/contract/shapes/replica.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { createHttpServer } from '#http/server.ts';
import type { HttpServices } from '#http/services.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import { Followers } from '#log/followers.ts';
import type { AnswerEmbed } from '#replication/embed-call.ts';
import { replicaName } from '#replication/replica-name.ts';
import { deriveReplicationSecret } from '#replication/replication-secret.ts';
import { readFrontEnd } from './front-end/front-end-folder.ts';
import { ReplicaFrontEnd } from './front-end/replica-front-end.ts';
import { requireFeature } from './license.ts';
import { licenseSettings, readLicense } from './license-files.ts';
import { licenseReporter } from './license-report.ts';
import { openServices, type GraphServices, type OpenServices } from './open-services.ts';
import { replicaProbes } from './part-probes.ts';
import { openReadState, type ReadState } from './read-state.ts';
import { LoggedAuditTrail, ReadOnlyWrites } from './replication/read-only-writes.ts';
import { ReplicaThread } from './replication/replica-thread.ts';
import { describeIndexNotice } from './search/index-notice.ts';
import { searchBuildThreads } from './search/search-build-threads.ts';
import { searchMemoryBytes } from './search/search-memory.ts';
import { ServerStatus, VERSION } from './server-status.ts';
import { readMetrics } from './telemetry/read-metrics.ts';
import { TracedApplications } from './telemetry/traced-commits.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

/** What a replica cannot be without: the configuration has been checked for it. */
interface ReplicaParts extends WorkspaceOptions {
  readonly jwtKey: string;
  readonly primaryAddress: string;
  readonly followers: Followers;
  /** That of the followers. */
  readonly sequence: AppliedSequence;
}

/** Listens, so that it can be asked how it is, and begins to follow the primary; not ready before it has caught up. */
export async function openReplica(options: WorkspaceOptions): Promise<Workspace> {
  const { config, storage, logger, telemetry } = options;
  const parts = partsOf(options);
  const { primaryAddress, sequence } = parts;
  const files = await readFrontEnd({ ...options, configured: config.frontEndFolder });
  const uid = formatUid(randomUid());
  const probed = { ...options, services: () => graph, isJoined: () => thread.isJoined };
  const replication = () => roleOf(uid);
  const probes = replicaProbes(probed);
  const status = new ServerStatus({ storage, role: 'replica', replication, probes });
  let graph: OpenServices | undefined;
  const frontEnd = new ReplicaFrontEnd(files, (message) => {
    // Before, there is nobody to tell.
    if (status.ready()) http.broadcast(message);
  });
  const refuse = (): Promise<never> => new ReadOnlyWrites().refuse();
  const always = {
    status,
    replicas: { register: refuse, list: refuse, verify: refuse },
    backups: { list: refuse, run: refuse, verify: refuse, remove: refuse },
    frontEnd: frontEnd.served,
    sequence: () => sequence.get(),
    waitForSequence: (wanted: number, timeoutMs: number) => sequence.reach(wanted, timeoutMs),
  };
  const services = startingServices(always, () => graph);
  await using opened = new AsyncDisposableStack();
  opened.use(readMetrics(telemetry, { sequence, status, services: () => graph }));
  const thread = opened.use(followPrimary(parts, uid, frontEnd));
  const http = opened.use(
    await createHttpServer(services, { ...config.http, logger, telemetry, primaryAddress }),
  );
  const { url } = await http.listen(config.http);
  const resources = opened.move();
  const stopping = Promise.withResolvers<never>();
  stopping.promise.catch(() => undefined);
  const load = async (): Promise<void> => {
    await Promise.race([thread.loaded, stopping.promise]);
    const state = resources.use(openReadState(storage, parts.secrets.graphMasterKey, sequence));
    graph = resources.use(await openReplicaServices(parts, state, thread.embed));
    const caughtUp = Promise.all([thread.caughtUp, graph.endpoints.ready, graph.indexOpened()]);
    await Promise.race([caughtUp, stopping.promise]);
    const following = frontEnd.follow({ ...parts, ...state, fetch: thread.fetchFrontEnd });
    resources.use(await Promise.race([following, stopping.promise]));
    status.becomeReady();
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

/**
 * The services of a server that listens before it has its graph. Until they are there only the area `status` answers, so nobody
 * meets one that is missing.
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

function partsOf(options: WorkspaceOptions): ReplicaParts {
  const { config, secrets } = options;
  const followers = Followers.awaiting(['text index', 'vector index']);
  return {
    ...options,
    jwtKey: must(secrets.jwtKey, 'MSK_JWT_KEY of a replica'),
    primaryAddress: must(config.replication.primaryAddress, 'MSK_PRIMARY_ADDRESS of a replica'),
    followers,
    sequence: followers.applied,
  };
}

function followPrimary(
  parts: ReplicaParts,
  replicaUID: string,
  frontEnd: ReplicaFrontEnd,
): ReplicaThread {
  const { storage, config, secrets, jwtKey, primaryAddress, followers, logger } = parts;
  const traces = parts.telemetry && new TracedApplications(parts.telemetry);
  return new ReplicaThread(
    {
      storage,
      masterKey: secrets.graphMasterKey,
      lowMemory: config.lowMemory,
      port: config.replication.port,
      followers: followers.buffer,
      primaryAddress,
      secret: deriveReplicationSecret(Buffer.from(jwtKey)),
      replicaUID,
      publicAddress: config.publicAddress ?? '',
      serverAddress: config.serverAddress ?? '',
      version: VERSION,
      isTimed: traces !== undefined,
    },
    logger,
    {
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
  const license = readLicense({ ...licenseSettings(parts), now: systemClock.now() });
  requireFeature(license, 'Replicas');
}

function openReplicaServices(
  parts: ReplicaParts,
  state: ReadState,
  askPrimary: AnswerEmbed,
): Promise<OpenServices> {
  requireReplicas(parts);
  const { logger, redact, telemetry, jwtKey, primaryAddress } = parts;
  const { storage, config, secrets, followers } = parts;
  return openServices({
    ...state,
    writes: new ReadOnlyWrites(),
    audit: new LoggedAuditTrail(logger),
    logger,
    redact,
    telemetry,
    signingKey: jwtKey,
    publicAddress: primaryAddress,
    publicUrl: () => primaryAddress,
    smtpUrl: null,
    index: {
      storage,
      masterKey: secrets.graphMasterKey,
      followers: followers.buffer,
      memoryBytesMax: searchMemoryBytes(config),
      buildThreads: searchBuildThreads(config),
    },
    sequence: parts.sequence,
    replicaLag: () => Promise.resolve(undefined),
    logs: parts.logs,
    license: { report: licenseReporter(licenseSettings(parts), systemClock) },
    isReplica: true,
    askPrimary,
    builtInTasks: [],
    onFrontEndChanged: () => Promise.resolve(),
    onIndexChanged: () => undefined,
  });
}
