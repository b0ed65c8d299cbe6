import { startDeepResearch as operation } from '@trellis/contract/operations/deep-research.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const startDeepResearch = jsonRoute(
  operation,
  async ({ caller, body, address }, { deepResearch }) =>
    answer(202, await deepResearch.start(caller, body, address)),
);
