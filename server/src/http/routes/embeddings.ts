import { operations } from '@trellis/contract/operations/embeddings.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';
import { similarRoute } from '../similar-route.ts';

export const embeddingsRoutes = routesOf(operations, {
  getEmbeddings: async ({ caller, body: { UIDs: uids, field } }, { embeddings }) =>
    answer(200, await embeddings.of(caller, { uids, field })),
  getSimilarNodes: similarRoute(operations.getSimilarNodes),
  findSimilarNodes: similarRoute(operations.findSimilarNodes),
});
