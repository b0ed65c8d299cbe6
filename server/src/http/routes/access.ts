import { operations } from '@trellis/contract/operations/access.ts';
import { answer, routesOf } from '../route.ts';

export const accessRoutes = routesOf(operations, {
  getTypeAccess: async ({ caller }, { access }) => answer(200, await access.types(caller)),
  putTypeAccess: async ({ caller, body, address }, { access }) =>
    answer(200, await access.putTypes(caller, body, address)),
  explainAccess: async ({ caller, query }, { access }) =>
    answer(200, await access.explain(caller, query.user, query.node)),
  getNodeAccess: async ({ caller, params }, { access }) =>
    answer(200, await access.node(caller, params.uid)),
  putNodeAccess: async ({ caller, params, body, address }, { access }) =>
    answer(200, await access.putNode(caller, params.uid, body, address)),
  resolvePrincipals: async ({ caller, body }, { principals }) =>
    answer(200, await principals.resolve(caller, body)),
});
