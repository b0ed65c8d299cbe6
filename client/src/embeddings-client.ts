import type {
  EmbeddingsWanted,
  NodeEmbedding,
  SimilarNodes,
} from '@trellis/contract/shapes/embedding.ts';
import { SearchClient } from './search-client.ts';
import type { Call, CallOptions } from './transport.ts';

export interface SimilarRequest {
  /** 10 when left out, at most 1,000. */
  readonly count?: number | undefined;
  /** Of the nodes that are found; all of them when left out. */
  readonly types?: readonly string[] | undefined;
}

/** Vectors of nodes, and what is similar by them; of what the caller may see and read. */
export class EmbeddingsClient extends SearchClient {
  /** In the order of the UIDs, at most 1,000; nothing for nodes without vectors, or that the caller may not see. */
  getEmbeddings(
    uids: EmbeddingsWanted['UIDs'],
    { field, ...options }: CallOptions & Pick<EmbeddingsWanted, 'field'> = {},
  ): Promise<NodeEmbedding[]> {
    return this.post('/api/embeddings/uids', { UIDs: uids, field }, options);
  }

  /** The most similar nodes, the best first. */
  getSimilarNodes(
    uid: string,
    request?: SimilarRequest,
    options?: CallOptions,
  ): Promise<SimilarNodes> {
    return this.get(similarPath(uid), options, similarQuery(request));
  }

  /** The same. */
  findSimilarNodes(
    uid: string,
    request?: SimilarRequest,
    options?: CallOptions,
  ): Promise<SimilarNodes> {
    const query = similarQuery(request);
    return this.transport.json({ method: 'POST', path: similarPath(uid), query, ...options });
  }
}

function similarPath(uid: string): string {
  return `/api/embeddings/similar/${encodeURIComponent(uid)}`;
}

function similarQuery({ count, types }: SimilarRequest = {}): Call['query'] {
  return { count, types: types?.join(',') };
}
