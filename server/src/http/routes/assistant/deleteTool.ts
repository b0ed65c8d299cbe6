import { deleteTool as operation } from '@trellis/contract/operations/tools.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteTool = jsonRoute(operation, async ({ caller, params, address }, { tools }) => {
  await tools.delete(caller, params.name, address);
  return answer(204);
});
