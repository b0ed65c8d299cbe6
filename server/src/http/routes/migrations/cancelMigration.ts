import { cancelMigration as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const cancelMigration = jsonRoute(
  operation,
  async ({ caller, body, address }, { migrations }) =>
    answer(200, await migrations.cancel(caller, body?.name, address)),
);
