import { deleteBackup as operation } from '@trellis/contract/operations/backups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const deleteBackup = jsonRoute(
  operation,
  async ({ caller, params, address }, { backups }) => {
    await backups.remove(caller, params.id, address);
    return answer(204);
  },
);
