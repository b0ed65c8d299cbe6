import type { EndpointService } from '#runtime/endpoint-service.ts';
import type { IndexChange } from '#search/settings/search-settings-service.ts';
import { openEmbeddings, type Embeddings, type EmbeddingsParts } from './embeddings.ts';
import { openSearch, type OpenSearch, type SearchParts } from './search/open-search.ts';

export type SearchingParts = EmbeddingsParts &
  Omit<SearchParts, keyof Embeddings | 'receiveSearch' | 'askSimilar' | 'embeddingModel'> & {
    /** It asks nobody for vectors, and has those of its primary. */
    readonly isReplica: boolean;
    readonly endpoints: EndpointService;
  };

/** What finds, by words and by meaning. */
export interface OpenSearching extends AsyncDisposable {
  readonly embeddings: Embeddings;
  readonly search: OpenSearch;
}

export function openSearching(parts: SearchingParts): OpenSearching {
  const opened = new AsyncDisposableStack();
  const embeddings = opened.use(openEmbeddings(parts));
  const search = opened.use(
    openSearch({
      ...parts,
      ...embeddings,
      receiveSearch: parts.endpoints.receiveSearch.bind(parts.endpoints),
      askSimilar: parts.endpoints.similarNodes.bind(parts.endpoints),
      embeddingModel: () => embeddings.providers.embeddingModel(),
      onIndexChanged: (change: IndexChange) => {
        embeddings.settingsChanged();
        parts.onIndexChanged(change);
      },
    }),
  );
  if (!parts.isReplica) embeddings.startEmbedder(search.wantedTexts);
  return { embeddings, search, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
