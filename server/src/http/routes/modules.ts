import { operations } from '@trellis/contract/operations/modules.ts';
import { answer, routesOf } from '../route.ts';

export const modulesRoutes = routesOf(operations, {
  createModule: async ({ caller, body }, { modules }) =>
    answer(201, await modules.create(caller, body)),
  listModules: async ({ caller, query }, { modules }) =>
    answer(200, await modules.list(caller, query)),
  getModule: async ({ caller, params }, { modules }) =>
    answer(200, await modules.get(caller, params.name)),
  putModule: async ({ caller, params, body }, { modules }) =>
    answer(200, await modules.change(caller, params.name, body)),
  deleteModule: async ({ caller, params }, { modules }) => {
    await modules.delete(caller, params.name);
    return answer(204);
  },
  listPackages: async ({ caller, query }, { modules }) =>
    answer(200, await modules.packages(caller, query)),
  checkModule: async ({ caller, body }, { modules }) =>
    answer(200, { diagnostics: await modules.check(caller, body) }),
});
