import { formatUid, randomUid } from '#base/uid.ts';
import { createHttpServer, type HttpServer } from '#http/server.ts';
import { StoredAuditTrail } from '#identity/audit-trail.ts';
import { vectorsForReplicas } from './embeddings.ts';
import { prepareFirstStart } from './first-start.ts';
import {
  frontEndFolderOf,
  readFrontEndFolder,
  type FrontEndFiles,
} from './front-end/front-end-folder.ts';
import { PrimaryFrontEnd } from './front-end/primary-front-end.ts';
import { openServices, type OpenServices, type ServicesOptions } from './open-services.ts';
import { openStorage, type OpenStorage } from './open-storage.ts';
import {
  openReplication,
  withoutReplication,
  type ReplicationRole,
} from './replication/open-primary.ts';
import { promoteReplica } from './replication/promote-replica.ts';
import { indexNotice } from './search/index-notice.ts';
import { searchMemoryBytes } from './search/search-memory.ts';
import { ServerStatus } from './server-status.ts';
import { signingKey } from './signing-key.ts';
import { installSystemEndpoints } from './system-endpoints.ts';
import type { Workspace, WorkspaceOptions } from './workspace.ts';

/** Opens the storage, puts the parts together, and listens; not ready yet. */
export async function openPrimary(options: WorkspaceOptions): Promise<Workspace> {
  const { storage, config, secrets, logger } = options;
  const files = await readFrontEndFolder(
    frontEndFolderOf(config.frontEndFolder, options.startFolder),
  );
  await promoteReplica({ storage, masterKey: secrets.graphMasterKey, logger });
  const crashed = Promise.withResolvers<Error>();
  await using opened = new AsyncDisposableStack();
  const state = opened.use(
    await openStorage(
      { storage, masterKey: secrets.graphMasterKey, lowMemory: config.lowMemory },
      { onNote: (text) => logger.warn(text), onCrash: crashed.resolve },
    ),
  );
  const replication = opened.use(await openChannel(options, state, files));
  const { writer, sequence, reader } = state;
  const frontEnd = new PrimaryFrontEnd(files, {
    setting: () => services.workspace.current().ReplicaURLs,
    replication,
    tell: (message) => http.broadcast(message),
  });
  const services: OpenServices = opened.use(
    await openPrimaryServices(options, state, {
      publicUrl: () => config.publicAddress ?? url,
      onSettingsChanged: frontEnd.refreshReplicaUrls,
      replication,
    }),
  );
  const status = new ServerStatus({ storage, role: 'primary', replication: replication.health });
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
      { ...config.http, logger, primaryAddress: null },
    ),
  );
  const { url } = await http.listen(config.http);
  replication.onReplicas(frontEnd.refreshReplicaUrls);
  const resources = opened.move();
  return {
    url,
    role: 'primary',
    uid: formatUid(randomUid()),
    crashed: crashed.promise,
    makeReady: async () => {
      const { endpoints } = services;
      await prepareFirstStart({ config, secrets, reader, writer, endpoints, url });
      await installSystemEndpoints(endpoints);
      await Promise.all([frontEnd.publish({ reader, commits: writer }), endpoints.ready]);
      status.becomeReady();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** What may change after the services are there. */
interface PrimaryHooks extends Pick<ServicesOptions, 'publicUrl' | 'onSettingsChanged'> {
  readonly replication: ReplicationRole;
}

async function openPrimaryServices(
  { storage, config, secrets, logger, redact }: WorkspaceOptions,
  state: OpenStorage,
  { replication, ...hooks }: PrimaryHooks,
): Promise<OpenServices> {
  const { reader, writer } = state;
  await using opened = new AsyncDisposableStack();
  const audit = opened.use(new StoredAuditTrail({ reader, commits: writer, logger }));
  const services = opened.use(
    await openServices({
      ...state,
      ...hooks,
      writes: writer,
      audit,
      logger,
      redact,
      signingKey: await signingKey(storage, secrets.jwtKey ?? undefined),
      publicAddress: config.publicAddress,
      smtpUrl: secrets.smtpUrl,
      index: {
        storage,
        masterKey: secrets.graphMasterKey,
        sequence: state.sequence.buffer,
        memoryBytesMax: searchMemoryBytes(config),
      },
      isReplica: false,
      askPrimary: undefined,
      onIndexChanged: (change) => replication.announce(indexNotice(change)),
    }),
  );
  replication.embedWith(vectorsForReplicas(services.textVectors));
  const resources = opened.move();
  return { ...services, [Symbol.asyncDispose]: () => resources.disposeAsync() };
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
