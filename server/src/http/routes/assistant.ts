import { operations } from '@trellis/contract/operations/assistant.ts';
import { answer, routesOf } from '../route.ts';

export const assistantRoutes = routesOf(operations, {
  getAiProviders: async ({ caller }, { aiProviders }) => answer(200, await aiProviders.get(caller)),
  getAssistantSettings: ({ caller }, { assistantSettings }) =>
    answer(200, assistantSettings.get(caller)),
  putAssistantSettings: async ({ caller, body, address }, { assistantSettings }) =>
    answer(200, await assistantSettings.put(caller, body, address)),
  putAiProviders: async ({ caller, body, address }, { aiProviders }) =>
    answer(200, await aiProviders.put(caller, body, address)),
});
