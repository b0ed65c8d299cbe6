import { AccessIndex } from '#access/access-index.ts';
import { AccessService } from '#access/access-service.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { IngestService, type IngestPort } from '#access/ingest-service.ts';
import { NodeService } from '#access/node-service.ts';
import { SchemaService } from '#access/schema-service.ts';
import { systemClock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { HttpServices } from '#http/services.ts';
import type { ReplicaLag } from '#observe/load-samples.ts';
import type { Logger } from '#observe/logger.ts';
import type { Telemetry } from '#observe/telemetry/telemetry.ts';
import type { AnswerEmbed } from '#replication/embed-call.ts';
import { openEndpointService, type EndpointService } from '#runtime/endpoint-service.ts';
import type { ModelCalls } from '#runtime/model-calls.ts';
import type { EndpointPool } from '#runtime/sandbox/endpoint-pool.ts';
import { ApiDocument } from './api-document.ts';
import type { BuiltInTask } from '#tasks/task.ts';
import { openAssistant, type OpenAssistant } from './assistant.ts';
import { openDefinitions } from './definitions.ts';
import { openSearching, type OpenSearching } from './open-searching.ts';
import type { Interfaces } from './front-end/interfaces.ts';
import { openFiles } from './files.ts';
import { openIdentity } from './identity-parts.ts';
import type { TextVectors } from '#search/embeddings/embed-texts.ts';
import type { IndexChange } from '#search/settings/search-settings-service.ts';
import type { ReadState } from './read-state.ts';
import type { IndexOptions } from './search/index-messages.ts';
import { openJobs } from './open-jobs.ts';
import type { OpenSearch } from './search/open-search.ts';
import { VERSION } from './server-status.ts';
import { Statistics } from './statistics.ts';
import { callObserver } from './telemetry/observed-calls.ts';
import { observedFetch } from './telemetry/observed-requests.ts';
import { openTasks, type Automation } from './tasks.ts';
import type { AppliedSequence } from '#log/applied-sequence.ts';

export interface ServicesOptions extends Pick<ReadState, 'reader' | 'vault' | 'store'> {
  readonly writes: CommitPort & IngestPort;
  readonly audit: AuditTrail;
  readonly logger: Logger;
  /** Takes the secrets out of JSON text. */
  readonly redact: (json: string) => string;
  readonly signingKey: string;
  /** `MSK_PUBLIC_ADDRESS`, of the primary. */
  readonly publicAddress: string | null;
  /** The same, or where the primary listens. */
  readonly publicUrl: () => string;
  /** `MSK_SMTP_URL`. */
  readonly smtpUrl: string | null;
  readonly isReplica: boolean;
  /** On a replica, which asks no provider of embeddings; undefined on a primary. */
  readonly askPrimary: AnswerEmbed | undefined;
  readonly index: IndexOptions;
  /** Started before there was a state. */
  readonly pool?: EndpointPool;
  readonly sequence: AppliedSequence;
  readonly telemetry: Telemetry | undefined;
  readonly replicaLag: () => Promise<ReplicaLag | undefined>;
  readonly license: HttpServices['license'];
  readonly logs: HttpServices['logs'];
  /** What tasks may run beside endpoints, and what searches offer. */
  readonly builtInTasks: readonly BuiltInTask[];
  /** Called once it is committed that other types can be searched. */
  readonly onIndexChanged: (change: IndexChange) => void;
  /** Called once a change of the workspace's settings, or of an interface, is committed; resolves once it is served. */
  readonly onFrontEndChanged: () => Promise<void>;
}

/** What needs the graph. */
export type GraphServices = Omit<
  HttpServices,
  'status' | 'replicas' | 'backups' | 'frontEnd' | 'sequence' | 'waitForSequence'
> & {
  readonly interfaces: Interfaces;
};

export interface OpenServices extends GraphServices, AsyncDisposable {
  readonly textVectors: TextVectors;
  /** How the thread that indexes is. */
  readonly indexCondition: OpenSearch['indexCondition'];
  readonly indexOpened: OpenSearch['indexOpened'];
  /** Of models, by everybody, since the process started. */
  readonly modelTokens: OpenAssistant['tokensUsed'];
  readonly automation: Automation;
}

/** Puts together, over the state, what HTTP offers. */
export async function openServices(options: ServicesOptions): Promise<OpenServices> {
  const { writes: commits, audit, store, ...rest } = options;
  await using opened = new AsyncDisposableStack();
  const jobs = openJobs({ ...rest, commits });
  const parts = { ...rest, commits, audit, jobs };
  const endpoints = opened.use(
    openEndpointService({
      ...parts,
      ...store,
      clock: systemClock,
      primaryAddress: options.isReplica ? options.publicAddress : null,
      ...observed(options.telemetry),
      fetchAllowList: () => people.workspace.current().fetchAllowList,
      embedQuery: (request, signal) => searching.search.embedQuery(request, signal),
      models: askedLater(() => assistant.endpointModels),
      running: { watch: (caller) => people.running.watch(caller) },
    }),
  );
  const access = new AccessIndex(options.reader);
  const people = opened.use(openIdentity({ ...parts, access, storage: options.index.storage }));
  const searching: OpenSearching = opened.use(
    openSearching({ ...options, ...parts, access, endpoints }),
  );
  const { embeddings, search } = searching;
  const statistics = opened.use(new Statistics({ ...parts, endpoints, access }));
  const own = { ...ruledBy(parts, access, endpoints), endpoints };
  const {
    store: files,
    nodeFiles,
    fileUploads,
  } = opened.use(await openFiles({ ...parts, access }));
  const { providers } = embeddings;
  const { running } = people;
  const offered = { ...search, ...own, access, providers, files, running };
  const assistant: OpenAssistant = opened.use(await openAssistant({ ...parts, ...offered }));
  const tasks = opened.use(openTasks({ ...parts, ...search, endpoints }));
  const definers = { ...people, ...search, ...assistant.definers, ...tasks.services, ...own };
  const definitions = opened.use(openDefinitions({ ...definers, ...parts }));
  // Goes first: what ends with the rest has not come to its end.
  opened.use(jobs);
  const resources = opened.move();
  return {
    ...people,
    definitions,
    ingest: new IngestService(options.writes, audit),
    ...own,
    nodeFiles,
    fileUploads,
    ...offeredBy(endpoints),
    apiDocument: new ApiDocument(endpoints, VERSION),
    statistics,
    ...ofProcess(options),
    jobs,
    ...tasks.services,
    ...servedBy(search),
    aiProviders: providers,
    ...assistant.services,
    textVectors: embeddings.textVectors,
    ...toldOf(search, assistant),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Endpoints are there before what asks models, which calls them as tools. */
function askedLater(models: () => ModelCalls): ModelCalls {
  return {
    complete: (request, asker) => models().complete(request, asker),
    embed: (request, asker) => models().embed(request, asker),
    runAgent: (request, asker) => models().runAgent(request, asker),
  };
}

/** What endpoints reach out with, and who is told of their calls. */
function observed(telemetry: Telemetry | undefined) {
  return { fetch: observedFetch(fetch, telemetry), callObserver: callObserver(telemetry) };
}

/** What there may be in the graph, and who may see it. */
function ruledBy(
  parts: Pick<ServicesOptions, 'reader' | 'audit'> & { readonly commits: CommitPort },
  access: AccessIndex,
  endpoints: EndpointService,
) {
  const { reader, commits } = parts;
  return {
    access: new AccessService({ ...parts, access }),
    nodes: new NodeService({ reader, access }),
    schema: new SchemaService(reader, commits, () => endpoints.schemaMayHaveChanged()),
  };
}

/** What HTTP offers of endpoints. */
function offeredBy(endpoints: EndpointService) {
  const { build, editor, codeHistory, logs: endpointLogs } = endpoints;
  return { endpoints, build, editor, codeHistory, endpointLogs };
}

/** What whoever looks after the server is told. */
function toldOf(
  { indexCondition, indexOpened }: OpenSearch,
  { tokensUsed: modelTokens }: OpenAssistant,
) {
  return { indexCondition, indexOpened, modelTokens };
}

/** What the process knows without the graph. */
function ofProcess({ license, logs }: ServicesOptions) {
  return { license, logs };
}

/** The same of search. */
function servedBy({ searchConfiguration, goldenSets, embeddings }: OpenSearch) {
  return { searchConfiguration, goldenSets, embeddings };
}
