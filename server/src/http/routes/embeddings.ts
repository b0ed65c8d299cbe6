import { operations } from '@trellis/contract/operations/embeddings.ts';
import { Disconnect } from '../live-answers.ts';
import { SEQUENCE } from '../headers.ts';
import { answer, readInput, type Route, routesOf } from '../route.ts';

/**
 * Similar nodes are searched in another thread, which answers JSON text. The search stops when
 * nobody waits for it.
 */
function similarRoute(
  operation: typeof operations.findSimilarNodes | typeof operations.getSimilarNodes,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      // A lower bound for the sequence of what is read next.
      const sequence = services.sequence();
      const { caller, params, query } = readInput(operation, request);
      const wanted = { uid: params.uid, ...query };
      const items = await services.embeddings.similar(caller, wanted, new Disconnect(reply));
      reply.header(SEQUENCE, sequence).header('content-type', 'application/json; charset=utf-8');
      return `{"items":${items}}`;
    },
  };
}

export const embeddingsRoutes = routesOf(operations, {
  getEmbeddings: async ({ caller, body: { UIDs: uids, field } }, { embeddings, nodes }) =>
    answer(200, await embeddings.of(caller, { uids: nodes.uidsOf(uids), field })),
  getSimilarNodes: similarRoute(operations.getSimilarNodes),
  findSimilarNodes: similarRoute(operations.findSimilarNodes),
});
