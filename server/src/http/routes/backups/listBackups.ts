import { listBackups as operation } from '@trellis/contract/operations/backups.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const listBackups = jsonRoute(operation, async ({ query }, { backups }) =>
  answer(200, await backups.list(query)),
);
