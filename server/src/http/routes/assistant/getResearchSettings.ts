import { getResearchSettings as operation } from '@trellis/contract/operations/deep-research.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const getResearchSettings = jsonRoute(operation, async ({ caller }, { deepResearch }) =>
  answer(200, await deepResearch.settings(caller)),
);
