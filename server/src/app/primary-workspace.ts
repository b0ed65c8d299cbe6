import { join } from 'node:path';
import type { Caller } from '#access/caller.ts';
import { systemClock } from '#base/clock.ts';
import { JOB_NOTICE_INTERVAL_MS } from '#base/limits.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import { StoredAuditTrail } from '#identity/audit-trail.ts';
import { indexAddresses } from '#identity/user-addresses.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import { BUILT_IN_FOLDER } from '#runtime/endpoint-definition.ts';
import type { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import { keepSigningKey } from '#store/signing-key.ts';
import type { Job } from '@trellis/contract/shapes/job.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { openBackups, type OpenBackups } from './backup/open-backups.ts';
import { targetSettings } from './backup/open-target.ts';
import { backupTask, replicaVerificationTask } from './build/tasks.ts';
import { vectorsForReplicas } from './build/embeddings.ts';
import { buildJobs, type Foundation } from './build/foundation.ts';
import { buildServices, type Services } from './build/services.ts';
import { diskRootsOf } from './connectors/disk-roots.ts';
import { CommitLooks } from './commit-looks.ts';
import { type EndpointFile, readEndpointFiles, SERVER } from './endpoint-files.ts';
import { prepareFirstStart } from './first-start.ts';
import type { FrontEndFiles } from './front-end/front-end-files.ts';
import { PrimaryFrontEnd } from './front-end/primary-front-end.ts';
import { licenseReporter, licenseSettings } from './license.ts';
import type { OpenStorage } from './open-storage.ts';
import { primaryProbes } from './part-probes.ts';
import { joinMembers, type MemberRole, NO_MEMBERS } from './member/member-role.ts';
import { type PreparedHttp, prepareHttp } from './prepared-http.ts';
import { PublicAddress } from './build/identity.ts';
import { openReplication, type ReplicationRole } from './replication/open-primary.ts';
import { lagIn } from './statistics.ts';
import { StorageScrub } from './scrub/storage-scrub.ts';
import { indexNotice, pageNotice } from './replication/notices.ts';
import { indexOptions } from './search/index-options.ts';
import { IndexThread } from './search/index-thread.ts';
import { ServerStatus } from './server-status.ts';
import { ChangeThread } from './changes/change-thread.ts';
import { readMetrics } from './telemetry/read-metrics.ts';
import type { TracedCommits } from './telemetry/traced-commits.ts';
import { tellOfSchema, ViewNotices } from './view-notices.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

/** Parts that are there before the rest of the program is loaded. */
export interface OpenPrimaryParts {
  readonly state: Omit<OpenStorage, typeof Symbol.asyncDispose>;
  readonly files: FrontEndFiles;
  readonly pool: EndpointPool;
  /** Undefined when it is to be started. */
  readonly index: IndexThread | undefined;
  /** As well. */
  readonly http: PreparedHttp | undefined;
  readonly traced: TracedCommits;
  /** Undefined unless this process is a member. */
  readonly member: MemberRole | undefined;
}

/** Puts the parts together over the open storage, and listens; not ready yet. */
export async function openPrimaryWorkspace(
  options: WorkspaceOptions,
  given: OpenPrimaryParts,
): Promise<Omit<Workspace, 'crashed'>> {
  const { storage, config, secrets, telemetry, areLogsWritten } = options;
  const { reader, writer, sequence } = given.state;
  await using opened = new AsyncDisposableStack();
  const primary = opened.use(await buildPrimary(options, given));
  const { services, replication, frontEnd, backups, scrub } = primary;
  const status = new ServerStatus({
    storage,
    role: 'primary',
    replication: () => replication.health(),
    probes: primaryProbes({ services: () => services, writer, replication, areLogsWritten }),
    member: given.member,
    isStorageDamaged: () => scrub.isDamaged,
  });
  const { member } = given;
  opened.use(readMetrics(telemetry, { sequence, status, member, services: () => services }));
  const prepared = given.http ?? (await prepareHttp(options, member));
  const http = opened.use(
    prepared.serve({
      ...services,
      status,
      backups: backups.http,
      replicas: replication,
      members: member?.members ?? NO_MEMBERS,
      frontEnd: frontEnd.served,
      sequence: () => sequence.get(),
      waitForSequence: (wanted, timeoutMs) => sequence.reach(wanted, timeoutMs),
    }),
  );
  await frontEnd.load((message) => http.broadcast(message));
  const { endpoints, automation, jobs } = services;
  const tell = pagesTold(http, replication);
  opened.use(startJobNotices(jobs, tell));
  primary.views.tellBy((view, owner) => tell({ type: 'VIEW_CHANGED', view }, owner));
  opened.use(joinMembers(given.member, sequence, http));
  opened.use(tellOfSchema(opened.use(new CommitLooks(reader, sequence)), http));
  const { url } = await http.listen(config.http);
  primary.address.listensAt(url);
  const resources = opened.move();
  return {
    url,
    role: 'primary',
    uid: formatUid(randomUid()),
    makeReady: async () => {
      await prepareFirstStart({ config, secrets, reader, writer, endpoints, url });
      await indexAddresses(reader, writer);
      await installSystemEndpoints(endpoints);
      // Those who follow a member do so without its channel for a moment.
      const listens = member === undefined ? replication.settled() : undefined;
      await Promise.all([frontEnd.publish(), endpoints.ready, services.indexOpened(), listens]);
      await automation.recover();
      status.becomeReady();
      await automation.start();
      endpoints.makeTypesAhead();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

type TellPages = (message: WebSocketMessage, owner?: string) => void;

/** Tells the pages of this server, and those of the servers that follow it. */
function pagesTold(
  http: { readonly broadcast: TellPages },
  replication: Pick<ReplicationRole, 'publicUrls' | 'announce'>,
): TellPages {
  return (message, owner) => {
    http.broadcast(message, owner);
    if (replication.publicUrls().length > 0) replication.announce(pageNotice({ message, owner }));
  };
}

interface Primary extends AsyncDisposable {
  readonly services: Services;
  readonly replication: ReplicationRole;
  readonly frontEnd: PrimaryFrontEnd;
  readonly backups: OpenBackups;
  readonly scrub: StorageScrub;
  readonly address: PublicAddress;
  readonly views: ViewNotices;
}

/** All but HTTP. */
async function buildPrimary(
  options: WorkspaceOptions,
  { state, files: builtIn, pool, index: given, traced }: OpenPrimaryParts,
): Promise<Primary> {
  const { storage, config, secrets, logger, telemetry, redact, logs } = options;
  const { reader, vault, writer: commits, store, sequence, followers } = state;
  const clock = systemClock;
  await using opened = new AsyncDisposableStack();
  const audit = opened.use(new StoredAuditTrail({ reader, commits, logger, clock }));
  const views = opened.use(new ViewNotices());
  const told = { audit, logger, redact, views, telemetry };
  const { preview } = config;
  const known = { reader, vault, commits, clock, preview };
  const foundation: Foundation = { ...known, ...told, isReplica: false };
  const jobs = buildJobs(foundation);
  const replication = opened.use(openReplication(options, { followers, jobs, frontEnd: builtIn }));
  traced.announceTo(replication);
  replication.onReports(() => views.changed('replicas'));
  const frontEnd = new PrimaryFrontEnd({ builtIn, storage, replication, reader, commits, logger });
  const scrub = opened.use(openScrub(options, state));
  const backups = openBackups(options, { followers, audit, jobs });
  const masterKey = secrets.graphMasterKey;
  const changes = opened.use(new ChangeThread({ storage, masterKey }, followers));
  const address = new PublicAddress(config.publicAddress);
  const index = given ?? opened.use(new IndexThread(indexOptions(options, followers), logger));
  const services = opened.use(
    await buildServices(foundation, {
      store,
      sequence,
      ingest: state.writer,
      jobs,
      index,
      pool,
      tracing: options.config.endpointTraces,
      signingKey: await signingKeyOf(options),
      address,
      primaryAddress: null,
      smtpUrl: secrets.smtpUrl,
      takesOAuthRegistrations: config.oauthRegistration,
      disk: diskRootsOf(options),
      askPrimary: undefined,
      replicaLag: async () => lagIn(await replication.health()),
      license: { report: licenseReporter(licenseSettings(options), clock) },
      logs,
      changes,
      builtInTasks: [backupTask(backups), replicaVerificationTask(replication), scrub.task],
      onIndexChanged: (change) => replication.announce(indexNotice(change)),
      onFrontEndChanged: frontEnd.refresh,
    }),
  );
  replication.embedWith(vectorsForReplicas(services.textVectors));
  // Disposed before the services, whose tasks wait for a backup that they have begun.
  opened.use(backups);
  // Disposed first: a backup that ends with the rest is interrupted.
  opened.use(jobs);
  const resources = opened.move();
  return {
    services,
    replication,
    frontEnd,
    backups,
    scrub,
    address,
    views,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function signingKeyOf({ storage, secrets }: WorkspaceOptions): string | Promise<string> {
  const masterKey = secrets.graphMasterKey ?? undefined;
  return secrets.jwtKey ?? keepSigningKey({ storage, masterKey });
}

function openScrub(
  { storage, startFolder, config, secrets, logger }: WorkspaceOptions,
  { followers, writer }: Pick<OpenStorage, 'followers' | 'writer'>,
): StorageScrub {
  const { target } = config.backup;
  return new StorageScrub({
    logger,
    repackRows: () => writer.repackRows(),
    place: {
      storage,
      masterKey: secrets.graphMasterKey,
      target: target === null ? null : targetSettings(config, secrets, startFolder),
      followers: followers.buffer,
    },
  });
}

/** As much of the endpoint service as it takes. */
interface EndpointInstaller {
  install(caller: Caller, endpoint: EndpointFile): Promise<void>;
}

const FOLDER = join(import.meta.dirname, '../../system-endpoints');

/**
 * The endpoints that the server brings along for its front end (open-shapes, section 5, "Search
 * over HTTP").
 */
export async function readSystemEndpoints(): Promise<EndpointFile[]> {
  const files = await readEndpointFiles(FOLDER);
  return files.map((file) => ({ ...file, name: `${BUILT_IN_FOLDER}/${file.name}` }));
}

/** Brings them up to the version of this program. */
export async function installSystemEndpoints(endpoints: EndpointInstaller): Promise<void> {
  for (const endpoint of await readSystemEndpoints()) await endpoints.install(SERVER, endpoint);
}

/**
 * Tells clients of jobs, and whose they are: at once when one begins or ends, and of its progress
 * every JOB_NOTICE_INTERVAL_MS.
 */
export function startJobNotices(
  jobs: Pick<JobRegistry, 'onChange'>,
  tell: (message: WebSocketMessage, owner: string | undefined) => void,
): Disposable {
  /** The newest state of each that changed within its interval; undefined when nothing has. */
  const waiting = new Map<string, { job: Job | undefined; readonly timer: NodeJS.Timeout }>();
  const tellOf = (job: Job, owner: string | undefined): void => {
    clearTimeout(waiting.get(job.id)?.timer);
    waiting.delete(job.id);
    tell({ type: 'JOB_CHANGED', job }, owner);
    if (job.state !== 'running') return;
    const timer = setTimeout(() => {
      const { job: newest } = waiting.get(job.id) ?? {};
      waiting.delete(job.id);
      if (newest !== undefined) tellOf(newest, owner);
    }, JOB_NOTICE_INTERVAL_MS).unref();
    waiting.set(job.id, { job: undefined, timer });
  };
  jobs.onChange((job, owner) => {
    const told = waiting.get(job.id);
    if (told === undefined || job.state !== 'running') tellOf(job, owner);
    else told.job = job;
  });
  return {
    [Symbol.dispose]: () => {
      jobs.onChange(() => {});
      for (const { timer } of waiting.values()) clearTimeout(timer);
    },
  };
}
