import { putResearchSettings as operation } from '@trellis/contract/operations/deep-research.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putResearchSettings = jsonRoute(
  operation,
  async ({ caller, body, address }, { deepResearch }) =>
    answer(200, await deepResearch.putSettings(caller, body, address)),
);
