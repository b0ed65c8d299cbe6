import { runBackup as operation } from '@trellis/contract/operations/backups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const runBackup = jsonRoute(operation, async ({ caller, address }, { backups }) =>
  answer(202, await backups.run(caller, address)),
);
