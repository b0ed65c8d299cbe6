import { operations } from '@trellis/contract/operations/assistant.ts';
import { answer } from '../answer.ts';
import { routesOf } from '../routes-of.ts';

export const assistantRoutes = routesOf(operations, {
  getAiProviders: async ({ caller }, { aiProviders }) => answer(200, await aiProviders.get(caller)),
  putAiProviders: async ({ caller, body, address }, { aiProviders }) =>
    answer(200, await aiProviders.put(caller, body, address)),
});
