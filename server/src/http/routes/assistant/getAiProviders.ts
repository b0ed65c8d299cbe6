import { getAiProviders as operation } from '@trellis/contract/operations/assistant.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getAiProviders = jsonRoute(operation, async ({ caller }, { aiProviders }) =>
  answer(200, await aiProviders.get(caller)),
);
