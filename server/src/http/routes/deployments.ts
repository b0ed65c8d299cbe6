import { operations } from '@trellis/contract/operations/deployments.ts';
import { answerInEvents } from '../event-stream.ts';
import { answer, readInput, type Route, routesOf } from '../route.ts';

export const deploymentsRoutes = routesOf(operations, {
  listDeployments: async ({ caller, query }, { definitions }) =>
    answer(200, definitions.deployments(caller, query)),
  getDeployment: async ({ caller, params }, { definitions }) =>
    answer(200, definitions.deployment(caller, params.id)),
  rollBackDeployment: rollbackRoute(operations.rollBackDeployment),
});

/** Tells its steps as events, as an import does. */
function rollbackRoute(operation: typeof operations.rollBackDeployment): Route {
  return {
    operation,
    intake: 'json',
    async handle(request, reply, context) {
      const { caller, params, query, address } = readInput(operation, request);
      return await answerInEvents(
        { operation, request, reply, context },
        ({ signal, open, tell }) =>
          context.services.definitions.rollBack(caller, params.id, {
            ...query,
            address,
            signal,
            onAccepted: open,
            log: (text) => tell('log', { text }),
          }),
      );
    },
  };
}
