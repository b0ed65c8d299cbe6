import { operations } from '@trellis/contract/operations/build.ts';
import { answer, routesOf } from '../route.ts';

export const buildRoutes = routesOf(operations, {
  getCompileStatus: async ({ caller }, { codeOverview }) =>
    answer(200, await codeOverview.compileStatus(caller)),
  getBuildCatalog: async ({ caller }, { codeOverview }) =>
    answer(200, await codeOverview.catalog(caller)),
  getBuildTypes: async ({ caller, query }, { codeOverview }) =>
    answer(200, await codeOverview.types(caller, query.scope)),
  getProgramTypes: async ({ caller }, { codeOverview }) =>
    answer(200, await codeOverview.programTypes(caller)),
  getEndpointTypes: async ({ caller, params }, { workbench }) =>
    answer(200, await workbench.types(caller, params.name)),
  listEndpointCalls: async ({ caller, params }, { workbench }) =>
    answer(200, await workbench.calls(caller, params.name)),
  getCallTrace: async ({ caller, params }, { workbench }) =>
    answer(200, await workbench.trace(caller, params.id)),
  runDraft: async ({ caller, body }, { workbench }) =>
    answer(200, await workbench.runDraft(caller, body)),
});
