import { deleteGoldenSet as operation } from '@trellis/contract/operations/search-evaluation.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteGoldenSet = jsonRoute(operation, async ({ caller, params }, { goldenSets }) => {
  await goldenSets.delete(caller, params.name);
  return answer(204);
});
