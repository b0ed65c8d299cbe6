import { operations } from '@trellis/contract/operations/tools.ts';
import { answer, routesOf } from '../route.ts';

export const toolsRoutes = routesOf(operations, {
  listTools: async ({ caller, query }, { tools }) => answer(200, await tools.list(caller, query)),
  createTool: async ({ caller, body, address }, { tools }) =>
    answer(201, await tools.create(caller, body, address)),
  putTool: async ({ caller, params, body, address }, { tools }) =>
    answer(200, await tools.put(caller, params.name, body, address)),
  deleteTool: async ({ caller, params, address }, { tools }) => {
    await tools.delete(caller, params.name, address);
    return answer(204);
  },
  getToolMetrics: async ({ caller }, { tools }) => answer(200, await tools.metrics(caller)),
});
