import { systemClock } from '#base/clock.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { createHttpServer, type HttpServer } from '#http/server.ts';
import type { HttpServices } from '#http/services.ts';
import { StoredAuditTrail } from '#identity/audit-trail.ts';
import type { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import { keepSigningKey } from '#store/signing-key.ts';
import { openBackups, type OpenBackups } from './backup/open-backups.ts';
import { StorageScrub } from './scrub/storage-scrub.ts';
import { targetSettings } from './backup/target-settings.ts';
import { backupTask, replicaVerificationTask } from './built-in-tasks.ts';
import { vectorsForReplicas } from './embeddings.ts';
import { prepareFirstStart } from './first-start.ts';
import type { FrontEndFiles } from './front-end/front-end-folder.ts';
import { PrimaryFrontEnd } from './front-end/primary-front-end.ts';
import { startJobNotices } from './job-notices.ts';
import { licenseSettings } from './license-files.ts';
import { licenseReporter } from './license-report.ts';
import { openServices, type OpenServices, type ServicesOptions } from './open-services.ts';
import type { OpenStorage } from './open-storage.ts';
import {
  openReplication,
  withoutReplication,
  type ReplicationRole,
} from './replication/open-primary.ts';
import { lagIn } from './sampled-load.ts';
import { indexNotice } from './search/index-notice.ts';
import { searchBuildThreads } from './search/search-build-threads.ts';
import { searchMemoryBytes } from './search/search-memory.ts';
import { ServerStatus, type ServerStatusOptions } from './server-status.ts';
import { primaryProbes } from './part-probes.ts';
import { readMetrics } from './telemetry/read-metrics.ts';
import type { TracedCommits } from './telemetry/traced-commits.ts';
import { installSystemEndpoints } from './system-endpoints.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

/** What there is before the rest of the program is loaded. */
export interface OpenPrimaryParts {
  readonly state: OpenStorage;
  readonly files: FrontEndFiles;
  readonly pool: EndpointPool;
  readonly traced: TracedCommits;
}

/** Puts the parts together over the open storage, and listens; not ready yet. */
export async function openPrimaryWorkspace(
  options: WorkspaceOptions,
  { state, files, pool, traced }: OpenPrimaryParts,
): Promise<Omit<Workspace, 'crashed'>> {
  const { storage, config, logger, telemetry } = options;
  await using opened = new AsyncDisposableStack();
  const replication = opened.use(await openChannel(options, state, files));
  traced.announceTo(replication.announce, () => replication.publicUrls().length > 0);
  const { sequence } = state;
  const frontEnd = new PrimaryFrontEnd(files, {
    ...state,
    services: () => services,
    replication,
    tell: (message) => http.broadcast(message),
    logger,
  });
  const services: PrimaryServices = opened.use(
    await openPrimaryServices(options, state, {
      publicUrl: () => config.publicAddress ?? url,
      onFrontEndChanged: frontEnd.refresh,
      replication,
      pool,
    }),
  );
  const probes = primaryProbes({ ...options, ...state, replication, services: () => services });
  const status = statusOf(storage, { replication, probes, services });
  opened.use(readMetrics(telemetry, { sequence, status, services: () => services }));
  const http: HttpServer = opened.use(
    await createHttpServer(
      {
        ...services,
        status,
        replicas: replication.replicas,
        frontEnd: frontEnd.served,
        sequence: () => sequence.get(),
        waitForSequence: (wanted, timeoutMs) => sequence.reach(wanted, timeoutMs),
      },
      { ...config.http, logger, telemetry, primaryAddress: null },
    ),
  );
  await frontEnd.load();
  opened.use(startJobNotices(services.jobs, (message, owner) => http.broadcast(message, owner)));
  const { url } = await http.listen(config.http);
  const resources = opened.move();
  return {
    url,
    role: 'primary',
    uid: formatUid(randomUid()),
    makeReady: async () => {
      await prepareFirstStart({ ...options, ...state, endpoints: services.endpoints, url });
      await installSystemEndpoints(services.endpoints);
      await Promise.all([frontEnd.publish(), services.endpoints.ready, services.indexOpened()]);
      await services.automation.recover();
      status.becomeReady();
      await services.automation.start();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

interface StatusParts extends Pick<ServerStatusOptions, 'probes'> {
  readonly replication: ReplicationRole;
  readonly services: PrimaryServices;
}

function statusOf(storage: string, { replication, probes, services }: StatusParts): ServerStatus {
  const { health } = replication;
  const isStorageDamaged = (): boolean => services.scrub.isDamaged;
  return new ServerStatus({
    storage,
    role: 'primary',
    replication: health,
    probes,
    isStorageDamaged,
  });
}

/** What may change after the services are there. */
interface PrimaryHooks extends Pick<ServicesOptions, 'publicUrl' | 'onFrontEndChanged'> {
  readonly replication: ReplicationRole;
  readonly pool: EndpointPool;
}

interface PrimaryServices extends OpenServices, Pick<HttpServices, 'backups'> {
  readonly scrub: StorageScrub;
}

async function openPrimaryServices(
  options: WorkspaceOptions,
  state: OpenStorage,
  { replication, ...hooks }: PrimaryHooks,
): Promise<PrimaryServices> {
  const { storage, config, secrets, logger, redact } = options;
  const { reader, writer } = state;
  await using opened = new AsyncDisposableStack();
  const audit = opened.use(
    new StoredAuditTrail({ reader, commits: writer, logger, clock: systemClock }),
  );
  const scrub = opened.use(openScrub(options, state));
  const services = opened.use(
    await openServices({
      ...state,
      ...hooks,
      writes: writer,
      audit,
      logger,
      redact,
      telemetry: options.telemetry,
      signingKey:
        secrets.jwtKey ??
        (await keepSigningKey({ storage, masterKey: secrets.graphMasterKey ?? undefined })),
      publicAddress: config.publicAddress,
      smtpUrl: secrets.smtpUrl,
      index: {
        storage,
        masterKey: secrets.graphMasterKey,
        followers: state.followers.buffer,
        memoryBytesMax: searchMemoryBytes(config),
        buildThreads: searchBuildThreads(config),
      },
      replicaLag: async () => lagIn(await replication.health()),
      logs: options.logs,
      license: { report: licenseReporter(licenseSettings(options), systemClock) },
      isReplica: false,
      askPrimary: undefined,
      builtInTasks: [
        backupTask(() => backups),
        replicaVerificationTask(replication.replicas),
        scrub.task,
      ],
      onIndexChanged: (change) => replication.announce(indexNotice(change)),
    }),
  );
  replication.embedWith(vectorsForReplicas(services.textVectors));
  replication.reportTo(services.jobs);
  const backups: OpenBackups = opened.use(
    openBackups({ ...options, opened: state, audit }, services.jobs),
  );
  // Goes first: a backup that ends with the rest is interrupted.
  opened.use(services.jobs);
  const resources = opened.move();
  return {
    ...services,
    backups: backups.http,
    scrub,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function openScrub(
  { storage, startFolder, config, secrets, logger }: WorkspaceOptions,
  { followers }: OpenStorage,
): StorageScrub {
  const { target } = config.backup;
  return new StorageScrub({
    logger,
    place: {
      storage,
      masterKey: secrets.graphMasterKey,
      target: target === null ? null : targetSettings(config, secrets, startFolder),
      followers: followers.buffer,
    },
  });
}

/** Without a key in common with anybody there are no replicas (specification, section 2.9). */
function openChannel(
  { storage, config, secrets, replicationLogger: logger }: WorkspaceOptions,
  opened: OpenStorage,
  frontEnd: FrontEndFiles,
): ReturnType<typeof openReplication> {
  const { jwtKey, graphMasterKey: masterKey } = secrets;
  if (jwtKey === null) return Promise.resolve(withoutReplication());
  return openReplication({ storage, opened, config, masterKey, logger, frontEnd }, jwtKey);
}
