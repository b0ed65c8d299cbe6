import { operations } from '@trellis/contract/operations/backups.ts';
import { answer, routesOf } from '../route.ts';

export const backupsRoutes = routesOf(operations, {
  runBackup: async ({ caller, address }, { backups }) =>
    answer(202, await backups.run(caller, address)),
  listBackups: async ({ query }, { backups }) => answer(200, await backups.list(query)),
  verifyBackup: async ({ caller, params, address }, { backups }) =>
    answer(202, await backups.verify(caller, params.id, address)),
  deleteBackup: async ({ caller, params, address }, { backups }) => {
    await backups.remove(caller, params.id, address);
    return answer(204);
  },
});
