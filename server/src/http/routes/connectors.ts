import { operations } from '@trellis/contract/operations/connectors.ts';
import { answer, routesOf } from '../route.ts';

export const connectorsRoutes = routesOf(operations, {
  listConnectors: ({ caller, query }, { connectors }) =>
    answer(200, connectors.list(caller, query)),
  createConnector: async ({ caller, body, address }, { connectors }) =>
    answer(201, await connectors.create(caller, body, address)),
  testConnector: async ({ caller, body, address }, { connectors }) =>
    answer(200, await connectors.test(caller, body, address)),
  getConnector: ({ caller, params }, { connectors }) =>
    answer(200, connectors.get(caller, params.id)),
  updateConnector: async ({ caller, params, body, address }, { connectors }) =>
    answer(200, await connectors.update(caller, params.id, body, address)),
  deleteConnector: async ({ caller, params, address }, { connectors }) => {
    await connectors.delete(caller, params.id, address);
    return answer(204);
  },
  runConnector: async ({ caller, params, body, address }, { connectors }) =>
    answer(202, await connectors.run(caller, params.id, body, address)),
  cancelConnectorRun: ({ caller, params, address }, { connectors }) =>
    answer(200, connectors.cancel(caller, params.id, address)),
  listConnectorRuns: ({ caller, params, query }, { connectors }) =>
    answer(200, connectors.runs(caller, params.id, query)),
  listConnectorAccess: async ({ caller, params, query }, { connectors }) =>
    answer(200, await connectors.access(caller, params.id, query)),
});
