import type { operations } from '@trellis/contract/operations/embeddings.ts';
import { Disconnect } from './disconnect.ts';
import { SEQUENCE } from './header-names.ts';
import { readInput, type Route } from './route.ts';

/** What is similar is found beside the main thread, and comes as text. It is looked for no longer than somebody waits for it. */
export function similarRoute(
  operation: typeof operations.findSimilarNodes | typeof operations.getSimilarNodes,
): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, { services }) {
      // Of what is read later it is a lower bound.
      const sequence = services.sequence();
      const { caller, params, query } = readInput(operation, request);
      const wanted = { uid: params.uid, ...query };
      const items = await services.embeddings.similar(caller, wanted, new Disconnect(reply));
      reply.header(SEQUENCE, sequence).header('content-type', 'application/json; charset=utf-8');
      return `{"items":${items}}`;
    },
  };
}
