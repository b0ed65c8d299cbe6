import { listGoldenSets as operation } from '@trellis/contract/operations/search-evaluation.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listGoldenSets = jsonRoute(operation, async ({ caller }, { goldenSets }) =>
  answer(200, await goldenSets.list(caller)),
);
