import { operations } from '@trellis/contract/operations/tokens.ts';
import { answer, routesOf } from '../route.ts';

export const tokensRoutes = routesOf(operations, {
  listTokens: async ({ caller, query }, { tokens }) =>
    answer(200, await tokens.list(caller, query)),
  getToken: async ({ params }, { tokens }) => answer(200, tokens.get(params.id)),
  createToken: async ({ caller, body, address }, { tokens }) =>
    answer(201, await tokens.create(caller, body, address)),
  revokeToken: async ({ caller, params, address }, { tokens }) => {
    await tokens.revoke(caller, params.id, address);
    return answer(204);
  },
});
