import { AccessIndex } from '#access/access-index.ts';
import { AccessService } from '#access/access-service.ts';
import { IngestService } from '#access/ingest-service.ts';
import { NodeService } from '#access/node-service.ts';
import { SchemaService } from '#access/schema-service.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { Config, Secrets } from '#config/config.ts';
import type { HttpServerOptions } from '#http/options.ts';
import { createHttpServer } from '#http/server.ts';
import type { HttpServices } from '#http/services.ts';
import type { Logger } from '#observe/logger.ts';
import { openEndpointService } from '#runtime/endpoint-service.ts';
import { prepareFirstStart } from './first-start.ts';
import { StoredAuditTrail } from '#identity/audit-trail.ts';
import { openIdentity } from './identity-parts.ts';
import { openStorage } from './open-storage.ts';
import { ServerStatus } from './server-status.ts';
import { signingKey } from './signing-key.ts';

export interface WorkspaceOptions {
  /** Absolute: the working directory changes at the start. */
  readonly storage: string;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly logger: Logger;
}

/** Everything that runs in one process. Disposing stops it in the order in which it depends on one another. */
export interface Workspace extends AsyncDisposable {
  readonly url: string;
  readonly role: 'primary';
  /** Of this process: new at every start. */
  readonly uid: string;
  /** Resolves with the error that makes going on impossible. */
  readonly crashed: Promise<Error>;
  /** Does what a first start needs; from then on the server answers. */
  makeReady(): Promise<void>;
}

/** Opens the storage, puts the parts together, and listens; not ready yet. */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { storage, config, secrets, logger } = options;
  refuseReplica(config);
  const crashed = Promise.withResolvers<Error>();
  await using opened = new AsyncDisposableStack();
  const { writer, sequence, reader, vault, store } = opened.use(
    await openStorage(
      { storage, masterKey: secrets.graphMasterKey, lowMemory: config.lowMemory },
      { onNote: (text) => logger.warn(text), onCrash: crashed.resolve },
    ),
  );
  const audit = opened.use(new StoredAuditTrail({ reader, commits: writer, logger }));
  const parts = { reader, commits: writer, audit, logger };
  const endpoints = opened.use(
    await openEndpointService({ ...store, ...parts, clock: systemClock }),
  );
  const access = new AccessIndex(reader);
  const people = opened.use(
    openIdentity({
      ...parts,
      vault,
      signingKey: await signingKey(storage, secrets.jwtKey ?? undefined),
      access,
      publicAddress: config.publicAddress,
      publicUrl: () => config.publicAddress ?? url,
      smtpUrl: secrets.smtpUrl,
    }),
  );
  const status = new ServerStatus(storage);
  const services: HttpServices = {
    ...people,
    access: new AccessService({ ...parts, access }),
    schema: new SchemaService(reader, writer),
    nodes: new NodeService({ reader, access }),
    ingest: new IngestService(writer, audit),
    endpoints,
    status,
    sequence: () => sequence.get(),
    waitForSequence: (wanted, timeoutMs) => sequence.reach(wanted, timeoutMs),
  };
  const http = opened.use(await createHttpServer(services, httpOptions(config, logger)));
  const { url } = await http.listen({ host: config.http.host, port: config.http.port });
  const resources = opened.move();
  return {
    url,
    role: 'primary',
    uid: formatUid(randomUid()),
    crashed: crashed.promise,
    makeReady: async () => {
      await prepareFirstStart({ config, secrets, reader, writer, endpoints, url });
      status.becomeReady();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function refuseReplica(config: Config): void {
  if (config.role === 'primary') return;
  throw new Problem('not_supported', 'this version cannot run as a replica', {
    hint: 'Unset MSK_REPLICA.',
  });
}

function httpOptions(config: Config, logger: Logger): HttpServerOptions {
  const { corsOrigins, useHsts, redirectToHttps } = config.http;
  return { logger, corsOrigins, useHsts, redirectToHttps, primaryAddress: null };
}
