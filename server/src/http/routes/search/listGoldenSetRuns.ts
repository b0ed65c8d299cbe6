import { listGoldenSetRuns as operation } from '@trellis/contract/operations/search-evaluation.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listGoldenSetRuns = jsonRoute(operation, async ({ caller, params }, { goldenSets }) =>
  answer(200, await goldenSets.runs(caller, params.name)),
);
