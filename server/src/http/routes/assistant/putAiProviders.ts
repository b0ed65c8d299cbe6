import { putAiProviders as operation } from '@trellis/contract/operations/assistant.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putAiProviders = jsonRoute(
  operation,
  async ({ caller, body, address }, { aiProviders }) =>
    answer(200, await aiProviders.put(caller, body, address)),
);
