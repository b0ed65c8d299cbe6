import { putLlmSearchSettings as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putLlmSearchSettings = jsonRoute(
  operation,
  async ({ caller, body, address }, { llmSearchSettings }) =>
    answer(200, await llmSearchSettings.put(caller, body, address)),
);
