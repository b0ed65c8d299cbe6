import { getDeepResearch as operation } from '@trellis/contract/operations/deep-research.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getDeepResearch = jsonRoute(operation, async ({ caller, params }, { deepResearch }) =>
  answer(200, await deepResearch.get(caller, params.uid)),
);
