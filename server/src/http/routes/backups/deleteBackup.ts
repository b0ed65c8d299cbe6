import { deleteBackup as operation } from '@trellis/contract/operations/backups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteBackup = jsonRoute(operation, async ({ params }, { backups }) => {
  await backups.remove(params.id);
  return answer(204);
});
