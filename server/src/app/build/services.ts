import type { PrimaryAddress } from '#base/primary-address.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { AccessIndex } from '#access/access-index.ts';
import { AccessService } from '#access/access-service.ts';
import { type IngestPort, IngestService } from '#access/ingest-service.ts';
import { NodeBulk } from '#access/node-bulk.ts';
import { NodeService } from '#access/node-service.ts';
import { NodeWriter } from '#access/node-writer.ts';
import { SchemaService } from '#access/schema-service.ts';
import type { ReadableDisk } from '#connectors/connector.ts';
import type { HttpServices } from '#http/services.ts';
import { IndexBuilder } from '#jobs/index-builder.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';
import type { ReplicaLag } from '#observe/load-samples.ts';
import type { AnswerEmbed } from '#replication/embed-call.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { TracingSettings } from '#runtime/tracing/trace-sampler.ts';
import type { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import type { TextVectors } from '#search/embeddings/embed-texts.ts';
import type { IndexChange } from '#search/settings/search-settings-service.ts';
import type { RunnableTask } from '#tasks/task.ts';
import type { WebhookService } from '#webhooks/webhook-service.ts';
import { ApiDocument } from '../api-document.ts';
import type { Interfaces } from '../front-end/interfaces.ts';
import type { ChangeThread } from '../changes/change-thread.ts';
import type { ReadState } from '../open-storage.ts';
import type { IndexThread } from '../search/index-thread.ts';
import { VERSION } from '../server-status.ts';
import { Statistics } from '../statistics.ts';
import { type Assistant, buildAssistant } from './assistant.ts';
import { buildConnectors } from './connectors.ts';
import { buildDefinitions } from './definitions.ts';
import { buildDuplicates } from './duplicates.ts';
import { buildEndpoints } from './endpoints.ts';
import { buildFiles } from './files.ts';
import type { Foundation } from './foundation.ts';
import { buildIdentity, type PublicAddress } from './identity.ts';
import { afterSchemaChange, buildSchemaChanges } from './schema-changes.ts';
import { buildSearch, type Search } from './search.ts';
import { type Automation, buildTasks } from './tasks.ts';
import { buildWebhooks } from './webhooks.ts';

export interface ServicesArguments {
  readonly store: ReadState['store'];
  readonly sequence: AppliedSequence;
  readonly ingest: IngestPort;
  readonly jobs: JobRegistry;
  /** Closed by whoever has started it, after the services; as the pool is. */
  readonly index: IndexThread;
  /** Undefined when one is to be started. */
  readonly pool: EndpointPool | undefined;
  readonly tracing: TracingSettings;
  readonly signingKey: string;
  /** The primary's, on a replica too. */
  readonly address: PublicAddress;
  /** Null on a primary. */
  readonly primaryAddress: PrimaryAddress | null;
  /** `MSK_SMTP_URL`. */
  readonly smtpUrl: string | null;
  /** `MSK_OAUTH_REGISTRATION`. */
  readonly takesOAuthRegistrations: boolean;
  /** What connectors may read of it. */
  readonly disk: ReadableDisk;
  /** Asks the primary for vectors, on a replica; undefined on a primary, which asks a provider. */
  readonly askPrimary: AnswerEmbed | undefined;
  readonly replicaLag: () => Promise<ReplicaLag | undefined>;
  readonly license: HttpServices['license'];
  readonly logs: HttpServices['logs'];
  /**
   * What triggers, webhooks and documents follow, which run on a primary; and what wakes watches.
   */
  readonly changes: Pick<ChangeThread, 'triggers' | 'webhooks' | 'documents' | 'watches'>;
  /** What tasks may run beside endpoints, and what searches offer. */
  readonly builtInTasks: readonly RunnableTask[];
  /** Called once it is committed that other types can be searched. */
  readonly onIndexChanged: (change: IndexChange) => void;
  /**
   * Called once a change of the workspace's settings, or of an interface, is committed; resolves
   * once it is served.
   */
  readonly onFrontEndChanged: () => Promise<void>;
}

/** The services of HTTP that need the graph. */
export type GraphServices = Omit<
  HttpServices,
  'status' | 'replicas' | 'members' | 'backups' | 'frontEnd' | 'sequence' | 'waitForSequence'
> & {
  readonly interfaces: Interfaces;
};

export interface Services extends GraphServices, AsyncDisposable {
  readonly textVectors: TextVectors;
  /** How the thread that indexes is. */
  readonly indexCondition: Search['indexCondition'];
  readonly indexOpened: Search['indexOpened'];
  /** Tokens that everybody used of models since the process started. */
  readonly modelTokens: Assistant['modelTokens'];
  readonly automation: Automation;
}

/** The parts of a server that work on the graph, each on those above it. */
export async function buildServices(
  foundation: Foundation,
  parts: ServicesArguments,
): Promise<Services> {
  const { reader, logger } = foundation;
  const { store, ingest, jobs } = parts;
  await using opened = new AsyncDisposableStack();
  const access = new AccessIndex(reader);
  const given = { ...parts, access, storage: store.storage };
  const identity = opened.use(buildIdentity(foundation, given));
  const { running, tokens, workspace } = identity;
  const { endpoints, connect } = buildEndpoints(foundation, { ...parts, identity });
  opened.use(endpoints);
  const search = opened.use(buildSearch(foundation, { ...given, endpoints }));
  const statistics = opened.use(new Statistics({ ...parts, reader, logger, access, endpoints }));
  const indexes = opened.use(buildIndexes(foundation, jobs));
  const graph = buildGraph(foundation, access, { endpoints, indexes }, ingest);
  const files = opened.use(await buildFiles(foundation, access));
  const assistant = opened.use(
    await buildAssistant(foundation, {
      ...graph,
      access,
      jobs,
      running,
      endpoints,
      files: files.fileStore,
      providers: search.aiProviders,
      textVectors: search.textVectors,
      searchConfiguration: search.searchConfiguration,
      changes: parts.changes,
    }),
  );
  connect({ embedQuery: search.embedQuery, models: assistant.endpointModels });
  const webhooks = opened.use(buildWebhooks(foundation, { ...parts, access, workspace }));
  const duplicates = opened.use(buildDuplicates(foundation, { ...search, jobs }));
  const sources = buildConnectors(foundation, { ...given, ...files, identity, graph });
  const tasks = opened.use(
    buildTasks(foundation, { ...parts, ...search, endpoints, work: sources.work }),
  );
  const connectors = opened.use(sources.serviceWith(tasks, jobs));
  const followers = { endpoints, webhooks, connectors, indexes };
  const onSchemaChanged = afterSchemaChange(foundation, followers);
  const known = { endpoints, workspace, graph, search, assistant, tasks, connectors };
  const own = { ...parts, ...known, onSchemaChanged };
  const definitions = opened.use(buildDefinitions(foundation, { tokens, ...own }));
  const schemaChanges = buildSchemaChanges(foundation, own);
  // Disposed first: a job that ends with the rest has not come to its end.
  opened.use(jobs);
  const resources = opened.move();
  return {
    ...identity,
    ...search,
    ...graph,
    ...assistant,
    ...tasks,
    ...withFollowers(tasks.automation, webhooks, assistant),
    connectors,
    ...offeredBy(endpoints),
    nodeFiles: files.nodeFiles,
    fileUploads: files.fileUploads,
    ...duplicates,
    definitions,
    schemaChanges,
    statistics,
    jobs,
    license: parts.license,
    logs: parts.logs,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Webhooks deliver, and documents are followed, beside tasks and triggers. */
function withFollowers(
  tasks: Automation,
  webhooks: WebhookService,
  { startDocuments }: Pick<Assistant, 'startDocuments'>,
) {
  const automation: Automation = {
    recover: async () => {
      webhooks.load();
      await tasks.recover();
    },
    start: async () => {
      await tasks.start();
      webhooks.start();
      await startDocuments();
    },
  };
  return { webhooks, automation };
}

/** Services for what is in the graph, what may be in it, and who may see it. */
function buildGraph(
  { reader, commits, audit }: Foundation,
  access: AccessIndex,
  { endpoints, indexes }: { endpoints: EndpointService; indexes: IndexBuilder },
  ingest: IngestPort,
) {
  const onSchemaPut = (): void => {
    // The types that the code of endpoints is checked against are made of the schema.
    endpoints.schemaMayHaveChanged();
    indexes.look();
  };
  const accessService = new AccessService({ reader, commits, audit, access });
  const reads = { reader, access };
  return {
    access: accessService,
    nodes: new NodeService(reads),
    nodeWriter: new NodeWriter({ reads, commits, audit }),
    nodeBulk: new NodeBulk({ reads, commits, audit, access: accessService }),
    schema: new SchemaService(reader, commits, onSchemaPut),
    ingest: new IngestService(ingest, audit),
  };
}

/** On a primary it goes on with the field indexes that a former process began to build. */
function buildIndexes(
  { reader, commits, logger, isReplica }: Foundation,
  jobs: JobRegistry,
): IndexBuilder {
  const onFailure = (err: unknown): void => logger.error({ err }, 'a field index is not built');
  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    delay(ms, undefined, { signal, ref: false }).catch(() => undefined);
  const builder = new IndexBuilder({ reader, commits, jobs, pause, onFailure });
  if (!isReplica) builder.look();
  return builder;
}

/** The services of HTTP for endpoints. */
function offeredBy(endpoints: EndpointService) {
  const { modules, codeOverview, editor, workbench, codeHistory, logs: endpointLogs } = endpoints;
  const apiDocument = new ApiDocument(endpoints, VERSION);
  const code = { modules, codeOverview, editor, workbench, codeHistory };
  return { endpoints, ...code, endpointLogs, apiDocument };
}
