import { deleteGroup as operation } from '@trellis/contract/operations/groups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteGroup = jsonRoute(operation, async ({ caller, params, address }, { teams }) => {
  await teams.delete(caller, params.groupUID, address);
  return answer(204);
});
