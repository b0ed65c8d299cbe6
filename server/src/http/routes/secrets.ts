import { operations } from '@trellis/contract/operations/secrets.ts';
import { answer, routesOf } from '../route.ts';

export const secretsRoutes = routesOf(operations, {
  listSecrets: ({ caller, query }, { secrets }) => answer(200, secrets.list(caller, query)),
  putSecret: async ({ caller, params, body, address }, { secrets }) =>
    answer(200, await secrets.put(caller, params.name, body, address)),
  deleteSecret: async ({ caller, params, address }, { secrets }) => {
    await secrets.delete(caller, params.name, address);
    return answer(204);
  },
});
