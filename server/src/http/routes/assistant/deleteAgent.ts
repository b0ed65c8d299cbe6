import { deleteAgent as operation } from '@trellis/contract/operations/agents.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteAgent = jsonRoute(operation, async ({ caller, params, address }, { agents }) => {
  await agents.delete(caller, params.name, address);
  return answer(204);
});
