import { putGoldenSet as operation } from '@trellis/contract/operations/search-evaluation.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putGoldenSet = jsonRoute(operation, async ({ caller, params, body }, { goldenSets }) =>
  answer(200, await goldenSets.put(caller, params.name, body)),
);
