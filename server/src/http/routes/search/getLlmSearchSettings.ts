import { getLlmSearchSettings as operation } from '@trellis/contract/operations/search.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getLlmSearchSettings = jsonRoute(
  operation,
  async ({ caller }, { llmSearchSettings }) => answer(200, await llmSearchSettings.get(caller)),
);
