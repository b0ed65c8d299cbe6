import { z } from 'zod';
import type { Operation } from '../operation.ts';
import {
  embeddingsWanted,
  nodeEmbedding,
  similarNodes,
  similarQuery,
} from '../shapes/embedding.ts';
import { uidText } from '../bounded-shapes.ts';

export const getEmbeddings = {
  id: 'getEmbeddings',
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
} as const satisfies Operation;

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

export const getSimilarNodes = {
  ...similar,
  id: 'getSimilarNodes',
  sdk: 'embeddings.getSimilar',
  method: 'GET',
  summary: 'Find the nodes that are the most similar to one, by their vectors.',
} as const satisfies Operation;

export const findSimilarNodes = {
  ...similar,
  id: 'findSimilarNodes',
  sdk: 'embeddings.findSimilar',
  method: 'POST',
  summary: 'Find the nodes that are the most similar to one, by their vectors (the same).',
} as const satisfies Operation;
