import type { AccessIndex } from '#access/access-index.ts';
import type { ProviderSettings } from '#assistant/provider-settings.ts';
import type { HttpServices, SearchConfiguration } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { PartState } from '#observe/health.ts';
import type { AnswerEmbed } from '#replication/embed-call.ts';
import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { EmbedQuery } from '#runtime/model-calls.ts';
import { garbageCollector } from '#runtime/sandbox/garbage-collector.ts';
import type { TextVectors } from '#search/embeddings/embed-texts.ts';
import { embedQuery } from '#search/embeddings/query-vectors.ts';
import { GoldenSetService } from '#search/evaluation/golden-set-service.ts';
import { Searcher } from '#search/service/searcher.ts';
import {
  type IndexChange,
  SearchSettingsService,
} from '#search/settings/search-settings-service.ts';
import { NodeEmbeddings } from '#search/similarity/node-embeddings.ts';
import { SynonymService } from '#search/synonyms/synonym-service.ts';
import { indexFolder } from '#search/text/segment-codec.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import { startIndexJobs } from '../search/index-jobs.ts';
import type { IndexThread } from '../search/index-thread.ts';
import { buildEmbeddings, startEmbeddingSweeps } from './embeddings.ts';
import type { Foundation } from './foundation.ts';

export interface SearchArguments {
  readonly access: AccessIndex;
  readonly jobs: JobRegistry;
  /** Their code searches in other threads, which get what this process gets. */
  readonly endpoints: EndpointService;
  /** Closed by whoever has started it. */
  readonly index: IndexThread;
  /** The folder of the index; absolute. */
  readonly storage: string;
  /** Asks the primary for vectors, on a replica; undefined on a primary, which asks a provider. */
  readonly askPrimary: AnswerEmbed | undefined;
  /** Called once it is committed that other types can be searched. */
  readonly onIndexChanged: (change: IndexChange) => void;
}

/** All services of search except searching, which endpoints do. */
export interface Search extends AsyncDisposable {
  readonly searchConfiguration: SearchConfiguration;
  readonly goldenSets: GoldenSetService;
  readonly embeddings: HttpServices['embeddings'];
  readonly aiProviders: ProviderSettings;
  readonly textVectors: TextVectors;
  /** How the thread that indexes is. */
  readonly indexCondition: () => PartState;
  /** Resolves when the saved index can be searched: see `IndexThread`. */
  readonly indexOpened: () => Promise<void>;
  /** Makes the vector of a query, for searches of endpoint code. */
  readonly embedQuery: EmbedQuery;
}

/** Builds searches by words and by meaning. */
export function buildSearch(foundation: Foundation, parts: SearchArguments): Search {
  const { reader, clock, isReplica } = foundation;
  const { access, jobs, endpoints, index, onIndexChanged } = parts;
  const opened = new AsyncDisposableStack();
  const embeddings = opened.use(buildEmbeddings(foundation, parts.askPrimary));
  const { providers, textVectors, embedderState } = embeddings;
  const segments = opened.use(new SegmentReaders(indexFolder(parts.storage)));
  const collect = garbageCollector();
  const searcher = new Searcher({ reader, now: () => clock.now(), segments, collect });
  const following = index.onSnapshot((snapshot) => {
    searcher.receive(snapshot);
    endpoints.receiveSearch(snapshot);
  });
  opened.use(following);
  if (!isReplica) {
    opened.use(startEmbeddingSweeps(index, foundation));
    const onState = (): void => foundation.views.changed('search');
    opened.use(startIndexJobs({ jobs, index, embedderState, onState }));
    embeddings.startEmbedder(index);
  }
  const embed: EmbedQuery = (request, signal) =>
    embedQuery({ reader, searcher, textVectors }, request, signal);
  const goldenSets = opened.use(
    new GoldenSetService({ ...foundation, searcher, embedQuery: embed }),
  );
  const settings = new SearchSettingsService({
    ...foundation,
    embeddingModel: () => providers.embeddingModel(),
    onIndexChanged: (change) => {
      embeddings.settingsChanged();
      onIndexChanged(change);
    },
  });
  const synonyms = new SynonymService({
    ...foundation,
    words: {
      similarTo: (caller, word, language, tolerance) =>
        searcher.similarWords({ word, language, tolerance }, access.visibilityFor(caller)),
    },
  });
  const { similarNodes: askSimilar } = endpoints;
  return {
    searchConfiguration: {
      settings,
      synonyms,
      indexState: () => ({ ...index.state, embedder: embedderState() ?? null }),
    },
    goldenSets,
    embeddings: new NodeEmbeddings({ reader, access, searcher, askSimilar }),
    aiProviders: providers,
    textVectors,
    indexCondition: () => index.condition(),
    indexOpened: () => index.opened(),
    embedQuery: embed,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
