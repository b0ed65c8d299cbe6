import { operations } from '@trellis/contract/operations/endpoints.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';
import { cancelRoute, runRoute, withinTokenPath } from '../run-route.ts';

export const endpointsRoutes = routesOf(operations, {
  createEndpoint: async ({ caller, body }, { endpoints }) =>
    answer(201, await endpoints.create(caller, body)),
  listEndpoints: async ({ caller, query }, { endpoints }) =>
    answer(200, await endpoints.list(caller, query)),
  getEndpoint: async ({ caller, params }, { endpoints }) =>
    answer(200, await endpoints.get(caller, params.name)),
  putEndpoint: async ({ caller, params, body }, { endpoints }) =>
    answer(200, await endpoints.put(caller, params.name, body)),
  deleteEndpoint: async ({ caller, params }, { endpoints }) => {
    await endpoints.delete(caller, params.name);
    return answer(204);
  },
  checkEndpoint: async ({ caller, body }, { endpoints }) =>
    answer(200, await endpoints.check(caller, body)),
  runEndpoint: runRoute(operations.runEndpoint),
  runEndpointAlias: runRoute(operations.runEndpointAlias),
  runEndpointWithToken: withinTokenPath(runRoute(operations.runEndpointWithToken)),
  cancelRun: cancelRoute(operations.cancelRun),
  cancelRunAlias: cancelRoute(operations.cancelRunAlias),
  cancelRunWithToken: withinTokenPath(cancelRoute(operations.cancelRunWithToken)),
});
