import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import {
  embeddingsWanted,
  nodeEmbedding,
  similarNodes,
  similarQuery,
} from '../shapes/embedding.ts';
import { uidText } from '../bounded-shapes.ts';

const similar = {
  area: 'search',
  path: '/api/embeddings/similar/{uid}',
  auth: 'session',
  scope: 'read',
  params: z.object({ uid: uidText.min(1) }),
  query: similarQuery,
  responses: {
    200: {
      description: 'Those that the caller may see, by what they may read; the best first.',
      body: similarNodes,
    },
  },
  errors: ['node_not_found', 'search_timeout'],
  onReplica: 'serve',
} as const;

export const operations = withIds({
  getEmbeddings: {
    sdk: 'embeddings.get',
    area: 'search',
    method: 'POST',
    path: '/api/embeddings/uids',
    auth: 'session',
    scope: 'read',
    body: embeddingsWanted,
    responses: {
      200: {
        description:
          'In the order of the UIDs; nothing for what the caller may not see or read, and for nodes without vectors.',
        body: z.array(nodeEmbedding),
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Read the vectors of nodes.',
  },

  getSimilarNodes: {
    ...similar,
    sdk: 'embeddings.getSimilar',
    method: 'GET',
    summary: 'Find the nodes that are the most similar to one, by their vectors.',
  },

  findSimilarNodes: {
    ...similar,
    sdk: 'embeddings.findSimilar',
    method: 'POST',
    summary: 'Find the nodes that are the most similar to one, by their vectors (the same).',
  },
} as const satisfies Rows);
