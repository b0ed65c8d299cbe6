import type { AccessIndex } from '#access/access-index.ts';
import type { AuditTrail } from '#access/audit-event.ts';
import { systemClock } from '#base/clock.ts';
import { garbageCollector } from '#runtime/sandbox/garbage-collector.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { StateReader } from '#graph/state-reader.ts';
import type { HttpServices } from '#http/services.ts';
import type { JobRegistry } from '#jobs/job-registry.ts';
import type { Logger } from '#observe/logger.ts';
import type { PartState } from '#observe/health.ts';
import type { EmbedQuery } from '#runtime/invocation.ts';
import type { EmbedderState } from '#search/embeddings/embedder.ts';
import type { TextVectors, WantedTexts } from '#search/embeddings/embed-texts.ts';
import { GoldenSetService } from '#search/evaluation/golden-set-service.ts';
import type { SearchSnapshot } from '#search/indexing/search-snapshot.ts';
import { Searcher } from '#search/service/searcher.ts';
import { indexFolder } from '#search/text/index-manifest.ts';
import { SegmentReaders } from '#search/text/segment-readers.ts';
import {
  type IndexChange,
  SearchSettingsService,
} from '#search/settings/search-settings-service.ts';
import { embedQuery } from '#search/similarity/embed-query.ts';
import { type AskSimilar, NodeEmbeddings } from '#search/similarity/node-embeddings.ts';
import { SynonymService } from '#search/synonyms/synonym-service.ts';
import type { IndexOptions } from './index-messages.ts';
import { startEmbeddingSweeps } from './embedding-sweeps.ts';
import { startIndexJobs } from './index-jobs.ts';
import { IndexThread } from './index-thread.ts';

export interface SearchParts {
  readonly reader: StateReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly access: AccessIndex;
  readonly logger: Logger;
  readonly jobs: JobRegistry;
  readonly index: IndexOptions;
  /** Of the provider of embeddings; undefined when there is none. */
  readonly embeddingModel: () => string | undefined;
  readonly textVectors: TextVectors;
  /** Undefined where nothing is embedded: on a replica. */
  readonly embedderState: () => EmbedderState | undefined;
  readonly isReplica: boolean;
  readonly onIndexChanged: (change: IndexChange) => void;
  /** Who searches in other threads. */
  readonly receiveSearch: (snapshot: SearchSnapshot) => void;
  readonly askSimilar: AskSimilar;
}

type SearchServices = Pick<HttpServices, 'searchConfiguration' | 'embeddings'>;

export interface OpenSearch extends SearchServices, AsyncDisposable {
  readonly goldenSets: GoldenSetService;
  /** What waits to be embedded. */
  readonly wantedTexts: WantedTexts;
  /** How the thread that indexes is. */
  readonly indexCondition: () => PartState;
  /** Resolves when the saved index can be searched: see `IndexThread`. */
  readonly indexOpened: () => Promise<void>;
  /** For searches by meaning of endpoint code. */
  readonly embedQuery: EmbedQuery;
}

/** Starts the thread that indexes, and puts together what HTTP offers of search: all but searching, which endpoints do. */
export function openSearch(parts: SearchParts): OpenSearch {
  const { reader, access, receiveSearch } = parts;
  const opened = new AsyncDisposableStack();
  const index = opened.use(new IndexThread(parts.index, parts.logger));
  const segments = opened.use(new SegmentReaders(indexFolder(parts.index.storage)));
  const collect = garbageCollector();
  const searcher = new Searcher({ reader, now: () => systemClock.now(), segments, collect });
  index.onSnapshot((snapshot) => {
    searcher.receive(snapshot);
    receiveSearch(snapshot);
  });
  if (!parts.isReplica) {
    opened.use(startEmbeddingSweeps(index, parts));
    opened.use(startIndexJobs({ ...parts, index }));
  }
  const embed: EmbedQuery = (request, signal) =>
    embedQuery({ ...parts, searcher }, request, signal);
  const goldenSets = opened.use(
    new GoldenSetService({ ...parts, searcher, embedQuery: embed, clock: systemClock }),
  );
  return {
    searchConfiguration: {
      settings: new SearchSettingsService(parts),
      synonyms: new SynonymService({
        ...parts,
        words: {
          similarTo: (caller, word, language, tolerance) =>
            searcher.similarWords({ word, language, tolerance }, access.visibilityFor(caller)),
        },
      }),
      indexState: () => ({ ...index.state, embedder: parts.embedderState() ?? null }),
    },
    goldenSets,
    embeddings: new NodeEmbeddings({ reader, access, searcher, askSimilar: parts.askSimilar }),
    wantedTexts: index,
    indexCondition: () => index.condition(),
    indexOpened: () => index.opened(),
    embedQuery: embed,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
