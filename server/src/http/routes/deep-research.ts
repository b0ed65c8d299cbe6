import { operations } from '@trellis/contract/operations/deep-research.ts';
import { answer, routesOf } from '../route.ts';

export const deepResearchRoutes = routesOf(operations, {
  startDeepResearch: async ({ caller, body, address }, { deepResearch }) =>
    answer(202, await deepResearch.start(caller, body, address)),
  getDeepResearch: async ({ caller, params }, { deepResearch }) =>
    answer(200, await deepResearch.get(caller, params.uid)),
  getResearchSettings: async ({ caller }, { deepResearch }) =>
    answer(200, await deepResearch.settings(caller)),
  putResearchSettings: async ({ caller, body, address }, { deepResearch }) =>
    answer(200, await deepResearch.putSettings(caller, body, address)),
  cancelDeepResearch: async ({ caller, query }, { deepResearch }) =>
    answer(202, await deepResearch.cancel(caller, query.chatUID)),
});
