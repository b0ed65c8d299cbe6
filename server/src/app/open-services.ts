import { AccessIndex } from '#access/access-index.ts';
import { AccessService } from '#access/access-service.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { IngestService, type IngestPort } from '#access/ingest-service.ts';
import { NodeService } from '#access/node-service.ts';
import { SchemaService } from '#access/schema-service.ts';
import { systemClock } from '#base/clock.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { HttpServices } from '#http/services.ts';
import type { WorkspaceSettings } from '#identity/workspace-settings.ts';
import type { Logger } from '#observe/logger.ts';
import type { AnswerEmbed } from '#replication/embed-call.ts';
import { openEndpointService, type EndpointService } from '#runtime/endpoint-service.ts';
import { openEmbeddings } from './embeddings.ts';
import { openIdentity } from './identity-parts.ts';
import type { TextVectors } from '#search/embeddings/text-vectors.ts';
import type { IndexChange } from '#search/settings/search-settings-service.ts';
import type { ReadState } from './read-state.ts';
import type { IndexOptions } from './search/index-messages.ts';
import { openSearch, type OpenSearch } from './search/open-search.ts';
import { Statistics } from './statistics.ts';

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
  /** Called once it is committed that other types can be searched. */
  readonly onIndexChanged: (change: IndexChange) => void;
  /** Called once a change of the workspace's settings is committed. */
  readonly onSettingsChanged: () => void;
}

/** What needs the graph. */
export type GraphServices = Omit<
  HttpServices,
  'status' | 'replicas' | 'frontEnd' | 'sequence' | 'waitForSequence'
> & { readonly endpoints: EndpointService; readonly workspace: WorkspaceSettings };

export interface OpenServices extends GraphServices, AsyncDisposable {
  readonly textVectors: TextVectors;
}

/** Puts together, over the state, what HTTP offers. */
export async function openServices(options: ServicesOptions): Promise<OpenServices> {
  const { writes: commits, audit, store, ...rest } = options;
  await using opened = new AsyncDisposableStack();
  const parts = { ...rest, commits, audit };
  const endpoints = opened.use(
    openEndpointService({
      ...parts,
      ...store,
      clock: systemClock,
      primaryAddress: options.isReplica ? options.publicAddress : null,
      fetch,
      fetchAllowList: () => people.workspace.current().fetchAllowList,
      embedQuery: (request, signal) => search.embedQuery(request, signal),
    }),
  );
  const access = new AccessIndex(options.reader);
  const people = opened.use(openIdentity({ ...parts, access }));
  const receiveSearch = endpoints.receiveSearch.bind(endpoints);
  const embeddings = opened.use(openEmbeddings(parts));
  const embeddingModel = (): string | undefined => embeddings.providers.embeddingModel();
  const { textVectors, embedderState } = embeddings;
  const searchParts = {
    ...parts,
    access,
    receiveSearch,
    embeddingModel,
    textVectors,
    embedderState,
    onIndexChanged: (change: IndexChange) => {
      embeddings.settingsChanged();
      options.onIndexChanged(change);
    },
  };
  const search: OpenSearch = opened.use(openSearch(searchParts));
  if (!options.isReplica) embeddings.startEmbedder(search.wantedTexts);
  const resources = opened.move();
  return {
    ...people,
    access: new AccessService({ ...parts, access }),
    schema: new SchemaService(options.reader, commits, () => endpoints.schemaMayHaveChanged()),
    nodes: new NodeService({ reader: options.reader, access }),
    ingest: new IngestService(options.writes, audit),
    endpoints,
    build: endpoints.build,
    editor: endpoints.editor,
    codeHistory: endpoints.codeHistory,
    endpointLogs: endpoints.logs,
    statistics: new Statistics({ reader: options.reader, endpoints, access }),
    searchConfiguration: search.searchConfiguration,
    goldenSets: search.goldenSets,
    embeddings: search.embeddings,
    aiProviders: embeddings.providers,
    textVectors,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
