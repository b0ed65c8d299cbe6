import { deleteTask as operation } from '@trellis/contract/operations/tasks.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteTask = jsonRoute(operation, async ({ caller, params, address }, { tasks }) => {
  await tasks.delete(caller, params.name, address);
  return answer(204);
});
