import { cancelDeepResearch as operation } from '@trellis/contract/operations/deep-research.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const cancelDeepResearch = jsonRoute(
  operation,
  async ({ caller, query }, { deepResearch }) =>
    answer(202, await deepResearch.cancel(caller, query.chatUID)),
);
