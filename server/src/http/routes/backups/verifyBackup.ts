import { verifyBackup as operation } from '@trellis/contract/operations/backups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const verifyBackup = jsonRoute(operation, async ({ caller, params, address }, { backups }) =>
  answer(202, await backups.verify(caller, params.id, address)),
);
