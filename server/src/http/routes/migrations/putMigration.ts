import { putMigration as operation } from '@trellis/contract/operations/migrations.ts';
import { answer } from '../../answer.ts';
import { jsonRoute } from '../../route.ts';

export const putMigration = jsonRoute(
  operation,
  async ({ caller, params, body, address }, { migrations }) =>
    answer(200, await migrations.put(caller, params.name, body, address)),
);
